public import Values

/// What a capture shows of one session, and, just as plainly, what it cannot show.
///
/// Facts only: nothing here says whether a thing is good. Parts that sessions share (offers, answers, chains,
/// names) are references to objects that are never changed, so that a session is small and cheap to pass on.
public struct ObservedSession: Sendable {
  /// How the session travelled.
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
    /// The target of the HTTP CONNECT that opened the tunnel.
    case connect
    /// The server_name extension.
    case sni
    /// The absolute request target or the Host field of a cleartext request.
    case httpHost = "http-host"
    /// No name was sent: the URL most likely held the address.
    case address
  }

  /// The input that holds the session, by its display name.
  public var file: String

  /// The first packet that carries a byte of the session.
  public var firstFrame: UInt64

  /// The packet that settled the outcome.
  public var lastFrame: UInt64

  /// The time of `firstFrame`; nil where the capture has none.
  public var start: Timestamp?

  /// The time of `lastFrame`; nil where the capture has none.
  public var end: Timestamp?

  /// How the session travelled.
  public var transport: Transport

  /// What was spoken.
  public var application: Application

  /// Who opened: the sender of the ClientHello or of the request.
  public var client: Endpoint

  /// Who answered.
  public var server: Endpoint

  /// The program on whose behalf it was opened, as far as the capture says.
  public var process: CapturedProcess?

  /// The host as the client names it, as far as it is known (policy text A.3).
  public var serverName: String?

  /// Where `serverName` is known from.
  public var serverNameSource: NameSource?

  /// What the session travelled in, from the outside to the inside, such as `vlan 12`.
  public var tunnel: [String]

  /// The cleartext requests; nil for TLS.
  public var http: HTTPFacts?

  /// What QUIC adds; nil for other transports.
  public var quic: QUICFacts?

  /// The handshake; nil for cleartext HTTP.
  public var tls: TLSFacts?

  /// What was seen of each part, and where.
  public var evidence: Evidence

  /// What is known from elsewhere.
  var outside: OutsideKnowledge?

  /// Creates a session of which only the place is known.
  public init(
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
    serverName = nil
    serverNameSource = nil
    tunnel = []
    evidence = Evidence()
  }

  /// Creates a session of TLS over TCP with all that is known of it.
  init(
    file: String, firstFrame: UInt64, lastFrame: UInt64, start: Timestamp?, end: Timestamp?,
    process: CapturedProcess?, client: Endpoint, server: Endpoint, serverName: String?,
    serverNameSource: NameSource?, tunnel: [String],
    tls: TLSFacts, evidence: Evidence, outside: OutsideKnowledge?
  ) {
    self.file = file
    self.firstFrame = firstFrame
    self.lastFrame = lastFrame
    self.start = start
    self.end = end
    transport = .tcp
    application = .tls
    self.process = process
    self.client = client
    self.server = server
    self.serverName = serverName
    self.serverNameSource = serverNameSource
    self.tunnel = tunnel
    self.tls = tls
    self.evidence = evidence
    self.outside = outside
  }
}
