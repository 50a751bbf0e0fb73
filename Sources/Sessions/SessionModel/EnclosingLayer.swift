/// A layer around a session: a tag or tunnel of its packets, a proxy, or a protocol that changed to TLS.
public struct EnclosingLayer: Hashable, Sendable {
  /// The layer as in records, such as `vlan 12`, `http-connect www.example.com:443` or `starttls smtp`.
  public let text: String

  /// Creates a layer from its text in a record.
  package init(_ text: String) { self.text = text }

  /// FTP data: the layer of its data connections.
  package static let ftpData = EnclosingLayer("ftp-data")

  /// An FTP control connection that changed to TLS.
  package static let ftpControl = startTLS("ftp")

  /// A protocol that is not known, but was captured from its beginning and changed to TLS.
  package static let unknownProtocol = startTLS("unknown")

  /// A protocol that changed to TLS by a command such as STARTTLS; `name` is in lower case.
  package static func startTLS(_ name: String) -> EnclosingLayer { EnclosingLayer(startTLSPrefix + name) }

  private static let startTLSPrefix = "starttls "

  /// The prefixes of proxies that a client gives a target.
  private static let proxyPrefixes = ["http-connect ", "http-proxy ", "socks 5 ", "socks 4 ", "socks 4a "]

  /// The protocol that changed to TLS, in lower case, such as `smtp`; nil for other layers.
  public var startTLSProtocol: String? { rest(after: EnclosingLayer.startTLSPrefix).map { String($0) } }

  /// The host and port that the client requested from a proxy; nil for other layers.
  public var proxyTarget: ObservedSession.ProxyTarget? {
    for prefix in EnclosingLayer.proxyPrefixes {
      if let authority = rest(after: prefix) { return ObservedSession.ProxyTarget(authority: authority) }
    }
    return nil
  }

  /// Whether this is a SOCKS proxy.
  package var isSOCKS: Bool { text.hasPrefix("socks ") }

  private func rest(after prefix: String) -> Substring? {
    text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : nil
  }
}
