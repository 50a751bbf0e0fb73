package import SessionModel
package import Values

/// The layers that a connection passed through before its present protocol, such as a proxy, or a protocol that was upgraded to TLS.
///
/// A class: few connections have any of it, and the others should not reserve memory for it.
package final class Preamble {
  /// One layer.
  package enum Layer {
    /// A SOCKS proxy.
    case socks(SOCKSNegotiation)
    /// A header of the PROXY protocol, in this version.
    case proxyProtocol(Int)
    /// The tunnel that an HTTP proxy opened.
    case httpConnect(HTTPConversation)
    /// A protocol in the clear, which changed to TLS.
    case startTLS(ForeignProtocol)
    /// An FTP control connection, in the clear, that announced this one for data.
    case ftpData(FTPControlEnds)
    /// Cleartext HTTP, which changed to TLS.
    case httpUpgrade(HTTPConversation)
  }

  /// From the outside to the inside.
  package private(set) var layers: [Layer] = []

  /// The present cleartext dialogue, up to a hello.
  package var dialogue: CleartextDialogue?

  /// The present negotiation with a SOCKS proxy.
  package var socks: SOCKSNegotiation?

  /// More layers than anyone uses.
  private static let maximumLayerCount = 8

  /// Adds the innermost layer; returns false if there are too many.
  package func append(_ layer: Layer) -> Bool {
    guard layers.count < Preamble.maximumLayerCount else { return false }
    layers.append(layer)
    return true
  }

  /// Bytes that are kept of the cleartext HTTP among it.
  package var heldBytes: Int {
    layers.reduce(0) { count, layer in
      switch layer {
      case .httpConnect(let http), .httpUpgrade(let http): count + http.heldBytes
      case .socks, .proxyProtocol, .startTLS, .ftpData: count
      }
    }
  }

  /// Whether a header of the PROXY protocol was passed: one after another says nothing more.
  package var hasProxyHeader: Bool {
    layers.contains { if case .proxyProtocol = $0 { true } else { false } }
  }

  /// Whether a protocol changed to TLS.
  package var hasStartTLS: Bool {
    layers.contains { layer in
      switch layer {
      case .startTLS, .httpUpgrade: true
      case .socks, .proxyProtocol, .httpConnect, .ftpData: false
      }
    }
  }

  /// Whether the control connection of FTP changed to TLS last.
  package var isFTPControl: Bool {
    guard case .startTLS(let form) = layers.last else { return false }
    return form == .ftp || form == .smtpOrFTP
  }

  /// The FTP control connection that announced this one for data; nil where none did.
  package var ftpControl: FTPControlEnds? {
    for case .ftpData(let control) in layers { return control }
    return nil
  }

  /// Whether a CONNECT was taken for answered without its answer.
  package var lacksConnectAnswer: Bool {
    layers.contains { if case .httpConnect(let http) = $0 { http.assumedTunnelOpened } else { false } }
  }

  /// The conversations of cleartext HTTP that led to something else, each with its place among the layers.
  package var httpConversations: [(http: HTTPConversation, place: Int)] {
    layers.enumerated().compactMap { place, layer in
      switch layer {
      case .httpConnect(let http), .httpUpgrade(let http): (http, place)
      case .socks, .proxyProtocol, .startTLS, .ftpData: nil
      }
    }
  }

  /// The layers before `end`, as a session's `tunnel` names them; `port` is the server's.
  package func texts(before end: Int? = nil, port: UInt16) -> [String] {
    layers.prefix(end ?? layers.count).map { layer in
      switch layer {
      case .socks(let socks): socks.text
      case .proxyProtocol(let version): "proxy-protocol \(version)"
      case .httpConnect(let http): "http-connect \(http.tunnelTarget ?? "")"
      case .startTLS(let spoken): spoken.tunnel(port: port)
      case .ftpData: ObservedSession.ftpDataTunnel
      case .httpUpgrade: "starttls http"
      }
    }
  }

  /// The target requested from a proxy.
  package enum Asked {
    /// A host, as the client knows it.
    case host(String)
    /// An address. Clients often resolve the name themselves: the hello may contain it.
    case address(IPAddress, NameSource)

    package typealias NameSource = ObservedSession.NameSource
  }

  /// The target requested from the innermost proxy; nil for none.
  package var asked: Asked? {
    for layer in layers.reversed() {
      switch layer {
      case .httpConnect(let http):
        return http.tunnelHost.map { host in
          IPAddress(host).map { .address($0, .connect) } ?? .host(host)
        }
      case .socks(let socks):
        guard let target = socks.target else { continue }
        return IPAddress(target.host).map { .address($0, .address) } ?? .host(target.host)
      case .proxyProtocol, .startTLS, .ftpData, .httpUpgrade: continue
      }
    }
    return nil
  }

  /// Creates an empty preamble.
  package init() {}
}
