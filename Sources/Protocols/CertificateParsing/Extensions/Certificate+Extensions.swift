import ByteParsing

extension Certificate {
  /// The maximum number of subjectAltName entries kept; the longest lists in use have about two thousand.
  package static let maximumAlternativeNameCount = 4096

  /// The maximum number of entries kept of the other lists: usages, policies, addresses.
  static let maximumListCount = 256

  /// The maximum length of a text in the lists of names and addresses; longer ones are omitted.
  static let maximumTextByteCount = 4096

  /// Reads the extensions inside their explicit tag.
  mutating func readExtensions(_ tagged: borrowing DERElement) throws(ParseError) {
    var outer = DERReader(tagged.contents)
    let list = try outer.nextAvailable("extensions", Tag.sequence)
    var seen = Set<String>()
    var reader = ExtensionReader(list.contents)
    try reader.requireSome()
    while !reader.isAtEnd {
      let next = try reader.next()
      try ExtensionReader.requireRoom(extensions.count)
      extensions.append(next.facts)
      guard seen.insert(next.facts.objectIdentifier).inserted else {
        note(.duplicateExtension)
        continue
      }
      do throws(ParseError) {
        let isRead = try readValue(next.value, of: next.facts.objectIdentifier)
        if isRead, !isDistinguished(next.value.bytes) { note(.notDER) }
      } catch {
        malformedExtensions.append(next.facts.objectIdentifier)
      }
    }
    try list.requireWhole("extensions")
    try outer.requireEnd(of: "extensions")
  }

  /// Decodes the value of an extension; returns false if its type is unknown, or is not required to be DER.
  private mutating func readValue(_ value: borrowing DERElement, of identifier: String) throws(ParseError) -> Bool {
    switch identifier {
    case "2.5.29.14":
      let identifier = try value.only("subjectKeyIdentifier", Tag.octetString)
      subjectKeyIdentifier = Certificate.keyIdentifier(identifier.bytes)
    case "2.5.29.15": try readKeyUsage(value)
    case "2.5.29.17":
      hasSubjectAlternativeName = true
      try readAlternativeNames(value)
    case "2.5.29.19": try readBasicConstraints(value)
    case "2.5.29.30":
      nameConstraintsRange = value.contentsRange
      _ = try NameConstraints(parsing: value.bytes)
    case "2.5.29.31": try readDistributionPoints(value)
    case "2.5.29.32": try readPolicies(value)
    case "2.5.29.33": try readPolicyMappings(value)
    case "2.5.29.35": try readAuthorityKeyIdentifier(value)
    case "2.5.29.36": try readPolicyConstraints(value)
    case "2.5.29.37": try readExtendedKeyUsage(value)
    case "2.5.29.54":
      policyLimits.inhibitAnyPolicy = try value.only("inhibitAnyPolicy", Tag.integer)
        .smallNumber("inhibitAnyPolicy")
    case "1.3.6.1.5.5.7.1.1": try readAuthorityInfoAccess(value)
    case "1.3.6.1.5.5.7.1.3":
      try readQCStatements(value)
      return false
    case "1.3.6.1.5.5.7.1.24": try readTLSFeatures(value)
    case "1.3.6.1.4.1.11129.2.4.2":
      let list = try value.only("SignedCertificateTimestampList", Tag.octetString)
      sctListRange = list.contentsRange
      embeddedSCTs = try SignedCertificateTimestampList(parsing: list.bytes).count
    default: return false
    }
    return true
  }

  private mutating func readBasicConstraints(_ value: borrowing DERElement) throws(ParseError) {
    hasBasicConstraints = true
    var fields = DERReader(try value.only("basicConstraints", Tag.sequence).contents)
    if let flag = try fields.nextIf("cA", Tag.boolean) { isCA = flag.booleanValue }
    if let length = try fields.nextIf("pathLenConstraint", Tag.integer) {
      pathLength = try length.smallNumber("pathLenConstraint")
    }
    try fields.requireEnd(of: "basicConstraints")
  }

  private mutating func readKeyUsage(_ value: borrowing DERElement) throws(ParseError) {
    let string = try value.only("keyUsage", Tag.bitString)
    _ = try string.bitStringRange("keyUsage")
    var usage: UInt16 = 0
    // Octet 0 is the number of unused bits; the nine named bits are in the next two octets.
    for bit in 0..<16 where 1 + bit / 8 < string.bytes.count {
      if string.bytes[1 + bit / 8] & (0x80 >> (bit % 8)) != 0 { usage |= 1 << bit }
    }
    keyUsage = KeyUsage(rawValue: usage)
    guard (2...3).contains(string.bytes.count) else {
      throw ParseError(.lengthOutOfBounds(string.bytes.count, allowed: 2...3), in: "keyUsage", at: string.contents.offset)
    }
  }

  private mutating func readExtendedKeyUsage(_ value: borrowing DERElement) throws(ParseError) {
    extendedKeyUsage = []
    var fields = DERReader(try value.only("extKeyUsage", Tag.sequence).contents)
    try fields.requireSome("extKeyUsage")
    while !fields.isAtEnd {
      let usage = try fields.nextObjectIdentifier("KeyPurposeId")
      guard extendedKeyUsage?.count ?? 0 < Certificate.maximumListCount else { return note(.shortenedList) }
      extendedKeyUsage?.append(extendedKeyUsageNames[usage] ?? usage)
    }
  }

  /// A key identifier; nil if it is empty, which Apple's systems treat as absent (`SecCertificateGetSubjectKeyID`).
  private static func keyIdentifier(_ bytes: Span<UInt8>) -> Bytes? {
    bytes.isEmpty ? nil : Bytes(copying: bytes.extracting(first: 1024))
  }

  private mutating func readAuthorityKeyIdentifier(_ value: borrowing DERElement) throws(ParseError) {
    var fields = DERReader(try value.only("authorityKeyIdentifier", Tag.sequence).contents)
    if let key = try fields.nextIf("keyIdentifier", Tag.context(0)) {
      authorityKeyIdentifier = Certificate.keyIdentifier(key.bytes)
    }
    // Issuer and serial number must both be present or both absent.
    if try fields.nextIf("authorityCertIssuer", Tag.contextConstructed(1)) != nil {
      _ = try fields.next("authorityCertSerialNumber", Tag.context(2))
    }
    try fields.requireEnd(of: "authorityKeyIdentifier")
  }

  private mutating func readPolicies(_ value: borrowing DERElement) throws(ParseError) {
    var list = DERReader(try value.only("certificatePolicies", Tag.sequence).contents)
    try list.requireSome("certificatePolicies")
    while !list.isAtEnd {
      var fields = DERReader(try list.next("PolicyInformation", Tag.sequence).contents)
      let policy = try fields.nextObjectIdentifier("policyIdentifier")
      guard certificatePolicies.count < Certificate.maximumListCount else { return note(.shortenedList) }
      certificatePolicies.append(policy)
    }
  }

  private func readPolicyMappings(_ value: borrowing DERElement) throws(ParseError) {
    var list = DERReader(try value.only("policyMappings", Tag.sequence).contents)
    try list.requireSome("policyMappings")
    while !list.isAtEnd {
      var fields = DERReader(try list.next("policyMappings", Tag.sequence).contents)
      _ = try fields.nextObjectIdentifier("issuerDomainPolicy")
      _ = try fields.nextObjectIdentifier("subjectDomainPolicy")
      try fields.requireEnd(of: "policyMappings")
    }
  }

  private mutating func readPolicyConstraints(_ value: borrowing DERElement) throws(ParseError) {
    var fields = DERReader(try value.only("policyConstraints", Tag.sequence).contents)
    if let field = try fields.nextIf("requireExplicitPolicy", Tag.context(0)) {
      policyLimits.requireExplicitPolicy = try field.smallNumber("requireExplicitPolicy")
    }
    if let field = try fields.nextIf("inhibitPolicyMapping", Tag.context(1)) {
      policyLimits.inhibitPolicyMapping = try field.smallNumber("inhibitPolicyMapping")
    }
    try fields.requireEnd(of: "policyConstraints")
  }

  /// qcStatements (RFC 3739 §3.2.6), in which `QcType` (ETSI EN 319 412-5) lists certificate types.
  private func readQCStatements(_ value: borrowing DERElement) throws(ParseError) {
    var list = DERReader(try value.only("qcStatements", Tag.sequence).contents)
    try list.requireSome("qcStatements")
    while !list.isAtEnd {
      var fields = DERReader(try list.next("QCStatement", Tag.sequence).contents)
      let statement = try fields.nextObjectIdentifier("statementId")
      if statement == "0.4.0.1862.1.6" {
        var types = DERReader(try fields.next("QcType", Tag.sequence).contents)
        try types.requireSome("QcType")
        while !types.isAtEnd { _ = try types.next("QcType", Tag.objectIdentifier) }
      } else if !fields.isAtEnd {
        _ = try fields.next("statementInfo")
      }
      try fields.requireEnd(of: "QCStatement")
    }
  }

  private mutating func readTLSFeatures(_ value: borrowing DERElement) throws(ParseError) {
    var fields = DERReader(try value.only("TLS feature", Tag.sequence).contents)
    while !fields.isAtEnd {
      let feature = try fields.next("TLS feature", Tag.integer).smallNumber("TLS feature")
      guard tlsFeatures.count < Certificate.maximumListCount else { return note(.shortenedList) }
      tlsFeatures.append(feature)
    }
  }
}

/// Names of extended key usages; those without a name are reported as OIDs.
private let extendedKeyUsageNames = [
  "1.3.6.1.5.5.7.3.1": "serverAuth", "1.3.6.1.5.5.7.3.2": "clientAuth", "1.3.6.1.5.5.7.3.3": "codeSigning",
  "1.3.6.1.5.5.7.3.4": "emailProtection", "1.3.6.1.5.5.7.3.8": "timeStamping",
  "1.3.6.1.5.5.7.3.9": "OCSPSigning", "2.5.29.37.0": "anyExtendedKeyUsage",
  "1.3.6.1.4.1.311.10.3.3": "msSGC", "2.16.840.1.113730.4.1": "nsSGC",
]
