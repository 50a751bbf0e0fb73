import ByteParsing
import SessionModel

extension SessionEncoder {
  /// Writes the members from `certificates` to `clientCertificates`.
  mutating func writeCertificates(of session: ObservedSession, to json: inout JSONObject) {
    let tls = session.sharedTLS
    write("certificates", tls?.chain, tls?.ocspResponse, tls?.sctList, tls?.issuerOCSPResponses ?? [:], to: &json)
    json.string("certificatesSource", tls?.chain == nil ? "none" : tls?.isDecrypted == true ? "decrypted" : "handshake")
    let assumed = session.sharedAssumedChain
    write("assumedCertificates", assumed?.chain, assumed?.ocspResponse, assumed?.sctList, assumed?.issuerOCSPResponses ?? [:], to: &json)
    json.string("assumedCertificatesSource", assumed?.source.rawValue)
    write("assumedCertificatesFrom", assumed?.origin, to: &json)
    if let file = assumed?.file { json.text("assumedCertificatesFile", file) }
    if let others = assumed?.alternatives, !others.isEmpty {
      json.objects("assumedCertificatesAlternatives", others) { json, other in
        write("certificates", other.chain, other.ocspResponse, other.sctList, other.issuerOCSPResponses, to: &json)
        json.string("source", other.source.rawValue)
        write("from", other.origin, to: &json)
        if let file = other.file { json.text("file", file) }
      }
    }
    write("clientCertificates", tls?.clientChain, nil, nil, [:], to: &json)
  }

  private func write(_ key: String, _ origin: AssumedChain.Origin?, to json: inout JSONObject) {
    guard let origin else { return }
    json.object(key) { json in
      json.text("session", origin.session)
      json.text("file", origin.file)
      json.frames("frames", origin.frames)
    }
  }

  private mutating func write(
    _ key: String, _ chain: CertificateChain?, _ ocspResponse: Bytes?, _ sctList: Bytes?,
    _ issuerResponses: [Int: Bytes], to json: inout JSONObject
  ) {
    let isCompact = isCompact
    let certificates = chain.map { chain in
      chains.value(for: ObjectIdentifier(chain), cost: \.byteCount) {
        RenderedChain(chain, isCompact: isCompact)
      }.certificates
    }
    json.objects(key, (certificates ?? []).enumerated()) { json, item in
      json.members(item.element.facts)
      if !isCompact {
        let isLeaf = item.offset == 0
        json.delivered(isLeaf ? ocspResponse : issuerResponses[item.offset], isLeaf ? sctList : nil)
      }
      json.members(item.element.bytes)
    }
  }
}
