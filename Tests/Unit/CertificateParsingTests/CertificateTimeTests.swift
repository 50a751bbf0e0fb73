import ByteParsing
import CertificateParsing
import TestBytes
import Testing
import Values

@Suite struct CertificateTimeTests {
  @Test(
    arguments: [
      (0x17, "491231235959Z", "2049-12-31T23:59:59Z", []),
      (0x17, "500101000000Z", "1950-01-01T00:00:00Z", []),
      (0x17, "9912312359Z", "1999-12-31T23:59:00Z", ["odd-time"]),
      (0x17, "200101000000+0130", "2019-12-31T22:30:00Z", ["odd-time"]),
      (0x17, "2001010000-0130", "2020-01-01T01:30:00Z", ["odd-time", "unknown-time"]),
      (0x17, "200101000000", "2020-01-01T00:00:00Z", ["odd-time", "unknown-time"]),
      (0x17, "20200101000000Z", "2020-01-01T00:00:00Z", ["odd-time", "unknown-time"]),
      (0x17, "161231235960Z", "2017-01-01T00:00:00Z", ["odd-time"]),
      (0x18, "20500101000000Z", "2050-01-01T00:00:00Z", []),
      (0x18, "20490101000000Z", "2049-01-01T00:00:00Z", ["odd-time"]),
      (0x18, "99991231235959Z", "9999-12-31T23:59:59Z", []),
      (0x18, "19500101000000Z", "1950-01-01T00:00:00Z", ["odd-time"]),
      (0x18, "00000101000000Z", "0000-01-01T00:00:00Z", ["odd-time"]),
      (0x18, "20600229123456.789Z", "2060-02-29T12:34:56.789000Z", ["odd-time", "unknown-time"]),
      (0x18, "206002291234,5Z", "2060-02-29T12:34:30Z", ["odd-time", "unknown-time"]),
      (0x18, "2060022912.25Z", "2060-02-29T12:15:00Z", ["odd-time", "unknown-time"]),
      (0x18, "2060022912", "2060-02-29T12:00:00Z", ["odd-time", "unknown-time"]),
      (0x18, "20600229123456.00000000000000000000Z", "2060-02-29T12:34:56Z", ["odd-time", "unknown-time"]),
    ] as [(UInt8, String, String, [String])])
  func `times are read in every format, and reported unless they follow RFC 5280`(
    tag: UInt8, text: String, expected: String, quirks: [String]
  ) {
    var parts = CertificateParts()
    parts.validity = DER.sequence(DER.string(0x17, "200101000000Z"), DER.string(tag, text))
    let certificate = parts.certificate
    #expect(certificate.decodingError == nil)
    #expect(certificate.notAfter.map(\.description) == expected)
    #expect(certificate.quirks == quirks)
  }

  @Test(
    arguments: [
      (0x17, ""), (0x17, "Z"), (0x17, "2001010000000Z"), (0x17, "20010100Z"), (0x17, "201301000000Z"),
      (0x17, "200230000000Z"), (0x17, "200101240000Z"), (0x17, "200101006000Z"), (0x17, "200101000061Z"),
      (0x17, "200101000000ZZ"), (0x17, "200101000000+01"), (0x17, "200101000000+2400"),
      (0x17, "200101000000+01000"), (0x17, "2001010000 0Z"), (0x17, "-00101000000Z"),
      (0x18, "2020010100000Z"),
      (0x18, "20200101000000.Z"), (0x18, "2020010100000000Z"), (0x18, "20210229000000Z"),
      (0x18, "202001010000000000000000000000000000Z"), (0x1E, "20200101000000Z"),
    ] as [(UInt8, String)])
  func `an invalid time is nil and an error, and the rest of the certificate is read`(tag: UInt8, text: String) {
    var parts = CertificateParts()
    parts.validity = DER.sequence(DER.string(0x17, "200101000000Z"), DER.string(tag, text))
    let certificate = parts.certificate
    #expect(certificate.notBefore.map(\.description) == "2020-01-01T00:00:00Z")
    #expect(certificate.notAfter == nil)
    #expect(certificate.decodingError?.contains(tag == 0x1E ? "notAfter" : "validity") == true)
    #expect(certificate.subject == "CN=subject")
    #expect(certificate.publicKey.bits == 256)
  }

  @Test func `a GeneralizedTime after 2050 is read from a certificate made by OpenSSL`() {
    let certificate = Certificate(bytes: TestCertificates.late)
    #expect(certificate.notAfter.map(\.description) == "2126-10-28T00:46:48Z")
    #expect(certificate.quirks == [])
  }
}
