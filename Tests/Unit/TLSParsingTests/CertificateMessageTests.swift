import ByteParsing
import TestBytes
import Testing

@testable import TLSParsing

@Suite struct CertificateMessageTests {
  func certificates(_ body: Bytes, _ format: CertificateMessage.Format) -> CertificateMessage {
    CertificateMessage(parsing: body.span, format: format)
  }

  @Test func `a certificate list yields the range of each certificate, leaf first`() {
    let body = vector24(vector24([1, 2, 3]) + vector24([4]))
    let message = certificates(body, .tls12)
    #expect(message.isComplete)
    #expect(message.entries.map { Bytes(body[$0.certificate]) } == [[1, 2, 3], [4]])
    #expect(message.entries.allSatisfy { $0.ocspResponse == nil && $0.sctList == nil })
    #expect(certificates(vector24([]), .tls12).entries.isEmpty)
    #expect(certificates(vector24([]), .tls12).isComplete)
  }

  @Test func `TLS 1_3 certificate entries yield OCSP response and SCT list`() {
    let extensions = hello(extension: 18, vector16([7, 7])) + hello(extension: 5, [1] + vector24([8, 8, 8]))
    let body =
      vector8([9]) + vector24(vector24([1, 2, 3]) + vector16(extensions) + vector24([4]) + vector16([]))
    let message = certificates(body, .tls13)
    #expect(message.isComplete)
    #expect(message.entries.map { Bytes(body[$0.certificate]) } == [[1, 2, 3], [4]])
    #expect(message.entries.first?.ocspResponse.map { Bytes(body[$0]) } == [8, 8, 8])
    #expect(message.entries.first?.sctList.map { Bytes(body[$0]) } == vector16([7, 7]))
    #expect(message.entries.last?.ocspResponse == nil)
  }

  @Test(arguments: [CertificateMessage.Format.tls12, .tls13])
  func `the complete certificates of a truncated list are kept`(format: CertificateMessage.Format) {
    let one = vector24(Bytes(repeating: 1, count: 20)) + (format == .tls13 ? vector16([]) : [])
    let body = (format == .tls13 ? vector8([]) : []) + vector24(one + one + one)
    let start = body.count - 3 * one.count
    for count in 0..<body.count {
      let message = certificates(Bytes(body.prefix(count)), format)
      #expect(!message.isComplete)
      // In TLS 1.3 an entry counts once its certificate is complete, even without its extensions.
      let tail = format == .tls13 ? 2 : 0
      #expect(message.entries.count == max(0, (count - start + tail) / one.count))
    }
    #expect(certificates(body, format).entries.count == 3)
    #expect(certificates(body + [0], format).fault?.reason == .trailingBytes(1))
    #expect(certificates(body + [0], format).entries.count == 3)
  }

  @Test func `more certificates than the limit are not read`() {
    let body = vector24(Bytes((0..<300).flatMap { _ in vector24([1]) }))
    let message = certificates(body, .tls12)
    #expect(message.entries.count == CertificateMessage.maximumCertificateCount)
    #expect(message.fault?.reason == .limitReached(256))
  }

  @Test func `no bytes make the certificate parser trap or yield ranges out of bounds`() {
    var faults = 0
    let extensions = hello(extension: 18, vector16([7, 7])) + hello(extension: 5, [1] + vector24([8, 8, 8]))
    for format in [CertificateMessage.Format.tls12, .tls13] {
      torment(vector8([]) + vector24(vector24([1, 2, 3]) + vector16(extensions))) { bytes in
        let message = CertificateMessage(parsing: bytes, format: format)
        for entry in message.entries {
          for range in [entry.certificate, entry.ocspResponse, entry.sctList] {
            if let range, range.lowerBound < 0 || range.upperBound > bytes.count { faults += 1 }
          }
        }
      }
    }
    #expect(faults == 0)
  }

  @Test func `CertificateStatus of type ocsp or ocsp_multi yields its OCSP responses`() throws {
    let single: Bytes = [1] + vector24([5, 6])
    #expect(try CertificateStatus(parsing: single.span).responses == [4..<6])
    let several: Bytes = [2] + vector24(vector24([5]) + vector24([]) + vector24([6, 7]))
    let status = try CertificateStatus(parsing: several.span)
    #expect(status.responses.map { Bytes(several[$0]) } == [[5], [], [6, 7]])
    for valid in [single, several] {
      #expect(prefixesTaken(of: valid) { _ = try CertificateStatus(parsing: $0) } == [])
      torment(valid, rounds: 5000) { _ = try CertificateStatus(parsing: $0) }
    }
  }

  func keyExchange(_ body: Bytes, _ suite: UInt16, _ version: TLSVersion) throws -> ServerKeyExchange {
    try ServerKeyExchange(parsing: body.span, suite: CipherSuite(rawValue: suite), version: version)
  }

  static let point = vector8(Bytes(repeating: 4, count: 65))
  static let signature = vector16(Bytes(repeating: 5, count: 70))

  @Test func `a ServerKeyExchange yields its named curve, and its signature by TLS version`() throws {
    let parameters: Bytes = [3, 0, 23] + Self.point
    let modern = try keyExchange(parameters + [4, 3] + Self.signature, 0xC02B, .tls12)
    #expect(modern.group?.name == "secp256r1")
    #expect(modern.bits == 256)
    #expect(modern.signatureScheme?.name == "ecdsa_secp256r1_sha256")

    let old = parameters + Self.signature
    #expect(try keyExchange(old, 0xC009, .tls10).signatureScheme == .ecdsaSHA1)
    let withRSA = try keyExchange(old, 0xC013, .tls11)
    #expect(withRSA.signatureScheme == nil && withRSA.signatureRange == (parameters.count + 2)..<old.count)
    let unsigned = try keyExchange(parameters, 0xC018, .tls12)
    #expect(unsigned.signatureScheme == nil && unsigned.signatureRange.isEmpty)
    #expect(try keyExchange(vector16([1]) + parameters, 0xC035, .tls12).group?.rawValue == 23)
    #expect(throws: ParseError.self) { try keyExchange(old, 0xC02B, .tls12) }
    #expect(throws: ParseError.self) { try keyExchange(old, 0x002F, .tls12) }
    #expect(throws: ParseError.self) { try keyExchange(old, 0x1301, .tls13) }
    #expect(throws: ParseError.self) { try keyExchange(old, 0x00C8, .tls12) }
  }

  @Test(arguments: [
    (vector16(Bytes(repeating: 0xFF, count: 256)), 2048),
    (vector16([0, 0] + Bytes(repeating: 0x80, count: 128)), 1024),
    (vector16([1] + Bytes(repeating: 0, count: 64)), 513), (vector16([0]), 0),
  ])
  func `a finite-field key exchange has the size of its prime in bits`(prime: Bytes, bits: Int) throws {
    let parameters = prime + vector16([2]) + vector16(Bytes(repeating: 9, count: 20))
    let signed = try keyExchange(parameters + [8, 4] + Self.signature, 0x009E, .tls12)
    #expect(signed.bits == bits)
    #expect(signed.group == nil)
    #expect(signed.signatureScheme?.name == "rsa_pss_rsae_sha256")
    #expect(try keyExchange(parameters + Self.signature, 0x0032, .tls10).signatureScheme == .dsaSHA1)
    #expect(try keyExchange(parameters, 0x0034, .tls12).signatureRange.isEmpty)
    #expect(try keyExchange(vector16([]) + parameters, 0x0090, .tls12).bits == bits)
  }

  @Test func `an explicit curve has the size of its field in bits`() throws {
    let rest =
      vector8([1]) + vector8([2]) + vector8([4, 1, 1]) + vector8([7]) + vector8([1]) + vector8([4, 2, 2])
    let prime: Bytes =
      [1] + vector8([0x7F] + Bytes(repeating: 0xFF, count: 27)) + rest + [4, 1] + Self.signature
    let first = try keyExchange(prime, 0xC02F, .tls12)
    #expect(first.bits == 223 && first.group == nil)
    let trinomial: Bytes = [2, 0, 233, 1] + vector8([74]) + rest + [4, 1] + Self.signature
    #expect(try keyExchange(trinomial, 0xC02F, .tls12).bits == 233)
    let pentanomial: Bytes =
      [2, 1, 27, 2] + vector8([5]) + vector8([7]) + vector8([12]) + rest + [4, 1] + Self.signature
    #expect(try keyExchange(pentanomial, 0xC02F, .tls12).bits == 283)
    #expect(throws: ParseError.self) { try keyExchange([2, 0, 233, 3] + rest, 0xC02F, .tls12) }
    #expect(throws: ParseError.self) { try keyExchange([4, 0, 23] + Self.point, 0xC02F, .tls12) }
  }

  @Test func `key exchanges with RSA export keys, SRP and PSK hints are read`() throws {
    let rsa = vector16(Bytes(repeating: 0xF0, count: 64)) + vector16([1, 0, 1]) + Self.signature
    let export = try keyExchange(rsa, 0x0003, .ssl3)
    #expect(export.bits == 512 && export.group == nil)
    let srp = vector16(Bytes(repeating: 0xFF, count: 128)) + vector16([2]) + vector8([1]) + vector16([3])
    #expect(try keyExchange(srp, 0xC01D, .tls12).bits == 1024)
    #expect(
      try keyExchange(srp + [4, 1] + Self.signature, 0xC01E, .tls12).signatureScheme?.rawValue == 0x0401)
    for suite in [0x008C, 0x0094] as [UInt16] {
      let hint = try keyExchange(vector16([7]), suite, .tls12)
      #expect(hint.bits == nil && hint.parametersRange == 0..<3 && hint.signatureRange.isEmpty)
    }
  }

  @Test(arguments: [0xC02B, 0x009E, 0xC01E, 0x0090, 0x0003, 0x008C] as [UInt16])
  func `no bytes make the key exchange parser trap`(suite: UInt16) {
    let body: Bytes = [3, 0, 23] + Self.point + [4, 3] + Self.signature
    let suite = CipherSuite(rawValue: suite)
    torment(body, rounds: 8000) { _ = try ServerKeyExchange(parsing: $0, suite: suite, version: .tls12) }
    torment(body, rounds: 8000) { _ = try ServerKeyExchange(parsing: $0, suite: suite, version: .tls10) }
  }

  @Test func `a ServerKeyExchange truncated anywhere throws`() {
    let body: Bytes = [3, 0, 23] + Self.point + [4, 3] + Self.signature
    let suite = CipherSuite(rawValue: 0xC02B)
    #expect(
      prefixesTaken(of: body) { _ = try ServerKeyExchange(parsing: $0, suite: suite, version: .tls12) } == [])
  }

  @Test func `EncryptedExtensions contains the selected ALPN protocol`() throws {
    let body = vector16(
      hello(extension: 16, vector16(vector8(text("h2")))) + hello(extension: 42, [])
        + hello(extension: 0, [])
        + hello(extension: 0xFE0D, [0]))
    let message = try EncryptedExtensions(parsing: body.span)
    #expect(message.alpn == text("h2"))
    #expect(message.extensions.count == 4)
    #expect(prefixesTaken(of: body) { _ = try EncryptedExtensions(parsing: $0) } == [])
    torment(body, rounds: 5000) { _ = try EncryptedExtensions(parsing: $0) }
  }

  @Test func `a CompressedCertificate contains its algorithm and uncompressed length`() throws {
    let body: Bytes = [0, 2, 0, 1, 0] + vector24([9, 9])
    let message = try CompressedCertificate(parsing: body.span)
    #expect(message.algorithm == .brotli)
    #expect(message.uncompressedLength == 256)
    #expect(message.compressed == 8..<10)
    #expect(prefixesTaken(of: body) { _ = try CompressedCertificate(parsing: $0) } == [])
    torment(body, rounds: 5000) { _ = try CompressedCertificate(parsing: $0) }
  }
}
