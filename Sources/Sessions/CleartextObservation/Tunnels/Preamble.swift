package import SessionModel
package import Values

/// The layers that a connection passed through before its current protocol, such as a proxy, or a protocol that was upgraded to TLS.
///
/// A class: few connections have any, and the others should not reserve memory for it.
package final class Preamble {
  /// One layer.
  package enum Layer {
    /// A SOCKS proxy.
    case socks(SOCKSNegotiation)
    /// A PROXY protocol header of this version.
    case proxyProtocol(Int)
    /// A tunnel that an HTTP proxy opened.
    case httpConnect(HTTPConversation)
    /// A cleartext protocol that changed to TLS; with the server's reply if the client continued before it.
    case startTLS(ForeignProtocol, UpgradeReply?)
    /// A cleartext FTP control connection that announced this data connection.
    case ftpData(FTPControlEndpoints)
    /// Cleartext HTTP that changed to TLS.
    case httpUpgrade(HTTPConversation)
  }

  /// The layers, outermost first.
  package private(set) var layers: [Layer] = []

  /// The current cleartext dialogue, up to a hello.
  package var dialogue: CleartextDialogue?

  /// The current negotiation with a SOCKS proxy.
  package var socks: SOCKSNegotiation?

  /// The maximum number of layers, more than are used in practice.
  private static let maximumLayerCount = 8

  /// Adds the innermost layer; returns false if there are too many.
  package func append(_ layer: Layer) -> Bool {
    guard layers.count < Preamble.maximumLayerCount else { return false }
    layers.append(layer)
    return true
  }

  /// The memory that cleartext HTTP among the layers takes, in bytes.
  package var heldBytes: Int {
    layers.reduce(0) { count, layer in
      switch layer {
      case .httpConnect(let http), .httpUpgrade(let http): count + http.heldBytes
      case .socks, .proxyProtocol, .startTLS, .ftpData: count
      }
    }
  }

  /// Whether the capture lacks what a client requested from a proxy.
  package var lacksTarget: Bool {
    layers.contains { if case .socks(let socks) = $0 { socks.target == nil } else { false } }
  }

  package var hasStartTLS: Bool {
    layers.contains { layer in
      switch layer {
      case .startTLS, .httpUpgrade: true
      case .socks, .proxyProtocol, .httpConnect, .ftpData: false
      }
    }
  }

  /// Whether the innermost layer is an FTP control connection that changed to TLS.
  package var isFTPControl: Bool {
    guard case .startTLS(let foreignProtocol, _) = layers.last else { return false }
    return foreignProtocol == .ftp || foreignProtocol == .smtpOrFTP
  }

  /// Whether the innermost layer is that of a proxy, so that the next bytes are the first ones between client and server.
  package var endsWithTunnel: Bool {
    guard dialogue == nil, socks == nil, layers.count < Preamble.maximumLayerCount else { return false }
    switch layers.last {
    case .socks?, .proxyProtocol?, .httpConnect?: return true
    case .startTLS?, .ftpData?, .httpUpgrade?, nil: return false
    }
  }

  /// The FTP control connection that announced this data connection; nil if none did.
  package var ftpControl: FTPControlEndpoints? {
    for case .ftpData(let control) in layers { return control }
    return nil
  }

  /// Whether a CONNECT was assumed to be accepted without a response.
  package var lacksConnectResponse: Bool {
    layers.contains { if case .httpConnect(let http) = $0 { http.assumedTunnelOpened } else { false } }
  }

  /// Whether a proxy refused a CONNECT after its client had continued.
  package var isTunnelRefused: Bool {
    layers.contains { if case .httpConnect(let http) = $0 { http.isTunnelRefused } else { false } }
  }

  /// The outermost layer whose proxy has not replied although its client has continued, and the direction of the reply; nil if there is
  /// none.
  package var awaited: (layer: Layer, direction: Direction)? {
    for layer in layers {
      switch layer {
      case .socks(let socks) where socks.awaitsReply: return (layer, socks.clientDirection.opposite)
      case .httpConnect(let http) where http.awaitsReply: return (layer, http.clientDirection.opposite)
      case .startTLS(_, let reply?) where reply.awaitsReply: return (layer, reply.direction)
      case .socks, .proxyProtocol, .httpConnect, .startTLS, .ftpData, .httpUpgrade: continue
      }
    }
    return nil
  }

  /// The cleartext HTTP conversations that led to another protocol, each with its index among the layers.
  package var httpConversations: [(http: HTTPConversation, layerIndex: Int)] {
    layers.enumerated().compactMap { layerIndex, layer in
      switch layer {
      case .httpConnect(let http), .httpUpgrade(let http): (http, layerIndex)
      case .socks, .proxyProtocol, .startTLS, .ftpData: nil
      }
    }
  }

  /// The layers before index `end` as those of a session; `port` is the server's.
  package func tunnel(before end: Int? = nil, port: UInt16) -> [EnclosingLayer] {
    layers.prefix(end ?? layers.count).map { layer in
      switch layer {
      case .socks(let socks): socks.tunnel
      case .proxyProtocol(let version): EnclosingLayer("proxy-protocol \(version)")
      case .httpConnect(let http): EnclosingLayer("http-connect \(http.tunnelTarget ?? "")")
      case .startTLS(let foreignProtocol, _): foreignProtocol.tunnel(port: port)
      case .ftpData: .ftpData
      case .httpUpgrade: .startTLS("http")
      }
    }
  }

  /// The target requested from a proxy.
  package enum Asked {
    /// A host, as the client names it.
    case host(String)
    /// An address. Clients often resolve the name themselves, so the hello may still contain it.
    case address(IPAddress)

    fileprivate init(_ host: String) { self = IPAddress(host).map { .address($0) } ?? .host(host) }
  }

  /// The target requested from the innermost proxy; nil if there is none.
  package var asked: Asked? {
    for layer in layers.reversed() {
      switch layer {
      case .httpConnect(let http):
        return http.tunnelHost.map { Asked($0) }
      case .socks(let socks):
        guard let target = socks.target else { continue }
        return Asked(target.host)
      case .proxyProtocol, .startTLS, .ftpData, .httpUpgrade: continue
      }
    }
    return nil
  }

  package init() {}
}
