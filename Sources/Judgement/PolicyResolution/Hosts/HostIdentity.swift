import ByteParsing
package import Values

/// The host identity that the client expects: the host of the URL, compared as text (policy text A.3).
package enum HostIdentity: Hashable, Sendable {
  /// A name in lowercase and as A-labels; a final dot is kept.
  case name(String)

  /// An address. `written` is its spelling in the URL if that differs from the form of RFC 5952, by which addresses are otherwise compared.
  case address(IPAddress, written: String? = nil)

  /// The host is unknown.
  case unknown

  /// Extracts the host from a text such as a `Host` header and normalizes it: lowercase, A-labels, no user information, brackets, port or
  /// zone.
  ///
  /// A final dot is kept, because it makes a name that matches other keys. So is anything after a colon that is not a port: SNI may contain
  /// any text, which must not turn into another name.
  package init(_ text: String) {
    var rest = Substring(text)
    if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
    if rest.first == "[" {
      rest = rest.dropFirst()
      if let close = rest.firstIndex(of: "]") { rest = rest[..<close] }
    } else if rest.utf8.count(where: { $0 == UInt8(ascii: ":") }) == 1, let colon = rest.lastIndex(of: ":"),
      rest[colon...].utf8.dropFirst().allSatisfy(isDigit)
    {
      // More than one colon indicates an IPv6 address without brackets.
      rest = rest[..<colon]
    }
    let withoutZone = rest.firstIndex(of: "%").map { rest[..<$0] } ?? rest
    if let address = IPAddress(withoutZone) {
      // The same host must not have two identities, one from a URL and one from packets.
      let written = String(withoutZone).asciiLowercase
      self = .address(address, written: written == address.description ? nil : written)
    } else if rest.isEmpty {
      self = .unknown
    } else {
      self = .name(HostIdentity.asciiName(rest))
    }
  }

  /// The identity, normalized as lookups require.
  package var normalized: HostIdentity {
    guard case .name(let name) = self else { return self }
    let isNormal = name.utf8.allSatisfy { byte in
      byte < 0x80 && !(0x41...0x5A).contains(byte) && byte != 0x3A && byte != 0x40 && byte != 0x25 && byte != 0x5B
    }
    // A name of digits and dots may actually be an address.
    if isNormal, name.utf8.last.map({ !isDigit($0) }) ?? false { return self }
    return HostIdentity(name)
  }

  /// The text to look up; nil if the host is unknown.
  package var text: String? {
    switch self {
    case .name(let name): name
    case .address(let address, let written): written ?? address.description
    case .unknown: nil
    }
  }

  /// The host as a key of NSExceptionDomains; nil if no entry of the release can name it, or no file can contain it.
  package func exceptionKey(in release: SystemRelease) -> String? {
    if case .address = self, !release.readsAddressKeys { return nil }
    guard let key = text, !key.isEmpty, key.utf8.count <= 253, !key.contains("/"),
      HostKeyFault(key) == nil
    else { return nil }
    return key
  }

  /// The A-labels of a name, in lowercase.
  static func asciiName(_ name: some StringProtocol) -> String {
    if name.utf8.allSatisfy({ $0 < 0x80 }) { return String(name).asciiLowercase }
    // The mapping that browsers use also treats these as full stops (UTS #46).
    let dots: Set<Character> = [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"]
    return name.lowercased().split(omittingEmptySubsequences: false) { dots.contains($0) }.map { label in
      label.utf8.allSatisfy { $0 < 0x80 } ? String(label) : Punycode.aLabel(of: label)
    }.joined(separator: ".")
  }
}
