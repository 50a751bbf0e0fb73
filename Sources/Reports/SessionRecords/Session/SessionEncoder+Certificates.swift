import ByteParsing
import SessionModel

extension SessionEncoder {
  /// Appends from `certificates` to `clientCertificates`.
  mutating func appendCertificates(of session: ObservedSession, to output: inout Bytes) {
    output.appendRaw(",\"certificates\":")
    append(
      session.tls?.chain, session.tls?.ocspResponse, session.tls?.sctList,
      session.tls?.issuerOCSPResponses ?? [:], to: &output)
    if session.tls?.chain == nil {
      output.appendRaw(",\"certificatesSource\":\"none\"")
    } else if session.tls?.isDecrypted == true {
      output.appendRaw(",\"certificatesSource\":\"decrypted\"")
    } else {
      output.appendRaw(",\"certificatesSource\":\"handshake\"")
    }
    output.appendRaw(",\"assumedCertificates\":")
    if let assumed = session.assumedChain {
      append(
        assumed.chain, assumed.ocspResponse, assumed.sctList, assumed.issuerOCSPResponses, to: &output)
      output.appendRaw(",\"assumedCertificatesSource\":")
      output.appendJSONString(assumed.source.rawValue)
      if let origin = assumed.origin {
        output.appendRaw(",\"assumedCertificatesFrom\":{\"session\":")
        output.appendJSONText(origin.session)
        output.appendRaw(",\"file\":")
        output.appendJSONText(origin.file)
        output.appendRaw(",\"frames\":")
        output.appendJSON(origin.frames)
        output.appendRaw("}")
      }
    } else {
      output.appendRaw("[],\"assumedCertificatesSource\":null")
    }
    output.appendRaw(",\"clientCertificates\":")
    append(session.tls?.clientChain, nil, nil, to: &output)
  }

  private mutating func append(
    _ chain: CertificateChain?, _ ocspResponse: Bytes?, _ sctList: Bytes?,
    _ issuerResponses: [Int: Bytes] = [:], to output: inout Bytes
  ) {
    guard let chain else {
      output.appendRaw("[]")
      return
    }
    let isCompact = isCompact
    // What is stapled above the leaf is that of one session, and too rare to be kept.
    let rendered =
      issuerResponses.isEmpty || isCompact
      ? chains.value(for: ObjectIdentifier(chain), cost: \.byteCount) {
        RenderedChain(chain, isCompact: isCompact)
      }
      : RenderedChain(chain, responses: issuerResponses)
    output.append(contentsOf: rendered.head)
    if !chain.certificates.isEmpty, !isCompact { output.appendDelivered(ocspResponse, sctList) }
    output.append(contentsOf: rendered.tail)
  }
}
