import BasicContainers
import CleartextObservation
import Reassembly
import Values

/// Connections and tunnels that began with the greeting of an unknown protocol, after which TLS may begin.
///
/// Such a connection takes no more memory than one without data, and a tunnel only that of its layers. It is watched so
/// that a later hello is found even if its first segment overlaps earlier bytes, or is out of order.
extension SessionTracker {
  /// The maximum length of a greeting; a client that upgrades to TLS does so early. Beyond it, a hello must begin a segment.
  private static let maximumGreetingByteCount = 8 * 1024

  /// Stops watching a connection of which nothing more is expected, unless it has sent only a short unknown greeting, or is an FTP control
  /// connection.
  mutating func endConversation(_ index: Int) {
    if !keepWatching(index) { close(index, .done) }
  }

  /// Keeps watching a connection whose conversation is over, if something may follow; otherwise returns false.
  mutating func keepWatching(_ index: Int) -> Bool {
    guard let slot = connections[index].conversation else { return false }
    return conversations.slots[slot].isUnknownGreeting ? watchAfterGreeting(index) : observeAfterTLS(index)
  }

  /// Keeps watching a connection that has sent only a short greeting; returns false for any other.
  @inline(never)
  mutating func watchAfterGreeting(_ index: Int) -> Bool {
    guard let slot = connections[index].conversation, conversations.slots[slot].isUnknownGreeting,
      isWithinGreeting(index)
    else { return false }
    if conversations.slots[slot].preamble == nil { dropConversation(index, slot) } else { conversations.slots[slot].restart() }
    connections[index].isConversationOver = false
    connections[index].hasUnknownGreeting = true
    if connections[index].rereadings == 0 { connections[index].noteGreeting() }
    releaseTurn(index)
    return true
  }

  /// Ends an unknown greeting if the next bytes of a direction are the reply of a proxy, for which its client did not wait or which the
  /// capture lacks; returns whether it did.
  @inline(never)
  mutating func replyEndsGreeting(_ index: Int, in direction: Direction) -> Bool {
    guard let slot = connections[index].conversation, conversations.slots[slot].awaitsReply == direction else { return false }
    conversations.slots[endGreeting(index)].followsGreeting = true
    return true
  }

  /// Reads bytes after an unknown greeting, of a segment with `length` new ones. Returns true if they continue it, false if a known
  /// protocol begins with them.
  @inline(never)
  mutating func extendGreeting(_ index: Int, _ piece: Span<UInt8>, length: Int, _ direction: Direction) -> Bool {
    if StreamBeginning.newBeginning(piece) != nil {
      let isFirst = connections[index].precedesGreeting(length, direction)
      conversations.slots[endGreeting(index)].followsGreeting = !isFirst
      return false
    }
    let count = StreamBeginning.textBeforeHello(piece)
    if count > 0 {
      conversations.slots[endGreeting(index)].skipGreeting(count, in: direction)
      return false
    }
    if !isWithinGreeting(index) { connections[index].isConversationOver = true }
    releaseTurn(index)
    return true
  }

  /// Ends an unknown greeting; returns the slot of the conversation that follows.
  private mutating func endGreeting(_ index: Int) -> Int {
    connections[index].hasUnknownGreeting = false
    let slot = conversation(index)
    noteUnread(index, slot)
    let missing = Direction.allCases.reduce(0) { count, direction in
      count + connections[index].streams.reading(direction) { $0.missingBytes }
    }
    conversations.slots[slot].missingBytes = max(conversations.slots[slot].missingBytes, missing)
    return slot
  }

  /// Whether a connection, or the tunnel in it, is not longer than a greeting.
  private func isWithinGreeting(_ index: Int) -> Bool {
    let before = connections[index].conversation.map { conversations.slots[$0].byteCountBeforeTunnel } ?? 0
    return connections[index].byteCount - before <= SessionTracker.maximumGreetingByteCount
  }

  /// Ends the turn of a connection, unless it has a session or segments are held: no session begins before the next bytes.
  mutating func releaseTurn(_ index: Int) {
    guard let turn = connections[index].turn, !connections[index].hasHeldAny else { return }
    if let slot = connections[index].conversation, conversations.slots[slot].hasSession { return }
    queue.end(turn, nil, weight: 0, to: &finished)
    connections[index].turn = nil
  }
}
