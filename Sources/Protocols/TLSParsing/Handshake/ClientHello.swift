package import ByteParsing

/// A client's first handshake message (RFC 8446 §4.1.2), also in the SSL 2 format.
///
/// Lists keep their order. An extension with a malformed body leaves its fields as if it were absent; of a repeated extension the first
/// counts.
package struct ClientHello: Hashable, Sendable {
  /// The format of the message.
  package enum Format: String, Hashable, Sendable {
    /// The format since SSL 3.
    case tls
    /// The DTLS format: with a cookie after the session ID (RFC 6347 §4.2.1).
    case dtls
    /// The CLIENT-HELLO of SSL 2 (RFC 5246 appendix E.2), with any version offered.
    case ssl2
  }

  /// The maximum number of extensions, more than any client sends; it bounds the search for repeated ones.
  package static let maximumExtensionCount = 256

  package var format = Format.tls

  /// `legacy_version`; the versions actually offered are in `offeredVersions`.
  package var legacyVersion = TLSVersion(rawValue: 0)

  /// `random`, 32 bytes; in an SSL 2 hello the challenge, with leading zeros.
  package var random: Bytes = []

  /// `legacy_session_id`, at most 32 bytes.
  package var sessionID: Bytes = []

  /// The offered suites in the client's order of preference, including GREASE and signaling values.
  package var cipherSuites: [CipherSuite] = []

  /// `legacy_compression_methods`.
  package var compressionMethods: [CompressionMethod] = []

  /// The types of the extensions, including GREASE and repeated ones.
  package var extensions: [ExtensionType] = []

  /// The first `host_name` of `server_name`, as encoded; nil if there is none.
  package var serverName: Bytes?

  /// `supported_versions` without GREASE values, or else only the legacy version.
  package var offeredVersions: [TLSVersion] = []

  /// `supported_groups`.
  package var supportedGroups: [NamedGroup] = []

  /// `ec_point_formats`: 0 is uncompressed.
  package var ecPointFormats: [UInt8] = []

  /// `signature_algorithms`.
  package var signatureSchemes: [SignatureScheme] = []

  /// `signature_algorithms_cert`; if empty, `signatureSchemes` also apply to certificates.
  package var certificateSignatureSchemes: [SignatureScheme] = []

  /// The protocol names in the ALPN extension, as encoded.
  package var alpn: [Bytes] = []

  /// Whether the message was complete.
  package var isComplete: Bool { fault == nil }

  /// The fault at which parsing ended; nil if the message is complete.
  package var fault: ParseError?

  /// Parses the body of a handshake message of type `client_hello`, also of DTLS.
  package init(parsing body: Span<UInt8>, format: Format = .tls) throws(ParseError) {
    self.init(parsingPrefix: body, format: format)
    if let fault { throw fault }
  }

  /// Parses a truncated or damaged `client_hello` as far as possible; `fault` is where parsing ended.
  package init(parsingPrefix body: Span<UInt8>, format: Format = .tls) {
    self.init(HelloFields(ofClient: body, format: format), of: body, format: format)
  }

  package init(_ fields: HelloFields, of body: Span<UInt8>, format: Format = .tls) {
    self.format = format
    fault = fields.fault
    legacyVersion = fields.legacyVersion
    random = Bytes(copying: body.extracting(fields.random))
    sessionID = Bytes(copying: body.extracting(fields.sessionID))
    var suites = ByteReader(body.extracting(fields.cipherSuites))
    cipherSuites = (try? suites.readCodePoints("cipher_suites")) ?? []
    compressionMethods = Bytes(copying: body.extracting(fields.compressionMethods)).map {
      CompressionMethod(rawValue: $0)
    }
    readExtensions(fields, of: body)
    // `supported_versions` may be in the missing part; the legacy version would then have this value.
    let isLegacyVersionOffered =
      isComplete || format == .tls && legacyVersion != .tls12 && legacyVersion.rawValue != 0 || format == .dtls && legacyVersion != .dtls12
    if offeredVersions.isEmpty, isLegacyVersionOffered { offeredVersions = [legacyVersion] }
  }

  /// Parses an SSL 2 CLIENT-HELLO, without the two bytes of its record header (RFC 5246 appendix E.2).
  package init(parsingSSL2 message: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(message)
    format = .ssl2
    let type = try reader.readUInt8("msg_type")
    guard type == 1 else { throw ParseError(.unexpectedValue(UInt64(type)), in: "msg_type", at: 0) }
    legacyVersion = TLSVersion(rawValue: try reader.readUInt16("version"))
    let specsLength = Int(try reader.readUInt16("cipher_spec_length"))
    let sessionLength = Int(try reader.readUInt16("session_id_length"))
    let challengeLength = Int(try reader.readUInt16("challenge_length"))
    var specs = try reader.readBody(byteCount: specsLength, "cipher_specs")
    while specs.remaining > 0 {
      // Those with a leading zero byte are suites of SSL 3 and later.
      let kind = try specs.readUInt24("cipher_specs")
      if kind <= 0xFFFF { cipherSuites.append(CipherSuite(rawValue: UInt16(kind))) }
    }
    guard sessionLength <= 32 else {
      throw ParseError(.lengthOutOfBounds(sessionLength, allowed: 0...32), in: "session_id_length", at: reader.offset)
    }
    var session = try reader.readBody(byteCount: sessionLength, "session_id")
    sessionID = session.readRest()
    guard (16...32).contains(challengeLength) else {
      throw ParseError(.lengthOutOfBounds(challengeLength, allowed: 16...32), in: "challenge_length", at: reader.offset)
    }
    var challenge = try reader.readBody(byteCount: challengeLength, "challenge")
    random = Bytes(repeating: 0, count: 32 - challengeLength) + challenge.readRest()
    try reader.requireEnd(of: "CLIENT-HELLO")
    compressionMethods = [.null]
    offeredVersions = [legacyVersion]
  }
}
