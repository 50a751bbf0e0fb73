package import ByteParsing

/// A host and an optional port, as in `Host` or in an absolute target (RFC 3986 §3.2).
package struct Authority: Hashable, Sendable {
  /// The maximum length of a host, more than a name can have.
  package static let maximumHostLength = 512

  /// The host as written, without user information and the brackets of an IPv6 address; may be empty.
  package var host: Bytes

  /// The port; nil if there is none.
  package var port: UInt16?

  /// Parses an authority; nil if it is invalid.
  package init?(_ text: Bytes) {
    var rest = text[...].trimmed
    if let at = rest.lastIndex(of: 0x40) { rest = rest[(at + 1)...] }
    let portText: Bytes.SubSequence
    if rest.first == 0x5B {
      guard let bracket = rest.firstIndex(of: 0x5D) else { return nil }
      host = Bytes(rest[(rest.startIndex + 1)..<bracket])
      portText = rest[(bracket + 1)...]
    } else {
      let colon = rest.firstIndex(of: 0x3A) ?? rest.endIndex
      host = Bytes(rest[..<colon])
      portText = rest[colon...]
    }
    guard host.count <= Self.maximumHostLength, !host.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else { return nil }
    guard let colon = portText.first else { return }
    guard colon == 0x3A else { return nil }
    // An empty port means the scheme's default.
    let digits = portText.dropFirst()
    if digits.isEmpty { return }
    guard let value = HeaderFields.decimal(digits), let port = UInt16(exactly: value) else { return nil }
    self.port = port
  }
}

/// The target of a redirection (RFC 9110 §10.2.2), as far as it can be another host.
package struct RedirectTarget: Hashable, Sendable {
  /// The scheme in lower case; nil if the reference is relative.
  package var scheme: Bytes?

  /// The host; nil if the reference is to the same host.
  package var host: Bytes?

  /// Parses a reference (RFC 3986 §4.1).
  package init(_ reference: Bytes) {
    var rest = reference[...].trimmed
    if let scheme = Self.scheme(of: rest) {
      self.scheme = scheme.asciiLowercase
      rest = rest[(scheme.endIndex + 1)...]
    }
    guard rest.starts(with: [0x2F, 0x2F]) else { return }
    rest = rest.dropFirst(2).prefix { $0 != 0x2F && $0 != 0x3F && $0 != 0x23 }
    host = Authority(Bytes(rest))?.host
  }

  /// The scheme before the first colon (RFC 3986 §3.1); nil if the reference is relative, or its scheme longer than any registered one.
  static func scheme(of reference: Bytes.SubSequence) -> Bytes.SubSequence? {
    let scheme = reference.prefix(while: isSchemeCharacter)
    guard let first = scheme.first, isAlphanumeric(first), !isDigit(first), scheme.count <= 32,
      reference[scheme.endIndex...].first == 0x3A
    else { return nil }
    return scheme
  }

  package static func isSchemeCharacter(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || [0x2B, 0x2D, 0x2E].contains(byte)
  }
}
