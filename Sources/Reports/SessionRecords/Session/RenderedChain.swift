import ByteParsing
import CertificateParsing
package import SessionModel
import Values

/// The rendered certificates of a chain, with a gap for the data delivered with each.
final class RenderedChain {
  /// Retained so that its identity is not reused.
  private let chain: CertificateChain

  /// The members of each certificate before and after the data delivered with it.
  let certificates: [(facts: Bytes, bytes: Bytes)]

  init(_ chain: CertificateChain, isCompact: Bool) {
    self.chain = chain
    certificates = chain.certificates.map { certificate in
      (
        JSONObject.members { certificate.writeFacts(to: &$0) },
        JSONObject.members { certificate.writeBytes(to: &$0, isCompact: isCompact) }
      )
    }
  }

  var byteCount: Int { certificates.reduce(0) { $0 + $1.facts.count + $1.bytes.count } }
}

extension ObservedCertificate: JSONRecord {
  package func writeMembers(to json: inout JSONObject) {
    writeFacts(to: &json)
    writeBytes(to: &json, isCompact: false)
  }

  fileprivate func writeFacts(to json: inout JSONObject) {
    json.string("sha256", sha256)
    json.string("spkiSHA256", spkiSHA256)
    json.text("subject", certificate.subject)
    json.text("issuer", certificate.issuer)
    json.string("serial", certificate.serial)
    json.time("notBefore", certificate.notBefore)
    json.time("notAfter", certificate.notAfter)
    let key = certificate.publicKey
    if key.algorithm.isEmpty {
      json.null("publicKey")
    } else {
      json.object("publicKey") { json in
        json.text("algorithm", key.algorithm)
        json.number("bits", key.bits)
        json.text("curve", key.curve)
      }
    }
    json.text("signatureAlgorithm", certificate.signatureAlgorithm)
    json.texts("dnsNames", certificate.dnsNames)
    json.strings("ipAddresses", certificate.ipAddresses.map(\.description))
    json.boolean("isCA", certificate.isCA)
    json.texts("extendedKeyUsage", certificate.extendedKeyUsage)
    json.number("scts", certificate.embeddedSCTs)
  }

  fileprivate func writeBytes(to json: inout JSONObject, isCompact: Bool) {
    if !isCompact { json.base64("der", certificate.der) }
    json.text("decodingError", certificate.decodingError)
  }
}
