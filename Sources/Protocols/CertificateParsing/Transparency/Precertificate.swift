package import ByteParsing

extension Certificate {
  /// The part of a certificate with embedded SCTs that logs sign: TBSCertificate without the SCT list (RFC 6962 §3.2).
  ///
  /// Nil if the certificate has no such list or could not be decoded.
  package var precertificateTBSDER: Bytes? {
    guard let list = extensions.first(where: { $0.objectIdentifier == Certificate.sctListIdentifier }),
      let before = rangeBeforeExtensions
    else { return nil }
    let others = extensions.filter { $0.encodedRange != list.encodedRange }.map { bytes($0.encodedRange) }
    var rest = Bytes()
    if !others.isEmpty {
      rest = DEREncoding.element(Tag.contextConstructed(3), DEREncoding.element(Tag.sequence, others.reduce(Bytes(), +)))
    }
    return DEREncoding.element(Tag.sequence, bytes(before), rest)
  }

  /// The OID of the extension that contains SCTs.
  static let sctListIdentifier = "1.3.6.1.4.1.11129.2.4.2"

  /// The range of the fields before `extensions`; nil if that is not the last field.
  private var rangeBeforeExtensions: Range<Int>? {
    let tbs = der.span.extracting(tbsCertificateRange.clamped(to: der.indices))
    var outer = DERReader(tbs, base: tbsCertificateRange.lowerBound)
    guard let element = try? outer.next("tbsCertificate", Tag.sequence) else { return nil }
    var fields = DERReader(element.contents)
    let start = fields.offset
    while !fields.isAtEnd {
      let end = fields.offset
      let isLast = fields.nextTag == Tag.contextConstructed(3)
      guard (try? fields.next("tbsCertificate")) != nil else { return nil }
      if isLast { return fields.isAtEnd ? start..<end : nil }
    }
    return nil
  }
}
