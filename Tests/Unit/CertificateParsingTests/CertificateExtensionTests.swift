import ByteParsing
import CertificateParsing
import TestBytes
import Testing
import Values

@Suite struct CertificateExtensionTests {
  static func certificate(_ identifier: String, _ value: Bytes) -> Certificate {
    var parts = CertificateParts()
    parts.extensions = [DER.certificateExtension(identifier, value)]
    return parts.certificate
  }

  static func alternativeNames(_ names: Bytes...) -> Certificate {
    certificate("2.5.29.17", DER.sequence(names.reduce(Bytes(), +)))
  }

  @Test func `a NUL byte in a dNSName is kept and reported as a quirk`() {
    let certificate = CertificateExtensionTests.alternativeNames(DER.string(0x82, "bank.example\0.evil.example"))
    #expect(certificate.dnsNames == ["bank.example\0.evil.example"])
    #expect(certificate.quirks == ["nul-in-name"])
  }

  @Test func `a dNSName that is not ASCII is kept`() {
    let certificate = CertificateExtensionTests.alternativeNames(
      DER.string(0x82, "müller.example"), DER.element(0x82, [0x6D, 0xFC]))
    #expect(certificate.dnsNames == ["müller.example", "mü"])
    #expect(certificate.quirks == ["odd-name-text"])
  }

  @Test func `IP addresses of other lengths than 4 and 16 bytes are omitted`() {
    let certificate = CertificateExtensionTests.alternativeNames(
      DER.element(0x87, [192, 0, 2, 1]), DER.element(0x87, [192, 0, 2]),
      DER.element(0x87, Bytes(repeating: 0, count: 17)),
      DER.string(0x87, "192.0.2.1"), DER.element(0x87))
    #expect(certificate.ipAddresses.map(\.description) == ["192.0.2.1"])
    #expect(certificate.quirks == ["odd-address-length"])
  }

  @Test func `dNSNames above the limit are counted but not kept`() {
    let names = (0..<5000).map { DER.string(0x82, "n\($0).example") }.reduce(Bytes(), +)
    let certificate = CertificateExtensionTests.certificate("2.5.29.17", DER.sequence(names))
    #expect(certificate.dnsNames.count == 4096)
    #expect(certificate.dnsNameCount == 5000)
    #expect(certificate.quirks == ["shortened-list"])
  }

  @Test func `a dNSName above the length limit is counted but not kept`() {
    let certificate = CertificateExtensionTests.alternativeNames(
      DER.string(0x82, String(repeating: "a", count: 5000)), DER.string(0x82, "b.example"))
    #expect(certificate.dnsNames == ["b.example"])
    #expect(certificate.dnsNameCount == 2)
    #expect(certificate.quirks == ["shortened-text"])
  }

  @Test func `an empty subjectAltName is present and malformed`() {
    let certificate = CertificateExtensionTests.alternativeNames()
    #expect(certificate.hasSubjectAlternativeName)
    #expect(certificate.dnsNames == [])
    #expect(certificate.malformedExtensions == ["2.5.29.17"])
  }

  @Test(
    arguments: [
      ("2.5.29.14", [0x04, 0x05, 0x00]), ("2.5.29.15", [0x03, 0x00]),
      ("2.5.29.15", [0x03, 0x02, 0x08, 0x00]),
      ("2.5.29.17", DER.sequence([0x82, 0x05, 0x61])), ("2.5.29.17", [0x31, 0x00]),
      ("2.5.29.17", [0x30, 0x00, 0x00]), ("2.5.29.17", DER.sequence(DER.element(0x89, [1]))),
      ("2.5.29.15", [0x03, 0x01, 0x00]), ("2.5.29.32", DER.sequence()),
      ("2.5.29.31", DER.sequence()), ("2.5.29.31", DER.sequence(DER.sequence())), ("2.5.29.33", DER.sequence()),
      ("2.5.29.35", DER.sequence(DER.element(0x82, [1]))), ("1.3.6.1.5.5.7.1.1", DER.sequence()),
      ("2.5.29.19", DER.sequence(DER.integer(1), DER.yes)), ("2.5.29.19", DER.sequence(DER.yes, DER.element(0x02, [0x80]))),
      ("2.5.29.30", DER.sequence(DER.integer(1))), ("2.5.29.31", DER.sequence(DER.integer(1))),
      ("2.5.29.32", DER.sequence(DER.sequence())),
      ("2.5.29.35", DER.octets([1])), ("2.5.29.36", DER.sequence(DER.element(0x80, []))),
      ("2.5.29.37", DER.sequence(DER.integer(1))), ("2.5.29.37", DER.sequence()),
      // A constructed address contains an IA5String.
      ("2.5.29.17", DER.sequence(DER.element(0xA6, DER.string(0x0C, "http://a/")))),
      ("1.3.6.1.5.5.7.1.1", DER.sequence(DER.sequence(DER.oid("1.3.6.1.5.5.7.48.1"), DER.string(0x82, "a.example")))),
      ("1.3.6.1.5.5.7.1.1", DER.sequence(DER.sequence(DER.oid("1.3.6.1.5.5.7.48.2"), DER.element(0xA4, DER.sequence())))),
      ("2.5.29.54", DER.element(0x02, [0xFF])), ("1.3.6.1.5.5.7.1.1", DER.sequence(DER.sequence(DER.oid("1.2.3")))),
      ("1.3.6.1.5.5.7.1.24", DER.sequence(DER.oid("1.2.3"))), ("1.3.6.1.4.1.11129.2.4.2", DER.octets([0, 9])),
    ] as [(String, Bytes)])
  func `a malformed extension is listed, and the certificate is read`(
    identifier: String, value: Bytes
  ) {
    let certificate = CertificateExtensionTests.certificate(identifier, value)
    #expect(certificate.malformedExtensions == [identifier])
    #expect(certificate.decodingError == nil)
    #expect(certificate.extensions.map(\.objectIdentifier) == [identifier])
  }

  @Test(
    arguments: [
      ("2.5.29.17", DER.sequence(DER.element(0xA6, DER.string(0x16, "http://a/")))),
      ("1.3.6.1.5.5.7.1.1", DER.sequence(DER.sequence(DER.oid("1.3.6.1.5.5.7.48.3"), DER.string(0x82, "a.example")))),
    ] as [(String, Bytes)])
  func `a constructed address and a location with another access method are accepted`(identifier: String, value: Bytes) {
    #expect(CertificateExtensionTests.certificate(identifier, value).malformedExtensions == [])
  }

  @Test func `an extension without an OCTET STRING value is an error, and those before it are read`() {
    var parts = CertificateParts()
    let broken = DER.sequence(DER.oid("2.5.29.17"), DER.integer(1))
    parts.extensions = [DER.certificateExtension("2.5.29.19", DER.sequence(DER.yes)), broken]
    #expect(parts.certificate.isCA)
    #expect(parts.certificate.decodingError?.hasPrefix("extnValue at byte") == true)
    #expect(!parts.certificate.signatureValue.isEmpty)
  }

  @Test func `BOOLEANs are read as BER, and reported unless they are DER`() {
    var parts = CertificateParts()
    parts.extensions = [
      DER.sequence(DER.oid("2.5.29.19"), [0x01, 0x01, 0x01], DER.octets(DER.sequence([0x01, 0x01, 0x02])))
    ]
    #expect(parts.certificate.isCA)
    #expect(parts.certificate.extensions[0].isCritical)
    #expect(parts.certificate.quirks == ["not-der"])
    // DER omits a default of FALSE, but old software encodes it.
    parts.extensions = [
      DER.sequence(DER.oid("2.5.29.19"), [0x01, 0x01, 0x00], DER.octets(DER.sequence([0x01, 0x01, 0x00])))
    ]
    #expect(!parts.certificate.isCA)
    #expect(!parts.certificate.extensions[0].isCritical)
    #expect(parts.certificate.quirks == [])
  }

  @Test(
    arguments: [
      ([0x03, 0x02, 0x05, 0xA0], [.digitalSignature, .keyEncipherment]),
      ([0x03, 0x02, 0x01, 0x06], [.keyCertSign, .cRLSign]),
      ([0x03, 0x03, 0x07, 0x08, 0x80], [.keyAgreement, .decipherOnly]),
      ([0x03, 0x01, 0x00], []),
    ] as [(Bytes, [KeyUsage])])
  func `the bits of keyUsage are numbered from the most significant bit`(value: Bytes, usage: [KeyUsage]) {
    #expect(CertificateExtensionTests.certificate("2.5.29.15", value).keyUsage == KeyUsage(usage))
  }

  @Test func `more extensions than the limit are an error`() {
    var parts = CertificateParts()
    parts.extensions = (0..<600).map { DER.certificateExtension("1.2.3.\($0)", []) }
    #expect(parts.certificate.extensions.count == 512)
    #expect(parts.certificate.decodingError?.contains("more than 512") == true)
  }

  @Test func `embedded SCTs are counted, and their list is read`() {
    let list = DER.sctList([sct(log: 1), sct(log: 2)])
    let certificate = CertificateExtensionTests.certificate("1.3.6.1.4.1.11129.2.4.2", DER.octets(list))
    #expect(certificate.embeddedSCTs == 2)
    #expect(certificate.sctList == list)
    #expect(certificate.malformedExtensions == [])
  }

  @Test func `name constraints are read`() throws {
    let rich = Certificate(bytes: TestCertificates.rich)
    let value = try #require(rich.nameConstraintsDER)
    let constraints = try NameConstraints(bytes: value)
    #expect(
      constraints.permitted == [
        .dnsName("example.com"), .ipAddress([192, 0, 2, 0, 255, 255, 255, 0]),
      ])
    #expect(
      constraints.excluded == [
        .rfc822Name("bad.example.com"), .uniformResourceIdentifier(".example.org"),
        .directoryName(DER.name("dir")),
      ])
    for count in 0..<value.count {
      #expect(throws: ParseError.self) { try NameConstraints(bytes: Bytes(value[..<count])) }
    }
  }
}
