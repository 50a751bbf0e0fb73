import BasicContainers
import ByteParsing
import CleartextObservation
import Reassembly
import SessionModel
import Values

/// Connections that began with words of no known protocol, behind which TLS may begin.
///
/// Of such a connection no more is held than of one that has said nothing. That it is held at all lets what follows be found where its
/// first segment begins with bytes that were sent before, or comes before its turn.
extension SessionTracker {
  /// Who means to change to TLS does so before much is said. Beyond this a beginning has to stand at the start of a segment.
  private static let wordsLimit = 8 * 1024

  /// Stops watching a connection of which nothing more is to be expected, unless it has said such words and not much, or is a
  /// control connection of FTP.
  mutating func endConversation(_ index: Int) {
    if !goOn(index) { close(index, .done) }
  }

  /// Goes on to watch a connection whose conversation is over, if something may follow; else returns false.
  mutating func goOn(_ index: Int) -> Bool {
    let place = Int(connections[index].conversation)
    guard place >= 0 else { return false }
    return conversations.places[place].isOfUnknownWords ? watchBehindWords(index) : listenBehindTLS(index)
  }

  /// Goes on to watch a connection if it has said such words and not much; else returns false.
  @inline(never)
  mutating func watchBehindWords(_ index: Int) -> Bool {
    let place = Int(connections[index].conversation)
    guard place >= 0, conversations.places[place].isOfUnknownWords, isWithinWords(index) else { return false }
    if connections[index].reading != nil {
      for direction in Direction.allCases { conversations[place].accountForKept(in: direction) }
      settleReading(index, place)
    }
    openBytes -= conversations[place].weight
    conversations.end(place)
    connections[index].conversation = -1
    connections[index].isConversationOver = false
    connections[index].saidWords = true
    giveUpTurn(index)
    return true
  }

  /// Takes bytes behind such words; true where they begin nothing either.
  @inline(never)
  mutating func isOfWords(
    _ index: Int, _ piece: Span<UInt8>, _ direction: Direction
  ) -> Bool {
    if StreamBeginning.newBeginning(piece) != nil {
      connections[index].saidWords = false
      conversations[conversation(index)].isBehindWords = true
      return false
    }
    let count = StreamBeginning.textBeforeHello(piece)
    if count > 0 {
      connections[index].saidWords = false
      conversations[conversation(index)].stepOverWords(count, in: direction)
      return false
    }
    if !isWithinWords(index) { connections[index].isConversationOver = true }
    giveUpTurn(index)
    return true
  }

  private func isWithinWords(_ index: Int) -> Bool {
    connections[index].streams.fromLower.position + connections[index].streams.fromUpper.position
      <= SessionTracker.wordsLimit
  }

  /// No session begins before what comes next, unless it came already.
  mutating func giveUpTurn(_ index: Int) {
    guard let turn = connections[index].turn, !connections[index].hasHeldAny
    else { return }
    queue.end(turn, nil, weight: 0, to: &finished)
    connections[index].turn = nil
  }
}
