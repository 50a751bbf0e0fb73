import ByteParsing
import Crypto
public import QUICParsing

/// The tag that binds a Retry packet to the client's first packet (RFC 9001 §5.8).
public enum RetryIntegrity {
  /// Whether the tag fits; nil where the version's constants are not known.
  public static func isValid(
    _ header: LongHeader, in datagram: Span<UInt8>, original: ConnectionID
  ) -> Bool? {
    guard header.type == .retry, let constants = header.version.protections.first,
      let retry = constants.retry
    else { return nil }
    let end = header.payloadStart + LongHeader.integrityTagLength
    guard header.packet.lowerBound >= 0, end == header.packet.upperBound, end <= datagram.count else {
      return false
    }
    var pseudoPacket: Bytes = [UInt8(truncatingIfNeeded: original.bytes.count)]
    pseudoPacket.append(contentsOf: original.bytes)
    pseudoPacket.append(copying: datagram.extracting(header.packet.lowerBound..<header.payloadStart))
    let tag = datagram.extracting(header.payloadStart..<end)
    let sealing = Sealing(suite: .aes128GCM, key: retry.key, initialVector: retry.nonce)
    return sealing.open(tag, number: 0, authenticating: pseudoPacket) != nil
  }
}
