package import ByteParsing
import Crypto
package import QUICParsing

/// The tag that binds a Retry packet to the client's first packet (RFC 9001 §5.8).
package enum RetryIntegrity {
  /// Whether the tag is valid; nil if the version's constants are unknown.
  package static func isValid(_ header: LongHeader, in datagram: Span<UInt8>, original: ConnectionID) -> Bool? {
    guard let aead = aead(header) else { return nil }
    guard let pseudoPacket = pseudoPacket(header, datagram, original) else { return false }
    let tag = datagram.extracting(header.payloadStart..<header.packet.upperBound)
    return aead.decrypt(tag, number: 0, authenticating: pseudoPacket) != nil
  }

  /// The valid tag of a Retry packet; nil if it cannot be computed.
  package static func tag(_ header: LongHeader, in datagram: Span<UInt8>, original: ConnectionID) -> Bytes? {
    guard let aead = aead(header), let pseudoPacket = pseudoPacket(header, datagram, original) else { return nil }
    return aead.tag(of: Bytes(), number: 0, authenticating: pseudoPacket)
  }

  private static func aead(_ header: LongHeader) -> AEADKey? {
    guard header.type == .retry, let retry = header.version.protections.first?.retry else { return nil }
    return AEADKey(suite: .aes128GCM, key: retry.key, initialVector: retry.nonce)
  }

  /// The original Destination Connection ID and the packet without its tag; nil if the packet is too short.
  private static func pseudoPacket(_ header: LongHeader, _ datagram: Span<UInt8>, _ original: ConnectionID) -> Bytes? {
    let end = header.payloadStart + LongHeader.integrityTagLength
    guard header.packet.lowerBound >= 0, end == header.packet.upperBound, end <= datagram.count else { return nil }
    var result: Bytes = [UInt8(truncatingIfNeeded: original.bytes.count)]
    result.append(contentsOf: original.bytes)
    result.append(copying: datagram.extracting(header.packet.lowerBound..<header.payloadStart))
    return result
  }
}
