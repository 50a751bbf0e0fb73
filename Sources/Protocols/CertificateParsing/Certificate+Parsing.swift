import ByteParsing
import SwiftASN1
import Values

extension Certificate {
  /// Longer certificates are not decoded; a TLS message could carry 16 MiB, the longest in use have some 100 KiB.
  public static let byteCountLimit = 1 << 20

  /// Reads a certificate. Never throws: what cannot be decoded is told in `decodingError`.
  public init(parsing der: Span<UInt8>) {
    self.init(der: Bytes(copying: der))
    guard der.count <= Certificate.byteCountLimit else {
      note(ParseError(.limitReached(Certificate.byteCountLimit), in: "Certificate", at: 0))
      return
    }
    do throws(ParseError) {
      try read([UInt8](self.der)[...])
    } catch {
      note(error)
    }
  }

  /// Keeps the first fault.
  private mutating func note(_ error: ParseError) {
    if decodingError == nil { decodingError = error.description }
  }

  /// `Certificate ::= SEQUENCE { tbsCertificate, signatureAlgorithm, signatureValue }`
  private mutating func read(_ bytes: ArraySlice<UInt8>) throws(ParseError) {
    var outer = DERReader(bytes)
    let (certificate, missing) = try outer.nextAvailable("Certificate", Tag.sequence)
    if missing > 0 { note(.lengthBeyondEnd) }
    if !outer.isAtEnd { note(.trailingBytes) }
    var fields = DERReader(certificate.contents)
    let tbs = try fields.nextAvailable("tbsCertificate", Tag.sequence)
    tbsCertificateRange = tbs.element.encoded.indices
    do throws(ParseError) { try readTBSCertificate(tbs.element) } catch { note(error) }
    if tbs.missing == 0 {
      let inner = signature
      signature = try SignatureAlgorithm(
        try fields.nextNode("signatureAlgorithm", Tag.sequence), "signatureAlgorithm")
      if inner != signature, !inner.objectIdentifier.isEmpty { note(.signatureAlgorithmMismatch) }
      let value = try fields.next("signatureValue", Tag.bitString)
      signatureValueRange = try wholeBytes(ofBitString: value.contents, "signatureValue").indices
      if !fields.isAtEnd { note(.trailingBytes) }
    }
    if !outer.isDistinguished || !fields.isDistinguished { note(.notDER) }
    if missing > 0 {
      let available = certificate.contents.count
      throw ParseError(
        .truncated(needed: available + missing, available: available), in: "Certificate",
        at: certificate.contents.startIndex)
    }
    if tbs.missing > 0 {
      let available = tbs.element.contents.count
      throw ParseError(
        .truncated(needed: available + tbs.missing, available: available), in: "tbsCertificate",
        at: tbs.element.contents.startIndex)
    }
  }

  /// Reads TBSCertificate (RFC 5280 §4.1.2). A field that is framed well but makes no sense does not stop the rest.
  private mutating func readTBSCertificate(_ element: DERElement) throws(ParseError) {
    var fields = DERReader(element.contents)
    defer { if !fields.isDistinguished { note(.notDER) } }
    version = 1
    if let tagged = try fields.nextIf(Tag.contextConstructed(0), "version") {
      var inner = DERReader(tagged.contents)
      version = smallNumber(try inner.next("version", Tag.integer).contents).map { min($0, 1 << 30) + 1 }
    }
    if !(1...3).contains(version ?? 0) { note(.unknownVersion) }
    readSerialNumber(try fields.next("serialNumber", Tag.integer).contents)

    let algorithm = try fields.next("signature", Tag.sequence)
    do throws(ParseError) {
      signature = try SignatureAlgorithm(try fields.node(of: algorithm, "signature"), "signature")
    } catch { note(error) }

    let issuer = try fields.next("issuer", Tag.sequence)
    issuerRange = issuer.encoded.indices
    do throws(ParseError) {
      let name = try DistinguishedName(try fields.node(of: issuer, "issuer"), "issuer")
      self.issuer = name.text
      if name.isShortened { note(.shortenedText) }
    } catch { note(error) }

    let validity = try fields.next("validity", Tag.sequence)
    do throws(ParseError) { try readValidity(validity.contents) } catch { note(error) }

    let subject = try fields.next("subject", Tag.sequence)
    subjectRange = subject.encoded.indices
    do throws(ParseError) {
      let name = try DistinguishedName(try fields.node(of: subject, "subject"), "subject")
      self.subject = name.text
      commonName = name.commonName
      if name.isShortened { note(.shortenedText) }
      if name.commonName?.unicodeScalars.contains("\0") == true { note(.nulInName) }
    } catch { note(error) }

    let key = try fields.next("subjectPublicKeyInfo", Tag.sequence)
    subjectPublicKeyInfoRange = key.encoded.indices
    do throws(ParseError) {
      try publicKey.read(try fields.node(of: key, "subjectPublicKeyInfo"))
    } catch { note(error) }

    // issuerUniqueID and subjectUniqueID tell nothing that anybody uses.
    for tag in [Tag.context(1), Tag.contextConstructed(1), Tag.context(2), Tag.contextConstructed(2)] {
      _ = try fields.nextIf(tag, "uniqueID")
    }
    if fields.nextTag == Tag.contextConstructed(3) {
      if version != 3 { note(.extensionsInOldVersion) }
      let (tagged, missing) = try fields.nextAvailable("extensions", Tag.contextConstructed(3))
      try readExtensions(tagged.contents)
      if missing > 0 {
        throw ParseError(
          .truncated(needed: missing, available: 0), in: "extensions", at: tagged.contents.endIndex)
      }
    }
    guard fields.isAtEnd else {
      throw ParseError(.trailingBytes(fields.rest.count), in: "tbsCertificate", at: fields.rest.startIndex)
    }
  }

  private mutating func readSerialNumber(_ contents: ArraySlice<UInt8>) {
    // Twenty bytes are allowed; what is far beyond would only swell every report.
    serial = hexadecimal(contents.prefix(1024))
    if contents.count > 1024 { note(.shortenedText) }
    if contents.isEmpty || contents.drop(while: { $0 == 0 }).count > 20 { note(.oddSerialLength) }
    if let first = contents.first {
      if first & 0x80 != 0 { note(.negativeSerial) }
      if contents.allSatisfy({ $0 == 0 }) { note(.zeroSerial) }
    }
  }

  private mutating func readValidity(_ contents: ArraySlice<UInt8>) throws(ParseError) {
    var fields = DERReader(contents)
    notBefore = try readTime(&fields, "notBefore")
    notAfter = try readTime(&fields, "notAfter")
    if notBefore == nil || notAfter == nil {
      throw ParseError(
        .unexpectedValue(UInt64(contents.first ?? 0)), in: notBefore == nil ? "notBefore" : "notAfter",
        at: contents.startIndex)
    }
  }

  private mutating func readTime(
    _ fields: inout DERReader, _ field: StaticString
  ) throws(ParseError) -> Timestamp? {
    let element = try fields.next(field)
    guard element.tag == Tag.utcTime || element.tag == Tag.generalizedTime else {
      throw ParseError(.unexpectedValue(UInt64(element.tag)), in: field, at: element.encoded.startIndex)
    }
    let time = CertificateTime(tag: element.tag, contents: element.contents)
    if !time.isProfileForm { note(.oddTime) }
    return time.moment
  }
}
