import SessionModel
package import Values

/// The reason that a fact is not visible, and the inputs that would show it.
package struct Unseen: Hashable, Sendable {
  /// The reason, if the capture is the cause; otherwise nil.
  package var reason: UnseenReason?

  package var settledBy: [DecidingInput]

  package init(_ reason: UnseenReason?, settledBy: [DecidingInput] = []) {
    self.reason = reason
    self.settledBy = settledBy
  }

  /// The reason for a certificate that contains the fact in an unsupported format.
  package static let unreadable = Unseen(nil, settledBy: [.evidence("record a certificate that can be decoded completely")])
}

extension SessionEvidence {
  /// Why the server's choice of version and suite is not visible.
  package var unseenServerHello: Unseen {
    switch evidence.serverHello {
    case .partial: return Unseen(.partial, settledBy: [betterCapture])
    case .notSent: return Unseen(.notSent, settledBy: [.evidence("record a handshake with a ServerHello")])
    case .complete, .missing, .encrypted, .resumed:
      return isSeenToItsEnd
        ? Unseen(.notSent, settledBy: [.evidence("record a handshake with a ServerHello")]) : Unseen(.missing, settledBy: [betterCapture])
    }
  }

  /// Why the server's certificates are not visible.
  package var unseenCertificates: Unseen {
    let supplied = waysToSupply
    if let fault = certificateFault {
      return Unseen(evidence.certificates == .notSent ? .notSent : nil, settledBy: [.evidence(fault)] + supplied)
    }
    switch evidence.certificates {
    case .encrypted: return Unseen(.encrypted, settledBy: waysToDecrypt + supplied)
    case .resumed: return Unseen(.resumed, settledBy: [fullHandshake] + supplied)
    case .partial: return Unseen(.partial, settledBy: [betterCapture] + supplied)
    case .notSent:
      return Unseen(.notSent, settledBy: [.evidence("record a handshake that reaches the certificate")] + supplied)
    case .complete, .missing:
      return isSeenToItsEnd && tls?.isEstablished == false
        ? Unseen(.missing, settledBy: [.evidence("record a handshake that reaches the certificate")] + supplied)
        : Unseen(.missing, settledBy: [betterCapture] + supplied)
    }
  }

  /// Why SCTs and revocation data beside the server's certificates are not visible.
  package var unseenStatus: Unseen {
    switch evidence.certificateStatus {
    case .encrypted: Unseen(.encrypted, settledBy: waysToDecrypt)
    case .resumed: Unseen(.resumed, settledBy: [fullHandshake])
    case .partial: Unseen(.partial, settledBy: [betterCapture])
    case .complete, .missing, .notSent: Unseen(.missing, settledBy: [betterCapture])
    }
  }

  /// The handshake that a resumption rests on.
  private var fullHandshake: DecidingInput {
    let isTLS13 = tls?.serverHello.map { $0.hasTLS13Handshake } ?? false
    return .evidence("record the original full handshake" + (isTLS13 ? " with its key log" : ""))
  }

  /// What a server has to send instead of a captured message in which no certificate can be read; nil if there is no such message.
  private var certificateFault: String? {
    if evidence.contains(.rawPublicKey) { return "record a server with a certificate (this one sent a raw public key)" }
    if evidence.contains(.compressedCertificateUnknownAlgorithm) {
      return "record a certificate compressed with zlib, Brotli or Zstandard (this algorithm is not supported)"
    }
    if evidence.contains(.compressedCertificateTooLong) {
      return "record a shorter CompressedCertificate (this one states a length above the limit)"
    }
    if evidence.contains(.compressedCertificateMalformed) { return "record a valid CompressedCertificate (this one violates its format)" }
    return evidence.certificates == .complete && tls?.chain?.certificates.isEmpty == true
      ? "record a Certificate message with certificates (this one has none)" : nil
  }

  private var waysToSupply: [DecidingInput] {
    if tls?.mayHaveHiddenHost == true || evidence.contains(.rawPublicKey) { return [] }
    if !alternatives.isEmpty { return [.evidence("add --chain with only the chain that the server sent")] }
    if evidence.contains(.tooManyChainsSupplied) {
      let limit = AssumedChain.maximumCandidates
      return [.evidence("add --chain with only the chain that the server sent (more than \(limit) are supplied for it)")]
    }
    if evidence.contains(.suppliedChainsContradicted) {
      return [
        .evidence("add --chain with the chain that the server sent (the cipher suite cannot be used with the supplied server certificate)")
      ]
    }
    if isSuppliedChainLater { return [.evidence("add a chain issued before the session (the supplied one was issued later)"), .laterTime] }
    return serverName.map { [.chain(server: $0)] } ?? []
  }

  private var waysToDecrypt: [DecidingInput] {
    // Key logs list secrets by the random of the ClientHello, which also names the host.
    if evidence.clientHello == .missing, case .evidence(let capture) = betterCapture {
      return [.evidence("\(capture): key logs and fetched certificates need the ClientHello")]
    }
    if !isOpenedBySecrets { return [.evidence("record a handshake with AES-GCM or ChaCha20-Poly1305")] }
    if evidence.contains(.secretsMissing) {
      return [.evidence("add a key log with the secrets of this session (the given ones belong to other sessions)")]
    }
    if evidence.contains(.secretsDoNotDecrypt) {
      return [.evidence("add a key log with the secrets of this session (the given ones do not decrypt it)")]
    }
    if evidence.contains(.serverSecretMissing) {
      return [.evidence("add a key log with SERVER_HANDSHAKE_TRAFFIC_SECRET of this session (the given one lacks it)")]
    }
    return [.keyLog, .captureSecrets]
  }

  /// Whether the real ClientHello is encrypted: the server accepted Encrypted ClientHello, and the capture shows only the outer one.
  package var isInnerHelloHidden: Bool { tls?.isInnerHelloHidden == true }

  /// Whether Encrypted ClientHello was offered and no secrets show whether the server accepted it.
  package var mayHaveInnerHello: Bool { tls?.mayHaveInnerHello == true }

  /// The reason that the host is not known, if the SNI may be the server's public name; nil if the SNI is the host, as before TLS 1.3,
  /// because Encrypted ClientHello requires TLS 1.3.
  package var unseenName: Unseen? {
    guard mayHaveInnerHello, serverNameSource == .sni, tls?.mayHaveHiddenHost == true else { return nil }
    return Unseen(.encrypted, settledBy: waysToDecrypt)
  }

  /// The reason that the inner ClientHello is not visible, for sessions with `isInnerHelloHidden`.
  package var unseenInnerHello: Unseen {
    Unseen(
      .encrypted,
      settledBy: [
        .evidence("add a key log with ECH_SECRET and ECH_CONFIG"),
        .evidence("record a client with Encrypted ClientHello disabled"),
      ])
  }

  /// Whether the capture contains the whole handshake, so that missing messages were not sent. The peers may have closed without an alert.
  private var isSeenToItsEnd: Bool {
    tls != nil && evidence.incomplete == nil && !evidence.lacksBytes
  }

  /// The kind of capture that would show the missing part.
  package var betterCapture: DecidingInput {
    switch evidence.incomplete {
    case .startedLate, nil: .evidence("record from the start of the connection")
    case .loss: .evidence("record without packet loss")
    case .snaplen: .evidence("record full packets")
    case .oneDirection: .evidence("record both directions")
    case .stillOpen: .evidence("record until the handshake completes or fails")
    case .limit: .evidence("read only this connection with --filter; if it reaches a limit too, record a connection with shorter messages")
    }
  }
}
