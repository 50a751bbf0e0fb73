import ByteParsing
public import Values

extension ObservedSession {
  /// The host and port that the client requested from a proxy.
  public struct ProxyTarget: Hashable, Sendable {
    /// The host as the client wrote it, without brackets.
    public package(set) var host: String
    /// The port; nil if the request has none.
    public package(set) var port: UInt16?

    /// Parses a host with an optional port, such as `www.example.com:443`; nil if the host is empty.
    init?(authority: Substring) {
      var host = authority
      if let colon = authority.lastIndex(of: ":"), authority[..<colon].last == "]" || !authority[..<colon].contains(":") {
        host = authority[..<colon]
        let digits = authority[authority.index(after: colon)...]
        if digits.utf8.allSatisfy(isDigit) { port = UInt16(digits) }
      }
      if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
      guard !host.isEmpty else { return nil }
      self.host = String(host)
    }
  }

  /// The target requested from the innermost proxy; nil if the session did not pass through a proxy.
  public var proxyTarget: ProxyTarget? {
    tunnel.isEmpty ? nil : tunnel.lazy.reversed().compactMap(\.proxyTarget).first
  }

  /// Whether the packets are addressed to a proxy and not to the host.
  package var isProxied: Bool { proxyTarget != nil }

  /// The port of the host: that of the proxy target if it has one, or else the server's.
  public var hostPort: UInt16 { proxyTarget?.port ?? server.port }

  /// The address of the host as far as known: that of the proxy target if it is an address, or else the server's.
  public var hostAddress: IPAddress { proxyTarget.flatMap { IPAddress($0.host) } ?? server.address }

  /// The host as reports print it: `serverName`, or `hostAddress` if that is nil.
  public var host: String { serverName ?? hostAddress.description }

  /// Whether `hostAddress` is certainly the host's. If a proxy was given a name, the capture does not contain the host's address.
  public var isHostAddressKnown: Bool {
    guard let target = proxyTarget else { return true }
    return IPAddress(target.host) != nil
  }

  /// The proxy that the packets are addressed to, such as `HTTP proxy 192.0.2.1:3128`; nil if there is none.
  package var proxyText: String? {
    guard isProxied else { return nil }
    let isSOCKS = tunnel.first { $0.proxyTarget != nil }?.isSOCKS == true
    return "\(isSOCKS ? "SOCKS" : "HTTP") proxy \(server)"
  }
}
