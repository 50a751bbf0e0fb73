import ByteParsing
import PacketParsing
package import Reassembly
package import SessionModel
package import TLSParsing
package import Values

/// A DTLS handshake between two ends.
///
/// A class: few captures have any, and it is changed where it lies.
package final class DatagramConversation {
  /// What was observed of the handshake.
  package var handshake = Handshake(over: .dtls)

  /// The session's place in the order of first packets.
  package let turn: Int

  /// The first packet.
  package let first: PacketReference

  /// The packet that settled the outcome; until then the last one.
  package private(set) var last: PacketReference

  /// Time of the last packet, in seconds.
  package private(set) var lastSeen: Int64

  /// Whether the session was given out; what comes after is skipped.
  package var isReported = false

  /// The random of the client's first hello; empty before it.
  private(set) var helloRandom = ShortBytes()

  /// What the first packet traveled in, from the outside to the inside; nil for nothing.
  package let tunnels: [String]?

  /// The process that the first packet of which it is known belongs to.
  package var process: CapturedProcess?

  /// The first packet with a fragment that disagrees with others of its packet; 0 for none.
  package var disputedFragment: UInt64 = 0

  /// Packets that the snapshot length cut, and the bytes that they lack.
  package private(set) var truncatedPackets = 0
  package private(set) var missingBytes = 0

  /// The packet of ICMP which reports that the server cannot be reached; nil where that has said something since.
  package private(set) var unreachable: PacketReference?

  package private(set) var saw = BothDirections(false)
  package private(set) var assemblies = BothDirections(DTLSMessageAssembly())

  package init(turn: Int, first: PacketReference, tunnels: [String]?) {
    self.turn = turn
    self.first = first
    self.tunnels = tunnels
    last = first
    lastSeen = first.time?.seconds ?? 0
  }

  private var ownWeight = MemoryWeight()

  /// What it counts for among all that are held.
  package var weight: Int { ownWeight.bytes }

  /// Counts anew what it takes of memory, some bytes of facts having been made for it; returns how much that is more than before.
  package func weigh(made: Int) -> Int {
    ownWeight.change(made: made, held: assemblies.fromLower.heldBytes + assemblies.fromUpper.heldBytes)
  }

  /// Whether a limit was hit.
  package var hitLimit: Bool { assemblies.fromLower.hitLimit || assemblies.fromUpper.hitLimit }

  /// Records that there was a packet at this time.
  package func note(_ reference: PacketReference) {
    if let seconds = reference.time?.seconds { lastSeen = seconds }
  }

  /// Reads a datagram, of which the packet may lack some bytes.
  package func consume(
    _ datagram: Span<UInt8>, missing: Int, in direction: Direction, at reference: PacketReference,
    sharing shared: inout SharedFacts
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
    handshake.consume(
      datagram: datagram, &assemblies[direction], in: direction, frame: reference.frame, sharing: &shared)
    if unreachable != nil, handshake.clientDirection != direction { unreachable = nil }
  }

  /// Notes a report that the server cannot be reached, which quotes the beginning of a datagram from one end: of the client, and where
  /// the random of a hello is quoted, of this handshake.
  package func noteUnreachable(
    quoting datagram: Span<UInt8>, in direction: Direction, at reference: PacketReference
  ) {
    guard handshake.clientDirection == direction,
      DatagramConversation.helloRandom(of: datagram).map({ $0 == helloRandom }) ?? true
    else { return }
    note(reference)
    if unreachable == nil { unreachable = reference }
  }

  /// Whether a datagram begins another handshake between the same two ends (RFC 6347 §4.2.8): with message 0, and a hello that is
  /// sent again keeps its random.
  package func isSuperseded(by datagram: Span<UInt8>) -> Bool {
    guard !helloRandom.isEmpty, let random = DatagramConversation.helloRandom(of: datagram),
      datagram[17] == 0,
      datagram[18] == 0
    else { return false }
    return random != helloRandom
  }

  /// The random of the ClientHello that a datagram in the clear begins with; nil where it begins with none.
  ///
  ///     type 1 | version 2 | epoch 2 | number 6 | length 2 | message type 1 |
  ///     length 3 | sequence 2 | offset 3 | length 3 | version 2 | random 32
  private static func helloRandom(of datagram: Span<UInt8>) -> ShortBytes? {
    guard datagram.count >= 59, datagram[0] == ContentType.handshake.rawValue, datagram[3] == 0,
      datagram[4] == 0,
      datagram[13] == HandshakeType.clientHello.rawValue,
      datagram[19] == 0, datagram[20] == 0, datagram[21] == 0
    else { return nil }
    return ShortBytes(datagram.extracting(27..<59))
  }

  /// Ends what has begun: no more bytes follow.
  package func breakOff(sharing shared: inout SharedFacts) {
    for direction in Direction.allCases {
      handshake.breakOff(&assemblies[direction], in: direction, sharing: &shared)
    }
    handshake.concludeServerFlight(assemblies)
  }
}

/// The DTLS handshakes that are open, by their ends.
package struct DatagramConversations {
  /// Handshakes watched at once, those included whose packets are skipped because they are over.
  static let maximumCount = 16_384

  private struct Key: Hashable {
    var lower: Endpoint
    var upper: Endpoint

    init(_ key: ConnectionKey) {
      lower = key.lower
      upper = key.upper
    }
  }

  private var places: [Key: DatagramConversation] = [:]

  /// The order in which handshakes began, those included that have gone.
  private var order: ContiguousArray<(key: ConnectionKey, turn: Int)> = []
  private var firstInOrder = 0

  /// The next in that order to look at for silence.
  private var sweepPosition = 0

  /// What all that are held weigh together.
  package var openBytes = 0

  /// Whether no handshake has been seen.
  package var isEmpty: Bool { places.isEmpty }

  /// Whether there is room for no further one.
  package var isFull: Bool { places.count >= DatagramConversations.maximumCount }

  /// The handshake between two ends.
  package func conversation(_ key: ConnectionKey) -> DatagramConversation? { places[Key(key)] }

  /// Begins to watch a handshake, perhaps in place of one between the same ends.
  package mutating func begin(_ conversation: DatagramConversation, _ key: ConnectionKey) {
    places[Key(key)] = conversation
    // Those that have gone are swept out once they are in the majority.
    if order.count > 2 * DatagramConversations.maximumCount {
      order = ContiguousArray(order[firstInOrder...].filter { isHeld($0) })
      (firstInOrder, sweepPosition) = (0, 0)
    }
    order.append((key, conversation.turn))
  }

  private func isHeld(_ entry: (key: ConnectionKey, turn: Int)) -> Bool {
    places[Key(entry.key)]?.turn == entry.turn
  }

  /// Looks at one handshake, each in its turn, and gives it out if it is wanted no more.
  package mutating func takeNext(
    where isWanted: (DatagramConversation) -> Bool
  ) -> (key: ConnectionKey, conversation: DatagramConversation)? {
    sweepPosition = sweepPosition + 1 < order.count ? max(sweepPosition + 1, firstInOrder) : firstInOrder
    guard sweepPosition < order.count, isHeld(order[sweepPosition]) else { return nil }
    let key = order[sweepPosition].key
    guard let conversation = places[Key(key)], isWanted(conversation) else { return nil }
    places[Key(key)] = nil
    return (key, conversation)
  }

  /// Returns the one that began first; nil where there is none.
  package mutating func takeOldest() -> (key: ConnectionKey, conversation: DatagramConversation)? {
    while firstInOrder < order.count {
      let entry = order[firstInOrder]
      firstInOrder += 1
      if isHeld(entry) { return places.removeValue(forKey: Key(entry.key)).map { (entry.key, $0) } }
    }
    return nil
  }

  /// Returns all, oldest first.
  package mutating func takeAll() -> [(key: ConnectionKey, conversation: DatagramConversation)] {
    var taken: [(key: ConnectionKey, conversation: DatagramConversation)] = []
    while let next = takeOldest() { taken.append(next) }
    return taken
  }

  /// Creates a table of no handshakes.
  package init() {}
}
