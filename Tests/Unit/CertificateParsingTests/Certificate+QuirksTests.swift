import ByteParsing
import CertificateParsing
import TestBytes
import Testing

@Suite struct CertificateQuirksTests {
  @Test func `a certificate of version 1 has no version field`() {
    var parts = CertificateParts()
    parts.version = []
    #expect(parts.certificate.version == 1)
    #expect(parts.certificate.decodingError == nil)
    #expect(parts.certificate.quirks == [])
    parts.extensions = [DER.certificateExtension("2.5.29.19", DER.sequence(DER.yes))]
    #expect(parts.certificate.quirks == ["extensions-in-old-version"])
    #expect(parts.certificate.isCA)
  }

  @Test func `an encoded default version is reported as not DER`() {
    var parts = CertificateParts()
    parts.version = DER.element(0xA0, DER.integer(0))
    #expect(parts.certificate.version == 1)
    #expect(parts.certificate.quirks == ["not-der"])
  }

  @Test func `unknown versions are reported as a quirk`() {
    var parts = CertificateParts()
    parts.version = DER.element(0xA0, DER.integer(3))
    #expect(parts.certificate.version == 4)
    #expect(parts.certificate.quirks == ["unknown-version"])
    parts.version = DER.element(0xA0, DER.element(0x02, [0x80]))
    #expect(parts.certificate.version == nil)
    #expect(parts.certificate.quirks == ["unknown-version"])
  }

  @Test(
    arguments: [
      ([0x05], "05", []), ([0x00, 0xFF], "00ff", []), ([0xFF], "ff", ["negative-serial"]),
      ([0x00], "00", ["zero-serial"]),
      ([], "", ["odd-serial-length", "zero-serial"]), ([0x00, 0x01], "0001", ["padded-serial"]),
      ([0xFF, 0xFF], "ffff", ["negative-serial", "padded-serial"]),
      (Bytes(repeating: 0x11, count: 20), String(repeating: "11", count: 20), []),
      ([0x00] + Bytes(repeating: 0xFF, count: 20), "00" + String(repeating: "ff", count: 20), []),
      (Bytes(repeating: 0x11, count: 21), String(repeating: "11", count: 21), ["odd-serial-length"]),
    ] as [(Bytes, String, [String])])
  func `serial numbers keep their encoded bytes, and odd ones are reported as quirks`(contents: Bytes, serial: String, quirks: [String]) {
    var parts = CertificateParts()
    parts.serial = DER.element(0x02, contents)
    #expect(parts.certificate.serial == serial)
    #expect(parts.certificate.quirks == quirks)
    #expect(parts.certificate.decodingError == nil)
  }

  @Test func `a duplicate extension is reported, and the first value is used`() {
    var parts = CertificateParts()
    let name = { (text: String) in DER.certificateExtension("2.5.29.17", DER.sequence(DER.string(0x82, text))) }
    parts.extensions = [name("a.example"), name("b.example")]
    let certificate = parts.certificate
    #expect(certificate.quirks == ["duplicate-extension"])
    #expect(certificate.dnsNames == ["a.example"])
    #expect(certificate.extensions.count == 2)
    #expect(certificate.decodingError == nil)
  }

  @Test func `bytes after the certificate are reported as a quirk`() {
    let der = CertificateParts().der + [0, 0]
    let certificate = Certificate(bytes: der)
    #expect(certificate.quirks == ["trailing-bytes"])
    #expect(certificate.decodingError == nil)
    #expect(certificate.der == der)
  }

  @Test func `a length beyond the end is an error, and all fields are read`() {
    var der = CertificateParts().der
    // 0x30 0x81 LENGTH
    #expect(der[1] == 0x81)
    der[2] += 5
    let certificate = Certificate(bytes: der)
    #expect(certificate.quirks == ["length-beyond-end"])
    #expect(certificate.decodingError?.hasPrefix("Certificate at byte 3") == true)
    #expect(certificate.subject == "CN=subject")
    #expect(!certificate.signatureValue.isEmpty)
  }

  @Test func `lengths not in the shortest form are read and reported as not DER`() {
    var parts = CertificateParts()
    parts.serial = [0x02, 0x81, 0x01, 0x05]
    #expect(parts.certificate.serial == "05")
    #expect(parts.certificate.quirks == ["not-der"])
    #expect(parts.certificate.decodingError == nil)
    parts.serial = [0x02, 0x82, 0x00, 0x01, 0x05]
    #expect(parts.certificate.quirks == ["not-der"])
    // Values of known extensions are checked too; values of unknown extensions need not be DER.
    parts = CertificateParts()
    parts.extensions = [DER.certificateExtension("2.5.29.14", [0x04, 0x81, 0x01, 0xAA])]
    #expect(parts.certificate.quirks == ["not-der"])
    #expect(parts.certificate.malformedExtensions == [])
    parts.extensions = [DER.certificateExtension("1.2.3", [0x04, 0x81, 0x01, 0xAA])]
    #expect(parts.certificate.quirks == [])
  }

  @Test func `the indefinite length form is an error`() {
    let inner = CertificateParts().der.dropFirst(3)
    let der: Bytes = [0x30, 0x80] + Bytes(inner) + [0, 0]
    #expect(Certificate(bytes: der).decodingError == "Certificate at byte 1: unexpected value 128")
  }

  @Test func `an undefined field of TBSCertificate is an error, and the fields before it are read`() {
    var parts = CertificateParts()
    parts.uniqueIDs = DER.element(0xA1, [0x05, 0x00])
    parts.extensions = [DER.certificateExtension("2.5.29.19", DER.sequence(DER.yes))]
    // Changing the tag of the extensions must not hide them without an error.
    #expect(parts.certificate.decodingError?.hasPrefix("tbsCertificate at byte") == true)
    #expect(parts.certificate.subject == "CN=subject")
    #expect(parts.certificate.signatureAlgorithm == "ecdsa-with-SHA256")
    #expect(!parts.certificate.signatureValue.isEmpty)
  }
}
