/// An input that would decide a finding whose outcome is unknown.
public enum DecidingInput: Hashable, Sendable {
  /// Another capture, handshake or certificate, as an instruction, such as `record without packet loss`.
  case evidence(String)
  /// A key log with the secrets of the session.
  case keyLog
  /// A pcapng that contains the secrets of the session.
  case captureSecrets
  /// The chain of this server, supplied by the user.
  case chain(server: String)
  /// A time to judge certificates at, since packets of the session have none.
  case time
  /// A later time to judge certificates at, since the supplied chain was issued after the session.
  case laterTime
  /// The anchors that the device trusts in addition to those of the system.
  case anchors
  /// The roots of the system, if they differ from Apple's.
  case systemAnchors
  /// Intermediate certificates that the server did not send.
  case intermediates
  /// CRLs or OCSP responses.
  case revocations
  /// A list of Certificate Transparency logs: a newer one if the logs were pending. `needsIssuer` is whether the issuer's certificate is
  /// missing too.
  case logList(isNewer: Bool, needsIssuer: Bool)
  /// The issuer's certificate, which embedded SCTs cover.
  case issuerCertificate
}
