import ByteParsing
import SwiftASN1
import Values

extension Certificate {
  /// subjectAltName (RFC 5280 §4.2.1.6): `SEQUENCE OF GeneralName`.
  mutating func readAlternativeNames(_ value: ArraySlice<UInt8>) throws(ParseError) {
    var names = DERReader(try DERReader.only("subjectAltName", Tag.sequence, in: value))
    while !names.isAtEnd {
      let name = try names.next("GeneralName")
      alternativeNameCounts.total += 1
      let isKept = alternativeNameCounts.total <= Certificate.alternativeNameCountLimit
      if !isKept { note(.shortenedList) }
      switch name.tag {
      case GeneralNameTag.dnsName:
        alternativeNameCounts.dns += 1
        guard name.contents.count <= Certificate.textByteCountLimit else {
          note(.shortenedText)
          continue
        }
        if name.contents.contains(0) { note(.nulInName) }
        if isKept { dnsNames.append(text(ofBytes: name.contents)) }
      case GeneralNameTag.ipAddress:
        guard let address = IPAddress(bytes: name.contents) else {
          alternativeNameCounts.oddIP += 1
          note(.oddAddressLength)
          continue
        }
        alternativeNameCounts.ip += 1
        if isKept { ipAddresses.append(address) }
      case GeneralNameTag.rfc822Name: alternativeNameCounts.email += 1
      case GeneralNameTag.uniformResourceIdentifier: alternativeNameCounts.uri += 1
      default: alternativeNameCounts.other += 1
      }
    }
  }

  /// authorityInfoAccess (RFC 5280 §4.2.2.1).
  mutating func readAuthorityInfoAccess(_ value: ArraySlice<UInt8>) throws(ParseError) {
    var list = DERReader(try DERReader.only("authorityInfoAccess", Tag.sequence, in: value))
    while !list.isAtEnd {
      var fields = DERReader(try list.next("AccessDescription", Tag.sequence).contents)
      let method = try dottedObjectIdentifier(
        try fields.next("accessMethod", Tag.objectIdentifier).contents, "accessMethod")
      let location = try fields.next("accessLocation")
      switch method {
      case "1.3.6.1.5.5.7.48.1": append(location, to: \.ocspURLs)
      case "1.3.6.1.5.5.7.48.2": append(location, to: \.caIssuerURLs)
      default: break
      }
    }
  }

  /// cRLDistributionPoints (RFC 5280 §4.2.1.13): the addresses among the full names.
  mutating func readDistributionPoints(_ value: ArraySlice<UInt8>) throws(ParseError) {
    var list = DERReader(try DERReader.only("cRLDistributionPoints", Tag.sequence, in: value))
    while !list.isAtEnd {
      var fields = DERReader(try list.next("DistributionPoint", Tag.sequence).contents)
      guard let point = try fields.nextIf(Tag.contextConstructed(0), "distributionPoint") else { continue }
      var choice = DERReader(point.contents)
      guard let full = try choice.nextIf(Tag.contextConstructed(0), "fullName") else { continue }
      var names = DERReader(full.contents)
      while !names.isAtEnd { append(try names.next("fullName"), to: \.crlURLs) }
    }
  }

  private mutating func append(_ name: DERElement, to list: WritableKeyPath<Certificate, [String]>) {
    guard name.tag == GeneralNameTag.uniformResourceIdentifier else { return }
    guard self[keyPath: list].count < Certificate.listCountLimit else { return note(.shortenedList) }
    guard name.contents.count <= Certificate.textByteCountLimit else { return note(.shortenedText) }
    self[keyPath: list].append(text(ofBytes: name.contents))
  }
}
