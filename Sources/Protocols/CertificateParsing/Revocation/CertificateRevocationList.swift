package import ByteParsing
package import Values

/// A CRL (RFC 5280 §5). Only its structure is checked, not its signature.
///
/// Entries are not copied: a list of many megabytes takes only its own size in memory, and a lookup without an index scans it once.
package struct CertificateRevocationList: Hashable, Sendable {
  /// The maximum size of a CRL in bytes; the largest in use have about 40 MiB.
  package static let maximumByteCount = 1 << 28

  /// The list as read.
  package var der: Bytes

  /// The range of the issuer's Name in `der`.
  package var issuerRange = 0..<0

  /// The time of issue; nil if it cannot be read.
  package var thisUpdate: Timestamp?

  /// The time of the next update; nil if it is absent or cannot be read.
  package var nextUpdate: Timestamp?

  /// The number of revoked certificates.
  package var entryCount = 0

  /// Whether an entry has a critical extension other than certificateIssuer, so that its meaning is unknown.
  package var hasUnknownCriticalEntryExtension = false

  /// Whether an entry names a certificate issuer (certificateIssuer) other than the list's.
  package var hasEntriesOfOtherIssuers = false

  package var extensions: [CertificateExtension] = []

  /// issuingDistributionPoint; nil if the extension is absent.
  package var issuingDistributionPoint: IssuingDistributionPoint?

  /// Whether the list contains only changes to another list.
  package var isDelta: Bool { extensions.contains { $0.objectIdentifier == "2.5.29.27" } }

  /// Whether there is an unknown critical extension, so that the list must not be used.
  package var hasUnknownCriticalExtension: Bool {
    extensions.contains {
      $0.isCritical && !["2.5.29.20", "2.5.29.27", "2.5.29.28", "2.5.29.35"].contains($0.objectIdentifier)
    }
  }

  /// The algorithm of the issuer's signature.
  package var signature = SignatureAlgorithm()

  /// The signed part, TBSCertList with its header, as a range in `der`.
  package var tbsCertListRange = 0..<0

  /// The range of the issuer's signature in `der`.
  package var signatureValueRange = 0..<0

  /// The range of the entries in `der`, without the header around them.
  private var entriesRange = 0..<0

  /// Decodes a list in DER.
  package init(parsing der: Span<UInt8>) throws(ParseError) {
    guard der.count <= CertificateRevocationList.maximumByteCount else {
      throw ParseError(.limitReached(CertificateRevocationList.maximumByteCount), in: "CertificateList", at: 0)
    }
    self.der = Bytes(copying: der)
    var outer = DERReader(der)
    var fields = DERReader(try outer.next("CertificateList", Tag.sequence).contents)
    try outer.requireEnd(of: "CertificateList")
    let tbs = try fields.next("tbsCertList", Tag.sequence)
    tbsCertListRange = tbs.range
    try readTBSCertList(tbs)
    signature = try SignatureAlgorithm(try fields.next("signatureAlgorithm", Tag.sequence), "signatureAlgorithm")
    signatureValueRange = try fields.next("signatureValue", Tag.bitString).bitStringRange("signatureValue")
    try fields.requireEnd(of: "CertificateList")
  }

  /// The DER of the issuer's Name.
  package var issuerDER: Bytes { Bytes(der[issuerRange.clamped(to: der.indices)]) }

  /// Returns the revocation of a serial number, in the format of `Certificate.serial`; nil if it is not in the list.
  ///
  /// An entry that names another issuer, and the entries after it, are about that issuer's certificates, and are skipped.
  package func revocation(ofSerial serial: String) -> Revocation? {
    guard let wanted = bytes(ofHexadecimal: serial.utf8) else { return nil }
    let entries = der.span.extracting(entriesRange.clamped(to: der.indices))
    var list = DERReader(entries, base: entriesRange.lowerBound)
    let own = issuerDER
    var isOwn = true
    // All entries were decoded before, so none of these throws.
    while !list.isAtEnd, let entry = try? list.next("revokedCertificates", Tag.sequence) {
      var fields = DERReader(entry.contents)
      guard let number = try? fields.next("userCertificate", Tag.integer) else { return nil }
      if !hasEntriesOfOtherIssuers, !isEqual(number.bytes, wanted.span) { continue }
      guard let found = try? Revocation(entry) else { return nil }
      if let named = found.certificateIssuerDER { isOwn = named == own }
      if isOwn, isEqual(number.bytes, wanted.span) { return found }
    }
    return nil
  }

  /// Creates an index of the list for lookups of more than one certificate; it takes 12 bytes for each entry.
  package func serialIndex() -> SerialIndex {
    var found: [(end: UInt64, offset: UInt32)] = []
    found.reserveCapacity(entryCount)
    let range = entriesRange.clamped(to: der.indices)
    var list = DERReader(der.span.extracting(range))
    // All entries were decoded before, so none of these throws.
    while !list.isAtEnd {
      let offset = UInt32(truncatingIfNeeded: list.offset)
      guard let entry = try? list.next("revokedCertificates", Tag.sequence) else { break }
      var fields = DERReader(entry.contents)
      guard let number = try? fields.next("userCertificate", Tag.integer) else { break }
      found.append((SerialIndex.end(of: number.bytes), offset))
    }
    return SerialIndex(found)
  }

  /// Returns the revocation of a serial number like `revocation(ofSerial:)`, with the help of the list's index.
  package func revocation(ofSerial serial: String, _ index: SerialIndex) -> Revocation? {
    guard let wanted = bytes(ofHexadecimal: serial.utf8) else { return nil }
    let entries = der.span.extracting(entriesRange.clamped(to: der.indices))
    for offset in index.candidates(for: wanted.span) {
      // An earlier entry may name the issuer of an entry's certificate.
      if hasEntriesOfOtherIssuers { return revocation(ofSerial: serial) }
      guard Int(offset) < entries.count else { return nil }
      var list = DERReader(entries.extracting(Int(offset)..<entries.count))
      guard let entry = try? list.next("revokedCertificates", Tag.sequence) else { return nil }
      var fields = DERReader(entry.contents)
      guard let number = try? fields.next("userCertificate", Tag.integer) else { return nil }
      if isEqual(number.bytes, wanted.span) { return try? Revocation(entry) }
    }
    return nil
  }

  private mutating func readTBSCertList(_ element: borrowing DERElement) throws(ParseError) {
    var fields = DERReader(element.contents)
    if let version = try fields.nextIf("version", Tag.integer) { _ = try version.smallNumber("version") }
    _ = try fields.next("signature", Tag.sequence)
    let name = try fields.next("issuer", Tag.sequence)
    issuerRange = name.range
    _ = try DistinguishedName(name, "issuer")
    thisUpdate = try fields.nextTime("thisUpdate").timestamp
    if fields.nextTag == Tag.utcTime || fields.nextTag == Tag.generalizedTime {
      nextUpdate = try fields.nextTime("nextUpdate").timestamp
    }
    if let list = try fields.nextIf("revokedCertificates", Tag.sequence) {
      entriesRange = list.contentsRange
      let own = issuerDER
      var entries = DERReader(list.contents)
      while !entries.isAtEnd {
        let entry = try Revocation(try entries.next("revokedCertificates", Tag.sequence))
        entryCount += 1
        if entry.hasUnknownCriticalExtension { hasUnknownCriticalEntryExtension = true }
        if let named = entry.certificateIssuerDER, named != own { hasEntriesOfOtherIssuers = true }
      }
    }
    if let tagged = try fields.nextIf("crlExtensions", Tag.contextConstructed(0)) {
      try readExtensions(try tagged.only("crlExtensions", Tag.sequence))
    }
    try fields.requireEnd(of: "TBSCertList")
  }

  private mutating func readExtensions(_ list: borrowing DERElement) throws(ParseError) {
    var reader = ExtensionReader(list.contents)
    while !reader.isAtEnd {
      let next = try reader.next()
      try ExtensionReader.requireRoom(extensions.count)
      extensions.append(next.facts)
      switch next.facts.objectIdentifier {
      case "2.5.29.28":
        issuingDistributionPoint = try IssuingDistributionPoint(next.value)
      case "2.5.29.35":
        var fields = DERReader(try next.value.only("authorityKeyIdentifier", Tag.sequence).contents)
        _ = try fields.nextIf("keyIdentifier", Tag.context(0))
      default: break
      }
    }
  }
}
