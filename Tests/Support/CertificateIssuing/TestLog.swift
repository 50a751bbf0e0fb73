package import ByteParsing
package import CertificateParsing
import CertificateSignatures
package import CertificateTransparency
import Crypto
import TestBytes
package import Values

/// A CT log for tests that signs any entry.
package struct TestLog {
  private let key = P256.Signing.PrivateKey()
  package var state = TransparencyLog.State.accepted
  package var shard: Range<Timestamp>?
  private let operatorName: String

  package init(operatorName: String = "somebody") { self.operatorName = operatorName }

  package var publicKey: Bytes { Bytes(key.publicKey.derRepresentation) }

  package var identifier: Bytes { Bytes(SHA256.hash(data: publicKey)) }

  /// The log's entry in a log list.
  package var listed: TransparencyLog {
    var log = TransparencyLog(
      identifier: identifier, name: "log", operatorName: operatorName,
      key: VerificationKey(subjectPublicKeyInfo: publicKey), state: state)
    log.shardStart = shard?.lowerBound
    log.shardEnd = shard?.upperBound
    return log
  }

  /// An SCT over an entry with its type and length.
  func sct(over entry: Bytes, at time: Timestamp) throws -> Bytes {
    let message: Bytes = [0, 0] + time.milliseconds + entry + [0, 0]
    let signature = Bytes(try key.signature(for: message).derRepresentation)
    let head: Bytes = [0] + identifier + time.milliseconds
    return head + [0, 0, 4, 3] + vector16(signature)
  }

  /// An SCT over a certificate (x509_entry).
  package func sct(of certificate: Certificate, at time: Timestamp) throws -> Bytes {
    try sct(over: [0, 0] + vector24(certificate.der), at: time)
  }

  /// An SCT over a TBSCertificate without its SCT list (precert_entry).
  package func sct(ofPrecertificate tbs: Bytes, issuerKey: Bytes, at time: Timestamp) throws -> Bytes {
    try sct(over: [0, 1] + Bytes(SHA256.hash(data: issuerKey)) + vector24(tbs), at: time)
  }
}
