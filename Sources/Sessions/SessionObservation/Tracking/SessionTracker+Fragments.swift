import ByteParsing
import PacketParsing
import Reassembly
import Values

extension SessionTracker {
  /// Takes a packet that was not read down to TCP or UDP: a fragment may complete one that is; anything else is counted.
  @inline(never)
  mutating func processUnread(_ reason: UnreadReason, _ packet: Span<UInt8>, _ moment: Moment) {
    guard reason == .fragment else {
      health.unread[reason, default: 0] += 1
      if reason == .unknownLinkType { health.unknownLinkTypes[headers.unknownLinkType, default: 0] += 1 }
      return
    }
    let seconds = moment.time?.seconds
    var whole = fragments.add(headers, payload(packet), seconds: seconds)
    // A packet that was put together may be a tunnel's and hold a fragment itself.
    while let datagram = whole {
      whole = nil
      let bytes = datagram.payload
      let kind = headers.decode(
        reassembled: bytes.span, protocolNumber: datagram.protocolNumber, lengthOnWire: datagram.lengthOnWire)
      switch kind {
      case .tcp: processReassembled(bytes.span, moment)
      case .udp: processDatagram(bytes.span, moment)
      case .unread(.fragment): whole = fragments.add(headers, payload(bytes.span), seconds: seconds)
      case .unread(let reason): health.unread[reason, default: 0] += 1
      }
    }
  }

  /// Takes a segment that came in fragments; its frame is the one of the fragment that came last.
  private mutating func processReassembled(_ bytes: Span<UInt8>, _ moment: Moment) {
    health.tcpSegments &+= 1
    guard concernsHandshakes else { return }
    let place = table.place(
      from: headers.source, headers.sourcePort, to: headers.destination, headers.destinationPort)
    if place.index >= 0 || mayOpen(bytes) { processSegment(place, bytes, moment) }
  }

  /// Takes over what was counted of fragments.
  mutating func noteFragments() {
    health.fragments = fragments.fragments
    health.reassembledPackets = fragments.wholeDatagrams
    health.incompletePackets = fragments.incompleteDatagrams
    health.fragmentsGivenUp = fragments.limitedDatagrams
    health.disagreeingFragmentBytes = fragments.disagreeingBytes
    health.contradictingFragments = fragments.contradictingFragments
  }
}

/// Names of tunnels as sessions carry them: connections in the same tunnels share them.
struct TunnelTexts {
  private var path = TunnelPath()
  private var texts: [String] = []

  /// The names of the tunnels, from the outside to the inside.
  mutating func texts(of path: TunnelPath) -> [String] {
    if path != self.path {
      self.path = path
      texts = path.descriptions
    }
    return texts
  }
}
