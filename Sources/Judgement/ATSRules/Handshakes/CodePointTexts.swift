import TLSParsing

extension TLSVersion {
  /// Whether this is a published version of TLS or SSL, rather than a draft, a DTLS version or an unassigned number.
  var isFinal: Bool {
    self == .ssl2 || rawValue >> 8 == 3 && rawValue <= TLSVersion.tls13.rawValue
  }
}

extension AlertDescription {
  var text: String { name.map { "\(rawValue) (\($0))" } ?? "\(rawValue)" }
}
