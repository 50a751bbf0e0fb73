import ByteParsing

/// The notes of a session, which describe its anomalies and how its handshake ended. Raw values are the names in `Evidence.notes`.
public enum EvidenceNote: String, CaseIterable, Sendable {
  /// One endpoint closed the connection without an alert.
  case closedWithoutAlert = "closed-without-alert"
  /// The client closed it first.
  case closedByClient = "closed-by-client"
  /// The server closed it first.
  case closedByServer = "closed-by-server"
  /// QUIC: an endpoint closed the connection without an error of the transport or of TLS.
  case closedWithoutError = "closed-without-error"
  /// The client sent an encrypted record with the length of an alert, and nothing after it.
  case encryptedAlertFromClient = "encrypted-alert-from-client"
  /// ICMP reported that the server cannot be reached.
  case icmpUnreachable = "icmp-unreachable"
  /// The server sent an HTTP response to the ClientHello.
  case httpResponseToClientHello = "http-response-to-client-hello"
  /// The client sent an empty list in response to a CertificateRequest.
  case clientCertificateNotSent = "client-certificate-not-sent"
  /// The client requests SCTs or OCSP responses, but the handshake that the session resumes did not, or was not captured in full.
  case firstHandshakeStatusMissing = "first-handshake-status-missing"
  /// Other bytes preceded the handshake on its connection.
  case tlsNotAtStart = "tls-not-at-start"
  /// Bytes before the ClientHello are missing or could not be read: another protocol, or a request to a proxy, began the connection.
  case beginningMissing = "beginning-missing"
  /// The response to the HTTP CONNECT is not in the capture.
  case connectResponseMissing = "connect-response-missing"
  /// The proxy refused the HTTP CONNECT, after the client had sent its ClientHello.
  case connectRefused = "connect-refused"
  /// A segment was sent again with other bytes.
  case tcpRetransmissionDisagrees = "tcp-retransmission-disagrees"
  /// A handshake message of DTLS was sent again with other bytes.
  case dtlsRetransmissionDisagrees = "dtls-retransmission-disagrees"
  /// A CRYPTO frame was sent again with other bytes.
  case quicCryptoDisagrees = "quic-crypto-disagrees"
  /// Fragments of one packet overlap with different bytes.
  case ipFragmentsDisagree = "ip-fragments-disagree"
  /// The ClientHello violates its format.
  case clientHelloMalformed = "client-hello-malformed"
  /// The ServerHello violates its format.
  case serverHelloMalformed = "server-hello-malformed"
  /// The Certificate message violates its format.
  case certificateMessageMalformed = "certificate-message-malformed"
  /// The ServerKeyExchange message violates its format.
  case serverKeyExchangeMalformed = "server-key-exchange-malformed"
  /// The EncryptedExtensions message violates its format.
  case encryptedExtensionsMalformed = "encrypted-extensions-malformed"
  /// The CompressedCertificate message violates its format (RFC 8879 §4).
  case compressedCertificateMalformed = "compressed-certificate-malformed"
  /// The CompressedCertificate message states a length above the limit.
  case compressedCertificateTooLong = "compressed-certificate-too-long"
  /// The CompressedCertificate message uses an algorithm that atscope does not read.
  case compressedCertificateUnknownAlgorithm = "compressed-certificate-unknown-algorithm"
  /// The server sent a raw public key, not a certificate (RFC 7250).
  case rawPublicKey = "raw-public-key"
  /// The server chose a pre-shared key that seems to be external, not that of an earlier session (RFC 8446 §4.2.11).
  case externalPSK = "external-psk"
  /// The ClientHello has the format of SSL 2.
  case ssl2Hello = "ssl2-hello"
  /// Secrets are available, but atscope does not decrypt the cipher suite.
  case cipherSuiteNotDecrypted = "cipher-suite-not-decrypted"
  /// Secrets were given, but none for this session.
  case secretsMissing = "secrets-missing"
  /// The secrets for this session do not decrypt it.
  case secretsDoNotDecrypt = "secrets-do-not-decrypt"
  /// The search for the secrets of this session reached a limit.
  case secretSearchUnfinished = "secret-search-unfinished"
  /// The server's handshake secret is missing.
  case serverSecretMissing = "server-secret-missing"
  /// The inner ClientHello could not be decrypted (ECH).
  case innerHelloNotDecrypted = "inner-hello-not-decrypted"
  /// More chains are supplied for the host than are judged for one session.
  case tooManyChainsSupplied = "too-many-chains-supplied"
  /// The leaf of every chain that is supplied for the host has a key with which the cipher suite does not authenticate.
  case suppliedChainsContradicted = "supplied-chains-contradicted"
  /// An endpoint of the QUIC connection changed its address.
  case quicAddressChanged = "quic-address-changed"
  /// The server sent a Retry packet.
  case quicRetry = "quic-retry"
  /// The server sent a Version Negotiation packet.
  case quicVersionNegotiation = "quic-version-negotiation"
  /// HTTP/2 without TLS.
  case http2Cleartext = "http2-cleartext"
  /// A CONNECT request in cleartext HTTP/2.
  case http2Connect = "http2-connect"
  /// A header block of cleartext HTTP/2 could not be read.
  case http2HeadersNotRead = "http2-headers-not-read"
  /// A request violates the format of HTTP.
  case httpRequestMalformed = "http-request-malformed"
  /// The capture lacks bytes with which a request began.
  case httpRequestLost = "http-request-lost"
  /// A request has several Host fields that differ.
  case httpHostsDiffer = "http-hosts-differ"
}

extension Evidence {
  /// Returns whether the session has a note.
  public func contains(_ note: EvidenceNote) -> Bool { notes.contains(note.rawValue) }

  /// Adds a note in order, unless it is already present.
  package mutating func add(_ note: EvidenceNote) {
    if contains(note) { return }
    notes.insert(note.rawValue, at: notes.partitioningIndex { $0 > note.rawValue })
  }

  /// Removes a note, if it is present.
  package mutating func remove(_ note: EvidenceNote) { notes.removeAll { $0 == note.rawValue } }
}
