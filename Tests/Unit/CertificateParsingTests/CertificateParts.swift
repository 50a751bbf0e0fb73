import ByteParsing
import CertificateParsing
import SeededRandom
import TestBytes

/// The encoded parts of a certificate, which tests may replace.
struct CertificateParts {
  var version = DER.element(0xA0, DER.integer(2))
  var serial = DER.integer(5)
  var algorithm = DER.sequence(DER.oid("1.2.840.10045.4.3.2"))
  var issuer = DER.name("issuer")
  var validity = DER.sequence(DER.string(0x17, "200101000000Z"), DER.string(0x17, "210101000000Z"))
  var subject = DER.name("subject")
  var key = DER.sequence(
    DER.sequence(DER.oid("1.2.840.10045.2.1"), DER.oid("1.2.840.10045.3.1.7")),
    DER.element(0x03, [0, 4] + Bytes(repeating: 7, count: 64)))
  var uniqueIDs = Bytes()
  var extensions: [Bytes] = []
  var outerAlgorithm: Bytes?
  var signature = DER.element(0x03, [0, 0x30, 0x00])

  var tbs: Bytes {
    let list = DER.tagged(0xA3, extensions)
    return DER.sequence(version, serial, algorithm, issuer, validity, subject, key, uniqueIDs, list)
  }

  var der: Bytes { DER.sequence(tbs, outerAlgorithm ?? algorithm, signature) }

  var certificate: Certificate { Certificate(bytes: der) }
}

/// A SignedCertificateTimestamp (RFC 6962 §3.2).
func sct(log: UInt8, version: UInt8 = 0, milliseconds: UInt64 = 1_400_000_000_123) -> Bytes {
  var bytes: Bytes = [version] + Bytes(repeating: log, count: 32)
  for shift in stride(from: 56, through: 0, by: -8) {
    bytes.append(UInt8(truncatingIfNeeded: milliseconds >> shift))
  }
  return bytes + [0x00, 0x01, 0xEE, 0x04, 0x03, 0x00, 0x02, 0x30, 0x00]
}

extension SeededGenerator {
  /// Random bytes, half of which are common in DER.
  mutating func bytes(upTo limit: Int) -> Bytes {
    let likely: Bytes = [
      0x30, 0x31, 0x02, 0x03, 0x04, 0x06, 0x0A, 0x17, 0x80, 0x81, 0x82, 0xA0, 0xA3, 0x00, 0x01, 0xFF,
    ]
    var bytes = Bytes()
    for _ in 0..<Int.random(in: 0...limit, using: &self) {
      let random = UInt8.random(in: 0...255, using: &self)
      bytes.append(Bool.random(using: &self) ? random : likely[Int(random & 15)])
    }
    return bytes
  }

  /// A copy of the bytes with one to three of them replaced.
  mutating func altered(_ bytes: Bytes) -> Bytes {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...3, using: &self) {
      let index = Int.random(in: 0..<bytes.count, using: &self)
      bytes[index] = UInt8.random(in: 0...255, using: &self)
    }
    return bytes
  }
}

extension Certificate {
  /// Parses bytes whose span must not outlive this call.
  init(bytes: Bytes) { self.init(parsing: bytes.span) }
}

extension SignedCertificateTimestampList {
  init(bytes: Bytes) throws(ParseError) { try self.init(parsing: bytes.span) }
}

extension SignedCertificateTimestamp {
  init(bytes: Bytes) throws(ParseError) { try self.init(parsing: bytes.span) }
}

extension OCSPResponse {
  init(bytes: Bytes) throws(ParseError) { try self.init(parsing: bytes.span) }
}

extension CertificateRevocationList {
  init(bytes: Bytes) throws(ParseError) { try self.init(parsing: bytes.span) }
}

extension NameConstraints {
  init(bytes: Bytes) throws(ParseError) { try self.init(parsing: bytes.span) }
}
