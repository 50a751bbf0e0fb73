public import Values

/// What a capture shows of one session.
///
/// Facts only: nothing here evaluates them.
public struct ObservedSession: Sendable {
  /// How the session traveled.
  public enum Transport: String, Sendable {
    /// A TCP connection.
    case tcp
    /// Datagrams (DTLS).
    case udp
    /// QUIC.
    case quic
  }

  /// What was spoken.
  public enum Application: String, Sendable {
    /// TLS, any version of SSL included.
    case tls
    /// HTTP in the clear.
    case http
    /// DTLS.
    case dtls
  }

  /// Where the name of the server is known from (policy text A.3).
  public enum NameSource: String, Sendable {
    /// The host that a proxy was asked for: the target of the HTTP CONNECT that opened the tunnel, or a name given to SOCKS.
    case connect
    /// The server_name extension.
    case sni
    /// The absolute request target or the Host field of a cleartext request.
    case httpHost = "http-host"
    /// No name was sent: the URL most likely held the address. After SOCKS it is the one that the proxy was asked for.
    case address
  }

  /// The input that holds the session, by its display name.
  public package(set) var file: String

  /// The first packet that carries a byte of the session.
  public package(set) var firstFrame: UInt64

  /// The packet that settled the outcome.
  public package(set) var lastFrame: UInt64

  /// The time of `firstFrame`; nil where the capture has none.
  public package(set) var start: Timestamp?

  /// The time of `lastFrame`; nil where the capture has none.
  public package(set) var end: Timestamp?

  /// How the session traveled.
  public package(set) var transport: Transport

  /// What was spoken.
  public package(set) var application: Application

  /// The sender of the ClientHello or of the request.
  public package(set) var client: Endpoint

  /// The receiver of the ClientHello or of the request.
  public package(set) var server: Endpoint

  /// The program on whose behalf it was opened, as far as the capture shows.
  public package(set) var process: CapturedProcess?

  /// The host as the client names it in lower case, as far as it is known (policy text A.3).
  public package(set) var serverName: String?

  /// Where `serverName` is known from.
  public package(set) var serverNameSource: NameSource?

  /// What the session traveled in, from the outside to the inside, such as `vlan 12`.
  public package(set) var tunnel: [String] = []

  /// The cleartext requests; nil for TLS.
  public package(set) var http: HTTPFacts?

  /// What QUIC adds; nil for other transports.
  public package(set) var quic: QUICFacts?

  /// The handshake; nil for cleartext HTTP.
  public package(set) var tls: Shared<TLSFacts>?

  /// What was seen of each part, and where.
  public package(set) var evidence = Evidence()

  /// The number of the capture among those of the run, which distinguishes two that have one name; not part of records.
  package var captureNumber: UInt32 = 0

  /// The record name of the session whose certificates this one goes back to; nil where it is not known.
  public package(set) var resumedFrom: String?

  /// The capture that holds the session of `resumedFrom`, by its display name; nil where it is this session's own.
  public package(set) var resumedFromCapture: String?

  /// Certificates that rules evaluate in place of those of the session.
  public package(set) var assumedChain: Shared<AssumedChain>?

  /// Names that the capture gives to the host's address.
  public package(set) var nameHints: [NameHint] = []

  /// The files that hold the session's packets, in their order; empty where its capture is one file.
  package var parts: [CapturePart] = []

  /// The record name of the session on the control connection of FTP whose data connection this is; nil where it is not known.
  public package(set) var controlSession: String?

  /// The control connection of FTP that announced this one in the clear; nil where none did, and in saved sessions.
  package var controlEnds: Shared<FTPControlEnds>?

  /// Creates a session of which only the endpoints and the extent are known.
  package init(
    file: String, firstFrame: UInt64, lastFrame: UInt64, start: Timestamp?, end: Timestamp?,
    transport: Transport, application: Application, client: Endpoint, server: Endpoint
  ) {
    self.file = file
    self.firstFrame = firstFrame
    self.lastFrame = lastFrame
    self.start = start
    self.end = end
    self.transport = transport
    self.application = application
    self.client = client
    self.server = server
  }
}

extension ObservedSession {
  /// Whether nothing else is known of the host than the address that the packets go to.
  public var isHostTheServer: Bool { serverNameSource == .address && hostAddress == server.address }

  /// What `tunnel` holds of a control connection of FTP that changed to TLS.
  package static let ftpControlTunnel = "starttls ftp"

  /// What `tunnel` holds of a data connection of FTP.
  package static let ftpDataTunnel = "ftp-data"

  /// Whether it is a data connection of FTP: announced on the control connection in the clear, or linked to that by resumption.
  public var isFTPData: Bool { !tunnel.isEmpty && tunnel.contains(ObservedSession.ftpDataTunnel) }

  /// The file that holds a packet of the session, and the packet's number in it.
  public func location(of frame: UInt64) -> (file: String, frame: UInt64) {
    guard let part = parts.last(where: { $0.framesBefore < frame }) else { return (file, frame) }
    return (part.file, frame - part.framesBefore)
  }
}
