import ByteParsing
package import Values

/// The checksums of a TCP segment, computed from its headers and, if necessary, its payload (RFC 9293 §3.1, RFC 791 §3.1).
///
/// Summing the headers is cheap; the payload is added only if copies of it disagree.
package struct SegmentChecksum: Hashable, Sendable {
  package enum Validity: Hashable, Sendable {
    /// The segment was captured as it was sent.
    case valid
    /// The receiver discards the segment.
    case invalid
    /// Bytes are missing from the capture, or the checksum was offloaded to the network card.
    case unknown
  }

  private var sum: UInt16 = 0
  /// The validity if it is known without the payload; otherwise nil.
  private var known: Validity?
  /// Whether an odd number of payload bytes has been added.
  private var isOdd = false

  /// Creates the checksums of a segment whose validity is known.
  package init(_ validity: Validity) { known = validity }

  fileprivate init(headerSum: UInt16) { sum = headerSum }

  /// Adds the next bytes of the payload.
  package mutating func add(_ bytes: Span<UInt8>) {
    guard known == nil else { return }
    sum = SegmentChecksum.folded(SegmentChecksum.sum(of: bytes, isOdd: isOdd) + UInt64(sum))
    if bytes.count & 1 == 1 { isOdd.toggle() }
  }

  /// The validity of the checksums after the rest of the payload is added.
  package func validity(adding bytes: Span<UInt8>) -> Validity {
    var whole = self
    whole.add(bytes)
    return whole.known ?? (whole.sum == 0xFFFF ? .valid : .invalid)
  }

  /// A number that is folded to the sum of bytes as 16-bit words. If `isOdd`, the first byte is the second of a word.
  package static func sum(of bytes: Span<UInt8>, isOdd: Bool = false) -> UInt64 {
    var sum: UInt64 = 0
    var index = 0
    if isOdd, bytes.count > 0 {
      sum = UInt64(bytes[0])
      index = 1
    }
    // Words of 32 bits have the same sum, because 2^16 is 1 in this arithmetic (RFC 1071 §2).
    while bytes.count &- index >= 8 {
      let words = bytes.raw.big64(index)
      sum &+= words >> 32 &+ words & 0xFFFF_FFFF
      index &+= 8
    }
    while index + 1 < bytes.count {
      sum += UInt64(bytes.raw.big16(index))
      index += 2
    }
    if index < bytes.count { sum += UInt64(bytes[index]) << 8 }
    return sum
  }

  /// A number that is folded to the sum of two addresses as 16-bit words.
  static func sum(of a: IPAddress, _ b: IPAddress) -> UInt64 {
    func sum(_ word: UInt64) -> UInt64 { word >> 32 &+ word & 0xFFFF_FFFF }
    return sum(a.high) &+ sum(a.low) &+ sum(b.high) &+ sum(b.low)
  }

  /// A sum of 16-bit words in one's complement (RFC 1071).
  package static func folded(_ sum: UInt64) -> UInt16 {
    var sum = sum
    while sum > 0xFFFF { sum = sum >> 16 + sum & 0xFFFF }
    return UInt16(truncatingIfNeeded: sum)
  }
}

extension PacketHeaders {
  /// The checksums of the TCP segment in `packet` that these headers describe; its payload is still to be added.
  package func checksum(of packet: Span<UInt8>) -> SegmentChecksum {
    let bytes = packet.raw
    guard payloadLength == payloadLengthOnWire, let transportOffset, payloadOffset - transportOffset >= 20, payloadOffset <= packet.count
    else { return SegmentChecksum(.unknown) }
    if let isValid = hasValidNetworkHeader(packet), !isValid { return SegmentChecksum(.invalid) }
    var sum = pseudoHeaderSum(IPProtocol.tcp, length: payloadOffset - transportOffset + payloadLengthOnWire)
    // If the network card is to complete it, the field contains the sum of the pseudo header.
    if bytes.big16(transportOffset + 16) == SegmentChecksum.folded(sum) { return SegmentChecksum(.unknown) }
    sum += SegmentChecksum.sum(of: packet.extracting(transportOffset..<payloadOffset))
    return SegmentChecksum(headerSum: SegmentChecksum.folded(sum))
  }

  /// Writes a checksum of this validity into the TCP header in `packet`: valid, invalid, or offloaded. The payload must be complete.
  package func writeChecksum(_ validity: SegmentChecksum.Validity, into packet: inout ContiguousArray<UInt8>) {
    let end = payloadOffset + payloadLength
    guard let transportOffset, payloadOffset - transportOffset >= 20, end <= packet.count else { return }
    var sum = pseudoHeaderSum(IPProtocol.tcp, length: payloadOffset - transportOffset + payloadLengthOnWire)
    var field = SegmentChecksum.folded(sum)
    if validity != .unknown {
      packet[transportOffset + 16] = 0
      packet[transportOffset + 17] = 0
      sum += SegmentChecksum.sum(of: packet.span.extracting(transportOffset..<end))
      field = ~SegmentChecksum.folded(sum)
      if validity == .invalid { field ^= 0x5555 }
    }
    packet[transportOffset + 16] = UInt8(truncatingIfNeeded: field >> 8)
    packet[transportOffset + 17] = UInt8(truncatingIfNeeded: field)
  }

  /// Keeps a TCP or UDP checksum valid or invalid, as it is, when the fragment that contains it gets other addresses (RFC 1624 §3).
  package func adaptChecksum(of fragment: inout ContiguousArray<UInt8>, to source: IPAddress, _ destination: IPAddress) {
    let isUDP = self.fragment.protocolNumber == IPProtocol.udp
    let checksumOffset = (isUDP ? 6 : 16) - self.fragment.offset
    guard isUDP || self.fragment.protocolNumber == IPProtocol.tcp, checksumOffset >= 0, checksumOffset + 2 <= fragment.count else { return }
    let field = fragment.raw.big16(checksumOffset)
    if isUDP, field == 0 { return }
    let before = SegmentChecksum.folded(SegmentChecksum.sum(of: self.source, self.destination))
    let sum = UInt64(~field) + UInt64(~before) + SegmentChecksum.sum(of: source, destination)
    let adapted = ~SegmentChecksum.folded(sum)
    fragment[checksumOffset] = UInt8(truncatingIfNeeded: adapted >> 8)
    fragment[checksumOffset + 1] = UInt8(truncatingIfNeeded: adapted)
  }

  /// Whether `payload`, the part after these headers' IP header, has a valid TCP or UDP checksum; nil for other protocols, and if it was
  /// sent without one.
  package func hasValidChecksum(reassembled payload: Span<UInt8>, protocolNumber: UInt8) -> Bool? {
    let isUDP = protocolNumber == IPProtocol.udp
    guard protocolNumber == IPProtocol.tcp || isUDP, payload.count >= (isUDP ? 8 : 20) else { return nil }
    if isUDP, payload.raw.big16(6) == 0 { return nil }
    let sum = pseudoHeaderSum(protocolNumber, length: payload.count) + SegmentChecksum.sum(of: payload)
    return SegmentChecksum.folded(sum) == 0xFFFF
  }

  /// The sum of the pseudo header (RFC 9293 §3.1, RFC 8200 §8.1).
  private func pseudoHeaderSum(_ protocolNumber: UInt8, length: Int) -> UInt64 {
    UInt64(protocolNumber) + UInt64(length >> 16) + UInt64(length & 0xFFFF) + SegmentChecksum.sum(of: source, destination)
  }

  /// Makes the checksum unknown, because part of the segment is missing.
  package mutating func forgetChecksum() { transportOffset = nil }

  /// Whether the checksum of the IPv4 header directly before the segment is valid; nil if there is none, or it was offloaded.
  private func hasValidNetworkHeader(_ packet: Span<UInt8>) -> Bool? {
    let bytes = packet.raw
    guard !source.isIPv6, let ipv4Offset, let transportOffset, transportOffset - ipv4Offset >= 20,
      Int(bytes.byte(ipv4Offset) & 0x0F) * 4 == transportOffset - ipv4Offset, bytes.big16(ipv4Offset + 10) != 0
    else { return nil }
    return SegmentChecksum.folded(SegmentChecksum.sum(of: packet.extracting(ipv4Offset..<transportOffset))) == 0xFFFF
  }
}
