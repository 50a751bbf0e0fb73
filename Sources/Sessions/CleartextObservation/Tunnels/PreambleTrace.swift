import ByteParsing
import SessionModel

/// Notes what bytes in front of a handshake are, for who copies a capture, where they are no cleartext HTTP and no request of SOCKS:
/// those have traces of their own. Of what comes behind the beginning of a handshake it notes what is none of it.
///
/// A class: connections of which nobody notes it should not carry room for it.
package final class PreambleTrace {
  /// Some bytes that follow one another, and how many of those that came stand behind them.
  package typealias Part = (runs: [MessageTrace.Run], unread: Int)

  private struct Direction {
    var parts: [Part] = []
    /// Bytes behind the beginning of a handshake that nothing is read of.
    var unread: [Part] = []
    /// Bytes that came as well, and are about to be read.
    var expected = 0
    var hasToldHandshake = false
  }

  private var lower = Direction()
  private var upper = Direction()

  /// Adds the bytes of one direction in front of the last `unread` ones of what is being read.
  package func add(_ run: MessageTrace.Run, fromLower: Bool, unread: Int = 0) {
    guard run.count > 0 else { return }
    if fromLower {
      lower.parts.append(([run], unread + lower.expected))
    } else {
      upper.parts.append(([run], unread + upper.expected))
    }
  }

  /// Adds bytes behind the beginning of a handshake that nothing is read of, the last `unread` ones of what is being read being others.
  package func addUnread(_ count: Int, fromLower: Bool, unread: Int = 0) {
    guard count > 0 else { return }
    if fromLower {
      lower.unread.append(([.content(count)], unread + lower.expected))
    } else {
      upper.unread.append(([.content(count)], unread + upper.expected))
    }
  }

  /// Gives out what has been noted behind the beginning of a handshake.
  package func takeUnread(fromLower: Bool) -> [Part] {
    defer { if fromLower { lower.unread = [] } else { upper.unread = [] } }
    return fromLower ? lower.unread : upper.unread
  }

  /// Takes note that so many bytes are about to be read behind those that are being read.
  package func expect(_ count: Int, fromLower: Bool) {
    if fromLower { lower.expected = count } else { upper.expected = count }
  }

  /// Gives out what has been noted of one direction.
  package func take(fromLower: Bool) -> [Part] {
    defer { if fromLower { lower.parts = [] } else { upper.parts = [] } }
    return fromLower ? lower.parts : upper.parts
  }

  /// True when asked for the first time.
  package func tellsHandshake(fromLower: Bool) -> Bool {
    defer { if fromLower { lower.hasToldHandshake = true } else { upper.hasToldHandshake = true } }
    return !(fromLower ? lower : upper).hasToldHandshake
  }

  /// Creates an empty trace.
  package init() {}
}
