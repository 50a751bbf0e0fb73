import BasicContainers
import ByteParsing
import CleartextObservation
import Reassembly
import SessionModel
import Values

/// Connections that began with the greeting of an unknown protocol, after which TLS may begin.
///
/// Of such a connection no more is held than of one that has said nothing. That it is held at all lets what follows be found where its
/// first segment begins with bytes that were sent before, or comes before its turn.
extension SessionTracker {
  /// A client that upgrades to TLS does so early. Beyond this many bytes, a hello has to begin a segment.
  private static let maximumGreetingByteCount = 8 * 1024

  /// Stops watching a connection of which nothing more is to be expected, unless it has sent only a short unknown greeting, or is a
  /// control connection of FTP.
  mutating func endConversation(_ index: Int) {
    if !keepWatching(index) { close(index, .done) }
  }

  /// Goes on to watch a connection whose conversation is over, if something may follow; else returns false.
  mutating func keepWatching(_ index: Int) -> Bool {
    guard let place = connections[index].conversation else { return false }
    return conversations.places[place].isUnknownGreeting ? watchAfterGreeting(index) : listenAfterTLS(index)
  }

  /// Goes on to watch a connection that has sent nothing but a short greeting; returns false for any other.
  @inline(never)
  mutating func watchAfterGreeting(_ index: Int) -> Bool {
    guard let place = connections[index].conversation, conversations.places[place].isUnknownGreeting,
      isWithinGreeting(index)
    else { return false }
    if connections[index].layout != nil {
      for direction in Direction.allCases { conversations[place].accountForKept(in: direction) }
      updateLayout(index, place)
    }
    openBytes -= conversations[place].weight
    conversations.end(place)
    connections[index].conversation = nil
    connections[index].isConversationOver = false
    connections[index].hasUnknownGreeting = true
    releaseTurn(index)
    return true
  }

  /// Reads bytes after an unknown greeting. Returns true if they continue it, false if a known protocol begins with them.
  @inline(never)
  mutating func extendGreeting(
    _ index: Int, _ piece: Span<UInt8>, _ direction: Direction
  ) -> Bool {
    if StreamBeginning.newBeginning(piece) != nil {
      connections[index].hasUnknownGreeting = false
      conversations[conversation(index)].followsGreeting = true
      return false
    }
    let count = StreamBeginning.textBeforeHello(piece)
    if count > 0 {
      connections[index].hasUnknownGreeting = false
      conversations[conversation(index)].skipGreeting(count, in: direction)
      return false
    }
    if !isWithinGreeting(index) { connections[index].isConversationOver = true }
    releaseTurn(index)
    return true
  }

  private func isWithinGreeting(_ index: Int) -> Bool {
    connections[index].streams.fromLower.position + connections[index].streams.fromUpper.position
      <= SessionTracker.maximumGreetingByteCount
  }

  /// No session begins before what comes next, unless it came already.
  mutating func releaseTurn(_ index: Int) {
    guard let turn = connections[index].turn, !connections[index].hasHeldAny
    else { return }
    queue.end(turn, nil, weight: 0, to: &finished)
    connections[index].turn = nil
  }
}
