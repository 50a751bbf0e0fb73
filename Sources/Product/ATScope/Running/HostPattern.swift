import Values

/// A pattern that selects hosts.
public struct HostPattern: Hashable, Sendable {
  /// The pattern as given.
  public let text: String

  private let pattern: [UInt8]

  /// Creates a pattern: `*` matches any characters, `?` one; case does not matter, nor does the spelling of an IPv6 address.
  public init(_ text: String) {
    self.text = text
    pattern = Array(IPAddress.comparable(host: text).utf8)
  }

  /// Whether the pattern matches a host, with or without the port that reports append.
  package func matches(_ host: String, port: UInt16) -> Bool {
    // In reports, an IPv6 address with a port is in brackets.
    let written = Endpoint.urlHost(host)
    return matches(host) || matches("\(written):\(port)") || written != host && matches(written)
  }

  /// Whether the pattern matches all of `host`.
  public func matches(_ host: String) -> Bool {
    let host = Array(IPAddress.comparable(host: host).utf8)
    var (p, h) = (0, 0)
    // The positions after the last star, from which matching resumes after a mismatch.
    var star: (pattern: Int, host: Int)?
    while h < host.count {
      if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
        star = (p + 1, h)
        p += 1
      } else if p < pattern.count, pattern[p] == host[h] || pattern[p] == UInt8(ascii: "?") {
        (p, h) = (p + 1, h + 1)
      } else if let last = star {
        star = (last.pattern, last.host + 1)
        (p, h) = (last.pattern, last.host + 1)
      } else {
        return false
      }
    }
    return pattern[p...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
