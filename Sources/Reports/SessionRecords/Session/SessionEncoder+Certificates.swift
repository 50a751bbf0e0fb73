import ByteParsing
import SessionObservation

extension SessionEncoder {
  /// Appends from `certificates` to `clientCertificates`.
  mutating func appendCertificates(of session: ObservedSession, to output: inout Bytes) {
    output.appendRaw(",\"certificates\":")
    append(session.tls?.chain, delivered: session.tls, to: &output)
    output.appendRaw(
      session.tls?.chain == nil
        ? ",\"certificatesSource\":\"none\"" : ",\"certificatesSource\":\"handshake\"")
    output.appendRaw(",\"assumedCertificates\":[],\"assumedCertificatesSource\":null,\"clientCertificates\":")
    append(session.tls?.clientChain, delivered: nil, to: &output)
  }

  private mutating func append(_ chain: CertificateChain?, delivered facts: TLSFacts?, to output: inout Bytes)
  {
    guard let chain else {
      output.appendRaw("[]")
      return
    }
    let rendered = chains.entry(ObjectIdentifier(chain), size: \.byteCount) { RenderedChain(chain) }
    output.append(contentsOf: rendered.head)
    if let facts, !chain.certificates.isEmpty { output.appendDelivered(facts) }
    output.append(contentsOf: rendered.tail)
  }
}
