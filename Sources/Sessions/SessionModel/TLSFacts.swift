public import ByteParsing
public import TLSParsing

/// What the plain bytes of a TLS handshake show.
///
/// The facts lie in one object that is never changed, only replaced: they are handed from stage to stage with their session,
/// and a copy of them costs one reference.
public struct TLSFacts: Sendable {
  /// How a handshake ended.
  public enum Outcome: String, Sendable {
    /// Application data or Finished was seen in both directions.
    case established
    /// The client ended it with an alert.
    case refusedByClient
    /// The server ended it with an alert.
    case refusedByServer
    /// A RST ended it.
    case reset
    /// The capture does not show how it ended.
    case incomplete
  }

  /// The means by which an earlier session was resumed.
  public enum Resumption: String, Sendable {
    /// The server repeated the client's session ID (TLS 1.2 and older).
    case sessionID
    /// The client sent a ticket (RFC 5077).
    case ticket
    /// A pre-shared key was selected (TLS 1.3).
    case psk
  }

  /// The object of the session that they belong to; of none as yet, that of a session of which nothing else is known.
  @usableFromInline
  var object: ObservedSession.Object

  @inlinable
  init(_ object: ObservedSession.Object) { self.object = object }

  /// Creates the facts of a handshake of which nothing has been seen.
  public init() { self.init(Content()) }

  /// Creates facts that have been gathered.
  package init(_ content: consuming Content) {
    object = ObservedSession.Object(ObservedSession.Content(), content)
  }

  private mutating func change(_ body: (inout Content) -> Void) {
    var content = object.facts
    body(&content)
    self = TLSFacts(content)
  }
}

extension TLSFacts {
  /// What the client offered; nil where no ClientHello was seen.
  public var offer: ClientOffer? {
    @inlinable get { object.facts.offer }
    set { change { $0.offer = newValue } }
  }

  /// What the server chose; nil where no ServerHello was seen. After a HelloRetryRequest the ServerHello that follows it,
  /// or the HelloRetryRequest itself where none does.
  public var answer: ServerAnswer? {
    @inlinable get { object.facts.answer }
    set { change { $0.answer = newValue } }
  }

  /// The host_name of the first ClientHello as sent, as `InputText`.
  public var serverName: String? {
    @inlinable get { object.facts.serverName }
    set { change { $0.serverName = newValue } }
  }

  /// `random` of the first ClientHello.
  public var clientRandom: ShortBytes {
    @inlinable get { object.facts.clientRandom }
    set { change { $0.clientRandom = newValue } }
  }

  /// `random` of the ServerHello.
  public var serverRandom: ShortBytes {
    @inlinable get { object.facts.serverRandom }
    set { change { $0.serverRandom = newValue } }
  }

  /// `legacy_session_id_echo` of the ServerHello; without one, the client's `legacy_session_id`.
  public var sessionID: ShortBytes {
    @inlinable get { object.facts.sessionID }
    set { change { $0.sessionID = newValue } }
  }

  /// `legacy_session_id` of the first ClientHello.
  public var offeredSessionID: ShortBytes {
    @inlinable get { object.facts.offeredSessionID }
    set { change { $0.offeredSessionID = newValue } }
  }

  /// Whether a HelloRetryRequest was seen.
  public var helloRetryRequest: Bool {
    @inlinable get { object.facts.helloRetryRequest }
    set { change { $0.helloRetryRequest = newValue } }
  }

  /// Whether the session was resumed; nil where it cannot be told.
  public var resumed: Bool? {
    @inlinable get { object.facts.resumed }
    set { change { $0.resumed = newValue } }
  }

  /// How it was resumed, where it was.
  public var resumption: Resumption? {
    @inlinable get { object.facts.resumption }
    set { change { $0.resumption = newValue } }
  }

  /// The group of the key exchange: key_share in TLS 1.3, the named curve of ServerKeyExchange before.
  public var group: NamedGroup? {
    @inlinable get { object.facts.group }
    set { change { $0.group = newValue } }
  }

  /// The ServerKeyExchange of TLS 1.2 and older.
  public var serverKeyExchange: ServerKeyExchangeFacts? {
    @inlinable get { object.facts.serverKeyExchange }
    set { change { $0.serverKeyExchange = newValue } }
  }

  /// Whether the server signed the handshake with the key of its leaf; nil where it signed nothing, or what it signed is not all in the
  /// capture.
  public var handshakeSignature: HandshakeSignature? {
    @inlinable get { object.facts.handshakeSignature }
    set { change { $0.handshakeSignature = newValue } }
  }

  /// Whether the server sent a CertificateStatus (TLS 1.2 and older).
  public var ocspStapled: Bool {
    @inlinable get { object.facts.ocspStapled }
    set { change { $0.ocspStapled = newValue } }
  }

  /// Whether a CertificateRequest was seen.
  public var clientCertificateRequested: Bool {
    @inlinable get { object.facts.clientCertificateRequested }
    set { change { $0.clientCertificateRequested = newValue } }
  }

  /// Whether the server's flight was read up to its end, and no CertificateRequest was in it (TLS 1.2 and older).
  package var forgoesClientCertificate: Bool {
    get { object.facts.forgoesClientCertificate }
    set { change { $0.forgoesClientCertificate = newValue } }
  }

  /// Whether some of the handshake was read with secrets.
  public var isDecrypted: Bool {
    @inlinable get { object.facts.isDecrypted }
    set { change { $0.isDecrypted = newValue } }
  }

  /// How the handshake ended.
  public var outcome: Outcome {
    @inlinable get { object.facts.outcome }
    set { change { $0.outcome = newValue } }
  }

  /// Whether application data or Finished was seen in both directions.
  public var established: Bool {
    @inlinable get { object.facts.established }
    set { change { $0.established = newValue } }
  }

  /// What the server showed, leaf first; nil where no Certificate message was seen.
  public var chain: CertificateChain? {
    @inlinable get { object.facts.chain }
    set { change { $0.chain = newValue } }
  }

  /// What the client showed.
  public var clientChain: CertificateChain? {
    @inlinable get { object.facts.clientChain }
    set { change { $0.clientChain = newValue } }
  }

  /// The stapled OCSP response, as delivered.
  public var ocspResponse: Bytes? {
    @inlinable get { object.facts.ocspResponse }
    set { change { $0.ocspResponse = newValue } }
  }

  /// The OCSP responses that were stapled to certificates above the leaf (TLS 1.3), by their places in the chain.
  public var issuerOCSPResponses: [Int: Bytes] {
    @inlinable get { object.facts.issuerOCSPResponses }
    set { change { $0.issuerOCSPResponses = newValue } }
  }

  /// Whether there are such responses.
  public var hasIssuerOCSPResponses: Bool {
    @inlinable get { object.facts.hasIssuerOCSPResponses }
  }

  /// The SignedCertificateTimestampList of the ServerHello's extension, as delivered.
  public var sctList: Bytes? {
    @inlinable get { object.facts.sctList }
    set { change { $0.sctList = newValue } }
  }

  /// Alerts that the client sent in the clear, in order.
  public var clientAlerts: [ObservedAlert] {
    @inlinable get { object.facts.clientAlerts }
    set { change { $0.clientAlerts = newValue } }
  }

  /// Alerts that the server sent in the clear, in order.
  public var serverAlerts: [ObservedAlert] {
    @inlinable get { object.facts.serverAlerts }
    set { change { $0.serverAlerts = newValue } }
  }

  /// The protocol that the server chose under protection (TLS 1.3); nil where that was not read.
  public var protectedALPN: String? {
    @inlinable get { object.facts.protectedALPN }
    set { change { $0.protectedALPN = newValue } }
  }

  /// `random` of the inner ClientHello, by which the key log names the secrets where the server accepted Encrypted ClientHello; nil where
  /// it is not known that it did.
  public var innerRandom: ShortBytes? {
    @inlinable get { object.facts.innerRandom }
    set { change { $0.innerRandom = newValue } }
  }

  /// Whether the server accepted Encrypted ClientHello: the hello that the capture shows is not the one that counts.
  @inlinable
  public var isEncryptedClientHelloAccepted: Bool { innerRandom != nil }

  /// What the capture shows of the outer hello, where the inner one was decrypted and accepted: `offer` and `serverName` are then
  /// those of the inner hello.
  public var outerHello: OuterHello? {
    @inlinable get { object.facts.outerHello }
    set { change { $0.outerHello = newValue } }
  }

  /// Whether the server accepted an inner hello that was not decrypted: `offer` and `serverName` are those of the outer hello.
  @inlinable
  public var isInnerHelloHidden: Bool { innerRandom != nil && outerHello == nil }

  /// Whether there are alerts in the clear, of either side.
  @inlinable
  public var hasAlerts: Bool { object.facts.hasAlerts }

  /// The digest of `serverName`; 0 where it was not made.
  var serverNameDigest: UInt64 { object.facts.serverNameDigest }

  /// The ticket that the client offered, up to TLS 1.2: 16 bytes of its SHA-256; empty for none.
  package var offeredTicket: ShortBytes {
    get { object.facts.offeredTicket }
    set { change { $0.offeredTicket = newValue } }
  }

  /// The ticket that the server issued in the clear, up to TLS 1.2, in the same form.
  package var issuedTicket: ShortBytes {
    get { object.facts.issuedTicket }
    set { change { $0.issuedTicket = newValue } }
  }
}

/// An outer ClientHello whose inner one is in the facts.
public struct OuterHello: Hashable, Sendable {
  /// The host_name, which is the public name of the server that decrypts; as `InputText`.
  public var serverName: String?

  /// Creates what is known of an outer hello.
  public init(serverName: String?) { self.serverName = serverName }
}

/// An alert in the clear.
public struct ObservedAlert: Hashable, Sendable {
  /// 1 warning, 2 fatal.
  public var level: UInt8

  /// What it says.
  public var description: AlertDescription

  /// The packet that carries it.
  public var frame: UInt64

  /// Creates an alert.
  public init(level: UInt8, description: AlertDescription, frame: UInt64) {
    self.level = level
    self.description = description
    self.frame = frame
  }
}

/// What a ServerKeyExchange shows.
public struct ServerKeyExchangeFacts: Hashable, Sendable {
  /// Size of the ephemeral key: bits of the DH prime, or of the curve's field; nil where it is not known.
  public var bits: Int?

  /// The named curve of ECDHE.
  public var group: NamedGroup?

  /// The signature's scheme (TLS 1.2); nil before and for anonymous exchanges.
  public var signatureScheme: SignatureScheme?

  /// Creates the facts.
  public init(bits: Int?, group: NamedGroup?, signatureScheme: SignatureScheme?) {
    self.bits = bits
    self.group = group
    self.signatureScheme = signatureScheme
  }
}
