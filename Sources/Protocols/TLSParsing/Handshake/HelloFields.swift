package import ByteParsing

/// The ranges of the fields of a hello in its body (RFC 8446 §4.1.2, §4.1.3), from which `ClientHello` and `ServerHello` are decoded.
///
/// Of a truncated or damaged hello, the fields before `fault` are set.
package struct HelloFields: Sendable {
  /// `legacy_version`.
  package private(set) var legacyVersion = TLSVersion(rawValue: 0)

  /// `random`.
  package private(set) var random = 0..<0

  /// `legacy_session_id` or `legacy_session_id_echo`, without its length; empty if it is truncated, since part of an ID identifies nothing.
  package private(set) var sessionID = 0..<0

  /// The offered suites without their length, or the chosen suite.
  package private(set) var cipherSuites = 0..<0

  /// The offered compression methods without their length, or the chosen method.
  package private(set) var compressionMethods = 0..<0

  /// The extensions in order, each with its body.
  package private(set) var extensions: [(type: ExtensionType, body: Range<Int>)] = []

  package private(set) var end = 0

  /// The fault at which parsing ended; nil if the hello is complete.
  package private(set) var fault: ParseError?

  private var isTruncated = false

  /// Finds the fields of a ClientHello, complete or not. A DTLS cookie is skipped, as is anything after a padded hello.
  ///
  /// A hello truncated at the start of its extensions looks complete, unless `isWhole` is false.
  package init(ofClient body: Span<UInt8>, format: ClientHello.Format = .tls, isWhole: Bool = true, isPadded: Bool = false) {
    var reader = ByteReader(body)
    do throws(ParseError) {
      try readStart(&reader)
      let session = try readVector(&reader, "legacy_session_id", 0...32)
      if !isTruncated { sessionID = session }
      if format == .dtls { _ = try readVector(&reader, "cookie", 0...255) }
      try readOffer(&reader)
      try readExtensions(&reader, atMost: ClientHello.maximumExtensionCount)
      if !isPadded { try reader.requireEnd(of: "ClientHello") }
    } catch {
      fault = error
    }
    end = reader.offset
    if !isWhole, fault == nil { fault = HelloFields.truncation(at: end) }
  }

  /// Finds the fields of a ServerHello, complete or not; throws if not even the suite can be read.
  ///
  /// A hello truncated at the start of its extensions looks complete, unless `isWhole` is false.
  package init(ofServer body: Span<UInt8>, isWhole: Bool = true) throws(ParseError) {
    var reader = ByteReader(body)
    try readStart(&reader)
    // Early drafts of TLS 1.3 have neither a session ID nor a compression method.
    let hasLegacyFields = !legacyVersion.hasEarlyDraftLayout
    if hasLegacyFields { sessionID = try reader.readVector("legacy_session_id_echo", 0...32).remainingRange }
    cipherSuites = try reader.readBody(byteCount: 2, "cipher_suite").remainingRange
    if hasLegacyFields {
      compressionMethods = try reader.readBody(byteCount: 1, "legacy_compression_method").remainingRange
    }
    do throws(ParseError) {
      try readExtensions(&reader, atMost: ServerHello.maximumExtensionCount)
      try reader.requireEnd(of: "ServerHello")
    } catch {
      fault = error
    }
    end = reader.offset
    if !isWhole, fault == nil { fault = HelloFields.truncation(at: end) }
  }

  private static func truncation(at offset: Int) -> ParseError {
    ParseError(.truncated(needed: 1, available: 0), in: "hello", at: offset)
  }

  private mutating func readStart(_ reader: inout ByteReader) throws(ParseError) {
    legacyVersion = TLSVersion(rawValue: try reader.readUInt16("legacy_version"))
    random = try reader.readBody(byteCount: 32, "random").remainingRange
  }

  private mutating func readOffer(_ reader: inout ByteReader) throws(ParseError) {
    // TLS requires at least one suite, but a hello without any is rejected with an alert and should be reported.
    let suites = try readVector(&reader, "cipher_suites", 0...0xFFFE)
    cipherSuites = suites.lowerBound..<(suites.upperBound - suites.count % 2)
    if suites.count % 2 == 1, !isTruncated {
      throw ParseError(.truncated(needed: 2, available: 1), in: "cipher_suites", at: cipherSuites.upperBound)
    }
    compressionMethods = try readVector(&reader, "legacy_compression_methods", 0...0xFF)
  }

  /// Reads the extensions, which may be absent up to TLS 1.2 (RFC 5246 §7.4.1.2, §7.4.1.3).
  private mutating func readExtensions(_ reader: inout ByteReader, atMost limit: Int) throws(ParseError) {
    guard reader.remaining > 0 else {
      if isTruncated { throw HelloFields.truncation(at: reader.offset) }
      return
    }
    var block = try reader.readVector("extensions", 0...0xFFFF, isTruncated: &isTruncated)
    // Usual hellos have up to 24.
    extensions.reserveCapacity(min(24, block.remaining / 4))
    while block.remaining > 0 {
      let start = block.offset
      let type = ExtensionType(rawValue: try block.readUInt16("extension_type"))
      let body = try block.readVector("extension_data", 0...0xFFFF).remainingRange
      guard extensions.count < limit else { throw ParseError(.limitReached(limit), in: "extensions", at: start) }
      extensions.append((type, body))
    }
    if isTruncated { throw HelloFields.truncation(at: block.offset) }
  }

  private mutating func readVector(
    _ reader: inout ByteReader, _ field: StaticString, _ bounds: ClosedRange<Int>
  ) throws(ParseError) -> Range<Int> {
    try reader.readVector(field, bounds, isTruncated: &isTruncated).remainingRange
  }

  /// The body of the first extension of a type; nil if there is none.
  package func body(of type: ExtensionType) -> Range<Int>? { extensions.first { $0.type == type }?.body }

  /// The origin of the pre-shared keys that a client offers (RFC 8446 §4.2.11).
  package enum OfferedPSKs {
    /// None are offered, or at least one has the age of a ticket.
    case noneOrTickets
    /// None has an age: external keys, or tickets of a client without a clock.
    case withoutAge
    /// None has an age, and their identities are printable text, which tickets are not.
    case external
  }

  /// Reads the identities and ticket ages of a client's pre-shared keys.
  package func offeredPSKs(in body: Span<UInt8>) -> OfferedPSKs {
    guard let range = self.body(of: .preSharedKey) else { return .noneOrTickets }
    var reader = ByteReader(body.extracting(range), base: range.lowerBound)
    guard var identities = try? reader.readVector("identities", 7...0xFFFF) else { return .noneOrTickets }
    var areText = true
    while identities.remaining > 0 {
      guard let identity = try? identities.readVector("identity", 1...0xFFFF).remainingRange,
        let age = try? identities.readUInt32("obfuscated_ticket_age"), age == 0
      else { return .noneOrTickets }
      areText = areText && identity.allSatisfy { (0x20...0x7E).contains(body[$0]) }
    }
    return areText ? .external : .withoutAge
  }

  /// The first `host_name` of a client's `server_name`; nil if there is none, or the extension is malformed.
  package func serverName(in body: Span<UInt8>) -> Range<Int>? {
    guard let range = self.body(of: .serverName) else { return nil }
    var reader = ByteReader(body.extracting(range), base: range.lowerBound)
    return try? ClientHello.readServerName(from: &reader)
  }
}
