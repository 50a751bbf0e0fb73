import ByteParsing
import CertificateParsing
package import SessionModel
import Values

/// The certificates of a chain as a record lists them, open at the index of what was delivered beside the leaf.
final class RenderedChain {
  /// Held so that no other object takes its identity.
  let chain: CertificateChain

  /// From the bracket to the leaf's number of SCTs.
  private(set) var head = Bytes()

  /// From the leaf's bytes to the bracket.
  private(set) var tail = Bytes()

  /// Renders a chain; `responses` were stapled to certificates above the leaf, by their indices.
  init(_ chain: CertificateChain, responses: [Int: Bytes] = [:], isCompact: Bool = false) {
    self.chain = chain
    head.append(0x5B)
    if let leaf = chain.certificates.first {
      head.appendFacts(of: leaf)
      tail.appendBytes(of: leaf, isCompact: isCompact)
    }
    for (index, certificate) in chain.certificates.enumerated().dropFirst() {
      tail.append(0x2C)
      tail.appendFacts(of: certificate)
      tail.appendDelivered(responses[index], nil)
      tail.appendBytes(of: certificate, isCompact: isCompact)
    }
    tail.append(0x5D)
  }

  var byteCount: Int { head.count + tail.count }
}

extension ContiguousArray where Element == UInt8 {
  /// Appends a certificate as records show it.
  package mutating func appendJSON(_ certificate: ObservedCertificate) {
    appendFacts(of: certificate)
    appendBytes(of: certificate, isCompact: false)
  }

  fileprivate mutating func appendFacts(of observed: ObservedCertificate) {
    let certificate = observed.certificate
    appendRaw("{\"sha256\":")
    appendJSONString(observed.sha256)
    appendRaw(",\"spkiSHA256\":")
    appendJSONString(observed.spkiSHA256)
    appendRaw(",\"subject\":")
    appendJSONText(certificate.subject)
    appendRaw(",\"issuer\":")
    appendJSONText(certificate.issuer)
    appendRaw(",\"serial\":")
    appendJSONString(certificate.serial)
    appendRaw(",\"notBefore\":")
    appendJSON(certificate.notBefore)
    appendRaw(",\"notAfter\":")
    appendJSON(certificate.notAfter)
    appendRaw(",\"publicKey\":")
    append(certificate.publicKey)
    appendRaw(",\"signatureAlgorithm\":")
    appendJSONText(certificate.signatureAlgorithm)
    appendRaw(",\"dnsNames\":")
    appendJSONTexts(certificate.dnsNames)
    appendRaw(",\"ipAddresses\":[")
    for address in certificate.ipAddresses {
      appendJSONComma()
      append(0x22)
      address.append(to: &self)
      append(0x22)
    }
    appendRaw("],\"isCA\":")
    appendJSON(certificate.isCA)
    appendRaw(",\"extendedKeyUsage\":")
    if let usages = certificate.extendedKeyUsage { appendJSONTexts(usages) } else { appendRaw("null") }
    appendRaw(",\"scts\":")
    appendJSON(certificate.embeddedSCTs)
  }

  fileprivate mutating func append(_ key: PublicKeyFacts) {
    guard !key.algorithm.isEmpty else {
      appendRaw("null")
      return
    }
    appendRaw("{\"algorithm\":")
    appendJSONText(key.algorithm)
    appendRaw(",\"bits\":")
    appendJSON(key.bits)
    appendRaw(",\"curve\":")
    appendJSONText(key.curve)
    append(0x7D)
  }

  fileprivate mutating func appendBytes(of observed: ObservedCertificate, isCompact: Bool) {
    if !isCompact {
      appendRaw(",\"der\":\"")
      Base64.append(observed.certificate.der, to: &self)
      append(0x22)
    }
    appendRaw(",\"decodingError\":")
    appendJSONText(observed.certificate.decodingError)
    append(0x7D)
  }
}
