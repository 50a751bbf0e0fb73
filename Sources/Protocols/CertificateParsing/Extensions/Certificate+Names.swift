import ByteParsing
import Values

extension Certificate {
  /// subjectAltName (RFC 5280 §4.2.1.6): `SEQUENCE OF GeneralName`.
  mutating func readAlternativeNames(_ value: borrowing DERElement) throws(ParseError) {
    var names = DERReader(try value.only("subjectAltName", Tag.sequence).contents)
    try names.requireSome("subjectAltName")
    var fault: ParseError?
    while !names.isAtEnd {
      let name = try names.next("GeneralName")
      alternativeNameCount += 1
      let isKept = alternativeNameCount <= Certificate.maximumAlternativeNameCount
      if !isKept { note(.shortenedList) }
      switch name.tag {
      case GeneralNameTag.dnsName:
        dnsNameCount += 1
        if contains(0, in: name.bytes) { note(.nulInName) }
        if !isUTF8(name.bytes) { note(.invalidTextInName) }
        if isKept, let text = keptText(name) { dnsNames.append(text) }
      case GeneralNameTag.ipAddress:
        guard let address = IPAddress(bytes: Bytes(copying: name.bytes.extracting(first: 17))) else {
          note(.invalidAddressLength)
          continue
        }
        if isKept { ipAddresses.append(address) }
      default:
        do throws(ParseError) { try GeneralNameTag.check(name, "GeneralName") } catch { fault = fault ?? error }
      }
    }
    if let fault { throw fault }
  }

  /// authorityInfoAccess (RFC 5280 §4.2.2.1). The locations of OCSP responders and issuers must be URLs, as in the system's parser.
  mutating func readAuthorityInfoAccess(_ value: borrowing DERElement) throws(ParseError) {
    var list = DERReader(try value.only("authorityInfoAccess", Tag.sequence).contents)
    try list.requireSome("authorityInfoAccess")
    while !list.isAtEnd {
      var fields = DERReader(try list.next("AccessDescription", Tag.sequence).contents)
      let method = try fields.nextObjectIdentifier("accessMethod")
      let location = try fields.next("accessLocation")
      switch method {
      case "1.3.6.1.5.5.7.48.1", "1.3.6.1.5.5.7.48.2":
        guard location.tag == GeneralNameTag.uniformResourceIdentifier else { throw location.unexpected("accessLocation") }
        append(location, to: method.hasSuffix(".1") ? \.ocspURLs : \.caIssuerURLs)
      default: break
      }
    }
  }

  /// cRLDistributionPoints (RFC 5280 §4.2.1.13): the URLs among the full names.
  mutating func readDistributionPoints(_ value: borrowing DERElement) throws(ParseError) {
    var list = DERReader(try value.only("cRLDistributionPoints", Tag.sequence).contents)
    try list.requireSome("cRLDistributionPoints")
    while !list.isAtEnd {
      var fields = DERReader(try list.next("DistributionPoint", Tag.sequence).contents)
      let hasName = fields.nextTag == Tag.contextConstructed(0)
      if let point = try fields.nextIf("distributionPoint", Tag.contextConstructed(0)) {
        try readDistributionPointName(point)
      }
      _ = try fields.nextIf("reasons", Tag.context(1))
      // A point without a name must name the issuer of the CRL.
      if hasName {
        _ = try fields.nextIf("cRLIssuer", Tag.contextConstructed(2))
      } else {
        _ = try fields.next("cRLIssuer", Tag.contextConstructed(2))
      }
      try fields.requireEnd(of: "DistributionPoint")
    }
  }

  private mutating func readDistributionPointName(_ point: borrowing DERElement) throws(ParseError) {
    var choice = DERReader(point.contents)
    let name = try choice.next("DistributionPointName")
    switch name.tag {
    case Tag.contextConstructed(0):
      var names = DERReader(name.contents)
      while !names.isAtEnd {
        let name = try names.next("fullName")
        try GeneralNameTag.check(name, "fullName")
        append(name, to: \.crlURLs)
      }
    case Tag.contextConstructed(1): break
    default: throw name.unexpected("DistributionPointName")
    }
  }

  private mutating func append(_ name: borrowing DERElement, to list: WritableKeyPath<Certificate, [String]>) {
    guard name.tag == GeneralNameTag.uniformResourceIdentifier, let text = keptText(name) else { return }
    guard self[keyPath: list].count < Certificate.maximumListCount else { return note(.shortenedList) }
    self[keyPath: list].append(text)
  }

  /// The text of a name; nil, with an anomaly recorded, if it exceeds the length limit.
  private mutating func keptText(_ name: borrowing DERElement) -> String? {
    guard name.bytes.count <= Certificate.maximumTextByteCount else {
      note(.shortenedText)
      return nil
    }
    return text(ofBytes: name.bytes)
  }
}
