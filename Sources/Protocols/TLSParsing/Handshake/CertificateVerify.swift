package import ByteParsing

/// The proof that the sender has the private key of its certificate (RFC 8446 §4.4.3, RFC 5246 §7.4.8).
package struct CertificateVerify: Hashable, Sendable {
  /// `algorithm`; nil before TLS 1.2, where the key type implies it.
  package var scheme: SignatureScheme?

  /// The range of the signature in the body.
  package var signatureRange: Range<Int>

  /// Parses the body of a handshake message of type `certificate_verify`, whose format depends on the version.
  package init(parsing body: Span<UInt8>, version: TLSVersion) throws(ParseError) {
    var reader = ByteReader(body)
    if version.hasSignatureSchemes || version.hasTLS13Handshake {
      scheme = SignatureScheme(rawValue: try reader.readUInt16("algorithm"))
    }
    let signature = try reader.readVector("signature", 0...0xFFFF)
    signatureRange = signature.remainingRange
    try reader.requireEnd(of: "CertificateVerify")
  }
}
