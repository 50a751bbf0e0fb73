public import ByteParsing
public import TLSParsing

/// What a capture shows of one TLS handshake: its cleartext, and what secrets decrypted.
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
  public package(set) var offer: Shared<ClientOffer>?

  /// What the server chose; nil where no ServerHello was seen. After a HelloRetryRequest the ServerHello that follows it,
  /// or the HelloRetryRequest itself where none does.
  public package(set) var serverHello: Shared<ServerHelloFacts>?

  /// The host_name of the first ClientHello as sent, as `InputText`.
  public package(set) var serverName: String?

  /// `random` of the first ClientHello: 32 bytes, of SSL 2.0 16 to 32; empty where it was not seen.
  package var clientRandom = ShortBytes()

  /// `random` of the ServerHello: 32 bytes; empty where it was not seen.
  package var serverRandom = ShortBytes()

  /// `legacy_session_id_echo` of the ServerHello; without one, the client's `legacy_session_id`. At most 32 bytes.
  package var sessionID = ShortBytes()

  /// `legacy_session_id` of the first ClientHello. At most 32 bytes.
  package var offeredSessionID = ShortBytes()

  /// Whether a HelloRetryRequest was seen.
  public package(set) var helloRetryRequest = false

  /// Whether the session was resumed; nil where the capture does not show it.
  public package(set) var resumed: Bool?

  /// How it was resumed, where it was.
  public package(set) var resumption: Resumption?

  /// The group of the key exchange: key_share in TLS 1.3, the named curve of ServerKeyExchange before.
  public package(set) var group: NamedGroup?

  /// The ServerKeyExchange of TLS 1.2 and older.
  public package(set) var serverKeyExchange: ServerKeyExchangeFacts?

  /// The verification of the server's signature over the handshake; nil if it signed nothing, or if what it signed is not all in
  /// the capture.
  public package(set) var handshakeSignature: HandshakeSignature?

  /// Whether the server sent a CertificateStatus (TLS 1.2 and older).
  public package(set) var ocspStapled = false

  /// Whether a CertificateRequest was seen.
  public package(set) var clientCertificateRequested = false

  /// Whether the server's flight was read up to its end, and no CertificateRequest was in it (TLS 1.2 and older).
  package var forgoesClientCertificate = false

  /// Whether some of the handshake was read with secrets.
  public package(set) var isDecrypted = false

  /// How the handshake ended.
  public package(set) var outcome = Outcome.incomplete

  /// Whether application data or Finished was observed in both directions.
  public var established: Bool { outcome == .established }

  /// What the server showed, leaf first; nil where no Certificate message was seen.
  public package(set) var chain: CertificateChain?

  /// What the client showed.
  public package(set) var clientChain: CertificateChain?

  /// The stapled OCSP response, as delivered.
  public package(set) var ocspResponse: Bytes?

  /// The OCSP responses that were stapled to certificates above the leaf (TLS 1.3), by their indices in the chain.
  public package(set) var issuerOCSPResponses: [Int: Bytes] = [:]

  /// The SignedCertificateTimestampList of the ServerHello's extension, as delivered.
  public package(set) var sctList: Bytes?

  /// Alerts that the client sent in the clear, in order.
  public package(set) var clientAlerts: [ObservedAlert] = []

  /// Alerts that the server sent in the clear, in order.
  public package(set) var serverAlerts: [ObservedAlert] = []

  /// The protocol that the server chose under protection (TLS 1.3); nil where that was not read.
  public package(set) var protectedALPN: String?

  /// `random` of the inner ClientHello, by which the key log names the secrets where the server accepted Encrypted ClientHello; nil where
  /// it is not known that it did.
  package var innerRandom: ShortBytes?

  /// What the capture shows of the outer hello, where the inner one was decrypted and accepted: `offer` and `serverName` are then
  /// those of the inner hello.
  public package(set) var outerHello: OuterHello?

  /// The digest of `serverName`; 0 where it was not made.
  package var serverNameDigest: UInt64 = 0

  /// The ticket that the client offered, up to TLS 1.2: 16 bytes of its SHA-256; empty for none.
  package var offeredTicket = ShortBytes()

  /// The ticket that the server issued in the clear, up to TLS 1.2: 16 bytes of its SHA-256; empty for none.
  package var issuedTicket = ShortBytes()

  /// Creates the facts of a handshake of which nothing has been seen.
  package init() {}

  /// Whether the server accepted Encrypted ClientHello: the hello that the capture shows is not the one that counts.
  public var isEncryptedClientHelloAccepted: Bool { innerRandom != nil }

  /// Whether the server accepted an inner hello that was not decrypted: `offer` and `serverName` are those of the outer hello.
  public var isInnerHelloHidden: Bool { innerRandom != nil && outerHello == nil }
}

/// An outer ClientHello whose inner one is in the facts.
public struct OuterHello: Hashable, Sendable {
  /// The host_name, which is the public name of the server that decrypts; as `InputText`.
  public package(set) var serverName: String?

  /// Creates what is known of an outer hello.
  package init(serverName: String?) { self.serverName = serverName }
}

/// An alert in the clear.
public struct ObservedAlert: Hashable, Sendable {
  /// 1 warning, 2 fatal.
  public package(set) var level: UInt8

  /// What it says.
  public package(set) var description: AlertDescription

  /// The packet that carries it.
  public package(set) var frame: UInt64

  /// Creates an alert.
  package init(level: UInt8, description: AlertDescription, frame: UInt64) {
    self.level = level
    self.description = description
    self.frame = frame
  }
}

/// What a ServerKeyExchange shows.
public struct ServerKeyExchangeFacts: Hashable, Sendable {
  /// Size of the ephemeral key: bits of the DH prime, or of the curve's field; nil where it is not known.
  public package(set) var bits: Int?

  /// The named curve of ECDHE.
  public package(set) var group: NamedGroup?

  /// The signature's scheme (TLS 1.2); nil before and for anonymous exchanges.
  public package(set) var signatureScheme: SignatureScheme?

  /// Creates the facts.
  package init(bits: Int?, group: NamedGroup?, signatureScheme: SignatureScheme?) {
    self.bits = bits
    self.group = group
    self.signatureScheme = signatureScheme
  }
}
