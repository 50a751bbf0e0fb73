import ByteParsing
import CertificateParsing
import SeededRandom
import TestBytes
import Testing
import Values

@Suite struct CertificateTests {
  let rich = Certificate(bytes: TestCertificates.rich)

  @Test func `the fields of a certificate are read`() {
    #expect(rich.decodingError == nil)
    #expect(rich.quirks == [])
    #expect(rich.version == 3)
    #expect(rich.serial == "00c0ffee")
    #expect(rich.notBefore.map(\.description) == "2026-11-21T00:46:47Z")
    #expect(rich.notAfter.map(\.description) == "2027-11-21T00:46:47Z")
    #expect(rich.signatureAlgorithm == "ecdsa-with-SHA256")
    #expect(rich.signature.objectIdentifier == "1.2.840.10045.4.3.2")
    #expect(rich.signatureHash == "sha256")
    #expect(rich.publicKey.algorithm == "ec")
    #expect(rich.publicKey.bits == 256)
    #expect(rich.publicKey.curve == "P-256")
    #expect(rich.commonName == "leaf.example.com")
    #expect(rich.isSelfIssued)
  }

  @Test func `names are written as in RFC 4514, in reverse order and escaped`() {
    #expect(
      rich.subject
        == #"CN=leaf.example.com+1.2.840.113549.1.9.1=pki@example.com,2.5.4.5=42,UID=u1,STREET=Main St 1,"#
        + #"DC=example,DC=com,OU=\ lead,O=Exa\, mple\+ \"Co\" \<x\>\; #1\\,ST=Süd,C=DE"#)
    #expect(rich.issuer == rich.subject)
  }

  @Test func `subjectAltName keeps names and addresses and counts the rest`() {
    #expect(rich.hasSubjectAlternativeName)
    #expect(rich.dnsNames == ["leaf.example.com", "*.example.com"])
    #expect(rich.ipAddresses.map(\.description) == ["192.0.2.7", "2001:db8::7"])
    #expect(rich.alternativeNameCount == 9)
    #expect(rich.dnsNameCount == 2)
  }

  @Test func `the extensions are read`() {
    // A location in its authorityInfoAccess is not a URI.
    #expect(rich.malformedExtensions == ["1.3.6.1.5.5.7.1.1"])
    #expect(rich.hasBasicConstraints)
    #expect(rich.isCA)
    #expect(rich.pathLength == 3)
    #expect(rich.keyUsage?.rawValue == 0x1FF)
    #expect(
      rich.extendedKeyUsage == [
        "serverAuth", "clientAuth", "codeSigning", "emailProtection", "timeStamping", "OCSPSigning",
        "anyExtendedKeyUsage", "msSGC", "nsSGC", "1.2.3.4.5",
      ])
    #expect(rich.subjectKeyIdentifier.map { hexadecimal($0) } == "b0b541e81d8d59314a0c3d2638072f546c5bb054")
    #expect(rich.authorityKeyIdentifier == rich.subjectKeyIdentifier)
    #expect(rich.ocspURLs == ["http://ocsp.example.com/"])
    #expect(rich.caIssuerURLs == ["http://ca.example.com/ca.crt"])
    #expect(rich.crlURLs == ["http://crl.example.com/a.crl", "ldap://crl.example.com/b"])
    #expect(rich.certificatePolicies == ["2.23.140.1.2.1", "1.3.6.1.4.1.99999.1.2", "2.5.29.32.0"])
    #expect(rich.policyLimits.requireExplicitPolicy == 3)
    #expect(rich.policyLimits.inhibitPolicyMapping == 0)
    #expect(rich.policyLimits.inhibitAnyPolicy == 2)
    #expect(rich.tlsFeatures == [5, 17])
    #expect(rich.requiresStapledOCSP)
    #expect(rich.embeddedSCTs == 0)
    #expect(rich.sctList == nil)
  }

  @Test func `all extensions are listed with their criticality, including unknown ones`() {
    #expect(rich.extensions.count == 14)
    let criticalOnes = rich.extensions.filter(\.isCritical).map(\.objectIdentifier)
    #expect(
      criticalOnes == [
        "2.5.29.17", "2.5.29.19", "2.5.29.15", "2.5.29.30", "2.5.29.36", "1.3.6.1.4.1.99999.7",
      ])
    #expect(rich.extensions.last.map { rich.bytes($0.valueRange) } == [0x05, 0x00])
    #expect(rich.extensions.last.map { rich.bytes($0.encodedRange).first } == 0x30)
  }

  @Test func `the ranges of tbsCertificate, key, names and signature are found`() {
    #expect(rich.tbsCertificateDER.starts(with: [0x30, 0x82]))
    #expect(rich.tbsCertificateDER == Bytes(rich.der[4..<(4 + rich.tbsCertificateDER.count)]))
    #expect(rich.subjectPublicKeyInfoDER.count == 91)
    #expect(rich.bytes(rich.publicKey.keyRange).count == 65)
    #expect(rich.signatureValue.first == 0x30)
    #expect(rich.signatureValueRange.upperBound == rich.der.count)
    #expect(rich.subjectDER == rich.issuerDER)
  }

  @Test func `a certificate built by the tests is read without errors or quirks`() {
    let certificate = CertificateParts().certificate
    #expect(certificate.decodingError == nil)
    #expect(certificate.quirks == [])
    #expect(certificate.subject == "CN=subject")
    #expect(certificate.issuer == "CN=issuer")
    #expect(!certificate.isSelfIssued)
    #expect(!certificate.hasSubjectAlternativeName)
    #expect(certificate.extendedKeyUsage == nil)
    #expect(certificate.keyUsage == nil)
    #expect(!certificate.isCA)
  }

  @Test func `unique identifiers are skipped`() {
    var parts = CertificateParts()
    parts.uniqueIDs = DER.element(0x81, [0, 1]) + DER.element(0x82, [0, 2])
    parts.extensions = [DER.certificateExtension("2.5.29.19", DER.sequence(DER.yes))]
    #expect(parts.certificate.decodingError == nil)
    #expect(parts.certificate.isCA)
  }

  @Test func `a truncated certificate has an error and keeps the fields before the truncation`() {
    let whole = TestCertificates.rich
    for count in 0..<whole.count {
      let certificate = Certificate(bytes: Bytes(whole[..<count]))
      #expect(certificate.decodingError != nil, "\(count) bytes")
      if count > 0 { #expect(certificate.subject.isEmpty || certificate.subject == rich.subject) }
      if certificate.subjectPublicKeyInfoRange.isEmpty { #expect(certificate.extensions.isEmpty) }
    }
    let cut = Certificate(bytes: Bytes(whole[..<(whole.count - 60)]))
    #expect(cut.dnsNames == rich.dnsNames)
    #expect(cut.publicKey == rich.publicKey)
    #expect(cut.extensions.count == 14)
    #expect(cut.quirks == ["length-beyond-end"])
  }

  @Test func `altered certificates never trap`() {
    var generator = SeededGenerator(seed: 1)
    var unreadable = 0
    for round in 0..<10_000 {
      let original = round % 2 == 0 ? TestCertificates.rich : TestCertificates.rsaPSSKey
      let certificate = Certificate(bytes: generator.altered(original))
      if certificate.decodingError != nil { unreadable += 1 }
    }
    #expect(unreadable > 500)
  }

  @Test func `random bytes never trap`() {
    var generator = SeededGenerator(seed: 2)
    for _ in 0..<TestEffort.rounds(5000) {
      let bytes = generator.bytes(upTo: 200)
      #expect(Certificate(bytes: bytes).decodingError != nil)
      // Well-formed parts let the random bytes reach the readers of the fields.
      var parts = CertificateParts()
      parts.key = DER.sequence(bytes)
      parts.subject = DER.sequence(bytes)
      let known = ["2.5.29.17", "2.5.29.30", "2.5.29.31", "2.5.29.32", "2.5.29.35", "1.3.6.1.5.5.7.1.1"]
      parts.extensions = known.map { DER.certificateExtension($0, DER.sequence(bytes)) }
      #expect(parts.certificate.extensions.count == known.count)
    }
  }

  @Test func `a certificate above one mebibyte is not decoded`() {
    let bytes = DER.element(0x30, Bytes(repeating: 0, count: 1 << 20))
    let certificate = Certificate(bytes: bytes)
    #expect(certificate.decodingError == "Certificate at byte 0: more than 1048576")
    #expect(certificate.der == bytes)
  }
}
