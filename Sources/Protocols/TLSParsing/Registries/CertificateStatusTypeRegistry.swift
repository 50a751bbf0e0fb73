/// Certificate status types by code point (IANA "TLS Certificate Status Types").
enum CertificateStatusTypeRegistry {
  /// In the order of the code points.
  static let entries: [(codePoint: UInt8, name: String)] = [
    (1, "ocsp"),
    (2, "ocsp_multi"),
  ]
}
