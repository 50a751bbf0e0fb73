import TLSParsing

extension TLSVersion {
  /// Whether this is a published version of TLS or SSL, rather than a draft, a DTLS version or an unassigned number.
  var isFinal: Bool {
    rawValue == TLSVersion.ssl2.rawValue || rawValue >> 8 == 3 && rawValue <= TLSVersion.tls13.rawValue
  }

  var text: String { name ?? hexadecimalCode(rawValue) }
}

extension CipherSuite {
  var text: String { name ?? hexadecimalCode(rawValue) }
}

extension AlertDescription {
  var text: String { name.map { "\(rawValue) (\($0))" } ?? "\(rawValue)" }
}

/// `0x` and four lowercase digits.
func hexadecimalCode(_ code: UInt16) -> String {
  let digits = String(code, radix: 16)
  return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
}
