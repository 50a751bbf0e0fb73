/// The verification of the server's signature over the handshake with the key of its leaf: in ServerKeyExchange up to TLS 1.2, in
/// CertificateVerify in TLS 1.3.
public enum HandshakeSignature: String, CaseIterable, Hashable, Sendable {
  /// The signature is that of the leaf's key over this handshake.
  case valid
  /// It is not.
  case invalid
  /// Its algorithm, or that of the key, cannot be verified here.
  case notVerifiable
  /// It was not verified, since the capture shows more than are (`HandshakeSignatures`).
  case notVerified
}
