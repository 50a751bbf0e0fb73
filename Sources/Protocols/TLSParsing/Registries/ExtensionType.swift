/// The type of a hello extension (IANA "TLS ExtensionType Values").
public struct ExtensionType: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public let rawValue: UInt16

  /// Creates a value from any code point, known or not.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// `server_name` (RFC 6066 §3).
  package static let serverName = ExtensionType(rawValue: 0)
  /// `status_request` (RFC 6066 §8).
  package static let statusRequest = ExtensionType(rawValue: 5)
  /// `supported_groups` (RFC 8446 §4.2.7).
  package static let supportedGroups = ExtensionType(rawValue: 10)
  /// `ec_point_formats` (RFC 8422 §5.1.2).
  package static let ecPointFormats = ExtensionType(rawValue: 11)
  /// `signature_algorithms` (RFC 8446 §4.2.3).
  package static let signatureAlgorithms = ExtensionType(rawValue: 13)
  /// `application_layer_protocol_negotiation` (RFC 7301 §3.1).
  package static let alpn = ExtensionType(rawValue: 16)
  /// `status_request_v2` (RFC 6961 §2.2).
  package static let statusRequestV2 = ExtensionType(rawValue: 17)
  /// `signed_certificate_timestamp` (RFC 6962 §3.3.1).
  package static let signedCertificateTimestamp = ExtensionType(rawValue: 18)
  /// `client_certificate_type` (RFC 7250 §3).
  package static let clientCertificateType = ExtensionType(rawValue: 19)
  /// `server_certificate_type` (RFC 7250 §3).
  package static let serverCertificateType = ExtensionType(rawValue: 20)
  /// `padding` (RFC 7685 §3).
  package static let padding = ExtensionType(rawValue: 21)
  /// `extended_master_secret` (RFC 7627 §5.1).
  package static let extendedMasterSecret = ExtensionType(rawValue: 23)
  /// `tls_cert_with_extern_psk` (RFC 8773 §3).
  package static let certificateWithExternPSK = ExtensionType(rawValue: 33)
  /// `delegated_credential` (RFC 9345 §4.1.1).
  package static let delegatedCredential = ExtensionType(rawValue: 34)
  /// `session_ticket` (RFC 5077 §3.2).
  package static let sessionTicket = ExtensionType(rawValue: 35)
  /// `key_share` in drafts of TLS 1.3 before 23.
  package static let draftKeyShare = ExtensionType(rawValue: 40)
  /// `pre_shared_key` (RFC 8446 §4.2.11).
  package static let preSharedKey = ExtensionType(rawValue: 41)
  /// `early_data` (RFC 8446 §4.2.10).
  package static let earlyData = ExtensionType(rawValue: 42)
  /// `supported_versions` (RFC 8446 §4.2.1).
  package static let supportedVersions = ExtensionType(rawValue: 43)
  /// `cookie` (RFC 8446 §4.2.2).
  package static let cookie = ExtensionType(rawValue: 44)
  /// `signature_algorithms_cert` (RFC 8446 §4.2.3).
  package static let signatureAlgorithmsCert = ExtensionType(rawValue: 50)
  /// `key_share` (RFC 8446 §4.2.8).
  package static let keyShare = ExtensionType(rawValue: 51)
  /// `quic_transport_parameters` (RFC 9001 §8.2).
  package static let quicTransportParameters = ExtensionType(rawValue: 57)
  /// `quic_transport_parameters` in drafts.
  package static let draftQUICTransportParameters = ExtensionType(rawValue: 0xFFA5)
  /// `encrypted_server_name` in the drafts that preceded ECH.
  package static let encryptedServerName = ExtensionType(rawValue: 0xFFCE)
  /// `ech_outer_extensions` (RFC 9849 §5.1), only in encoded inner hellos.
  package static let echOuterExtensions = ExtensionType(rawValue: 0xFD00)
  /// `encrypted_client_hello` (RFC 9849 §5).
  package static let encryptedClientHello = ExtensionType(rawValue: 0xFE0D)
  /// `renegotiation_info` (RFC 5746 §3.2).
  package static let renegotiationInfo = ExtensionType(rawValue: 0xFF01)

  /// The name in the registry, such as `server_name`; nil if there is none.
  public var name: String? {
    CodePointNames.name(of: rawValue, in: ExtensionTypeRegistry.registered)
      ?? CodePointNames.name(of: rawValue, in: ExtensionTypeRegistry.unregistered)
  }
}
