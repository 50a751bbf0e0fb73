import ByteParsing
package import Values

/// The entry of a CRL for one certificate (RFC 5280 §5.1.2.6).
package struct Revocation: Hashable, Sendable {
  /// The revocation date; nil if it cannot be read.
  package var date: Timestamp?

  /// `reasonCode` (RFC 5280 §5.3.1); nil if absent. 8 removes an entry of an earlier list.
  package var reason: Int?

  /// The DER of the Name in the entry's certificateIssuer, which also applies to the following entries; nil if absent, and empty if it
  /// cannot be decoded. It need not be the issuer of the list.
  var certificateIssuerDER: Bytes?

  /// Whether there is an unknown critical extension.
  var hasUnknownCriticalExtension = false

  /// Reads an entry of `revokedCertificates`.
  init(_ element: borrowing DERElement) throws(ParseError) {
    var fields = DERReader(element.contents)
    _ = try fields.next("userCertificate", Tag.integer)
    date = try fields.nextTime("revocationDate").timestamp
    if let list = try fields.nextIf("crlEntryExtensions", Tag.sequence) {
      var reader = ExtensionReader(list.contents)
      while !reader.isAtEnd {
        let next = try reader.next()
        switch next.facts.objectIdentifier {
        case "2.5.29.21":
          reason = try next.value.only("reasonCode", Tag.enumerated).smallNumber("reasonCode")
        case "2.5.29.24":
          var inner = DERReader(next.value.contents)
          _ = try inner.nextTime("invalidityDate")
        case "2.5.29.29": certificateIssuerDER = Revocation.issuerName(next.value)
        default: if next.facts.isCritical { hasUnknownCriticalExtension = true }
        }
      }
    }
    try fields.requireEnd(of: "revokedCertificates")
  }

  /// The only directoryName among GeneralNames.
  private static func issuerName(_ value: borrowing DERElement) -> Bytes {
    guard let names = try? value.only("certificateIssuer", Tag.sequence),
      let name = try? names.only("certificateIssuer", Tag.contextConstructed(4)),
      let directoryName = try? name.only("directoryName", Tag.sequence)
    else { return [] }
    return Bytes(copying: directoryName.encoded.rest)
  }
}

/// The certificates that a CRL covers (RFC 5280 §5.2.5).
package struct IssuingDistributionPoint: Hashable, Sendable {
  /// URLs of the distribution point, as encoded.
  package var urls: [String] = []

  /// Whether the point has a name of any type.
  package var hasName = false

  /// Whether the list covers only certificates that are not CA certificates.
  package var onlyContainsUserCertificates = false

  /// Whether the list covers only CA certificates.
  package var onlyContainsCACertificates = false

  /// Whether the list covers only attribute certificates.
  package var onlyContainsAttributeCertificates = false

  /// Whether the list covers only certain reasons.
  package var hasOnlySomeReasons = false

  /// Whether the list may contain certificates of other issuers.
  package var isIndirect = false

  /// Decodes the value of the extension.
  init(_ value: borrowing DERElement) throws(ParseError) {
    var fields = DERReader(try value.only("issuingDistributionPoint", Tag.sequence).contents)
    if let point = try fields.nextIf("distributionPoint", Tag.contextConstructed(0)) {
      hasName = true
      var choice = DERReader(point.contents)
      if let full = try choice.nextIf("fullName", Tag.contextConstructed(0)) {
        var names = DERReader(full.contents)
        while !names.isAtEnd {
          let name = try names.next("fullName")
          if name.tag == GeneralNameTag.uniformResourceIdentifier, urls.count < Certificate.maximumListCount,
            name.bytes.count <= Certificate.maximumTextByteCount
          {
            urls.append(text(ofBytes: name.bytes))
          }
        }
      }
    }
    onlyContainsUserCertificates = try IssuingDistributionPoint.flag(1, in: &fields)
    onlyContainsCACertificates = try IssuingDistributionPoint.flag(2, in: &fields)
    hasOnlySomeReasons = try fields.nextIf("onlySomeReasons", Tag.context(3)) != nil
    isIndirect = try IssuingDistributionPoint.flag(4, in: &fields)
    onlyContainsAttributeCertificates = try IssuingDistributionPoint.flag(5, in: &fields)
    try fields.requireEnd(of: "issuingDistributionPoint")
  }

  private static func flag(_ number: UInt8, in fields: inout DERReader) throws(ParseError) -> Bool {
    guard let flag = try fields.nextIf("issuingDistributionPoint", Tag.context(number)) else { return false }
    return flag.booleanValue
  }
}
