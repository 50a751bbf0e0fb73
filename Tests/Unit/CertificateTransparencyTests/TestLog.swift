import ByteParsing
import CertificateParsing
import CertificateSignatures
import CertificateTransparency
import Crypto
import SignedStructures
import TestBytes
import Values

/// A CT log for tests that signs any entry.
struct TestLog {
  let key = P256.Signing.PrivateKey()
  var state = TransparencyLog.State.accepted
  var shard: Range<Timestamp>?
  var operatorName = "operator"

  var publicKey: Bytes { Bytes(key.publicKey.derRepresentation) }

  var identifier: Bytes { Bytes(SHA256.hash(data: publicKey)) }

  /// The log's entry in a log list.
  var listed: TransparencyLog {
    var log = TransparencyLog(
      identifier: identifier, name: "log", operatorName: operatorName,
      key: VerificationKey(subjectPublicKeyInfo: publicKey), state: state)
    log.shardStart = shard?.lowerBound
    log.shardEnd = shard?.upperBound
    return log
  }

  /// An SCT over an entry with its type and length.
  func sct(over entry: Bytes, at time: Timestamp, extensions: Bytes = []) throws -> Bytes {
    let milliseconds = UInt64(time.seconds) * 1000
    var head = Bytes()
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      head.append(UInt8(truncatingIfNeeded: milliseconds >> shift))
    }
    let tail = vector16(extensions)
    let signature = Bytes(try key.signature(for: [0, 0] + head + entry + tail).derRepresentation)
    return [0] + identifier + head + tail + [4, 3] + vector16(signature)
  }

  /// An SCT over a certificate (x509_entry).
  func sct(of certificate: Certificate, at time: Timestamp) throws -> Bytes {
    try sct(over: [0, 0] + vector24(certificate.der), at: time)
  }

  /// An SCT over a TBSCertificate without its SCT list (precert_entry).
  func sct(ofPrecertificate tbs: Bytes, issuerKey: Bytes, at time: Timestamp) throws -> Bytes {
    try sct(over: [0, 1] + Bytes(SHA256.hash(data: issuerKey)) + vector24(tbs), at: time)
  }
}

func moment(_ text: String) -> Timestamp { Timestamp(iso8601: text) ?? Timestamp(seconds: 0) }

extension CertificateIssuer {
  /// A leaf with one embedded SCT of each log, at the time with the same index.
  func leaf(
    _ logs: [TestLog], at times: [Timestamp], key: SigningKey = .newP256(),
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
