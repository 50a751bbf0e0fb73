import ByteParsing
import TLSParsing

extension FuzzTarget {
  /// Any datagram gives records, fragments and messages within the datagram and the limits.
  static let dtls = FuzzTarget("DTLS") { bytes in
    var assembly = DTLSMessageAssembly()
    for record in DTLSRecord.records(of: bytes) {
      let payload = bytes.extracting(record.fragment)
      for fragment in DTLSFragment.fragments(of: payload) {
        _ = payload.extracting(fragment.body)
        guard let message = assembly.add(fragment, in: payload, packet: 1) else { continue }
        precondition(message.body.count <= HandshakeHeader.maximumLength)
        _ = ClientHello(parsingPrefix: message.body.span, format: .dtls)
        _ = try? ClientHello(parsing: message.body.span, format: .dtls)
      }
    }
    for message in assembly.takeUnfinished() { precondition(!message.isWhole) }
    _ = try? CertificateVerify(parsing: bytes)
  }
}
