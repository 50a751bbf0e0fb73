import ByteParsing

/// The inputs of a client's JA4 fingerprint: its first part, and the texts whose hashes are the other parts.
///
/// The fingerprint is `a_b_c`, where b and c are the first twelve hexadecimal digits of the SHA-256 of `ciphers` and `extensions`, or
/// `emptyHash` for an empty text.
package struct JA4Inputs: Hashable, Sendable {
  /// The transport of the hello.
  package enum Transport: String, Hashable, Sendable {
    /// TLS over a stream.
    case tls = "t"
    case quic = "q"
    case dtls = "d"
  }

  /// The hash of an empty text.
  package static let emptyHash = "000000000000"

  /// The first part, such as `t13d1516h2`.
  package var a: String

  /// The suites in ascending order.
  package var ciphers: String

  /// The extensions in ascending order, without server_name and ALPN, and the signature schemes in their original order.
  package var extensions: String

  /// Gathers the inputs from a hello.
  package init(of hello: ClientHello, transport: Transport = .tls) {
    let ciphers = hello.cipherSuites.map(\.rawValue).filter { !isGREASE($0) }
    let extensions = hello.extensions.map(\.rawValue).filter { !isGREASE($0) }
    let schemes = hello.signatureSchemes.map(\.rawValue).filter { !isGREASE($0) }
    let version = hello.offeredVersions.max { Self.age($0) < Self.age($1) } ?? hello.legacyVersion
    a =
      transport.rawValue + Self.digits(of: version) + (hello.extensions.contains(.serverName) ? "d" : "i") + Self.twoDigits(ciphers.count)
      + Self.twoDigits(extensions.count) + Self.ends(of: hello.alpn.first ?? [])
    self.ciphers = Self.list(ciphers.sorted())
    let types = extensions.sorted().filter {
      $0 != ExtensionType.serverName.rawValue && $0 != ExtensionType.alpn.rawValue
    }
    var text = Self.list(types)
    if !types.isEmpty, !schemes.isEmpty { text += "_" + Self.list(schemes) }
    self.extensions = text
  }

  /// A value that increases with the version, since DTLS versions decrease on the wire.
  private static func age(_ version: TLSVersion) -> UInt16 {
    version.rawValue >> 8 == 0xFE ? ~version.rawValue : version.rawValue
  }

  private static func digits(of version: TLSVersion) -> String {
    switch version {
    case .tls13: "13"
    case .tls12: "12"
    case .tls11: "11"
    case .tls10: "10"
    case .ssl3: "s3"
    case .ssl2: "s2"
    case .dtls10: "d1"
    case .dtls12: "d2"
    case .dtls13: "d3"
    default: "00"
    }
  }

  private static func twoDigits(_ count: Int) -> String {
    let text = String(min(count, 99))
    return text.utf8.count == 1 ? "0" + text : text
  }

  /// The first and last character of a protocol name; of its hexadecimal form if one of them is not alphanumeric.
  private static func ends(of name: Bytes) -> String {
    guard let first = name.first, let last = name.last else { return "00" }
    let ends: Bytes =
      isAlphanumeric(first) && isAlphanumeric(last) ? [first, last] : [hexadecimalDigit(first >> 4), hexadecimalDigit(last)]
    return String(decoding: ends, as: UTF8.self)
  }

  private static func list(_ values: [UInt16]) -> String {
    values.map { String(hexadecimalCode($0).dropFirst(2)) }.joined(separator: ",")
  }
}
