/// The description of an alert (IANA "TLS Alerts").
public struct AlertDescription: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public let rawValue: UInt8

  /// Creates a value from any code point, known or not.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `close_notify` (RFC 8446 §6.1).
  package static let closeNotify = AlertDescription(rawValue: 0)
  /// `handshake_failure` (RFC 8446 §6.2).
  package static let handshakeFailure = AlertDescription(rawValue: 40)
  /// `bad_certificate` (RFC 8446 §6.2).
  package static let badCertificate = AlertDescription(rawValue: 42)
  /// `unsupported_certificate` (RFC 8446 §6.2).
  package static let unsupportedCertificate = AlertDescription(rawValue: 43)
  /// `certificate_revoked` (RFC 8446 §6.2).
  package static let certificateRevoked = AlertDescription(rawValue: 44)
  /// `certificate_expired` (RFC 8446 §6.2).
  package static let certificateExpired = AlertDescription(rawValue: 45)
  /// `certificate_unknown` (RFC 8446 §6.2).
  package static let certificateUnknown = AlertDescription(rawValue: 46)
  /// `unknown_ca` (RFC 8446 §6.2).
  package static let unknownCA = AlertDescription(rawValue: 48)
  /// `access_denied` (RFC 8446 §6.2).
  package static let accessDenied = AlertDescription(rawValue: 49)
  /// `decrypt_error` (RFC 8446 §6.2).
  package static let decryptError = AlertDescription(rawValue: 51)
  /// `protocol_version` (RFC 8446 §6.2).
  package static let protocolVersion = AlertDescription(rawValue: 70)
  /// `insufficient_security` (RFC 8446 §6.2).
  package static let insufficientSecurity = AlertDescription(rawValue: 71)
  /// `inappropriate_fallback` (RFC 7507 §4).
  package static let inappropriateFallback = AlertDescription(rawValue: 86)
  /// `unrecognized_name` (RFC 8446 §6.2).
  package static let unrecognizedName = AlertDescription(rawValue: 112)
  /// `certificate_required` (RFC 8446 §6.2).
  package static let certificateRequired = AlertDescription(rawValue: 116)

  /// The name in the registry, such as `unknown_ca`.
  public var name: String? { CodePointNames.name(of: rawValue, in: AlertRegistry.entries) }
}
