package import ByteParsing
package import Values

/// A SignedCertificateTimestampList (RFC 6962 §3.3), as in a TLS extension, a certificate or an OCSP response.
package struct SignedCertificateTimestampList: Hashable, Sendable {
  /// The maximum number of entries kept; a list of ten is long.
  package static let maximumCount = 256

  /// The decoded entries in order, up to the limit.
  package var timestamps: [SignedCertificateTimestamp] = []

  /// The number of all entries, including undecodable ones and those beyond the limit.
  package var count = 0

  /// Decodes a list. An undecodable entry is counted; a list that cannot be split into entries throws.
  package init(parsing bytes: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(bytes)
    // RFC 6962 requires at least one byte, but empty lists occur.
    var list = try reader.readVector("sct_list", 0...0xFFFF)
    try reader.requireEnd(of: "SignedCertificateTimestampList")
    while list.remaining > 0 {
      // An empty entry is malformed, but does not affect the others.
      let entry = try list.readVector("SerializedSCT", 0...0xFFFF)
      count += 1
      guard count <= SignedCertificateTimestampList.maximumCount else { continue }
      if let timestamp = try? SignedCertificateTimestamp(parsing: entry.rest) { timestamps.append(timestamp) }
    }
  }
}

/// A SignedCertificateTimestamp (RFC 6962 §3.2): a log's promise to publish a certificate.
package struct SignedCertificateTimestamp: Hashable, Sendable {
  /// `sct_version`; 0 is version 1, the only known format.
  package var version: UInt8

  /// `LogID`: SHA-256 of the log's key, 32 bytes; empty for other versions.
  package var logID = Bytes()

  /// Milliseconds since 1970-01-01T00:00:00Z.
  package var timestampMilliseconds: UInt64 = 0

  package var extensions = Bytes()

  /// `HashAlgorithm` (RFC 5246 §7.4.1.4.1); 4 is SHA-256.
  package var hashAlgorithm: UInt8 = 0

  /// `SignatureAlgorithm` (RFC 5246 §7.4.1.4.1); 1 is RSA, 3 ECDSA.
  package var signatureAlgorithm: UInt8 = 0

  /// The log's signature.
  package var signature = Bytes()

  /// The time at which the log received the certificate.
  package var time: Timestamp {
    Timestamp(seconds: Int64(timestampMilliseconds / 1000), nanoseconds: UInt32(timestampMilliseconds % 1000) * 1_000_000)
  }

  /// Decodes one entry of a list, without its length.
  package init(parsing bytes: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(bytes)
    version = try reader.readUInt8("sct_version")
    guard version == 0 else { return }
    var log = try reader.readBody(byteCount: 32, "id")
    logID = log.readRest()
    timestampMilliseconds = try reader.readUInt64("timestamp")
    var extensions = try reader.readVector("extensions", 0...0xFFFF)
    self.extensions = extensions.readRest()
    hashAlgorithm = try reader.readUInt8("hash")
    signatureAlgorithm = try reader.readUInt8("signature")
    var signature = try reader.readVector("signature", 0...0xFFFF)
    self.signature = signature.readRest()
    try reader.requireEnd(of: "SignedCertificateTimestamp")
  }
}
