package import ByteParsing

/// The first handshake message of a client (RFC 8446 §4.1.2), also in the format of SSL 2.
///
/// Lists keep the order of the wire. An extension whose body breaks its rule leaves its fields as if it were absent; of extensions that
/// occur twice the first counts.
package struct ClientHello: Hashable, Sendable {
  /// How the message was laid out.
  package enum Format: String, Hashable, Sendable {
    /// As since SSL 3.
    case tls
    /// As in DTLS: with a cookie after the session ID (RFC 6347 §4.2.1).
    case dtls
    /// CLIENT-HELLO of SSL 2 (RFC 5246 appendix E.2), any version it offers.
    case ssl2
  }

  /// More extensions than any client sends; keeps the search for repeated ones short.
  package static let maximumExtensionCount = 256

  /// How the message was laid out.
  package var format = Format.tls

  /// `legacy_version`; the versions really offered are in `offeredVersions`.
  package var legacyVersion = TLSVersion(rawValue: 0)

  /// `random`, 32 bytes; of an SSL 2 hello the challenge, with zeros in front.
  package var random: Bytes = []

  /// `legacy_session_id`, at most 32 bytes.
  package var sessionID: Bytes = []

  /// Offered suites in the client's order of preference, GREASE values and signals included.
  package var cipherSuites: [CipherSuite] = []

  /// `legacy_compression_methods`.
  package var compressionMethods: [CompressionMethod] = []

  /// The types of the extensions, GREASE values and repeated ones included.
  package var extensions: [ExtensionType] = []

  /// The first `host_name` of `server_name`, as it stands there.
  package var serverName: Bytes?

  /// `supported_versions` without GREASE values, or else the legacy version alone.
  package var offeredVersions: [TLSVersion] = []

  /// `supported_groups`.
  package var supportedGroups: [NamedGroup] = []

  /// `ec_point_formats`: 0 is uncompressed.
  package var ecPointFormats: [UInt8] = []

  /// `signature_algorithms`.
  package var signatureSchemes: [SignatureScheme] = []

  /// `signature_algorithms_cert`; empty means that `signatureSchemes` hold for certificates too.
  package var certificateSignatureSchemes: [SignatureScheme] = []

  /// The protocol names of ALPN, as they stand there.
  package var alpn: [Bytes] = []

  /// Whether the message was there to its end.
  package var isComplete: Bool { fault == nil }

  /// What ended the reading of a message that is not complete.
  package var fault: ParseError?

  /// Parses the body of a handshake message of type `client_hello`, or one of DTLS.
  package init(parsing body: Span<UInt8>, format: Format = .tls) throws(ParseError) {
    self.init(parsingPrefix: body, format: format)
    if let fault { throw fault }
  }

  /// Parses what is there of a `client_hello` that is truncated or damaged; `fault` says where reading ended.
  ///
  /// A hello truncated where its extensions would begin looks complete, unless `isWhole` says otherwise.
  package init(parsingPrefix body: Span<UInt8>, format: Format = .tls, isWhole: Bool = true) {
    self.init(
      HelloFields(ofClient: body, format: format, isWhole: isWhole), of: body, format: format)
  }

  /// Decodes the fields of a hello.
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
    // `supported_versions` may be in the part that is not there; with it the legacy version is this one.
    let isLegacyVersionOffered =
      isComplete || format == .tls && legacyVersion != .tls12 && legacyVersion.rawValue != 0
      || format == .dtls && legacyVersion != .dtls12
    if offeredVersions.isEmpty, isLegacyVersionOffered { offeredVersions = [legacyVersion] }
  }

  /// Parses a CLIENT-HELLO of SSL 2, without the two bytes of its record header (RFC 5246 appendix E.2).
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
      // Those with a zero byte in front are suites of SSL 3 and later.
      let kind = try specs.readUInt24("cipher_specs")
      if kind <= 0xFFFF { cipherSuites.append(CipherSuite(rawValue: UInt16(kind))) }
    }
    guard sessionLength <= 32 else {
      throw ParseError(
        .lengthOutOfBounds(sessionLength, allowed: 0...32), in: "session_id_length", at: reader.offset)
    }
    var session = try reader.readBody(byteCount: sessionLength, "session_id")
    sessionID = session.readRest()
    guard (16...32).contains(challengeLength) else {
      throw ParseError(
        .lengthOutOfBounds(challengeLength, allowed: 16...32), in: "challenge_length", at: reader.offset)
    }
    var challenge = try reader.readBody(byteCount: challengeLength, "challenge")
    random = Bytes(repeating: 0, count: 32 - challengeLength) + challenge.readRest()
    try reader.requireEnd(of: "CLIENT-HELLO")
    compressionMethods = [.null]
    offeredVersions = [legacyVersion]
  }
}
