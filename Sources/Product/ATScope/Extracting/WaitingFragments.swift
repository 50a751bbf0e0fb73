import ByteParsing
import CaptureFormats
import Reassembly
import Values

/// Fragments that came before the session was seen to begin: the packet that completes a datagram is the one that counts.
struct WaitingFragments {
  /// A packet that is ready to be written.
  struct Packet {
    var bytes: Bytes
    var originalLength: Int
    var linkType: LinkType
    var time: Timestamp?
    var process: CapturedProcess?
  }

  private var kept: [FragmentKey: [Packet]] = [:]
  private var byteCount = 0

  /// The datagrams of which something is kept, in the order in which they began.
  private var order: [FragmentKey] = []

  /// How many fragments gave way of datagrams that may still turn out to be of a session.
  private var gaveWay: [FragmentKey: UInt64] = [:]

  /// Fragments of sessions that gave way to others.
  private(set) var lost: UInt64 = 0

  /// An audit puts together no more at once. Others are more only where datagrams of no session lie between the fragments.
  private static let limits = FragmentLimits()
  /// Datagrams that are remembered for what gave way of them: as many as have identifications of their own.
  private static let gaveWayLimit = 65_536

  /// Keeps a packet; where there are too many, the datagram that began first gives way.
  mutating func keep(_ packet: Packet, of datagram: FragmentKey) {
    if kept[datagram] == nil { order.append(datagram) }
    kept[datagram, default: []].append(packet)
    byteCount += packet.bytes.count
    while let first = order.first, isBeyondLimit {
      order.removeFirst()
      let packets = remove(first)
      if gaveWay.count >= WaitingFragments.gaveWayLimit {
        // Whose they were will not be known: better said in vain than not at all.
        lost += gaveWay.values.reduce(0, +)
        gaveWay.removeAll()
      }
      gaveWay[first, default: 0] += UInt64(packets.count)
    }
  }

  /// Gives out what was kept of a datagram, in its order.
  mutating func take(_ datagram: FragmentKey) -> [Packet] {
    lost += gaveWay.removeValue(forKey: datagram) ?? 0
    guard kept[datagram] != nil else { return [] }
    order.removeAll { $0 == datagram }
    return remove(datagram)
  }

  private var isBeyondLimit: Bool {
    order.count > WaitingFragments.limits.datagrams || byteCount > WaitingFragments.limits.heldBytes
  }

  private mutating func remove(_ datagram: FragmentKey) -> [Packet] {
    let packets = kept.removeValue(forKey: datagram) ?? []
    byteCount -= packets.reduce(0) { $0 + $1.bytes.count }
    return packets
  }
}
