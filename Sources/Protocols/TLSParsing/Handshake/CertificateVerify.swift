package import ByteParsing

/// The proof that the sender has the private key of its certificate, in TLS 1.3 (RFC 8446 §4.4.3).
package struct CertificateVerify: Hashable, Sendable {
  /// `algorithm`.
  package var scheme: SignatureScheme

  /// The range of the signature in the body.
  package var signatureRange: Range<Int>

  /// Parses the body of a handshake message of type `certificate_verify`.
  package init(parsing body: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(body)
    scheme = SignatureScheme(rawValue: try reader.readUInt16("algorithm"))
    signatureRange = try reader.readVector("signature", 0...0xFFFF).remainingRange
    try reader.requireEnd(of: "CertificateVerify")
  }
}
