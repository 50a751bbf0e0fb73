package import ByteParsing
package import SessionModel
package import TLSParsing
package import Values

/// The facts of a session that rules may read, with assumed certificates in place of hidden ones.
///
/// It is also the key of cached judgements: at the same time, sessions with equal evidence have the same judgement. Rules can read nothing
/// that the key lacks, so each fact that a rule needs is a property here.
///
/// So that similar sessions have equal evidence, it holds no times, and frame numbers only if copies of bytes disagree.
package struct SessionEvidence: Hashable, Sendable {
  package let application: ObservedSession.Application
  package let transport: ObservedSession.Transport
  package let serverName: String?
  package let serverNameSource: ObservedSession.NameSource?

  /// The host's address if it has no name, otherwise `0.0.0.0`: a name resolves to many addresses (policy text A.3).
  package let hostAddress: IPAddress
  package let hostPort: UInt16

  /// The protocol whose STARTTLS command began the handshake; nil if none did.
  package let startTLS: String?
  package let isFTPData: Bool
  package let controlSession: String?

  /// The index of the `SystemProcess` row for the process of the connection, if ATS does not govern it (policy text A.6).
  package let systemProcess: Int?

  /// The requests of a cleartext session; all false for other sessions.
  package var http: HTTPTraffic
  package let evidence: Visibility
  package let tls: Shared<Handshake>?

  /// The outcome of the handshake; nil for cleartext HTTP.
  package let ending: SessionEnding?

  /// Whether secrets can decrypt the handshake: this program can decrypt the suite, or the suite is unknown.
  let isOpenedBySecrets: Bool

  /// Whether the OCSP responses and SCTs are completely known from the handshake that this one resumes.
  package let inheritsStatus: Bool

  /// The other capture that contains the resumed session, whose certificates are judged; nil if there is none.
  package let certificatesFromCapture: String?

  /// Whether the chain that was supplied for the host is not judged, because its leaf was issued after the session.
  let isSuppliedChainLater: Bool

  /// The evidence with each of the other chains that the server may have sent.
  package let alternatives: [SessionEvidence]

  /// The files or frames that contain the chains that the server may have sent, if there are several.
  package let chainLocations: [String]

  /// The parts of a session that its capture shows.
  package struct Visibility: Hashable, Sendable {
    package let clientHello: Evidence.State
    package let serverHello: Evidence.State
    package let certificates: Evidence.State
    package let certificateStatus: Evidence.State
    package let incomplete: Evidence.Incomplete?
    package let lacksBytes: Bool
    package let contested: [Evidence.Part: FrameList]?
    package let notes: [EvidenceNote]

    /// Whether copies of a part disagree and no checksum decides between them.
    package func isContested(_ part: Evidence.Part) -> Bool { contested?[part] != nil }

    init(_ evidence: borrowing Evidence) {
      clientHello = evidence.clientHello
      serverHello = evidence.serverHello
      certificates = evidence.certificates
      certificateStatus = evidence.certificateStatus
      incomplete = evidence.incomplete
      lacksBytes = evidence.missingBytes != 0
      contested = evidence.contested
      notes = evidence.notes
    }

    package func contains(_ note: EvidenceNote) -> Bool { notes.contains(note) }
  }

  /// The facts of a handshake. Offer, ServerHello and chain are compared by identity, because similar sessions of a capture share them.
  package struct Handshake: Hashable, Sendable {
    private let sharedOffer: Identity<Shared<ClientOffer>>?
    private let sharedServerHello: Identity<Shared<ServerHelloFacts>>?
    private let sharedChain: Identity<CertificateChain>?
    package let outcome: TLSFacts.Outcome
    package var isEstablished: Bool { outcome == .established }
    package let group: NamedGroup?
    package let keyExchangeSignature: SignatureScheme?
    package let handshakeSignature: HandshakeSignature?
    package let sctList: Bytes?
    package let hasStapledOCSPResponse: Bool
    package let ocspResponse: Bytes?
    package let issuerOCSPResponses: [Int: Bytes]
    let isInnerHelloHidden: Bool
    let mayHaveInnerHello: Bool
    let mayHaveHiddenHost: Bool

    /// Whether the server requested a client certificate; nil if the capture cannot show it.
    package let requestsClientCertificate: Bool?
    package let lacksClientCertificate: Bool
    package let clientAlerts: [Alert]
    package let serverAlerts: [Alert]

    package var offer: Shared<ClientOffer>? { sharedOffer?.value }
    package var serverHello: Shared<ServerHelloFacts>? { sharedServerHello?.value }
    package var chain: CertificateChain? { sharedChain?.value }

    init(_ tls: Shared<TLSFacts>, _ evidence: borrowing Evidence) {
      sharedOffer = tls.sharedOffer.map { Identity($0) }
      sharedServerHello = tls.sharedServerHello.map { Identity($0) }
      sharedChain = tls.chain.map { Identity($0) }
      outcome = tls.outcome
      group = tls.group
      keyExchangeSignature = tls.serverKeyExchange?.signatureScheme
      handshakeSignature = tls.handshakeSignature
      sctList = tls.sctList
      hasStapledOCSPResponse = tls.hasStapledOCSPResponse
      ocspResponse = tls.ocspResponse
      issuerOCSPResponses = tls.issuerOCSPResponses
      isInnerHelloHidden = tls.isInnerHelloHidden
      mayHaveInnerHello = tls.mayHaveInnerHello
      mayHaveHiddenHost = tls.mayHaveHiddenHost
      requestsClientCertificate = tls.requestsClientCertificate(evidence)
      lacksClientCertificate = evidence.lacksClientCertificate
      clientAlerts = tls.clientAlerts.map(Alert.init)
      serverAlerts = tls.serverAlerts.map(Alert.init)
    }

    /// Hashes the facts that distinguish most handshakes.
    package func hash(into hasher: inout Hasher) {
      hasher.combine(sharedOffer)
      hasher.combine(sharedServerHello)
      hasher.combine(sharedChain)
      hasher.combine(outcome)
    }
  }

  /// An alert without its frame number.
  package struct Alert: Hashable, Sendable {
    package let level: UInt8
    package let description: AlertDescription

    init(_ alert: ObservedAlert) {
      level = alert.level
      description = alert.code
    }
  }

  /// Hashes the facts that distinguish most sessions. The others would cost more to hash than they save of comparisons.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(serverName)
    hasher.combine(hostAddress)
    hasher.combine(hostPort)
    hasher.combine(tls)
  }

  /// Creates the evidence of a session; its certificates are judged at `time`.
  package init(_ session: borrowing ObservedSession, at time: Timestamp? = nil) {
    isSuppliedChainLater = session.isSuppliedChainIssued(after: time)
    alternatives = session.sharedAssumedChain == nil ? [] : session.alternatives.map { SessionEvidence($0, at: time) }
    chainLocations =
      alternatives.isEmpty
      ? [] : session.sharedAssumedChain.map { [$0.value] + $0.alternatives }?.compactMap(\.location) ?? []
    let facts = isSuppliedChainLater ? session.sharedTLS : session.judgedTLS
    application = session.application
    transport = session.transport
    serverName = session.serverName
    serverNameSource = session.serverNameSource
    let hasName = session.serverName?.isEmpty == false && session.serverNameSource != .address
    hostAddress = hasName ? IPAddress(v4: 0) : session.hostAddress
    hostPort = session.hostPort
    startTLS = session.startTLSProtocol
    isFTPData = session.isFTPData
    controlSession = session.controlSession
    systemProcess = session.process.flatMap { SystemProcess.ungoverned($0.name, service: $0.service) }
    http = HTTPTraffic(session)
    evidence = Visibility(session.evidence)
    tls = if let facts { Shared(Handshake(facts, session.evidence)) } else { nil }
    ending = session.ending
    isOpenedBySecrets = session.isOpenedBySecrets
    inheritsStatus = session.inheritsStatus
    certificatesFromCapture = session.sharedAssumedChain?.source == .earlierSession ? session.resumedFromCapture : nil
  }
}

/// A shared value that is compared by identity and retained.
package struct Identity<Value: Sendable>: Hashable, Sendable {
  let value: Value
  private let identity: ObjectIdentifier

  package init(_ value: Value) where Value: AnyObject {
    self.value = value
    identity = ObjectIdentifier(value)
  }

  package init<Content>(_ value: Value) where Value == Shared<Content> {
    self.value = value
    identity = value.identity
  }

  package static func == (a: Identity, b: Identity) -> Bool { a.identity == b.identity }

  package func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}

extension AssumedChain {
  /// The file or the frames that contain them, such as `api.pem` or `frame 5 of trace.pcap`; nil if neither is known.
  fileprivate var location: String? {
    if let file { return file }
    guard let origin else { return nil }
    let frames = origin.frames.numbers.map(String.init)
    let noun = frames.count.form(of: "frame{s}")
    return frames.isEmpty ? origin.file : "\(noun) \(frames.joined(separator: ", ")) of \(origin.file)"
  }
}
