public import ByteParsing
import CertificateParsing
package import Values

/// Certificates that rules evaluate if a session does not contain its own.
public struct AssumedChain: Hashable, Sendable {
  /// The source of assumed certificates.
  public enum Source: String, Hashable, Sendable {
    /// The handshake that this session resumes contained them. They are judged as this session's own (policy text I).
    case earlierSession
    /// The user supplied them for the host. They are judged as this session's own.
    case supplied
    /// Another session with the same host in the same inputs contained them, and the user states that they apply to this one. They are
    /// judged as this session's own.
    case captured
    /// Another session with the same name at the same address contained them. They are reported, and never judged.
    case probable
  }

  /// The earlier session that contained the certificates of a resumed one.
  public struct Origin: Hashable, Sendable {
    /// The `identifier` of that session.
    public package(set) var session: String

    /// The capture that contains it.
    public package(set) var file: String

    /// The packets of its Certificate message.
    public package(set) var frames: FrameList

    /// Creates an origin.
    package init(session: String, file: String, frames: FrameList) {
      self.session = session
      self.file = file
      self.frames = frames
    }
  }

  /// The certificates, leaf first.
  public package(set) var chain: CertificateChain

  /// Their source, which determines whether they are judged.
  public package(set) var source: Source

  /// The session that contained them; nil if the user supplied them.
  public package(set) var origin: Origin?

  /// The OCSP response stapled to the leaf; nil if there was none.
  public package(set) var ocspResponse: Bytes?

  /// The OCSP responses stapled to certificates above the leaf, by index in the chain.
  public package(set) var issuerOCSPResponses: [Int: Bytes]

  /// The SignedCertificateTimestampList delivered in a TLS extension; nil if there was none.
  public package(set) var sctList: Bytes?

  /// The file that contains them; nil if the user did not supply them.
  package var file: String?

  /// The other chains that the server may have sent instead, none of which has alternatives itself. A rule is decided if its outcome is the
  /// same with each of them.
  package var alternatives: [AssumedChain] = []

  /// The maximum number of different chains that are judged for one session.
  package static let maximumCandidates = 16

  package init(
    chain: CertificateChain, source: Source, origin: Origin? = nil, file: String? = nil, ocspResponse: Bytes? = nil,
    issuerOCSPResponses: [Int: Bytes] = [:], sctList: Bytes? = nil
  ) {
    self.chain = chain
    self.source = source
    self.origin = origin
    self.file = file
    self.ocspResponse = ocspResponse
    self.issuerOCSPResponses = issuerOCSPResponses
    self.sctList = sctList
  }

  /// Whether rules evaluate them.
  package var isJudged: Bool { source != .probable }
}

extension ObservedSession {
  /// Whether the OCSP responses and SCTs are completely known from the handshake that this one resumes.
  package var inheritsStatus: Bool {
    evidence.certificateStatus == .resumed && sharedAssumedChain?.source == .earlierSession
      && !evidence.contains(.firstHandshakeStatusMissing)
  }
}

extension ObservedSession {
  /// Whether rules evaluate certificates that the session did not contain.
  package var hasJudgedAssumption: Bool {
    sharedAssumedChain?.isJudged == true && sharedTLS?.chain == nil
  }

  /// The session with each of the other chains that its server may have sent.
  package var alternatives: [ObservedSession] {
    guard hasJudgedAssumption, let others = sharedAssumedChain?.alternatives, !others.isEmpty else { return [] }
    return others.map { chain in
      var session = self
      session.sharedAssumedChain = Shared(chain)
      return session
    }
  }

  /// Whether the assumed chain comes from elsewhere than this connection, and its leaf was issued after `time`: the server cannot have sent
  /// it in a session of that time.
  package func isSuppliedChainIssued(after time: Timestamp?) -> Bool {
    guard hasJudgedAssumption, let assumed = sharedAssumedChain, assumed.source != .earlierSession, let time,
      let issued = assumed.chain.certificates.first?.certificate.notBefore
    else { return false }
    return issued > time
  }

  /// The handshake that rules evaluate: with the assumed certificates if it has none of its own.
  package var judgedTLS: Shared<TLSFacts>? {
    guard hasJudgedAssumption, let assumed = sharedAssumedChain, var judged = sharedTLS else { return sharedTLS }
    judged.chain = assumed.chain
    if judged.sctList == nil { judged.sctList = assumed.sctList }
    if let response = assumed.ocspResponse, judged.ocspResponse == nil {
      judged.ocspResponse = response
      judged.hasStapledOCSPResponse = true
    }
    if !assumed.issuerOCSPResponses.isEmpty { judged.issuerOCSPResponses = assumed.issuerOCSPResponses }
    return judged
  }
}
