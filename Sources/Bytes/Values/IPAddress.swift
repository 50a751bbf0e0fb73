package import ByteParsing

/// An IPv4 or IPv6 address.
public struct IPAddress: Hashable, Sendable {
  /// The first eight bytes of an IPv6 address; 0 for IPv4.
  @usableFromInline package let high: UInt64

  /// The last eight bytes of an IPv6 address; an IPv4 address in the lowest 32 bits.
  @usableFromInline package let low: UInt64

  /// Whether this is an IPv6 address.
  public let isIPv6: Bool

  /// Creates an IPv4 address from 32 bits, the first byte being the most significant.
  @inlinable
  package init(v4 bits: UInt32) {
    high = 0
    low = UInt64(bits)
    isIPv6 = false
  }

  /// Creates an IPv6 address from two halves, the first byte being the most significant.
  @inlinable
  package init(v6 high: UInt64, _ low: UInt64) {
    self.high = high
    self.low = low
    isIPv6 = true
  }

  /// The address in network order: 4 or 16 bytes, as `init(bytes:)` takes them.
  public var bytes: ContiguousArray<UInt8> {
    var bytes = Bytes()
    if isIPv6 {
      bytes.append(big: high)
      bytes.append(big: low)
    } else {
      bytes.append(big: UInt32(truncatingIfNeeded: low))
    }
    return bytes
  }

  /// Creates an address from 4 or 16 bytes in network order; nil for any other count.
  public init?(bytes: some Collection<UInt8>) {
    func value(_ part: some Sequence<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
    switch bytes.count {
    case 4: self.init(v4: UInt32(truncatingIfNeeded: value(bytes)))
    case 16: self.init(v6: value(bytes.prefix(8)), value(bytes.dropFirst(8)))
    default: return nil
    }
  }
}

extension IPAddress: CustomStringConvertible {
  /// Dotted decimal, or the format of RFC 5952: lower case, with the longest run of at least two zero groups (the first of equals) as `::`.
  /// IPv4-mapped addresses end in dotted decimal (RFC 5952 §5).
  public var description: String {
    var text = Bytes()
    append(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends `description`.
  package func append(to text: inout Bytes) {
    if !isIPv6 { return appendDotted(to: &text) }
    if high == 0, low >> 32 == 0xFFFF {
      text.append(contentsOf: "::ffff:".utf8)
      return appendDotted(to: &text)
    }
    let gap = longestRunOfZeros
    for index in 0..<8 {
      if gap.contains(index) {
        if index == gap.lowerBound { text.append(contentsOf: "::".utf8) }
        continue
      }
      if index > 0, index != gap.upperBound { text.append(0x3A) }
      IPAddress.append(group(index), radix: 16, to: &text)
    }
  }

  private func appendDotted(to text: inout Bytes) {
    for shift in [24, 16, 8, 0] as [UInt64] {
      IPAddress.append(low >> shift & 0xFF, radix: 10, to: &text)
      if shift > 0 { text.append(0x2E) }
    }
  }

  private static func append(_ value: UInt64, radix: UInt64, to text: inout Bytes) {
    if value >= radix { append(value / radix, radix: radix, to: &text) }
    text.append(hexadecimalDigit(UInt8(truncatingIfNeeded: value % radix)))
  }

  private func group(_ index: Int) -> UInt64 {
    (index < 4 ? high : low) >> UInt64(48 - 16 * (index & 3)) & 0xFFFF
  }

  /// The groups that `::` replaces; -1..<-1 if there are none.
  private var longestRunOfZeros: Range<Int> {
    var longest = -1 ..< -1
    var start = 0
    while start < 8 {
      var end = start
      while end < 8, group(end) == 0 { end += 1 }
      if end - start >= 2, end - start > longest.count { longest = start..<end }
      start = max(end, start + 1)
    }
    return longest
  }
}

extension IPAddress {
  /// Parses dotted decimal of four parts without leading zeros, or any format of RFC 4291 §2.2; nil for any other text, including zones and
  /// brackets.
  public init?(_ text: some StringProtocol) {
    if !text.contains(":") {
      guard let bits = IPAddress.parseDotted(text) else { return nil }
      self.init(v4: bits)
      return
    }
    var sides = [[UInt16]]()
    let texts = String(text).split(separator: "::", omittingEmptySubsequences: false)
    for (number, side) in texts.enumerated() {
      var groups = [UInt16]()
      if !side.isEmpty {
        let parts = side.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
          if part.contains(".") {
            guard number == texts.count - 1, index == parts.count - 1, let bits = IPAddress.parseDotted(part) else { return nil }
            groups += [UInt16(bits >> 16), UInt16(truncatingIfNeeded: bits)]
          } else {
            guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy(isHexadecimalDigit),
              let group = UInt16(part, radix: 16)
            else { return nil }
            groups.append(group)
          }
          guard groups.count <= 8 else { return nil }
        }
      }
      sides.append(groups)
    }
    let count = sides.reduce(0) { $0 + $1.count }
    guard sides.count == 1 ? count == 8 : sides.count == 2 && count <= 7 else { return nil }
    let last = sides.count > 1 ? sides[1] : []
    let groups = sides[0] + [UInt16](repeating: 0, count: 8 - count) + last
    func half(_ part: ArraySlice<UInt16>) -> UInt64 { part.reduce(0) { $0 << 16 | UInt64($1) } }
    self.init(v6: half(groups[..<4]), half(groups[4...]))
  }

  private static func parseDotted(_ text: some StringProtocol) -> UInt32? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bits: UInt32 = 0
    for part in parts {
      guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy(isDigit),
        part.utf8.count == 1 || part.utf8.first != 0x30, let octet = UInt8(part)
      else { return nil }
      bits = bits << 8 | UInt32(octet)
    }
    return bits
  }
}

/// An address and a port.
public struct Endpoint: Hashable, Sendable, CustomStringConvertible {
  /// The network address.
  public let address: IPAddress

  /// The TCP or UDP port.
  public let port: UInt16

  @inlinable
  package init(address: IPAddress, port: UInt16) {
    self.address = address
    self.port = port
  }

  /// `192.0.2.1:443` or `[2001:db8::1]:443`.
  public var description: String { Endpoint.text("\(address)", port) }

  /// The text of a host, which may be an address, and a port.
  package static func text(_ host: String, _ port: UInt16) -> String { "\(urlHost(host)):\(port)" }

  /// A host as a URL contains it: an IPv6 address is in brackets (RFC 3986 §3.2.2).
  package static func urlHost(_ host: String) -> String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host }
}

extension IPAddress {
  /// A host, or a host with a port, in the form in which hosts are compared: in lower case, an IPv6 address, in brackets or alone, in the
  /// format of RFC 5952.
  package static func comparable(host: String) -> String {
    guard host.contains(":") else { return host.lowercased() }
    if let address = IPAddress(host) { return address.description }
    guard host.first == "[", let end = host.firstIndex(of: "]"), let address = IPAddress(host[..<end].dropFirst()) else {
      return host.lowercased()
    }
    return "[\(address)\(host[end...].lowercased())"
  }
}
