import ByteParsing
import CaptureFormats
import PacketParsing
import Values

/// Fragments that came before the session was seen to begin: the packet that completes a datagram is the one that counts.
struct WaitingFragments {
  /// What the fragments of one datagram have in common.
  struct Datagram: Hashable {
    private let source: IPAddress
    private let destination: IPAddress
    private let identification: UInt32
    private let protocolNumber: UInt8

    init(_ headers: PacketHeaders) {
      source = headers.source
      destination = headers.destination
      identification = headers.fragment.identification
      protocolNumber = headers.fragment.protocolNumber
    }
  }

  /// A packet that is ready to be written.
  struct Packet {
    var bytes: Bytes
    var originalLength: Int
    var linkType: LinkType
    var time: Timestamp?
    var process: CapturedProcess?
  }

  private var waiting: [(datagram: Datagram, packet: Packet)] = []
  private var byteCount = 0

  /// Fragments of one datagram come close together.
  private static let limit = 512
  private static let byteLimit = 4 << 20

  /// Keeps a packet; the oldest give way.
  mutating func keep(_ packet: Packet, of datagram: Datagram) {
    waiting.append((datagram, packet))
    byteCount += packet.bytes.count
    while waiting.count > WaitingFragments.limit || byteCount > WaitingFragments.byteLimit {
      byteCount -= waiting.removeFirst().packet.bytes.count
    }
  }

  /// Gives out what was kept of a datagram, in its order.
  mutating func take(_ datagram: Datagram) -> [Packet] {
    guard waiting.contains(where: { $0.datagram == datagram }) else { return [] }
    let taken = waiting.filter { $0.datagram == datagram }.map(\.packet)
    waiting.removeAll { $0.datagram == datagram }
    byteCount -= taken.reduce(0) { $0 + $1.bytes.count }
    return taken
  }
}
