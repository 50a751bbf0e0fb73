package import ByteParsing

extension Certificate {
  /// The maximum size in bytes of a certificate that is decoded. A TLS message could contain 16 MiB; the largest in use have about 100 KiB.
  package static let maximumByteCount = 1 << 20

  /// Decodes a certificate. Never throws; `decodingError` describes what could not be decoded.
  package init(parsing der: Span<UInt8>) {
    self.init(der: Bytes(copying: der))
    guard der.count <= Certificate.maximumByteCount else {
      note(ParseError(.limitReached(Certificate.maximumByteCount), in: "Certificate", at: 0))
      return
    }
    do throws(ParseError) {
      try read(der)
    } catch {
      note(error)
    }
    if !isDistinguished(der) { note(.notDER) }
  }

  /// Returns the DER of the subject's Name, without decoding the rest of a certificate; nil if there is none where it is expected.
  package static func subjectDER(in der: Span<UInt8>) -> Bytes? { try? readSubjectDER(der) }

  private static func readSubjectDER(_ der: Span<UInt8>) throws(ParseError) -> Bytes {
    var outer = DERReader(der)
    var certificate = DERReader(try outer.next("Certificate", Tag.sequence).contents)
    var fields = DERReader(try certificate.next("tbsCertificate", Tag.sequence).contents)
    _ = try fields.nextIf("version", Tag.contextConstructed(0))
    _ = try fields.next("serialNumber", Tag.integer)
    _ = try fields.next("signature", Tag.sequence)
    _ = try fields.next("issuer", Tag.sequence)
    _ = try fields.next("validity", Tag.sequence)
    let range = try fields.next("subject", Tag.sequence).range
    return Bytes(copying: der.extracting(range.clamped(to: 0..<der.count)))
  }

  /// Records the first fault.
  private mutating func note(_ error: ParseError) {
    if decodingError == nil { decodingError = error.description }
    if case .limitReached = error.reason { note(.beyondLimits) }
  }

  /// `Certificate ::= SEQUENCE { tbsCertificate, signatureAlgorithm, signatureValue }`
  private mutating func read(_ bytes: Span<UInt8>) throws(ParseError) {
    var outer = DERReader(bytes)
    let certificate = try outer.nextAvailable("Certificate", Tag.sequence)
    if certificate.missing > 0 { note(.lengthBeyondEnd) }
    if !outer.isAtEnd { note(.trailingBytes) }
    var fields = DERReader(certificate.contents)
    let tbs = try fields.nextAvailable("tbsCertificate", Tag.sequence)
    tbsCertificateRange = tbs.range
    do throws(ParseError) { try readTBSCertificate(tbs) } catch { note(error) }
    if tbs.missing == 0 {
      let inner = signature
      signature = try SignatureAlgorithm(try fields.next("signatureAlgorithm", Tag.sequence), "signatureAlgorithm")
      if inner != signature, !inner.objectIdentifier.isEmpty { note(.signatureAlgorithmMismatch) }
      let value = try fields.next("signatureValue", Tag.bitString)
      signatureValueRange = try value.bitStringRange("signatureValue")
      try fields.requireEnd(of: "Certificate")
    }
    try certificate.requireWhole("Certificate")
    try tbs.requireWhole("tbsCertificate")
  }

  /// Decodes TBSCertificate (RFC 5280 §4.1.2). A field with correct framing but an invalid value does not prevent decoding the rest.
  private mutating func readTBSCertificate(_ element: borrowing DERElement) throws(ParseError) {
    var fields = DERReader(element.contents)
    try readVersion(&fields)
    try readSerialNumber(&fields)

    let algorithm = try fields.next("signature", Tag.sequence)
    do throws(ParseError) { signature = try SignatureAlgorithm(algorithm, "signature") } catch { note(error) }

    let issuer = try fields.next("issuer", Tag.sequence)
    issuerRange = issuer.range
    do throws(ParseError) {
      let name = try DistinguishedName(issuer, "issuer")
      self.issuer = name.text
      issuerCommonName = name.commonName
      if name.isShortened { note(.shortenedText) }
    } catch { note(error) }

    let validity = try fields.next("validity", Tag.sequence)
    do throws(ParseError) { try readValidity(validity) } catch { note(error) }

    let subject = try fields.next("subject", Tag.sequence)
    subjectRange = subject.range
    do throws(ParseError) {
      let name = try DistinguishedName(subject, "subject")
      self.subject = name.text
      commonName = name.commonName
      otherCommonNames = name.otherCommonNames
      if name.isShortened { note(.shortenedText) }
      if name.commonName?.unicodeScalars.contains("\0") == true { note(.nulInName) }
    } catch { note(error) }

    let key = try fields.next("subjectPublicKeyInfo", Tag.sequence)
    subjectPublicKeyInfoRange = key.range
    do throws(ParseError) { try publicKey.read(key) } catch { note(error) }

    // Unique identifiers are not used in practice.
    if fields.nextTag == Tag.context(1) { _ = try fields.next("issuerUniqueID") }
    if fields.nextTag == Tag.context(2) { _ = try fields.next("subjectUniqueID") }
    if fields.nextTag == Tag.contextConstructed(3) {
      if version != 3 { note(.extensionsInOldVersion) }
      let tagged = try fields.nextAvailable("extensions", Tag.contextConstructed(3))
      try readExtensions(tagged)
      try tagged.requireWhole("extensions")
    }
    try fields.requireEnd(of: "tbsCertificate")
  }

  private mutating func readVersion(_ fields: inout DERReader) throws(ParseError) {
    version = 1
    if let tagged = try fields.nextIf("version", Tag.contextConstructed(0)) {
      let number = smallNumber(try tagged.only("version", Tag.integer).bytes)
      version = number.map { min($0, 1 << 30) + 1 }
      // Version 1 is the default, which DER omits.
      if version == 1 { note(.notDER) }
    }
    if !(1...3).contains(version ?? 0) { note(.unknownVersion) }
  }

  private mutating func readSerialNumber(_ fields: inout DERReader) throws(ParseError) {
    let contents = try fields.next("serialNumber", Tag.integer).bytes
    // Twenty bytes are allowed; far longer ones would only enlarge every report.
    let limit = 1024
    serial = hexadecimal(Bytes(copying: contents.extracting(first: limit)))
    if contents.count > limit { note(.shortenedText) }
    let bits = bitCount(ofUnsigned: contents)
    if contents.count == 0 || bits > 160 { note(.invalidSerialLength) }
    if bits == 0 { note(.zeroSerial) }
    if contents.count > 0, contents[0] & 0x80 != 0 { note(.negativeSerial) }
    if contents.count > 1, contents[0] == 0 ? contents[1] < 0x80 : contents[0] == 0xFF && contents[1] >= 0x80 {
      note(.paddedSerial)
    }
  }

  private mutating func readValidity(_ element: borrowing DERElement) throws(ParseError) {
    var fields = DERReader(element.contents)
    let first = try fields.nextTime("notBefore")
    notBefore = first.timestamp
    let last = try fields.nextTime("notAfter")
    notAfter = last.timestamp
    if !first.isProfileForm || !last.isProfileForm { note(.invalidTimeFormat) }
    if !first.isKnownForm || !last.isKnownForm { note(.unknownTime) }
    if notBefore == nil || notAfter == nil { throw element.unexpected("validity") }
    try fields.requireEnd(of: "validity")
  }
}
