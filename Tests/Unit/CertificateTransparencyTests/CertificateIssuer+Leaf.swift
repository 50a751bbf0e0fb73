import ByteParsing
import CertificateIssuing
import CertificateParsing
import TestBytes
import Values

extension CertificateIssuer {
  /// A leaf with one embedded SCT of each log, at the time with the same index.
  func leaf(
    _ logs: [TestLog], at times: [Timestamp], key: IssuingKey = .newP256(),
    notBefore: String = "20260101000000Z", notAfter: String = "20260601000000Z", altering: Bool = false
  ) throws -> Certificate {
    let usage = DER.certificateExtension("2.5.29.15", critical: true, [0x03, 0x02, 0x07, 0x80])
    let constraints = DER.certificateExtension("2.5.29.19", DER.sequence())
    func certificate(_ extensions: [Bytes]) throws -> Certificate {
      try issue("leaf", key: key, from: notBefore, to: notAfter, extensions: extensions)
    }
    let tbs = try certificate([usage, constraints]).tbsCertificateDER
    var scts: [Bytes] = []
    for (log, time) in zip(logs, times) {
      scts.append(
        try log.sct(ofPrecertificate: tbs, issuerKey: self.key.subjectPublicKeyInfo, at: time))
    }
    if altering { scts[0][scts[0].count - 1] ^= 1 }
    let list = DER.certificateExtension("1.3.6.1.4.1.11129.2.4.2", DER.octets(DER.sctList(scts)))
    // The list is between two extensions, so that removing it is not just truncation.
    return try certificate([usage, list, constraints])
  }
}
