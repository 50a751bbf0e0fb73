import ByteParsing
import CertificateIssuing
import CertificateParsing
import Revocation
import SeededRandom
import TestBytes
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
  func `an OCSP response of the issuer gives good`(hash: String) throws {
    var builder = ResponseBuilder(issuer)
    builder.hash = hash
    #expect(try status(builder) == .good(by: .stapledResponse))
  }

  @Test
  func `an OCSP response gives the time and the reason of a revocation`() throws {
    var builder = ResponseBuilder(issuer)
    builder.status = ResponseBuilder.revoked()
    let time = Timestamp("2026-01-15T00:00:00Z")
    #expect(try status(builder) == .revoked(at: time, reason: 1, by: .stapledResponse))
    builder.status = ResponseBuilder.revoked(reason: nil)
    #expect(try status(builder) == .revoked(at: time, reason: nil, by: .stapledResponse))
  }

  @Test(arguments: ["2026-01-01T00:00:00Z", "2026-02-03T00:00:00Z", "2027-01-01T00:00:00Z"])
  func `the status revoked counts at any time`(time: String) throws {
    var builder = ResponseBuilder(issuer)
    builder.status = ResponseBuilder.revoked(at: "20260203000001Z")
    let revoked = RevocationStatus.revoked(
      at: Timestamp("2026-02-03T00:00:01Z"), reason: 1, by: .stapledResponse)
    #expect(try status(builder, at: time) == revoked)
    #expect(try status(builder, at: nil) == revoked)
  }

  @Test
  func `the signer of the status revoked is judged at the time of the response`() throws {
    var builder = try delegated("1.3.6.1.5.5.7.3.9", to: "20260202235959Z")
    builder.status = ResponseBuilder.revoked(reason: nil)
    let revoked = RevocationStatus.revoked(
      at: Timestamp("2026-01-15T00:00:00Z"), reason: nil, by: .stapledResponse)
    #expect(try status(builder, at: "2027-01-01T00:00:00Z") == revoked)
    var early = try delegated("1.3.6.1.5.5.7.3.9", to: "20260131235959Z")
    early.status = ResponseBuilder.revoked()
    #expect(try status(early) == .unknown([.notSignedByIssuer]))
  }

  @Test
  func `the first of two statuses in a response counts, and a response with a later one ends only a certificateHold`() throws {
    let time = Timestamp("2026-01-15T00:00:00Z")
    for reason in [1, 6] as [UInt8] {
      let revoked = ResponseBuilder.revoked(reason: reason)
      let isRevoked = RevocationStatus.revoked(at: time, reason: Int(reason), by: .stapledResponse)
      for isFirst in [true, false] {
        var builder = ResponseBuilder(issuer)
        if !isFirst { builder.status = revoked }
        builder.further = (isFirst ? revoked : DER.element(0x80), builder.thisUpdate)
        #expect(try status(builder) == (isFirst ? isRevoked : .good(by: .stapledResponse)))
      }
      var earlier = ResponseBuilder(issuer)
      (earlier.status, earlier.thisUpdate) = (revoked, "20260131000000Z")
      let checker = RevocationChecker([try ResponseBuilder(issuer).source()])
      let found = try checker.status(of: leaf, issuer: issuer, stapled: earlier.der(), at: "2026-02-03T00:00:00Z")
      #expect(found == (reason == 6 ? .good(by: .suppliedResponse) : isRevoked))
    }
  }

  @Test
  func `a response that contains a status from the future does not count`() throws {
    var builder = ResponseBuilder(issuer)
    builder.thisUpdate = "20260204000000Z"
    builder.further = (DER.element(0x80), "20260201000000Z")
    #expect(try status(builder) == .unknown([.notYetCurrent]))
    builder.further = (DER.element(0x82), "20260201000000Z")
    #expect(try status(builder) == .unknown([.statusUnknown]))
  }

  @Test
  func `unknown critical extensions of a response are ignored`() throws {
    var builder = ResponseBuilder(issuer)
    builder.responseExtensions = [DER.certificateExtension("1.2.3", critical: true, [5, 0])]
    builder.singleExtensions = [DER.certificateExtension("1.2.3", critical: true, [5, 0])]
    #expect(try status(builder) == .good(by: .stapledResponse))
  }

  @Test
  func `the string type of the issuer's name does not matter`() throws {
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
  func `a response counts from thisUpdate to nextUpdate, with a tolerance of 75 minutes`(
    time: String, expected: RevocationStatus
  ) throws {
    #expect(try status(ResponseBuilder(issuer), at: time) == expected)
  }

  @Test
  func `a response without nextUpdate counts for a day, and not if the time is unknown`() throws {
    var builder = ResponseBuilder(issuer)
    builder.nextUpdate = nil
    #expect(try status(builder, at: "2026-02-02T01:15:00Z") == .good(by: .stapledResponse))
    #expect(try status(builder, at: "2026-02-02T01:15:01Z") == .unknown([.outdated]))
    #expect(try status(builder, at: nil) == .unknown([.notYetCurrent]))
  }

  @Test
  func `a response about another certificate or issuer gives unknown`() throws {
    var builder = ResponseBuilder(issuer)
    builder.serial = [6]
    #expect(try status(builder) == .unknown([.otherCertificate]))
    builder = ResponseBuilder(CertificateIssuer())
    #expect(try status(builder) == .unknown([.otherCertificate]))
  }

  @Test
  func `a signature with another key does not count`() throws {
    var builder = ResponseBuilder(issuer)
    builder.signer = .newP256()
    #expect(try status(builder) == .unknown([.invalidSignature]))
    builder.responderID = DER.element(0xA1, DER.name("somebody"))
    #expect(try status(builder) == .unknown([.notSignedByIssuer]))
  }

  @Test(arguments: [true, false])
  func `the issuer may sign with its own certificate in the response, and not with another of the same key`(isOwn: Bool) throws {
    let own = try issuer.certificate()
    var builder = ResponseBuilder(issuer)
    builder.certificates = [isOwn ? own : try issuer.issue(issuer.commonName, key: issuer.key, serial: [2])]
    let now = Timestamp("2026-02-03T00:00:00Z")
    let status = try RevocationChecker().status(of: leaf, issuer: own, stapled: builder.der()) { now >= $0 }
    #expect(status == (isOwn ? .good(by: .stapledResponse) : .unknown([.notSignedByIssuer])))
  }

  @Test func `a certificate of another key in the response does not matter, even with the issuer's name`() throws {
    let own = try issuer.certificate()
    var builder = ResponseBuilder(issuer)
    for certificates in [[try CertificateIssuer().certificate()], [try CertificateIssuer().certificate(), own]] {
      builder.certificates = certificates
      let now = Timestamp("2026-02-03T00:00:00Z")
      let status = try RevocationChecker().status(of: leaf, issuer: own, stapled: builder.der()) { now >= $0 }
      #expect(status == .good(by: .stapledResponse))
    }
  }

  private func delegated(
    _ usage: String?, from notBefore: String = "20260101000000Z", to notAfter: String = "20270101000000Z",
    issuedBy other: CertificateIssuer? = nil, name: String = "responder", byKey: Bool = false, keyUsage: UInt8? = 0x80, isCA: Bool = false
  ) throws -> ResponseBuilder {
    let key = IssuingKey.newP256()
    var extensions = usage.map { [DER.certificateExtension("2.5.29.37", DER.sequence(DER.oid($0)))] } ?? []
    if let keyUsage {
      extensions.append(DER.certificateExtension("2.5.29.15", DER.element(0x03, [0, keyUsage])))
    }
    if isCA {
      extensions.append(
        DER.certificateExtension("2.5.29.19", DER.sequence(DER.element(0x01, [0xFF]))))
    }
    let responder = try (other ?? issuer).issue(
      name, key: key, from: notBefore, to: notAfter, extensions: extensions)
    var builder = ResponseBuilder(issuer)
    builder.signer = key
    builder.certificates = [try issuer.certificate(), responder]
    builder.responderID = DER.element(0xA1, DER.name(name))
    if byKey {
      let bits = responder.bytes(responder.publicKey.keyRange)
      builder.responderID = DER.element(0xA2, DER.octets(keyHash(bits)))
    }
    return builder
  }

  @Test(arguments: [false, true])
  func `a delegated responder of the issuer may sign`(byKey: Bool) throws {
    #expect(
      try status(delegated("1.3.6.1.5.5.7.3.9", byKey: byKey)) == .good(by: .stapledResponse))
  }

  @Test
  func `a delegated responder may have the issuer's name`() throws {
    var builder = try delegated("1.3.6.1.5.5.7.3.9", name: issuer.commonName)
    #expect(try status(builder) == .good(by: .stapledResponse))
    builder.signer = .newP256()
    #expect(try status(builder) == .unknown([.invalidSignature]))
  }

  @Test(arguments: [nil, "1.3.6.1.5.5.7.3.1", "2.5.29.37.0"])
  func `a certificate without the extended key usage OCSPSigning may not sign`(usage: String?) throws {
    #expect(try status(delegated(usage)) == .unknown([.notSignedByIssuer]))
  }

  @Test
  func `a delegated responder needs digitalSignature in keyUsage and must not be a CA`() throws {
    for keyUsage in [nil, 0x20] as [UInt8?] {
      let builder = try delegated("1.3.6.1.5.5.7.3.9", keyUsage: keyUsage)
      #expect(try status(builder) == .unknown([.notSignedByIssuer]))
    }
    #expect(
      try status(delegated("1.3.6.1.5.5.7.3.9", isCA: true)) == .unknown([.notSignedByIssuer]))
  }

  @Test
  func `a responder of another issuer or outside its validity period may not sign`() throws {
    let other = CertificateIssuer()
    #expect(try status(delegated("1.3.6.1.5.5.7.3.9", issuedBy: other)) == .unknown([.notSignedByIssuer]))
    let expired = try delegated("1.3.6.1.5.5.7.3.9", to: "20260202235959Z")
    #expect(try status(expired) == .unknown([.outdated]))
    let early = try delegated("1.3.6.1.5.5.7.3.9", from: "20260203000001Z")
    #expect(try status(early) == .unknown([.notSignedByIssuer]))
  }

  @Test
  func `OCSP errors and the status unknown give unknown`() throws {
    var builder = ResponseBuilder(issuer)
    builder.responseStatus = 3
    #expect(try status(builder) == .unknown([.unreadable]))
    builder = ResponseBuilder(issuer)
    builder.status = DER.element(0x82)
    #expect(try status(builder) == .unknown([.statusUnknown]))
  }

  @Test
  func `a truncated response gives unknown, and a changed byte never gives revoked`() throws {
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
  func `supplied responses are found by serial number and override a stapled one`() throws {
    var revoked = ResponseBuilder(issuer)
    revoked.status = ResponseBuilder.revoked()
    let checker = RevocationChecker([try ResponseBuilder(CertificateIssuer()).source(), try revoked.source()])
    let expected = RevocationStatus.revoked(
      at: Timestamp("2026-01-15T00:00:00Z"), reason: 1, by: .suppliedResponse)
    for _ in 0..<5 { #expect(try checker.status(of: leaf, issuer: issuer) == expected) }
    // Each call has a newly signed issuer certificate, so each may gather the sources once.
    #expect(checker.gatheringsMade <= 5)
    // A stapled response does not override the status revoked.
    let stapled = try ResponseBuilder(issuer).der()
    #expect(try checker.status(of: leaf, issuer: issuer, stapled: stapled) == expected)
  }
}
