/// The verification of the server's signature over the handshake with the key of its leaf: in ServerKeyExchange up to TLS 1.2, in
/// CertificateVerify in TLS 1.3.
public enum HandshakeSignature: String, CaseIterable, Hashable, Sendable {
  /// The signature verifies with the leaf's key.
  case valid
  /// The signature does not verify with the leaf's key.
  case invalid
  /// atscope does not support the algorithm of the signature or of the key.
  case notVerifiable
  /// The signature was not verified, because the capture contains more than the limit (`HandshakeSignatures`).
  case notVerified
}
