public import ByteParsing
public import TLSParsing

/// The facts that a capture contains about one TLS handshake: its cleartext, and what secrets decrypted.
public struct TLSFacts: Sendable {
  /// The outcome of a handshake, as in records; ``ObservedSession/ending`` also states why.
  package enum Outcome: String, Sendable {
    /// Application data or Finished was captured in both directions.
    case established
    /// The client ended it with an alert.
    case refusedByClient
    /// The server ended it with an alert.
    case refusedByServer
    /// A RST ended it.
    case reset
    /// The capture does not contain the end.
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

  /// The box of ``offer``, which sessions with equal hellos share.
  package var sharedOffer: Shared<ClientOffer>?

  /// The box of ``serverHello``, which sessions with equal hellos share.
  package var sharedServerHello: Shared<ServerHelloFacts>?

  /// The contents of the ClientHello; nil if none was captured.
  public var offer: ClientOffer? { sharedOffer?.value }

  /// The contents of the ServerHello; nil if none was captured. After a HelloRetryRequest, it is the following ServerHello, or the
  /// HelloRetryRequest itself if none follows.
  public var serverHello: ServerHelloFacts? { sharedServerHello?.value }

  /// The `host_name` of the first ClientHello as sent; nil if there is none. A byte 0xNN that is not valid UTF-8 is U+10FFNN.
  public package(set) var serverName: String?

  /// `random` of the first ClientHello: 32 bytes, with leading zeros for the shorter challenge of SSL 2.0; empty if not captured.
  package var clientRandom = ShortBytes()

  /// `random` of the ServerHello: 32 bytes; empty if not captured.
  package var serverRandom = ShortBytes()

  /// `legacy_session_id_echo` of the ServerHello, or else the client's `legacy_session_id`. At most 32 bytes.
  package var sessionID = ShortBytes()

  /// `legacy_session_id` of the first ClientHello. At most 32 bytes.
  package var offeredSessionID = ShortBytes()

  /// Whether a HelloRetryRequest was sent.
  public package(set) var hasHelloRetryRequest = false

  /// Whether the session was resumed; nil if the capture does not show it.
  public package(set) var isResumed: Bool?

  /// The means of resumption; nil if the session was not resumed, or the means is unknown.
  public package(set) var resumption: Resumption?

  /// The group of the key exchange: from `key_share` in TLS 1.3, the named curve of ServerKeyExchange before. Nil if unknown.
  public package(set) var group: NamedGroup?

  /// The ServerKeyExchange of TLS 1.2 and older; nil if none was read.
  public package(set) var serverKeyExchange: ServerKeyExchangeFacts?

  /// The verification of the server's signature over the handshake; nil if it signed nothing, or if the capture lacks part of what it
  /// signed.
  public package(set) var handshakeSignature: HandshakeSignature?

  /// Whether the server sent a CertificateStatus (TLS 1.2 and older).
  public package(set) var hasStapledOCSPResponse = false

  /// Whether a CertificateRequest was seen.
  public package(set) var isClientCertificateRequested = false

  /// Whether the server's flight was read to its end and contains no CertificateRequest (TLS 1.2 and older).
  package var forgoesClientCertificate = false

  /// Whether part of the handshake was decrypted.
  public package(set) var isDecrypted = false

  /// The outcome of the handshake.
  package var outcome = Outcome.incomplete

  /// Whether application data or Finished was captured in both directions.
  package var isEstablished: Bool { outcome == .established }

  /// The server's certificates, leaf first; nil if no Certificate message was captured.
  public package(set) var chain: CertificateChain?

  /// The client's certificates; nil if no Certificate message was captured.
  public package(set) var clientChain: CertificateChain?

  /// The OCSP response stapled to the leaf, as delivered; nil if there is none.
  public package(set) var ocspResponse: Bytes?

  /// The OCSP responses stapled to certificates above the leaf, by index in the chain.
  public package(set) var issuerOCSPResponses: [Int: Bytes] = [:]

  /// The SignedCertificateTimestampList in a TLS extension, as delivered; nil if there is none.
  public package(set) var sctList: Bytes?

  /// The readable alerts of the client, in order.
  public package(set) var clientAlerts: [ObservedAlert] = []

  /// The readable alerts of the server, in order.
  public package(set) var serverAlerts: [ObservedAlert] = []

  /// The encrypted ALPN protocol that the server chose (TLS 1.3); nil if it was not decrypted.
  public package(set) var protectedALPN: String?

  /// `random` of the inner ClientHello, by which the key log identifies the secrets if the server accepted Encrypted ClientHello; nil if
  /// that is unknown.
  package var innerRandom: ShortBytes?

  /// The outer hello, if the inner one was decrypted and accepted; otherwise nil. `offer` and `serverName` are then those of the inner
  /// hello.
  public package(set) var outerHello: OuterHello?

  /// The digest of `serverName`; 0 if it was not computed.
  package var serverNameDigest: UInt64 = 0

  /// The ticket that the client offered, up to TLS 1.2: 16 bytes of its SHA-256; empty if there is none.
  package var offeredTicket = ShortBytes()

  /// The ticket that the server issued in cleartext, up to TLS 1.2: 16 bytes of its SHA-256; empty if there is none.
  package var issuedTicket = ShortBytes()

  package init() {}

  /// Whether the server accepted Encrypted ClientHello, so that the inner hello counts and not the captured outer one.
  public var isEncryptedClientHelloAccepted: Bool { innerRandom != nil }

  /// Whether the server accepted an inner hello that was not decrypted; `offer` and `serverName` are then those of the outer hello.
  package var isInnerHelloHidden: Bool { innerRandom != nil && outerHello == nil }

  /// Whether Encrypted ClientHello was offered and no secrets show whether the server accepted it.
  package var mayHaveInnerHello: Bool {
    !isDecrypted && innerRandom == nil && sharedOffer?.extensions.contains(.encryptedClientHello) == true
  }

  /// Whether the host may be another than the name in the captured ClientHello, which Encrypted ClientHello may have replaced. It requires
  /// TLS 1.3.
  package var mayHaveHiddenHost: Bool {
    isInnerHelloHidden || mayHaveInnerHello && sharedServerHello?.hasTLS13Handshake == true
  }
}

/// An outer ClientHello whose inner hello was decrypted.
public struct OuterHello: Hashable, Sendable {
  /// The `host_name`, which is the public name of the client-facing server; nil if there is none. A byte 0xNN that is not valid UTF-8 is
  /// U+10FFNN.
  public package(set) var serverName: String?

  package init(serverName: String?) { self.serverName = serverName }
}

/// An alert that was readable.
public struct ObservedAlert: Hashable, Sendable {
  /// 1 warning, 2 fatal.
  public package(set) var level: UInt8

  /// The code, which RFC 8446 §6 calls the description.
  public package(set) var code: AlertDescription

  /// The packet that carries it.
  public package(set) var frame: UInt64

  package init(level: UInt8, description: AlertDescription, frame: UInt64) {
    self.level = level
    self.code = description
    self.frame = frame
  }
}

/// The contents of a ServerKeyExchange message.
public struct ServerKeyExchangeFacts: Hashable, Sendable {
  /// The size of the ephemeral key in bits, of the DH prime or the curve's field; nil if unknown.
  public package(set) var bits: Int?

  /// The named curve of ECDHE; nil for other exchanges.
  public package(set) var group: NamedGroup?

  /// The signature scheme (TLS 1.2); nil in older versions and for anonymous exchanges.
  public package(set) var signatureScheme: SignatureScheme?

  package init(bits: Int?, group: NamedGroup?, signatureScheme: SignatureScheme?) {
    self.bits = bits
    self.group = group
    self.signatureScheme = signatureScheme
  }
}
