package import ByteParsing

/// A key that the holder of a certificate lets sign in its place for some days (RFC 9345 §4).
package struct DelegatedCredential: Hashable, Sendable {
  /// `valid_time`: how long it is valid, in seconds from the certificate's notBefore.
  package var validSeconds: UInt32

  /// `dc_cert_verify_algorithm`: the scheme with which the key signs handshakes.
  package var handshakeScheme: SignatureScheme

  /// Where the key is, a SubjectPublicKeyInfo, in what was parsed.
  package var publicKey: Range<Int>

  /// `algorithm`: the scheme with which the certificate's key signs the credential.
  package var scheme: SignatureScheme

  /// Parses the body of the extension `delegated_credential` of a certificate entry.
  package init(parsing body: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(body)
    validSeconds = try reader.readUInt32("valid_time")
    handshakeScheme = SignatureScheme(rawValue: try reader.readUInt16("dc_cert_verify_algorithm"))
    let key = try reader.readVector("ASN1_subjectPublicKeyInfo", 1...0xFF_FFFF)
    publicKey = key.offset..<(key.offset + key.remaining)
    scheme = SignatureScheme(rawValue: try reader.readUInt16("algorithm"))
    _ = try reader.readVector("signature", 1...0xFFFF)
    try reader.requireEnd(of: "DelegatedCredential")
  }
}
