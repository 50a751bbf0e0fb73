public import ByteParsing
public import TLSParsing

/// What the plain bytes of a TLS handshake show.
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

  /// What the client offered; nil where no ClientHello was seen.
  public var offer: ClientOffer?

  /// What the server chose; nil where no ServerHello was seen. After a HelloRetryRequest the ServerHello that follows it,
  /// or the HelloRetryRequest itself where none does.
  public var answer: ServerAnswer?

  /// The host_name of the first ClientHello as sent, as `InputText`.
  public var serverName: String?

  /// The digest of `serverName`; 0 where it was not made.
  var serverNameDigest: UInt64 = 0

  /// `random` of the first ClientHello.
  public var clientRandom = ShortBytes()

  /// `random` of the ServerHello.
  public var serverRandom = ShortBytes()

  /// `legacy_session_id_echo` of the ServerHello; without one, the client's `legacy_session_id`.
  public var sessionID = ShortBytes()

  /// Whether a HelloRetryRequest was seen.
  public var helloRetryRequest = false

  /// Whether the session was resumed; nil where it cannot be told.
  public var resumed: Bool?

  /// How it was resumed, where it was.
  public var resumption: Resumption?

  /// The ticket that the client offered, and the one that the server gave out (TLS 1.2 and older).
  var offeredTicket = TicketDigest.none
  var issuedTicket = TicketDigest.none

  /// The group of the key exchange: key_share in TLS 1.3, the named curve of ServerKeyExchange before.
  public var group: NamedGroup?

  /// The ServerKeyExchange of TLS 1.2 and older.
  public var serverKeyExchange: ServerKeyExchangeFacts?

  /// Whether the server sent a CertificateStatus (TLS 1.2 and older).
  public var ocspStapled = false

  /// The stapled OCSP response, as delivered.
  public var ocspResponse: Bytes? {
    get { rare?.facts.ocspResponse }
    set { change(newValue != nil) { $0.ocspResponse = newValue } }
  }

  /// The OCSP responses that were stapled to certificates above the leaf (TLS 1.3), by their places in the chain.
  public var issuerOCSPResponses: [Int: Bytes] {
    get { rare?.facts.issuerOCSPResponses ?? [:] }
    set { change(!newValue.isEmpty) { $0.issuerOCSPResponses = newValue } }
  }

  /// The SignedCertificateTimestampList of the ServerHello's extension, as delivered.
  public var sctList: Bytes? {
    get { rare?.facts.sctList }
    set { change(newValue != nil) { $0.sctList = newValue } }
  }

  /// Whether a CertificateRequest was seen.
  public var clientCertificateRequested = false

  /// Alerts that the client sent in the clear, in order.
  public var clientAlerts: [ObservedAlert] {
    get { rare?.facts.clientAlerts ?? [] }
    set { change(!newValue.isEmpty) { $0.clientAlerts = newValue } }
  }

  /// Alerts that the server sent in the clear, in order.
  public var serverAlerts: [ObservedAlert] {
    get { rare?.facts.serverAlerts ?? [] }
    set { change(!newValue.isEmpty) { $0.serverAlerts = newValue } }
  }

  /// Whether some of the handshake was read with secrets.
  public var isDecrypted = false

  /// The protocol that the server chose under protection (TLS 1.3); nil where that was not read.
  public var protectedALPN: String? {
    get { rare?.facts.protectedALPN }
    set { change(newValue != nil) { $0.protectedALPN = newValue } }
  }

  /// How the handshake ended.
  public var outcome = Outcome.incomplete

  /// Whether application data or Finished was seen in both directions.
  public var established = false

  /// What the server showed, leaf first; nil where no Certificate message was seen.
  public var chain: CertificateChain?

  /// What the client showed.
  public var clientChain: CertificateChain?

  /// What few handshakes show, apart from the rest: facts are made for each connection, and so own little.
  private var rare: RareFacts?

  /// Creates the facts of a handshake of which nothing has been seen.
  public init() {}

  /// Whether there are alerts in the clear, of either side.
  public var hasAlerts: Bool {
    rare.map { !$0.facts.clientAlerts.isEmpty || !$0.facts.serverAlerts.isEmpty } ?? false
  }

  private mutating func change(_ isNeeded: Bool, _ body: (inout RareFacts.Facts) -> Void) {
    guard rare != nil || isNeeded else { return }
    var facts = rare?.facts ?? RareFacts.Facts()
    body(&facts)
    rare = RareFacts(facts)
  }

  /// Facts that most handshakes do not have; never changed, only replaced.
  private final class RareFacts: Sendable {
    struct Facts {
      var ocspResponse: Bytes?
      var issuerOCSPResponses: [Int: Bytes] = [:]
      var sctList: Bytes?
      var clientAlerts: [ObservedAlert] = []
      var serverAlerts: [ObservedAlert] = []
      var protectedALPN: String?
    }

    let facts: Facts

    init(_ facts: Facts) { self.facts = facts }
  }
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
