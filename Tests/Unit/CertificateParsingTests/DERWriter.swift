import ByteParsing
import CertificateParsing
import SeededRandom

/// Encodes an element with its length in the shortest form.
func element(_ tag: UInt8, _ parts: Bytes...) -> Bytes {
  let contents = parts.reduce(Bytes(), +)
  var octets = Bytes()
  var rest = contents.count
  while rest > 0 {
    octets.insert(UInt8(truncatingIfNeeded: rest), at: 0)
    rest >>= 8
  }
  if contents.count < 0x80 { return [tag, UInt8(contents.count)] + contents }
  return [tag, 0x80 | UInt8(octets.count)] + octets + contents
}

func sequence(_ parts: Bytes...) -> Bytes { element(0x30, parts.reduce(Bytes(), +)) }

func oid(_ text: String) -> Bytes {
  let arcs = text.split(separator: ".").compactMap { UInt64($0) }
  var contents = Bytes()
  for arc in [arcs[0] * 40 + arcs[1]] + arcs.dropFirst(2) {
    var septets: Bytes = [UInt8(arc & 0x7F)]
    var rest = arc >> 7
    while rest > 0 {
      septets.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
      rest >>= 7
    }
    contents += septets
  }
  return element(0x06, contents)
}

func integer(_ value: UInt8) -> Bytes { element(0x02, [value]) }

func octets(_ contents: Bytes) -> Bytes { element(0x04, contents) }

func string(_ tag: UInt8, _ text: String) -> Bytes { element(tag, Bytes(text.utf8)) }

func utcTime(_ text: String) -> Bytes { string(0x17, text) }

/// A distinguished name of one RDN with one commonName.
func name(_ commonName: String) -> Bytes {
  sequence(element(0x31, sequence(oid("2.5.4.3"), string(0x0C, commonName))))
}

func certificateExtension(_ identifier: String, critical: Bytes = [], _ value: Bytes) -> Bytes {
  sequence(oid(identifier), critical, octets(value))
}

let critical: Bytes = [0x01, 0x01, 0xFF]

/// The encoded parts of a certificate, which tests may replace.
struct CertificateParts {
  var version = element(0xA0, integer(2))
  var serial = integer(5)
  var algorithm = sequence(oid("1.2.840.10045.4.3.2"))
  var issuer = name("issuer")
  var validity = sequence(utcTime("200101000000Z"), utcTime("210101000000Z"))
  var subject = name("subject")
  var key = sequence(
    sequence(oid("1.2.840.10045.2.1"), oid("1.2.840.10045.3.1.7")),
    element(0x03, [0, 4] + Bytes(repeating: 7, count: 64)))
  var uniqueIDs = Bytes()
  var extensions: [Bytes] = []
  var outerAlgorithm: Bytes?
  var signature = element(0x03, [0, 0x30, 0x00])

  var tbs: Bytes {
    let list = extensions.isEmpty ? [] : element(0xA3, sequence(extensions.reduce(Bytes(), +)))
    return sequence(version, serial, algorithm, issuer, validity, subject, key, uniqueIDs, list)
  }

  var der: Bytes { sequence(tbs, outerAlgorithm ?? algorithm, signature) }

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

/// A SignedCertificateTimestampList of the entries.
func sctList(_ entries: [Bytes]) -> Bytes {
  func prefixed(_ bytes: Bytes) -> Bytes { [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes }
  return prefixed(entries.map(prefixed).reduce(Bytes(), +))
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
