import ByteParsing
public import Values

/// What a capture shows of one session, and, just as plainly, what it cannot show.
///
/// Facts only: nothing here says whether a thing is good. They lie in one object that is never changed, only replaced, and
/// so do parts that sessions share (offers, answers, chains, names): a session is small and cheap to pass on.
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
    /// The host that a proxy was asked for: the target of the HTTP CONNECT that opened the tunnel, or a name given to SOCKS.
    case connect
    /// The server_name extension.
    case sni
    /// The absolute request target or the Host field of a cleartext request.
    case httpHost = "http-host"
    /// No name was sent: the URL most likely held the address. Behind SOCKS it is the one that the proxy was asked for.
    case address
  }

  @usableFromInline
  var object: Object

  /// What is known from elsewhere.
  package var outside: OutsideKnowledge?

  /// The number of the capture among those of the run, which tells apart two that have one name; no part of records.
  public var captureNumber: UInt32 = 0

  /// Creates a session of which only the place is known.
  public init(
    file: String, firstFrame: UInt64, lastFrame: UInt64, start: Timestamp?, end: Timestamp?,
    transport: Transport, application: Application, client: Endpoint, server: Endpoint
  ) {
    self.init(
      Content(
        file: file, firstFrame: firstFrame, lastFrame: lastFrame, start: start, end: end,
        transport: transport,
        application: application, client: client, server: server))
  }

  /// Creates a session with all that is known of it.
  package init(
    _ content: consuming Content, facts: consuming TLSFacts.Content? = nil, outside: OutsideKnowledge? = nil
  ) {
    object = Object(content, facts)
    self.outside = outside
  }

  private mutating func change(_ body: (inout Content) -> Void) {
    var content = object.content
    body(&content)
    object = Object(content, object.hasFacts ? object.facts : nil)
  }

  /// What a session holds; its properties say what each is.
  @usableFromInline
  package struct Content: Sendable {
    @usableFromInline package var file: String
    @usableFromInline package var firstFrame: UInt64
    @usableFromInline package var lastFrame: UInt64
    @usableFromInline package var start: Timestamp?
    @usableFromInline package var end: Timestamp?
    @usableFromInline package var transport: Transport
    @usableFromInline package var application: Application
    @usableFromInline package var client: Endpoint
    @usableFromInline package var server: Endpoint
    @usableFromInline package var process: CapturedProcess?
    @usableFromInline package var serverName: String?
    @usableFromInline package var serverNameSource: NameSource?
    @usableFromInline package var tunnel: [String]
    @usableFromInline package var http: HTTPFacts?
    @usableFromInline package var quic: QUICFacts?
    @usableFromInline package var evidence: Evidence

    /// Creates the content of a session.
    package init(
      file: String, firstFrame: UInt64, lastFrame: UInt64, start: Timestamp?, end: Timestamp?,
      transport: Transport, application: Application, client: Endpoint, server: Endpoint,
      process: CapturedProcess? = nil, serverName: String? = nil, serverNameSource: NameSource? = nil,
      tunnel: [String] = [], evidence: consuming Evidence = Evidence()
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
      self.process = process
      self.serverName = serverName
      self.serverNameSource = serverNameSource
      self.tunnel = tunnel
      self.evidence = evidence
    }
  }

  /// The content of a session, which its copies share, and the facts of its handshake: one object, so that memory is asked for once.
  @usableFromInline
  final class Object: Sendable {
    @usableFromInline let content: Content

    /// The facts of the handshake; meaningful where it has one.
    @usableFromInline let facts: TLSFacts.Content
    @usableFromInline let hasFacts: Bool

    init(_ content: consuming Content, _ facts: consuming TLSFacts.Content?) {
      self.content = content
      hasFacts = facts != nil
      self.facts = facts ?? TLSFacts.Content()
    }
  }
}

extension ObservedSession.Content {
  /// That of a session of which nothing is known.
  init() {
    let nowhere = Endpoint(address: IPAddress(v4: 0), port: 0)
    self.init(
      file: "", firstFrame: 0, lastFrame: 0, start: nil, end: nil, transport: .tcp, application: .tls,
      client: nowhere,
      server: nowhere)
  }
}

extension ObservedSession {
  /// The input that holds the session, by its display name.
  public var file: String {
    @inlinable get { object.content.file }
    set { change { $0.file = newValue } }
  }

  /// The first packet that carries a byte of the session.
  public var firstFrame: UInt64 {
    @inlinable get { object.content.firstFrame }
    set { change { $0.firstFrame = newValue } }
  }

  /// The packet that settled the outcome.
  public var lastFrame: UInt64 {
    @inlinable get { object.content.lastFrame }
    set { change { $0.lastFrame = newValue } }
  }

  /// The time of `firstFrame`; nil where the capture has none.
  public var start: Timestamp? {
    @inlinable get { object.content.start }
    set { change { $0.start = newValue } }
  }

  /// The time of `lastFrame`; nil where the capture has none.
  public var end: Timestamp? {
    @inlinable get { object.content.end }
    set { change { $0.end = newValue } }
  }

  /// How the session travelled.
  public var transport: Transport {
    @inlinable get { object.content.transport }
    set { change { $0.transport = newValue } }
  }

  /// What was spoken.
  public var application: Application {
    @inlinable get { object.content.application }
    set { change { $0.application = newValue } }
  }

  /// Who opened: the sender of the ClientHello or of the request.
  public var client: Endpoint {
    @inlinable get { object.content.client }
    set { change { $0.client = newValue } }
  }

  /// Who answered.
  public var server: Endpoint {
    @inlinable get { object.content.server }
    set { change { $0.server = newValue } }
  }

  /// The program on whose behalf it was opened, as far as the capture says.
  public var process: CapturedProcess? {
    @inlinable get { object.content.process }
    set { change { $0.process = newValue } }
  }

  /// The host as the client names it in lower case, as far as it is known (policy text A.3).
  public var serverName: String? {
    @inlinable get { object.content.serverName }
    set { change { $0.serverName = newValue } }
  }

  /// Where `serverName` is known from.
  public var serverNameSource: NameSource? {
    @inlinable get { object.content.serverNameSource }
    set { change { $0.serverNameSource = newValue } }
  }

  /// What the session travelled in, from the outside to the inside, such as `vlan 12`.
  public var tunnel: [String] {
    @inlinable get { object.content.tunnel }
    set { change { $0.tunnel = newValue } }
  }

  /// The cleartext requests; nil for TLS.
  public var http: HTTPFacts? {
    @inlinable get { object.content.http }
    set { change { $0.http = newValue } }
  }

  /// What QUIC adds; nil for other transports.
  public var quic: QUICFacts? {
    @inlinable get { object.content.quic }
    set { change { $0.quic = newValue } }
  }

  /// The handshake; nil for cleartext HTTP.
  public var tls: TLSFacts? {
    @inlinable get { object.hasFacts ? TLSFacts(object) : nil }
    set { object = Object(object.content, newValue?.object.facts) }
  }

  /// What was seen of each part, and where.
  public var evidence: Evidence {
    @inlinable get { object.content.evidence }
    set { change { $0.evidence = newValue } }
  }
}

extension ObservedSession {
  /// The identities of the offer, answer and chain, 0 for what there is not; asked where they lie, without keeping them alive.
  package var identities: (offer: UInt, answer: UInt, chain: UInt) {
    guard object.hasFacts else { return (0, 0, 0) }
    return (identity(object.facts.offer), identity(object.facts.answer), identity(object.facts.chain))
  }

  /// Whether nothing else is known of the host than the address that the packets go to.
  public var isHostTheServer: Bool { serverNameSource == .address && hostAddress == server.address }
}

/// The identity of an object, 0 for none; it stands for the object only as long as someone keeps that alive.
@inline(__always)
package func identity(_ object: (some AnyObject)?) -> UInt {
  object.map { UInt(bitPattern: ObjectIdentifier($0)) } ?? 0
}
