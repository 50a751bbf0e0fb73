/// A cipher suite (IANA "TLS Cipher Suites"). The last two bytes of an SSL 2 cipher kind are not a cipher suite.
public struct CipherSuite: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public let rawValue: UInt16

  /// Creates a value from any code point, known or not.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// `TLS_EMPTY_RENEGOTIATION_INFO_SCSV` (RFC 5746 §3.3), a signaling value and not a suite.
  package static let emptyRenegotiationInfoSCSV = CipherSuite(rawValue: 0x00FF)
  /// `TLS_FALLBACK_SCSV` (RFC 7507), a signaling value and not a suite.
  package static let fallbackSCSV = CipherSuite(rawValue: 0x5600)
  /// `TLS_AES_128_CCM_8_SHA256` (RFC 8446 §B.4), the only TLS 1.3 suite with an 8-byte tag.
  package static let aes128CCM8 = CipherSuite(rawValue: 0x1305)

  /// Whether the suite is one of RFC 8446 §B.4, which older versions cannot use.
  package var isOfTLS13: Bool { rawValue >> 8 == 0x13 }

  /// Whether the value is only a signal and cannot be negotiated: GREASE or one of the two SCSVs.
  public var isSignal: Bool {
    isGREASE(rawValue) || self == .emptyRenegotiationInfoSCSV || self == .fallbackSCSV
  }
}
