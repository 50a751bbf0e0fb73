import ByteParsing
public import Values

/// Who the client thinks it talks to: the host of the URL, compared as text (policy text A.3).
public enum HostIdentity: Hashable, Sendable {
  /// A name in lower case, in A-labels, with its dot at the end if it has one.
  case name(String)

  /// An address, and how it was written if a URL has another form of it than that of RFC 5952, by which it is compared
  /// otherwise.
  case address(IPAddress, written: String? = nil)

  /// Nothing is known.
  case unknown

  /// Takes the host out of a text such as a `Host` header, and normalizes it: lower case, A-labels, no user
  /// information, brackets, port or zone.
  ///
  /// A dot at the end stays: it makes a name that other keys match. So does what follows a colon and is not a port: a name that a client
  /// sends (SNI) can hold anything, and must not become another one.
  public init(_ text: String) {
    var rest = Substring(text)
    if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
    if rest.first == "[" {
      rest = rest.dropFirst()
      if let close = rest.firstIndex(of: "]") { rest = rest[..<close] }
    } else if rest.utf8.count(where: { $0 == UInt8(ascii: ":") }) == 1, let colon = rest.lastIndex(of: ":"),
      rest[colon...].utf8.dropFirst().allSatisfy({ (0x30...0x39).contains($0) })
    {
      // More than one colon is an IPv6 address without brackets.
      rest = rest[..<colon]
    }
    let withoutZone = rest.firstIndex(of: "%").map { rest[..<$0] } ?? rest
    if let address = IPAddress(withoutZone) {
      // The same host must not be two, one from a URL and one from packets.
      let written = HostIdentity.lowercased(withoutZone)
      self = .address(address, written: written == address.description ? nil : written)
    } else if rest.isEmpty {
      self = .unknown
    } else {
      self = .name(HostIdentity.asciiName(rest))
    }
  }

  /// The same identity in the form that the lookup wants.
  public var normalized: HostIdentity {
    guard case .name(let name) = self else { return self }
    let isNormal = name.utf8.allSatisfy { byte in
      byte < 0x80 && !(0x41...0x5A).contains(byte) && byte != 0x3A && byte != 0x40 && byte != 0x25
        && byte != 0x5B
    }
    // A name of digits and dots may be an address after all.
    if isNormal, name.utf8.last.map({ !(0x30...0x39).contains($0) }) ?? false { return self }
    return HostIdentity(name)
  }

  /// The text that is looked up; nil if nothing is known.
  public var text: String? {
    switch self {
    case .name(let name): name
    case .address(let address, let written): written ?? address.description
    case .unknown: nil
    }
  }

  /// The A-labels of a name, in lower case.
  static func asciiName(_ name: some StringProtocol) -> String {
    if name.utf8.allSatisfy({ $0 < 0x80 }) { return lowercased(name) }
    // These are full stops too in the mapping that browsers use (UTS #46).
    let dots: Set<Character> = [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"]
    return name.lowercased().split(omittingEmptySubsequences: false) { dots.contains($0) }.map { label in
      label.utf8.allSatisfy { $0 < 0x80 } ? String(label) : Punycode.aLabel(of: label)
    }.joined(separator: ".")
  }

  /// The text with A to Z in lower case and all else as it is.
  static func lowercased(_ text: some StringProtocol) -> String {
    String(decoding: text.utf8.map(asciiLowercased), as: UTF8.self)
  }
}
