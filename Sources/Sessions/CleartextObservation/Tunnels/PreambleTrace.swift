import ByteParsing
import SessionModel
package import Values

/// Notes what bytes in front of a handshake are, for who copies a capture, where they are no cleartext HTTP and no request of SOCKS:
/// those have traces of their own. Of what comes behind the beginning of a handshake it notes what is none of it.
///
/// A class: connections of which nobody notes it should not carry room for it.
package final class PreambleTrace {
  /// Some bytes that follow one another, and how many of those that came stand behind them.
  package typealias Part = (runs: [MessageTrace.Run], unread: Int)

  private struct Side {
    var parts: [Part] = []
    /// Bytes behind the beginning of a handshake that nothing is read of.
    var unread: [Part] = []
    /// Bytes that came as well, and are about to be read.
    var expected = 0
    var hasToldHandshake = false
  }

  private var sides = BothDirections(Side())

  /// Adds the bytes of one direction in front of the last `unread` ones of what is being read.
  package func add(_ run: MessageTrace.Run, in direction: Direction, unread: Int = 0) {
    guard run.count > 0 else { return }
    sides[direction].parts.append(([run], unread + sides[direction].expected))
  }

  /// Adds bytes behind the beginning of a handshake that nothing is read of, the last `unread` ones of what is being read being others.
  package func addUnread(_ count: Int, in direction: Direction, unread: Int = 0) {
    guard count > 0 else { return }
    sides[direction].unread.append(([.content(count)], unread + sides[direction].expected))
  }

  /// Gives out what has been noted behind the beginning of a handshake.
  package func takeUnread(in direction: Direction) -> [Part] {
    defer { sides[direction].unread = [] }
    return sides[direction].unread
  }

  /// Takes note that so many bytes are about to be read behind those that are being read.
  package func expect(_ count: Int, in direction: Direction) {
    sides[direction].expected = count
  }

  /// Gives out what has been noted of one direction.
  package func take(in direction: Direction) -> [Part] {
    defer { sides[direction].parts = [] }
    return sides[direction].parts
  }

  /// True when asked for the first time.
  package func tellsHandshake(in direction: Direction) -> Bool {
    defer { sides[direction].hasToldHandshake = true }
    return !sides[direction].hasToldHandshake
  }

  /// Creates an empty trace.
  package init() {}
}
