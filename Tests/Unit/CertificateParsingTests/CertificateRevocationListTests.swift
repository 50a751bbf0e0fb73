import ByteParsing
import CertificateParsing
import SeededRandom
import TestBytes
import Testing
import Values

@Suite struct CertificateRevocationListTests {
  @Test func `the fields of a CRL are read`() throws {
    let list = try CertificateRevocationList(bytes: TestCertificates.crl)
    #expect(list.issuerDER == DER.name("ca.example"))
    #expect(list.thisUpdate.map(\.description) == "2026-11-21T00:47:45Z")
    #expect(list.nextUpdate.map(\.description) == "2026-12-21T00:47:45Z")
    #expect(list.signature.hash == "sha256")
    #expect(list.der[list.signatureValueRange.lowerBound] == 0x30)
    #expect(list.entryCount == 1)
    #expect(list.issuingDistributionPoint?.urls == ["http://crl.example.com/a.crl"])
    #expect(list.issuingDistributionPoint?.onlyContainsUserCertificates == true)
    #expect(list.issuingDistributionPoint?.onlyContainsCACertificates == false)
    #expect(list.issuingDistributionPoint?.isIndirect == false)
    #expect(!list.isDelta)
    #expect(!list.hasUnknownCriticalExtension)
  }

  @Test func `a revoked serial number is found, another one is not`() throws {
    let list = try CertificateRevocationList(bytes: TestCertificates.crl)
    let revocation = try #require(list.revocation(ofSerial: "02"))
    #expect(revocation.date.map(\.description) == "2026-11-21T00:47:45Z")
    #expect(revocation.reason == 1)
    #expect(list.revocation(ofSerial: "01") == nil)
    #expect(list.revocation(ofSerial: "0002") == nil)
    #expect(list.revocation(ofSerial: "") == nil)
    #expect(list.revocation(ofSerial: "zz") == nil)
  }

  static func list(_ entries: [Bytes]?, extensions: [Bytes] = [], nextUpdate: Bytes = []) -> Bytes {
    let algorithm = DER.sequence(DER.oid("1.2.840.10045.4.3.2"))
    let entryList = entries.map { DER.sequence($0.reduce(Bytes(), +)) } ?? []
    let extensionList = DER.tagged(0xA0, extensions)
    let tbs = DER.sequence(
      DER.integer(1), algorithm, DER.name("ca"), DER.string(0x17, "260101000000Z"), nextUpdate, entryList, extensionList)
    return DER.sequence(tbs, algorithm, DER.element(0x03, [0, 1]))
  }

  static func entry(_ serial: UInt8, _ extensions: Bytes...) -> Bytes {
    let list = extensions.isEmpty ? [] : DER.sequence(extensions.reduce(Bytes(), +))
    return DER.sequence(DER.integer(serial), DER.string(0x17, "251231000000Z"), list)
  }

  @Test func `a CRL with absent or empty revokedCertificates has no entries`() throws {
    for entries in [nil, []] as [[Bytes]?] {
      let bytes = CertificateRevocationListTests.list(entries)
      let list = try CertificateRevocationList(bytes: bytes)
      #expect(list.entryCount == 0)
      #expect(list.nextUpdate == nil)
      #expect(list.revocation(ofSerial: "01") == nil)
    }
  }

  @Test func `the last of 127 entries is found`() throws {
    let entries = (1...127).map { CertificateRevocationListTests.entry($0) }
    let list = try CertificateRevocationList(bytes: CertificateRevocationListTests.list(entries))
    #expect(list.entryCount == 127)
    #expect(list.revocation(ofSerial: "7F")?.date.map(\.description) == "2025-12-31T00:00:00Z")
    #expect(list.revocation(ofSerial: "7f")?.reason == nil)
  }

  @Test func `entries of another certificate issuer are not matched`() throws {
    let foreign = DER.certificateExtension(
      "2.5.29.29", critical: true, DER.sequence(DER.element(0xA4, DER.name("other"))))
    let entries = [
      CertificateRevocationListTests.entry(1), CertificateRevocationListTests.entry(2, foreign),
      CertificateRevocationListTests.entry(3),
    ]
    let list = try CertificateRevocationList(bytes: CertificateRevocationListTests.list(entries))
    #expect(list.hasEntriesOfOtherIssuers)
    #expect(list.revocation(ofSerial: "01") != nil)
    #expect(list.revocation(ofSerial: "02") == nil)
    #expect(list.revocation(ofSerial: "03") == nil)
  }

  @Test func `a serial number index finds the same entries as a search of the list`() throws {
    typealias Tests = CertificateRevocationListTests
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<20 {
      let numbers = (0..<40).map { _ in UInt8.random(in: 1...60, using: &generator) }
      let naming = DER.certificateExtension(
        "2.5.29.29", critical: true, DER.sequence(DER.element(0xA4, DER.name("other"))))
      let hasOther = Bool.random(using: &generator)
      let entries = numbers.enumerated().map { entryIndex, number in
        hasOther && entryIndex == 20 ? Tests.entry(number, naming) : Tests.entry(number)
      }
      let list = try CertificateRevocationList(bytes: Tests.list(entries))
      let index = list.serialIndex()
      for number in 0...70 {
        let serial = hexadecimal([UInt8(number)])
        #expect(list.revocation(ofSerial: serial, index) == list.revocation(ofSerial: serial))
      }
    }
    // Serial numbers longer than eight bytes with the same last bytes are distinguished.
    func long(_ first: UInt8) -> Bytes {
      DER.sequence(DER.element(0x02, [first] + [UInt8](repeating: 7, count: 9)), DER.string(0x17, "251231000000Z"))
    }
    let list = try CertificateRevocationList(bytes: Tests.list([long(1), long(2)]))
    let index = list.serialIndex()
    let end = String(repeating: "07", count: 9)
    #expect(list.revocation(ofSerial: "01" + end, index) != nil)
    #expect(list.revocation(ofSerial: "02" + end, index) != nil)
    #expect(list.revocation(ofSerial: "03" + end, index) == nil)
    #expect(list.revocation(ofSerial: end, index) == nil)
  }

  @Test func `a certificateIssuer applies to its entry and those after it, until the next one`()
    throws
  {
    func naming(_ issuer: String) -> Bytes {
      DER.certificateExtension("2.5.29.29", critical: true, DER.sequence(DER.element(0xA4, DER.name(issuer))))
    }
    typealias Tests = CertificateRevocationListTests
    let own = [Tests.entry(1, naming("ca")), Tests.entry(2)]
    let list = try CertificateRevocationList(bytes: Tests.list(own))
    #expect(!list.hasEntriesOfOtherIssuers)
    #expect(list.revocation(ofSerial: "01") != nil)
    #expect(list.revocation(ofSerial: "02") != nil)
    let mixed = [
      Tests.entry(1, naming("other")), Tests.entry(2), Tests.entry(1, naming("ca")), Tests.entry(3),
    ]
    let both = try CertificateRevocationList(bytes: Tests.list(mixed))
    #expect(both.hasEntriesOfOtherIssuers)
    #expect(both.revocation(ofSerial: "01") != nil)
    #expect(both.revocation(ofSerial: "02") == nil)
    #expect(both.revocation(ofSerial: "03") != nil)
    let unreadable = DER.certificateExtension("2.5.29.29", critical: true, DER.sequence(DER.string(0x82, "ca")))
    let odd = try CertificateRevocationList(bytes: Tests.list([Tests.entry(1, unreadable)]))
    #expect(odd.hasEntriesOfOtherIssuers)
    #expect(odd.revocation(ofSerial: "01") == nil)
  }

  @Test func `unknown critical extensions and delta CRLs are reported`() throws {
    let unknown = DER.certificateExtension("1.2.3.4", critical: true, [])
    let delta = DER.certificateExtension("2.5.29.27", critical: true, DER.integer(1))
    let entries = [CertificateRevocationListTests.entry(1, unknown)]
    let bytes = CertificateRevocationListTests.list(entries, extensions: [delta, unknown])
    let list = try CertificateRevocationList(bytes: bytes)
    #expect(list.hasUnknownCriticalEntryExtension)
    #expect(list.hasUnknownCriticalExtension)
    #expect(list.isDelta)
  }

  @Test func `a truncated CRL throws`() {
    let whole = TestCertificates.crl
    for count in 0..<whole.count {
      #expect(throws: ParseError.self) {
        try CertificateRevocationList(bytes: Bytes(whole[..<count]))
      }
    }
    #expect(throws: ParseError.self) { try CertificateRevocationList(bytes: whole + [0]) }
  }

  @Test func `random and altered bytes never trap`() {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<TestEffort.rounds(10_000) {
      _ = try? CertificateRevocationList(bytes: generator.bytes(upTo: 200))
      let altered = generator.altered(TestCertificates.crl)
      if let list = try? CertificateRevocationList(bytes: altered) {
        _ = list.revocation(ofSerial: "02")
      }
    }
  }
}
