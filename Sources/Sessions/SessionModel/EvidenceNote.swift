import ByteParsing

/// A note about a session, which describes an anomaly or how its handshake ended. Records of other versions can contain further ones.
public struct EvidenceNote: RawRepresentable, Hashable, Sendable {
  /// The name in records, such as `tls-not-at-start`.
  public let rawValue: String

  /// Creates a note from its name in a record.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// One endpoint closed the connection without an alert.
  public static let closedWithoutAlert = EvidenceNote(rawValue: "closed-without-alert")
  /// The client closed it first.
  public static let closedByClient = EvidenceNote(rawValue: "closed-by-client")
  /// The server closed it first.
  public static let closedByServer = EvidenceNote(rawValue: "closed-by-server")
  /// QUIC: an endpoint closed the connection without an error of the transport or of TLS.
  public static let closedWithoutError = EvidenceNote(rawValue: "closed-without-error")
  /// The client sent an encrypted record with the length of an alert, and nothing after it.
  public static let encryptedAlertFromClient = EvidenceNote(rawValue: "encrypted-alert-from-client")
  /// ICMP reported that the server cannot be reached.
  public static let icmpUnreachable = EvidenceNote(rawValue: "icmp-unreachable")
  /// The server sent an HTTP response to the ClientHello.
  public static let httpResponseToClientHello = EvidenceNote(rawValue: "http-response-to-client-hello")
  /// The client sent an empty list in response to a CertificateRequest.
  public static let clientCertificateNotSent = EvidenceNote(rawValue: "client-certificate-not-sent")
  /// The client requests SCTs or OCSP responses, but the handshake that the session resumes did not, or was not captured in full.
  public static let firstHandshakeStatusMissing = EvidenceNote(rawValue: "first-handshake-status-missing")
  /// Other bytes preceded the handshake on its connection.
  public static let tlsNotAtStart = EvidenceNote(rawValue: "tls-not-at-start")
  /// Bytes before the ClientHello are missing or could not be read: another protocol, or a request to a proxy, began the connection.
  public static let beginningMissing = EvidenceNote(rawValue: "beginning-missing")
  /// The response to the HTTP CONNECT is not in the capture.
  public static let connectResponseMissing = EvidenceNote(rawValue: "connect-response-missing")
  /// The proxy refused the HTTP CONNECT, after the client had sent its ClientHello.
  public static let connectRefused = EvidenceNote(rawValue: "connect-refused")
  /// A segment was sent again with other bytes.
  public static let tcpRetransmissionDisagrees = EvidenceNote(rawValue: "tcp-retransmission-disagrees")
  /// A handshake message of DTLS was sent again with other bytes.
  public static let dtlsRetransmissionDisagrees = EvidenceNote(rawValue: "dtls-retransmission-disagrees")
  /// A CRYPTO frame was sent again with other bytes.
  public static let quicCryptoDisagrees = EvidenceNote(rawValue: "quic-crypto-disagrees")
  /// Fragments of one packet overlap with different bytes.
  public static let ipFragmentsDisagree = EvidenceNote(rawValue: "ip-fragments-disagree")
  /// The ClientHello violates its format.
  public static let clientHelloMalformed = EvidenceNote(rawValue: "client-hello-malformed")
  /// The ServerHello violates its format.
  public static let serverHelloMalformed = EvidenceNote(rawValue: "server-hello-malformed")
  /// The Certificate message violates its format.
  public static let certificateMessageMalformed = EvidenceNote(rawValue: "certificate-message-malformed")
  /// The ServerKeyExchange message violates its format.
  public static let serverKeyExchangeMalformed = EvidenceNote(rawValue: "server-key-exchange-malformed")
  /// The EncryptedExtensions message violates its format.
  public static let encryptedExtensionsMalformed = EvidenceNote(rawValue: "encrypted-extensions-malformed")
  /// The CompressedCertificate message violates its format (RFC 8879 §4).
  public static let compressedCertificateMalformed = EvidenceNote(rawValue: "compressed-certificate-malformed")
  /// The CompressedCertificate message states a length above the limit.
  public static let compressedCertificateTooLong = EvidenceNote(rawValue: "compressed-certificate-too-long")
  /// The CompressedCertificate message uses an algorithm that atscope does not read.
  public static let compressedCertificateUnknownAlgorithm = EvidenceNote(rawValue: "compressed-certificate-unknown-algorithm")
  /// The server sent a raw public key, not a certificate (RFC 7250).
  public static let rawPublicKey = EvidenceNote(rawValue: "raw-public-key")
  /// The server chose a pre-shared key that seems to be external, not that of an earlier session (RFC 8446 §4.2.11).
  public static let externalPSK = EvidenceNote(rawValue: "external-psk")
  /// The ClientHello has the format of SSL 2.
  public static let ssl2Hello = EvidenceNote(rawValue: "ssl2-hello")
  /// Secrets are available, but atscope does not decrypt the cipher suite.
  public static let cipherSuiteNotDecrypted = EvidenceNote(rawValue: "cipher-suite-not-decrypted")
  /// Secrets were given, but none for this session.
  public static let secretsMissing = EvidenceNote(rawValue: "secrets-missing")
  /// The secrets for this session do not decrypt it.
  public static let secretsDoNotDecrypt = EvidenceNote(rawValue: "secrets-do-not-decrypt")
  /// The search for the secrets of this session reached a limit.
  public static let secretSearchUnfinished = EvidenceNote(rawValue: "secret-search-unfinished")
  /// The server's handshake secret is missing.
  public static let serverSecretMissing = EvidenceNote(rawValue: "server-secret-missing")
  /// The inner ClientHello could not be decrypted (ECH).
  public static let innerHelloNotDecrypted = EvidenceNote(rawValue: "inner-hello-not-decrypted")
  /// More chains are supplied for the host than are judged for one session.
  public static let tooManyChainsSupplied = EvidenceNote(rawValue: "too-many-chains-supplied")
  /// The leaf of every chain that is supplied for the host has a key with which the cipher suite does not authenticate.
  public static let suppliedChainsContradicted = EvidenceNote(rawValue: "supplied-chains-contradicted")
  /// An endpoint of the QUIC connection changed its address.
  public static let quicAddressChanged = EvidenceNote(rawValue: "quic-address-changed")
  /// The server sent a Retry packet.
  public static let quicRetry = EvidenceNote(rawValue: "quic-retry")
  /// The server sent a Version Negotiation packet.
  public static let quicVersionNegotiation = EvidenceNote(rawValue: "quic-version-negotiation")
  /// HTTP/2 without TLS.
  public static let http2Cleartext = EvidenceNote(rawValue: "http2-cleartext")
  /// A CONNECT request in cleartext HTTP/2.
  public static let http2Connect = EvidenceNote(rawValue: "http2-connect")
  /// A header block of cleartext HTTP/2 could not be read.
  public static let http2HeadersNotRead = EvidenceNote(rawValue: "http2-headers-not-read")
  /// A request violates the format of HTTP.
  public static let httpRequestMalformed = EvidenceNote(rawValue: "http-request-malformed")
  /// The capture lacks bytes with which a request began.
  public static let httpRequestLost = EvidenceNote(rawValue: "http-request-lost")
  /// A request has several Host fields that differ.
  public static let httpHostsDiffer = EvidenceNote(rawValue: "http-hosts-differ")
}

extension Evidence {
  /// Returns whether the session has a note.
  public func contains(_ note: EvidenceNote) -> Bool { notes.contains(note) }

  /// Adds a note in order, unless it is already present.
  package mutating func add(_ note: EvidenceNote) {
    if contains(note) { return }
    notes.insert(note, at: notes.partitioningIndex { $0.rawValue > note.rawValue })
  }

  /// Removes a note, if it is present.
  package mutating func remove(_ note: EvidenceNote) { notes.removeAll { $0 == note } }
}
