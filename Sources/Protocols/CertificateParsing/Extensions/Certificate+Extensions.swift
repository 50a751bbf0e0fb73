import ByteParsing
import SwiftASN1
import Values

extension Certificate {
  /// More extensions than this are not read; certificates in use have up to fifteen.
  static let extensionCountLimit = 512

  /// Entries kept of subjectAltName; the greatest in use have some two thousand.
  public static let alternativeNameCountLimit = 4096

  /// Entries kept of the other lists: usages, policies, addresses.
  static let listCountLimit = 256

  /// Longer texts are left out of the lists of names and addresses.
  static let textByteCountLimit = 4096

  /// Reads `Extensions ::= SEQUENCE OF Extension`, inside its tag.
  mutating func readExtensions(_ contents: ArraySlice<UInt8>) throws(ParseError) {
    var outer = DERReader(contents)
    let (list, missing) = try outer.nextAvailable("extensions", Tag.sequence)
    var seen = Set<String>()
    var reader = ExtensionReader(list.contents)
    defer { if !reader.isDistinguished { note(.notDER) } }
    while let next = try reader.next() {
      guard extensions.count < Certificate.extensionCountLimit else {
        throw ParseError(
          .limitReached(Certificate.extensionCountLimit), in: "extensions", at: list.contents.startIndex)
      }
      extensions.append(next.extension)
      guard seen.insert(next.extension.objectIdentifier).inserted else {
        note(.duplicateExtension)
        continue
      }
      do throws(ParseError) {
        try readValue(of: next.extension, next.value)
      } catch {
        malformedExtensions.append(next.extension.objectIdentifier)
      }
    }
    if missing > 0 {
      throw ParseError(
        .truncated(needed: missing, available: 0), in: "extensions", at: list.contents.endIndex)
    }
    guard outer.isAtEnd else {
      throw ParseError(.trailingBytes(outer.rest.count), in: "extensions", at: outer.rest.startIndex)
    }
  }

  private mutating func readValue(
    of known: CertificateExtension, _ value: ArraySlice<UInt8>
  ) throws(ParseError) {
    switch known.objectIdentifier {
    case "2.5.29.14":
      subjectKeyIdentifier = Bytes(
        try DERReader.only("subjectKeyIdentifier", Tag.octetString, in: value).prefix(1024))
    case "2.5.29.15": try readKeyUsage(value)
    case "2.5.29.17":
      hasSubjectAlternativeName = true
      try readAlternativeNames(value)
    case "2.5.29.19": try readBasicConstraints(value)
    case "2.5.29.30":
      nameConstraintsRange = known.valueRange
      _ = try NameConstraints(value)
    case "2.5.29.31": try readDistributionPoints(value)
    case "2.5.29.32": try readPolicies(value)
    case "2.5.29.35": try readAuthorityKeyIdentifier(value)
    case "2.5.29.36": try readPolicyConstraints(value)
    case "2.5.29.37": try readExtendedKeyUsage(value)
    case "2.5.29.54":
      policyLimits.inhibitAnyPolicy = smallNumber(
        try DERReader.only("inhibitAnyPolicy", Tag.integer, in: value))
    case "1.3.6.1.5.5.7.1.1": try readAuthorityInfoAccess(value)
    case "1.3.6.1.5.5.7.1.24": try readTLSFeatures(value)
    case "1.3.6.1.4.1.11129.2.4.2":
      let list = try DERReader.only("SignedCertificateTimestampList", Tag.octetString, in: value)
      sctListRange = list.indices
      embeddedSCTs = try SignedCertificateTimestampList(parsing: Bytes(list).span).count
    default: break
    }
  }

  private mutating func readBasicConstraints(_ value: ArraySlice<UInt8>) throws(ParseError) {
    hasBasicConstraints = true
    var fields = DERReader(try DERReader.only("basicConstraints", Tag.sequence, in: value))
    if let flag = try fields.nextIf(Tag.boolean, "cA") {
      isCA = flag.contents.contains { $0 != 0 }
    }
    if let length = try fields.nextIf(Tag.integer, "pathLenConstraint") {
      pathLength = smallNumber(length.contents)
      guard pathLength != nil else {
        throw ParseError(
          .unexpectedValue(UInt64(length.contents.first ?? 0)), in: "pathLenConstraint",
          at: length.contents.startIndex)
      }
    }
    try fields.requireEnd("basicConstraints")
  }

  private mutating func readKeyUsage(_ value: ArraySlice<UInt8>) throws(ParseError) {
    let contents = try DERReader.only("keyUsage", Tag.bitString, in: value)
    let bits = try wholeBytes(ofBitString: contents, "keyUsage")
    var usage: UInt16 = 0
    for (index, byte) in bits.prefix(2).enumerated() {
      for bit in 0..<8 where byte & (0x80 >> bit) != 0 { usage |= 1 << UInt16(8 * index + bit) }
    }
    keyUsage = KeyUsage(rawValue: usage)
  }

  private mutating func readExtendedKeyUsage(_ value: ArraySlice<UInt8>) throws(ParseError) {
    var usages: [String] = []
    defer { extendedKeyUsage = usages }
    var fields = DERReader(try DERReader.only("extKeyUsage", Tag.sequence, in: value))
    while !fields.isAtEnd {
      let contents = try fields.next("KeyPurposeId", Tag.objectIdentifier).contents
      let usage = try dottedObjectIdentifier(contents, "KeyPurposeId")
      guard usages.count < Certificate.listCountLimit else { return note(.shortenedList) }
      usages.append(extendedKeyUsageNames[usage] ?? usage)
    }
  }

  private mutating func readAuthorityKeyIdentifier(_ value: ArraySlice<UInt8>) throws(ParseError) {
    var fields = DERReader(try DERReader.only("authorityKeyIdentifier", Tag.sequence, in: value))
    while !fields.isAtEnd {
      let field = try fields.next("authorityKeyIdentifier")
      if field.tag == Tag.context(0) { authorityKeyIdentifier = Bytes(field.contents.prefix(1024)) }
    }
  }

  private mutating func readPolicies(_ value: ArraySlice<UInt8>) throws(ParseError) {
    var list = DERReader(try DERReader.only("certificatePolicies", Tag.sequence, in: value))
    while !list.isAtEnd {
      var fields = DERReader(try list.next("PolicyInformation", Tag.sequence).contents)
      let contents = try fields.next("policyIdentifier", Tag.objectIdentifier).contents
      let policy = try dottedObjectIdentifier(contents, "policyIdentifier")
      guard certificatePolicies.count < Certificate.listCountLimit else { return note(.shortenedList) }
      certificatePolicies.append(policy)
    }
  }

  private mutating func readPolicyConstraints(_ value: ArraySlice<UInt8>) throws(ParseError) {
    var fields = DERReader(try DERReader.only("policyConstraints", Tag.sequence, in: value))
    if let field = try fields.nextIf(Tag.context(0), "requireExplicitPolicy") {
      policyLimits.requireExplicitPolicy = smallNumber(field.contents)
    }
    if let field = try fields.nextIf(Tag.context(1), "inhibitPolicyMapping") {
      policyLimits.inhibitPolicyMapping = smallNumber(field.contents)
    }
    try fields.requireEnd("policyConstraints")
  }

  private mutating func readTLSFeatures(_ value: ArraySlice<UInt8>) throws(ParseError) {
    var fields = DERReader(try DERReader.only("TLS feature", Tag.sequence, in: value))
    while !fields.isAtEnd {
      let contents = try fields.next("TLS feature", Tag.integer).contents
      guard tlsFeatures.count < Certificate.listCountLimit else { return note(.shortenedList) }
      if let feature = smallNumber(contents) { tlsFeatures.append(feature) }
    }
  }
}

/// The names of extended key usages that have one here; the others are told as numbers.
private let extendedKeyUsageNames = [
  "1.3.6.1.5.5.7.3.1": "serverAuth", "1.3.6.1.5.5.7.3.2": "clientAuth", "1.3.6.1.5.5.7.3.3": "codeSigning",
  "1.3.6.1.5.5.7.3.4": "emailProtection", "1.3.6.1.5.5.7.3.8": "timeStamping",
  "1.3.6.1.5.5.7.3.9": "OCSPSigning", "2.5.29.37.0": "anyExtendedKeyUsage",
  "1.3.6.1.4.1.311.10.3.3": "msSGC", "2.16.840.1.113730.4.1": "nsSGC",
]
