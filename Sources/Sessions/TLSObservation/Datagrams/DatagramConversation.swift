import ByteParsing
import DequeModule
package import Reassembly
package import SessionModel
package import TLSParsing
package import Values

/// A DTLS handshake between two endpoints.
///
/// A class: few captures contain any, and it is modified in place.
package final class DatagramConversation {
  package var handshake = Handshake(over: .dtls)

  /// The session's turn in the order of first packets.
  package let turn: Int

  package let first: PacketReference

  /// The packet that decided the outcome; until then, the last one.
  package private(set) var last: PacketReference

  /// The time of the last packet, in seconds.
  package private(set) var lastSeen: Int64

  /// Whether the session was reported; later packets are skipped.
  package var isReported = false

  /// The random of the client's first hello; empty before it.
  private(set) var helloRandom = ShortBytes()

  /// The tunnels of the first packet, outermost first; nil if there are none.
  package let tunnels: [EnclosingLayer]?

  /// The process of the connection, from the first packet that names one.
  package var process: CapturedProcess?

  /// The first packet with a fragment that disagrees with others of its packet; 0 if there is none.
  package var disputedFragment: UInt64 = 0

  /// The number of packets truncated to the snapshot length, and of the bytes that they lack.
  package private(set) var truncatedPackets = 0
  package private(set) var missingBytes = 0

  /// The ICMP packet that reports the server as unreachable; nil if there is none, or the server has sent something since.
  package private(set) var unreachable: PacketReference?

  package private(set) var saw = BothDirections(false)
  package private(set) var assemblies = BothDirections(DTLSMessageAssembly())

  package init(turn: Int, first: PacketReference, tunnels: [EnclosingLayer]?) {
    self.turn = turn
    self.first = first
    self.tunnels = tunnels
    last = first
    lastSeen = first.time?.seconds ?? 0
  }

  private var ownWeight = MemoryWeight()

  /// The memory that the conversation takes, in bytes.
  package var weight: Int { ownWeight.bytes }

  /// Updates the weight; `made` is the number of bytes of facts created for the conversation since. Returns the change.
  package func weigh(made: Int) -> Int {
    ownWeight.change(made: made, held: assemblies.fromLower.heldBytes + assemblies.fromUpper.heldBytes)
  }

  package var hitLimit: Bool { assemblies.fromLower.hitLimit || assemblies.fromUpper.hitLimit }

  /// Records the time of a packet.
  package func note(_ reference: PacketReference) {
    if let seconds = reference.time?.seconds { lastSeen = seconds }
  }

  /// Reads a datagram; `missing` is the number of bytes that the capture lacks at its end.
  package func consume(
    _ datagram: Span<UInt8>, missing: Int, in direction: Direction, at reference: PacketReference, sharing shared: inout SharedFacts
  ) {
    if helloRandom.isEmpty, let random = DatagramConversation.helloRandom(of: datagram) {
      helloRandom = random
    }
    note(reference)
    saw[direction] = true
    if missing > 0 {
      truncatedPackets += 1
      missingBytes += missing
    }
    if handshake.facts.outcome == .incomplete { last = reference }
    // A truncated hello is not read, but shows which endpoint the client is.
    if handshake.clientDirection == nil, TLSRecognition.dtlsHello(datagram) == .yes {
      handshake.setClient(datagram[13] == HandshakeType.clientHello.rawValue ? direction : direction.opposite)
    }
    handshake.consume(datagram: datagram, &assemblies[direction], in: direction, frame: reference.frame, sharing: &shared)
    if unreachable != nil, handshake.clientDirection != direction { unreachable = nil }
  }

  /// Records a report that the server is unreachable. It counts only if it quotes a datagram of the client and, if that is a hello, one of
  /// this handshake.
  package func noteUnreachable(quoting datagram: Span<UInt8>, in direction: Direction, at reference: PacketReference) {
    guard handshake.clientDirection == direction,
      DatagramConversation.helloRandom(of: datagram).map({ $0 == helloRandom }) ?? true
    else { return }
    note(reference)
    if unreachable == nil { unreachable = reference }
  }

  /// Whether a datagram begins another handshake between the same endpoints (RFC 6347 §4.2.8): its message number is 0, and its random
  /// differs, while a retransmitted hello keeps its random.
  package func isSuperseded(by datagram: Span<UInt8>) -> Bool {
    guard !helloRandom.isEmpty, let random = DatagramConversation.helloRandom(of: datagram),
      datagram[17] == 0,
      datagram[18] == 0
    else { return false }
    return random != helloRandom
  }

  /// The random of the cleartext ClientHello at the start of a datagram; nil if there is none.
  ///
  ///     type 1 | version 2 | epoch 2 | number 6 | length 2 | message type 1 |
  ///     length 3 | sequence 2 | offset 3 | length 3 | version 2 | random 32
  private static func helloRandom(of datagram: Span<UInt8>) -> ShortBytes? {
    guard datagram.count >= 59, datagram[0] == ContentType.handshake.rawValue, datagram[3] == 0, datagram[4] == 0,
      datagram[13] == HandshakeType.clientHello.rawValue, datagram[19] == 0, datagram[20] == 0, datagram[21] == 0
    else { return nil }
    return ShortBytes(datagram.extracting(27..<59))
  }

  /// Ends reading; incomplete messages are read as far as possible.
  package func endReading(sharing shared: inout SharedFacts) {
    for direction in Direction.allCases {
      handshake.endReading(&assemblies[direction], in: direction, sharing: &shared)
    }
    handshake.concludeServerFlight(assemblies)
  }
}

/// The open DTLS handshakes, by their endpoints.
package struct DatagramConversations {
  /// The maximum number of handshakes, including completed ones whose packets are skipped.
  static let maximumCount = 16_384

  private var conversations: [ConnectionKey: DatagramConversation] = [:]

  /// The handshakes in the order in which they began, including removed ones.
  private var order: Deque<(key: ConnectionKey, turn: Int)> = []

  /// The position in `order` of the last handshake checked for idleness.
  private var sweepPosition = 0

  /// The memory that all held handshakes take, in bytes.
  package var openBytes = 0

  package var isEmpty: Bool { conversations.isEmpty }

  package var isFull: Bool { conversations.count >= DatagramConversations.maximumCount }

  /// The handshake between two endpoints; nil if there is none.
  package func conversation(_ key: ConnectionKey) -> DatagramConversation? { conversations[key] }

  /// Adds a handshake, which replaces one between the same endpoints.
  package mutating func begin(_ conversation: DatagramConversation, _ key: ConnectionKey) {
    conversations[key] = conversation
    // Removed entries are swept once they are in the majority.
    if order.count > 2 * DatagramConversations.maximumCount {
      order = Deque(order.filter { conversations[$0.key]?.turn == $0.turn })
      sweepPosition = 0
    }
    order.append((key, conversation.turn))
  }

  /// Checks the next handshake in rotation, and removes and returns it if `isWanted` is true; otherwise nil.
  package mutating func takeNext(
    where isWanted: (DatagramConversation) -> Bool
  ) -> (key: ConnectionKey, conversation: DatagramConversation)? {
    sweepPosition = sweepPosition + 1 < order.count ? sweepPosition + 1 : 0
    guard sweepPosition < order.count, let next = conversations[order[sweepPosition].key],
      next.turn == order[sweepPosition].turn, isWanted(next)
    else { return nil }
    conversations[order[sweepPosition].key] = nil
    return (order[sweepPosition].key, next)
  }

  /// Removes and returns the handshake that began first; nil if there is none.
  package mutating func takeOldest() -> (key: ConnectionKey, conversation: DatagramConversation)? {
    while let (key, turn) = order.popFirst() {
      sweepPosition = max(-1, sweepPosition - 1)
      guard let oldest = conversations[key], oldest.turn == turn else { continue }
      conversations[key] = nil
      return (key, oldest)
    }
    return nil
  }

  package init() {}
}
