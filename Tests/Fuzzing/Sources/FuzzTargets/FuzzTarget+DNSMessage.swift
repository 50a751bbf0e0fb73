import ByteParsing
import DNSParsing

extension FuzzTarget {
  /// Any bytes either parse or throw; a parsed message is within the limits.
  static let dnsMessage = FuzzTarget("DNSMessage") { bytes in
    _ = DNSMessage.lengthOverTCP(bytes)
    guard let message = try? DNSMessage(parsing: bytes) else { return }
    precondition(message.answers.count + message.additional.count <= DNSMessage.maximumRecordCount)
    precondition(message.namedAddresses.count <= DNSMessage.maximumNamedAddressCount)
  }
}
