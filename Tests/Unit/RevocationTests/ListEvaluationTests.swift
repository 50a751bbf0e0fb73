import ByteParsing
import CertificateIssuing
import CertificateParsing
import Revocation
import TestBytes
import Testing
import Values

struct ListEvaluationTests {
  let issuer = CertificateIssuer()
  let leaf: Certificate

  static let url = "http://crl.example/1.crl"

  init() throws {
    let point = DER.sequence(ListBuilder.name(ListEvaluationTests.url))
    leaf = try issuer.issue(
      "leaf", key: .newP256(), extensions: [DER.certificateExtension("2.5.29.31", DER.sequence(point))])
  }

  private func status(
    _ builders: [ListBuilder], at time: String? = "2026-02-03T00:00:00Z"
  ) throws -> RevocationStatus {
    let checker = RevocationChecker(try builders.map { try $0.source() })
    return try checker.status(of: leaf, issuer: issuer, at: time)
  }

  private func revoking(_ reason: UInt8? = nil, at time: String = "20260115000000Z") -> ListBuilder {
    var builder = ListBuilder(issuer)
    builder.entries = [([9], "20260101000000Z", nil), ([5], time, reason)]
    return builder
  }

  @Test
  func `a CRL without the certificate gives good, a CRL with it gives revoked`() throws {
    #expect(try status([ListBuilder(issuer)]) == .good(by: .list))
    let time = Timestamp("2026-01-15T00:00:00Z")
    #expect(try status([revoking()]) == .revoked(at: time, reason: nil, by: .list))
    #expect(try status([revoking(1)]) == .revoked(at: time, reason: 1, by: .list))
    #expect(try status([revoking(6)]) == .revoked(at: time, reason: 6, by: .list))
    #expect(try status([revoking(8)]) == .good(by: .list))
    #expect(try status([ListBuilder(issuer), revoking()]) == .revoked(at: time, reason: nil, by: .list))
  }

  @Test(arguments: [
    ("2026-01-31T23:59:59Z", RevocationStatus.unknown([.notYetCurrent])),
    ("2026-02-01T00:00:00Z", .good(by: .list)), ("2026-02-08T00:00:00Z", .good(by: .list)),
    ("2026-02-08T00:00:01Z", .unknown([.outdated])),
  ])
  func `a CRL counts from thisUpdate to nextUpdate, inclusive`(
    time: String, expected: RevocationStatus
  ) throws {
    #expect(try status([ListBuilder(issuer)], at: time) == expected)
  }

  @Test(
    arguments: [
      (nil, "2026-01-14T23:59:59Z", false), (nil, "2026-01-15T00:00:00Z", true), (1, "2026-01-31T00:00:00Z", true),
      (1, "2026-03-01T00:00:00Z", true), (6, "2026-01-31T00:00:00Z", false), (6, "2026-02-03T00:00:00Z", true),
      (6, "2026-03-01T00:00:00Z", false),
    ] as [(UInt8?, String, Bool)])
  func `a CRL made later or out of date revokes from the date of the revocation on, unless it is a hold`(
    reason: UInt8?, time: String, isRevoked: Bool
  ) throws {
    let status = try status([revoking(reason)], at: time)
    let counts = if case .revoked = status { true } else { false }
    #expect(counts == isRevoked)
  }

  @Test
  func `among hundreds of CRLs of a CA, the CRL of the certificate decides`() throws {
    var parts = try (0..<200).map { number in
      var part = ListBuilder(issuer)
      part.entries = [([UInt8(truncatingIfNeeded: number), 1], "20260101000000Z", nil)]
      part.extensions = [ListBuilder.point(ListBuilder.name("http://crl.example/other\(number).crl"))]
      return try part.source()
    }
    var own = revoking(1)
    own.extensions = [ListBuilder.point(ListBuilder.name(ListEvaluationTests.url))]
    parts.append(try own.source())
    let time = "2026-02-03T00:00:00Z"
    #expect(
      try RevocationChecker(parts).status(of: leaf, issuer: issuer, at: time)
        == .revoked(at: Timestamp("2026-01-15T00:00:00Z"), reason: 1, by: .list))
    own.entries = []
    parts[parts.count - 1] = try own.source()
    #expect(try RevocationChecker(parts).status(of: leaf, issuer: issuer, at: time) == .good(by: .list))
  }

  @Test
  func `more CRLs than the limit are reported as too many`() throws {
    var many: [RevocationSource] = []
    for _ in 0..<1025 {
      var list = ListBuilder(issuer)
      list.signer = .newP256()
      many.append(try list.source())
    }
    #expect(
      try RevocationChecker(many).status(of: leaf, issuer: issuer, at: "2026-02-03T00:00:00Z")
        == .unknown([.invalidSignature, .tooMany]))
  }

  @Test
  func `a revocation counts from its date on`() throws {
    let list = revoking(at: "20260203000000Z")
    let time = Timestamp("2026-02-03T00:00:00Z")
    #expect(try status([list], at: "2026-02-03T00:00:00Z") == .revoked(at: time, reason: nil, by: .list))
    #expect(try status([list], at: "2026-02-02T23:59:59Z") == .good(by: .list))
  }

  @Test
  func `a CRL of another issuer, or with an invalid signature, gives unknown`() throws {
    var other = CertificateIssuer()
    other.commonName = "other"
    #expect(try status([ListBuilder(other)]) == .unknown([]))
    var forged = revoking()
    forged.signer = .newP256()
    #expect(try status([forged]) == .unknown([.invalidSignature]))
  }

  @Test
  func `the issuing distribution point determines the scope of a CRL`() throws {
    func with(_ extensions: Bytes..., revoked: Bool = false) throws -> RevocationStatus {
      var builder = revoked ? revoking() : ListBuilder(issuer)
      builder.extensions = extensions
      return try status([builder])
    }
    let outOfScope = RevocationStatus.unknown([.outOfScope])
    let flag: Bytes = [0xFF]
    #expect(try with(ListBuilder.point(ListBuilder.name(Self.url))) == .good(by: .list))
    #expect(try with(ListBuilder.point(ListBuilder.name("http://crl.example/2.crl"))) == outOfScope)
    #expect(try with(ListBuilder.point(DER.element(0x81, flag))) == .good(by: .list))
    #expect(try with(ListBuilder.point(DER.element(0x82, flag))) == outOfScope)
    #expect(try with(ListBuilder.point(DER.element(0x83, [0, 0xFF]))) == outOfScope)
    #expect(try with(ListBuilder.point(DER.element(0x84, flag))) == .good(by: .list))
    #expect(try with(ListBuilder.point(DER.element(0x85, flag))) == outOfScope)
    let delta = DER.certificateExtension("2.5.29.27", critical: true, DER.element(0x02, [1]))
    #expect(try with(delta) == outOfScope)
    let revoked = RevocationStatus.revoked(at: Timestamp("2026-01-15T00:00:00Z"), reason: nil, by: .list)
    #expect(try with(delta, revoked: true) == revoked)
    #expect(try with(ListBuilder.point(DER.element(0x82, flag)), revoked: true) == revoked)
    let unknown = DER.certificateExtension("1.2.3", critical: true, [5, 0])
    #expect(try with(unknown, revoked: true) == .unknown([.unknownCriticalExtension]))
  }

  @Test(arguments: [("issuer", true), ("other", false)])
  func `an entry of an indirect CRL applies to the issuer that it names`(named: String, isOwn: Bool) throws {
    let revoked = RevocationStatus.revoked(at: Timestamp("2026-01-15T00:00:00Z"), reason: nil, by: .list)
    var builder = ListBuilder(issuer)
    builder.namedIssuer = named
    builder.entries = [([5], "20260115000000Z", nil)]
    let indirect = ListBuilder.point(DER.element(0x84, [0xFF]))
    builder.extensions = [indirect]
    #expect(try status([builder]) == (isOwn ? revoked : .good(by: .list)))
    builder.entries = [([9], "20260115000000Z", nil)]
    #expect(try status([builder]) == .good(by: .list))
    // A CRL that is not indirect must not list the certificates of other issuers.
    builder.extensions = []
    #expect(try status([builder]) == (isOwn ? .good(by: .list) : .unknown([.outOfScope])))
  }

  @Test
  func `a later CRL ends a certificateHold, but no other revocation`() throws {
    let time = Timestamp("2026-01-15T00:00:00Z")
    let delta = DER.certificateExtension("2.5.29.27", critical: true, DER.element(0x02, [1]))
    var later = ListBuilder(issuer)
    later.thisUpdate = "20260202000000Z"
    var release = revoking(8)
    release.thisUpdate = "20260202000000Z"
    release.extensions = [delta]
    for newer in [later, release] {
      #expect(try status([revoking(6), newer]) == .good(by: .list))
      #expect(try status([newer, revoking(6)]) == .good(by: .list))
      #expect(try status([revoking(1), newer]) == .revoked(at: time, reason: 1, by: .list))
      #expect(
        try status([revoking(6), newer], at: "2026-02-01T12:00:00Z")
          == .revoked(at: time, reason: 6, by: .list))
    }
    #expect(try status([release]) == .unknown([.outOfScope]))
    var hold = revoking(6)
    hold.thisUpdate = "20260202000000Z"
    #expect(try status([ListBuilder(issuer), hold]) == .revoked(at: time, reason: 6, by: .list))
  }

  @Test
  func `an issuer whose keyUsage lacks cRLSign cannot sign a CRL`() throws {
    let usage = DER.certificateExtension("2.5.29.15", critical: true, [0x03, 0x02, 0x02, 0x04])
    let authority = try issuer.issue(issuer.commonName, key: issuer.key, extensions: [usage])
    let checker = RevocationChecker([try revoking().source()])
    let status = checker.status(of: leaf, issuer: authority) { _ in true }
    #expect(status == .unknown([.mayNotSignLists]))
    #expect("\(RevocationObstacle.mayNotSignLists)" == "the issuer's certificate does not allow its key to sign lists")
  }

  @Test
  func `a file contains CRLs and OCSP responses in PEM, or one of them in DER`() throws {
    func kinds(_ bytes: Bytes) throws -> [String] {
      try RevocationSource.read(bytes.span).map {
        switch $0 {
        case .list: "list"
        case .response: "response"
        }
      }
    }
    let list = try revoking().der()
    let response = try ResponseBuilder(issuer).der()
    #expect(try kinds(list) == ["list"])
    #expect(try kinds(response) == ["response"])
    let text =
      pemBlock(leaf.der) + pemBlock(list, label: "X509 CRL") + "\n" + pemBlock(response, label: "OCSP RESPONSE")
    #expect(try kinds(Bytes(text.utf8)) == ["list", "response"])
    var refusal = ResponseBuilder(issuer)
    refusal.responseStatus = 6
    for bad in [
      Bytes(), leaf.der, Bytes(pemBlock(leaf.der).utf8), Bytes(pemBlock(response, label: "X509 CRL").utf8),
      Bytes(pemBlock(list, label: "OCSP RESPONSE").utf8), try refusal.der(), Bytes(list.dropLast()),
    ] {
      let error = #expect(throws: RevocationFileError.self) { try kinds(bad) }
      #expect(error?.description.isEmpty == false)
    }
  }
}
