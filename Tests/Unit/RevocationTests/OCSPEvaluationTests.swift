import ByteParsing
import CertificateParsing
import Revocation
import SeededRandom
import SignedStructures
import Testing
import Values

struct OCSPEvaluationTests {
  let issuer = CertificateIssuer()
  let leaf: Certificate

  init() throws {
    leaf = try issuer.issue("leaf", key: .newP256())
  }

  private func status(
    _ builder: ResponseBuilder, at time: String? = "2026-02-03T00:00:00Z"
  ) throws -> RevocationStatus {
    try RevocationChecker().status(of: leaf, issuer: issuer, stapled: builder.der(), at: time)
  }

  @Test(arguments: ["1.3.14.3.2.26", "2.16.840.1.101.3.4.2.1"])
  func `a response of the issuer says that a certificate is good`(hash: String) throws {
    var builder = ResponseBuilder(issuer)
    builder.hash = hash
    #expect(try status(builder) == .good(by: .stapledResponse))
  }

  @Test
  func `a response says that a certificate is revoked, when and why`() throws {
    var builder = ResponseBuilder(issuer)
    builder.status = ResponseBuilder.revoked()
    let time = moment("2026-01-15T00:00:00Z")
    #expect(try status(builder) == .revoked(at: time, reason: 1, by: .stapledResponse))
    builder.status = ResponseBuilder.revoked(reason: nil)
    #expect(try status(builder) == .revoked(at: time, reason: nil, by: .stapledResponse))
  }

  @Test(arguments: ["2026-01-01T00:00:00Z", "2026-02-03T00:00:00Z", "2027-01-01T00:00:00Z"])
  func `that a certificate is revoked counts at any time`(time: String) throws {
    var builder = ResponseBuilder(issuer)
    builder.status = ResponseBuilder.revoked(at: "20260203000001Z")
    let revoked = RevocationStatus.revoked(
      at: moment("2026-02-03T00:00:01Z"), reason: 1, by: .stapledResponse)
    #expect(try status(builder, at: time) == revoked)
    #expect(try status(builder, at: nil) == revoked)
  }

  @Test
  func `who signs that a certificate is revoked is judged when the response was made`() throws {
    var builder = try delegated("1.3.6.1.5.5.7.3.9", to: "20260202235959Z")
    builder.status = ResponseBuilder.revoked(reason: nil)
    let revoked = RevocationStatus.revoked(
      at: moment("2026-01-15T00:00:00Z"), reason: nil, by: .stapledResponse)
    #expect(try status(builder, at: "2027-01-01T00:00:00Z") == revoked)
    var early = try delegated("1.3.6.1.5.5.7.3.9", to: "20260131235959Z")
    early.status = ResponseBuilder.revoked()
    #expect(try status(early) == .unknown([.notSignedByIssuer]))
  }

  @Test
  func `of two answers about one certificate the worse counts, and only a hold ends`() throws {
    let time = moment("2026-01-15T00:00:00Z")
    for reason in [1, 6] as [UInt8] {
      let revoked = ResponseBuilder.revoked(reason: reason)
      for isFirst in [true, false] {
        var builder = ResponseBuilder(issuer)
        if !isFirst { builder.status = revoked }
        builder.further = (isFirst ? revoked : DER.element(0x80), builder.thisUpdate)
        #expect(try status(builder) == .revoked(at: time, reason: Int(reason), by: .stapledResponse))
      }
      var builder = ResponseBuilder(issuer)
      builder.further = (revoked, "20260131000000Z")
      let expected: RevocationStatus =
        reason == 6
        ? .good(by: .stapledResponse) : .revoked(at: time, reason: 1, by: .stapledResponse)
      #expect(try status(builder) == expected)
    }
  }

  @Test
  func `a response with an answer from later does not count`() throws {
    var builder = ResponseBuilder(issuer)
    builder.thisUpdate = "20260204000000Z"
    builder.further = (DER.element(0x80), "20260201000000Z")
    #expect(try status(builder) == .unknown([.notYetCurrent]))
    builder.further = (DER.element(0x82), "20260201000000Z")
    #expect(try status(builder) == .unknown([.statusUnknown, .notYetCurrent]))
  }

  @Test
  func `whether extensions of a response are critical is not asked`() throws {
    var builder = ResponseBuilder(issuer)
    builder.responseExtensions = [DER.certificateExtension("1.2.3", isCritical: true, [5, 0])]
    builder.singleExtensions = [DER.certificateExtension("1.2.3", isCritical: true, [5, 0])]
    #expect(try status(builder) == .good(by: .stapledResponse))
  }

  @Test
  func `an issuer's name may be encoded in several ways`() throws {
    var other = issuer
    other.nameTag = 0x13
    let leaf = try other.issue("leaf", key: .newP256())
    let (checker, response) = (RevocationChecker(), try ResponseBuilder(issuer).der())
    #expect(try checker.status(of: leaf, issuer: issuer, stapled: response) == .good(by: .stapledResponse))
    let lists = RevocationChecker([try ListBuilder(issuer).source()])
    #expect(try lists.status(of: leaf, issuer: issuer) == .good(by: .list))
  }

  @Test(arguments: [
    ("2026-01-31T22:44:59Z", RevocationStatus.unknown([.notYetCurrent])),
    ("2026-01-31T22:45:00Z", .good(by: .stapledResponse)),
    ("2026-02-08T01:15:00Z", .good(by: .stapledResponse)),
    ("2026-02-08T01:15:00.000000001Z", .unknown([.outdated])),
  ])
  func `a response counts from thisUpdate to nextUpdate, and 75 minutes before and after`(
    time: String, expected: RevocationStatus
  ) throws {
    #expect(try status(ResponseBuilder(issuer), at: time) == expected)
  }

  @Test
  func `without nextUpdate a response counts for a day, and without a time it does not count`() throws {
    var builder = ResponseBuilder(issuer)
    builder.nextUpdate = nil
    #expect(try status(builder, at: "2026-02-02T01:15:00Z") == .good(by: .stapledResponse))
    #expect(try status(builder, at: "2026-02-02T01:15:01Z") == .unknown([.outdated]))
    #expect(try status(builder, at: nil) == .unknown([.notYetCurrent]))
  }

  @Test
  func `a response about another certificate or another issuer's says nothing`() throws {
    var builder = ResponseBuilder(issuer)
    builder.serial = [6]
    #expect(try status(builder) == .unknown([.otherCertificate]))
    builder = ResponseBuilder(CertificateIssuer())
    #expect(try status(builder) == .unknown([.otherCertificate]))
  }

  @Test
  func `a signature by anybody else does not count`() throws {
    var builder = ResponseBuilder(issuer)
    builder.signer = .newP256()
    #expect(try status(builder) == .unknown([.invalidSignature]))
    builder.responderID = DER.element(0xA1, DER.name("somebody"))
    #expect(try status(builder) == .unknown([.notSignedByIssuer]))
  }

  private func delegated(
    _ usage: String?, from notBefore: String = "20260101000000Z", to notAfter: String = "20270101000000Z",
    issuedBy other: CertificateIssuer? = nil, byKey: Bool = false, keyUsage: UInt8? = 0x80, isCA: Bool = false
  ) throws -> ResponseBuilder {
    let key = SigningKey.newP256()
    var extensions = usage.map { [DER.certificateExtension("2.5.29.37", DER.sequence(DER.oid($0)))] } ?? []
    if let keyUsage {
      extensions.append(DER.certificateExtension("2.5.29.15", DER.element(0x03, [0, keyUsage])))
    }
    if isCA {
      extensions.append(
        DER.certificateExtension("2.5.29.19", DER.sequence(DER.element(0x01, [0xFF]))))
    }
    let responder = try (other ?? issuer).issue(
      "responder", key: key, from: notBefore, to: notAfter, extensions: extensions)
    var builder = ResponseBuilder(issuer)
    builder.signer = key
    builder.certificates = [try issuer.certificate(), responder]
    builder.responderID = DER.element(0xA1, DER.name("responder"))
    if byKey {
      let bits = responder.bytes(responder.publicKey.keyRange)
      builder.responderID = DER.element(0xA2, DER.octets(keyHash(bits)))
    }
    return builder
  }

  @Test(arguments: [false, true])
  func `a responder that the issuer made one may sign`(byKey: Bool) throws {
    #expect(
      try status(delegated("1.3.6.1.5.5.7.3.9", byKey: byKey)) == .good(by: .stapledResponse))
  }

  @Test(arguments: [nil, "1.3.6.1.5.5.7.3.1", "2.5.29.37.0"])
  func `a certificate of the issuer's that is no responder's may not`(usage: String?) throws {
    #expect(try status(delegated(usage)) == .unknown([.notSignedByIssuer]))
  }

  @Test
  func `a responder has a keyUsage for signatures and is no CA`() throws {
    for keyUsage in [nil, 0x20] as [UInt8?] {
      let builder = try delegated("1.3.6.1.5.5.7.3.9", keyUsage: keyUsage)
      #expect(try status(builder) == .unknown([.notSignedByIssuer]))
    }
    #expect(
      try status(delegated("1.3.6.1.5.5.7.3.9", isCA: true)) == .unknown([.notSignedByIssuer]))
  }

  @Test
  func `a responder of another issuer may not, and an expired one may not`() throws {
    let other = CertificateIssuer()
    #expect(try status(delegated("1.3.6.1.5.5.7.3.9", issuedBy: other)) == .unknown([.notSignedByIssuer]))
    let expired = try delegated("1.3.6.1.5.5.7.3.9", to: "20260202235959Z")
    #expect(try status(expired) == .unknown([.outdated]))
    let early = try delegated("1.3.6.1.5.5.7.3.9", from: "20260203000001Z")
    #expect(try status(early) == .unknown([.notSignedByIssuer]))
  }

  @Test
  func `refusals and unknown certificates say nothing`() throws {
    var builder = ResponseBuilder(issuer)
    builder.responseStatus = 3
    #expect(try status(builder) == .unknown([.unreadable]))
    builder = ResponseBuilder(issuer)
    builder.status = DER.element(0x82)
    #expect(try status(builder) == .unknown([.statusUnknown]))
  }

  @Test
  func `a response that is cut off anywhere says nothing, and altered ones never say good of another`() throws {
    let whole = try ResponseBuilder(issuer).der()
    let checker = RevocationChecker()
    for count in 0..<whole.count {
      let status = try checker.status(of: leaf, issuer: issuer, stapled: Bytes(whole[..<count]))
      #expect(status == .unknown([.unreadable]))
    }
    var random = SeededGenerator(seed: 3)
    for _ in 0..<1000 {
      var bytes = whole
      bytes[random.below(bytes.count)] ^= random.byte() | 1
      let status = try checker.status(of: leaf, issuer: issuer, stapled: bytes)
      if case .revoked = status { Issue.record("revoked by a changed byte") }
    }
  }

  @Test
  func `supplied responses are found by serial number, and each is looked into once`() throws {
    var revoked = ResponseBuilder(issuer)
    revoked.status = ResponseBuilder.revoked()
    let checker = RevocationChecker([try ResponseBuilder(CertificateIssuer()).source(), try revoked.source()])
    let expected = RevocationStatus.revoked(
      at: moment("2026-01-15T00:00:00Z"), reason: 1, by: .suppliedResponse)
    for _ in 0..<5 { #expect(try checker.status(of: leaf, issuer: issuer) == expected) }
    // The issuer's certificate is signed anew each time, and so is another one.
    #expect(checker.gatheringsMade <= 5)
    // What is revoked stays so, whatever a staple says.
    let stapled = try ResponseBuilder(issuer).der()
    #expect(try checker.status(of: leaf, issuer: issuer, stapled: stapled) == expected)
  }
}
