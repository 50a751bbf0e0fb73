package import ByteParsing

/// The server's choice from the client's offer (RFC 8446 §4.1.3), or its request for another hello (§4.1.4).
///
/// An extension with a malformed body leaves its fields as if it were absent; of a repeated extension the first counts.
package struct ServerHello: Hashable, Sendable {
  /// The maximum number of extensions, more than any server sends; it bounds the search for repeated ones.
  package static let maximumExtensionCount = 256

  /// `legacy_version`.
  package var legacyVersion = TLSVersion(rawValue: 0)

  /// The chosen version: from `supported_versions`, or else the legacy one.
  package var version = TLSVersion(rawValue: 0)

  /// The chosen suite.
  package var cipherSuite = CipherSuite(rawValue: 0)

  /// `legacy_compression_method`.
  package var compressionMethod = CompressionMethod.null

  /// The types of the extensions in order, including repeated ones.
  package var extensions: [ExtensionType] = []

  /// The chosen ALPN protocol, as encoded; nil if there is none.
  package var alpn: Bytes?

  /// The group of the server's key share, or the one that a HelloRetryRequest requests; nil if there is none.
  package var keyShareGroup: NamedGroup?

  /// Whether the message requests another hello.
  package var isHelloRetryRequest = false

  /// The SignedCertificateTimestampList of `signed_certificate_timestamp`, with its length; nil if there is none.
  package var sctList: Bytes?

  /// The index of the identity chosen from `pre_shared_key`; nil if there is none.
  package var selectedPSK: UInt16?

  /// The type of the server's credential if it is not an X.509 certificate: 2 is a raw public key (RFC 7250 §4.2).
  package var serverCertificateType: UInt8?

  /// The type of the client's credential if it is not an X.509 certificate.
  package var clientCertificateType: UInt8?

  /// Whether `version` is certain. In a truncated message, the extension for TLS 1.3 may be in the missing part; only the suite then shows
  /// it, since older versions use others (RFC 8446 §4.1.3, B.4).
  package var isVersionCertain: Bool {
    isComplete || legacyVersion != .tls12 || extensions.contains(.supportedVersions)
      || cipherSuite.structure?.keyExchange != .negotiated && !cipherSuite.isOfTLS13
  }

  /// Whether the message was complete.
  package var isComplete: Bool { fault == nil }

  /// The fault at which parsing ended; nil if the message is complete.
  package var fault: ParseError?

  /// Parses the body of a handshake message of type `server_hello`.
  package init(parsing body: Span<UInt8>) throws(ParseError) {
    try self.init(parsingPrefix: body)
    if let fault { throw fault }
  }

  /// Parses a truncated or damaged `server_hello` as far as possible; `fault` is where parsing ended.
  ///
  /// Throws if not even the suite can be read. Without its extensions the version is the legacy one, which is wrong for TLS 1.3: see
  /// `isVersionCertain`.
  package init(parsingPrefix body: Span<UInt8>) throws(ParseError) {
    self.init(try HelloFields(ofServer: body), of: body)
  }

  package init(_ fields: HelloFields, of body: Span<UInt8>) {
    fault = fields.fault
    legacyVersion = fields.legacyVersion
    version = legacyVersion
    isHelloRetryRequest = Self.isHelloRetryRequest(random: body.extracting(fields.random))
    var suite = ByteReader(body.extracting(fields.cipherSuites))
    if let value = try? suite.readUInt16("cipher_suite") { cipherSuite = CipherSuite(rawValue: value) }
    if let index = fields.compressionMethods.first {
      compressionMethod = CompressionMethod(rawValue: body[index])
    }
    readExtensions(fields, of: body)
  }

  /// Whether a random marks a HelloRetryRequest: it is the SHA-256 of that name (RFC 8446 §4.1.3).
  static func isHelloRetryRequest(random: Span<UInt8>) -> Bool {
    guard random.count == 32, random[0] == 0xCF else { return false }
    for index in 0..<32 where random[index] != helloRetryRequestRandom[index] { return false }
    return true
  }

  private static let helloRetryRequestRandom: Bytes = [
    0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91,
    0xC2, 0xA2, 0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
  ]
}
