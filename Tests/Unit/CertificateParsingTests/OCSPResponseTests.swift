import ByteParsing
import CertificateParsing
import SeededRandom
import TestBytes
import Testing
import Values

@Suite struct OCSPResponseTests {
  @Test func `the fields of a response and its SingleResponses are read`() throws {
    let response = try OCSPResponse(bytes: TestCertificates.ocspResponse)
    #expect(response.status == .successful)
    #expect(response.responderID == .byName(der: DER.name("ca.example"), text: "CN=ca.example"))
    #expect(response.producedAt.map(\.description) == "2026-11-21T00:47:45Z")
    #expect(response.signature.name == "ecdsa-with-SHA256")
    #expect(response.der[response.signatureValueRange.lowerBound] == 0x30)
    #expect(response.responses.map(\.certificateID.serial) == ["01", "02", "77"])
    #expect(response.responses[0].status == .good)
    let revocation = response.responses[1].status
    guard case .revoked(let time, let reason) = revocation else {
      Issue.record("\(revocation)")
      return
    }
    #expect(time.map(\.description) == "2026-11-21T00:47:45Z")
    #expect(reason == 1)
    #expect(response.responses[2].status == .unknown)
    let identifier = response.responses[0].certificateID
    #expect(identifier.hash == "sha1")
    #expect(hexadecimal(identifier.issuerNameHash) == "00f59b998dd1ff77acfffe6ccfbedda6a61e2a1e")
    #expect(hexadecimal(identifier.issuerKeyHash) == "525b416d7b1518ba518b6060607a8fd570cbc419")
    #expect(response.responses[0].thisUpdate.map(\.description) == "2026-11-21T00:47:45Z")
    #expect(response.responses[0].nextUpdate.map(\.description) == "2026-11-28T00:47:45Z")
    let certificate = Certificate(bytes: response.certificates[0])
    #expect(response.certificates.count == 1)
    #expect(certificate.subject == "CN=ca.example")
    #expect(certificate.decodingError == nil)
  }

  @Test func `a responder ID may be a key hash`() throws {
    let response = try OCSPResponse(bytes: TestCertificates.ocspResponseByKey)
    guard case .byKey(let hash) = response.responderID else {
      Issue.record("\(String(describing: response.responderID))")
      return
    }
    #expect(hexadecimal(hash) == "525b416d7b1518ba518b6060607a8fd570cbc419")
    #expect(response.certificates == [])
  }

  @Test(arguments: [1, 3, 6] as [UInt8])
  func `an error response has only a status`(number: UInt8) throws {
    let bytes = DER.sequence(DER.element(0x0A, [number]))
    let response = try OCSPResponse(bytes: bytes)
    #expect(response.status.rawValue == Int(number))
    #expect(response.responses == [])
  }

  @Test func `a response of an unknown type has no SingleResponses`() throws {
    let body = DER.sequence(DER.oid("1.2.3.4"), DER.octets([1, 2, 3]))
    let bytes = DER.sequence(DER.element(0x0A, [0]), DER.element(0xA0, body))
    let response = try OCSPResponse(bytes: bytes)
    #expect(response.responses == [])
  }

  static func basic(_ single: Bytes, dataExtensions: Bytes = []) -> Bytes {
    let data = DER.sequence(
      DER.element(0xA2, DER.octets([1])), DER.time("20260101000000Z"), DER.sequence(single), dataExtensions)
    let response = DER.sequence(data, DER.sequence(DER.oid("1.2.840.10045.4.3.2")), DER.element(0x03, [0, 1]))
    return DER.sequence(
      DER.element(0x0A, [0]), DER.element(0xA0, DER.sequence(DER.oid("1.3.6.1.5.5.7.48.1.1"), DER.octets(response))))
  }

  static let certificateID = DER.sequence(
    DER.sequence(DER.oid("2.16.840.1.101.3.4.2.1"), [0x05, 0x00]), DER.octets([1, 2]), DER.octets([3, 4]), DER.integer(9))

  @Test func `SCTs in a SingleResponse are found`() throws {
    let list = DER.sctList([sct(log: 1)])
    let extensions = DER.sequence(DER.certificateExtension("1.3.6.1.4.1.11129.2.4.5", DER.octets(list)))
    let single = DER.sequence(
      OCSPResponseTests.certificateID, DER.element(0x80), DER.time("20260101000000Z"),
      DER.element(0xA1, extensions))
    let nonce = DER.element(0xA1, DER.sequence(DER.certificateExtension("1.3.6.1.5.5.7.48.1.2", DER.octets([7]))))
    let bytes = OCSPResponseTests.basic(single, dataExtensions: nonce)
    let response = try OCSPResponse(bytes: bytes)
    #expect(response.responses[0].sctList == list)
    #expect(response.responses[0].nextUpdate == nil)
    #expect(response.responses[0].certificateID.hash == "sha256")
    #expect(response.responses[0].extensions.map(\.objectIdentifier) == ["1.3.6.1.4.1.11129.2.4.5"])
    #expect(response.extensions.map(\.objectIdentifier) == ["1.3.6.1.5.5.7.48.1.2"])
    let position = response.extensions[0].valueRange
    #expect(Bytes(response.der[position]) == [0x04, 0x01, 0x07])
  }

  @Test func `SingleResponses above the limit are not kept`() throws {
    let single = DER.sequence(OCSPResponseTests.certificateID, DER.element(0x80), DER.time("20260101000000Z"))
    let many = (0..<1100).map { _ in single }.reduce(Bytes(), +)
    let response = try OCSPResponse(bytes: OCSPResponseTests.basic(many))
    #expect(response.responses.count == 1024)
  }

  @Test func `a truncated response throws`() {
    let whole = TestCertificates.ocspResponse
    for count in 0..<whole.count {
      #expect(throws: ParseError.self) { try OCSPResponse(bytes: Bytes(whole[..<count])) }
    }
  }

  @Test func `a response that Apple's parser cannot read throws`() throws {
    let time = DER.time("20260101000000Z")
    let identifier = OCSPResponseTests.certificateID
    for single in [
      DER.sequence(identifier, DER.element(0x80, [0]), time), DER.sequence(identifier, DER.element(0x82, [0]), time),
      DER.sequence(identifier, DER.element(0x80), DER.time("20260101000000")),
      DER.sequence(identifier, DER.element(0x80), DER.string(0x17, "260101000000Z")),
      DER.sequence(identifier, DER.element(0x80), DER.time("20260101000000.5Z")),
      DER.sequence(identifier, DER.element(0x80), time, DER.element(0xA0, DER.string(0x17, "260101000000Z"))),
      DER.sequence(
        DER.sequence(DER.sequence(DER.oid("1.2.3"), [5, 0], [5, 0]), DER.octets([1]), DER.octets([1]), DER.integer(1)), DER.element(0x80),
        time),
    ] {
      #expect(throws: ParseError.self) { try OCSPResponse(bytes: OCSPResponseTests.basic(single)) }
    }
    var whole = TestCertificates.ocspResponse
    // The version of the included certificate: an INTEGER becomes an OCTET STRING.
    let version: Bytes = [0xA0, 0x03, 0x02, 0x01, 0x02]
    let offset = try #require(whole.indices.last { whole[$0...].starts(with: version) })
    whole[offset + 2] = 0x04
    #expect(throws: ParseError.self) { try OCSPResponse(bytes: whole) }
  }

  @Test func `a version other than 1 throws, a malformed responder name does not`() throws {
    func response(_ data: Bytes) -> Bytes {
      let basic = DER.sequence(data, DER.sequence(DER.oid("1.2.840.10045.4.3.2")), DER.element(0x03, [0, 1]))
      return DER.sequence(
        DER.element(0x0A, [0]), DER.element(0xA0, DER.sequence(DER.oid("1.3.6.1.5.5.7.48.1.1"), DER.octets(basic))))
    }
    let time = DER.time("20260101000000Z")
    let named = DER.sequence(DER.element(0xA1, DER.octets([1])), time, DER.sequence())
    #expect(try OCSPResponse(bytes: response(named)).responderID == .byName(der: DER.octets([1]), text: ""))
    #expect(try OCSPResponse(bytes: response(named) + [0]).status == .successful)
    let second = DER.sequence(DER.element(0xA0, DER.integer(1)), DER.element(0xA1, DER.octets([1])), time, DER.sequence())
    #expect(throws: ParseError.self) { try OCSPResponse(bytes: response(second)) }
  }

  @Test func `random and altered bytes never trap`() {
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<TestEffort.rounds(10_000) {
      _ = try? OCSPResponse(bytes: generator.bytes(upTo: 200))
      _ = try? OCSPResponse(bytes: generator.altered(TestCertificates.ocspResponse))
      _ = try? OCSPResponse(bytes: OCSPResponseTests.basic(generator.bytes(upTo: 100)))
    }
  }
}
