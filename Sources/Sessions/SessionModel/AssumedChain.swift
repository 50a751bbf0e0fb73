public import ByteParsing
import CertificateParsing
package import Values

/// Certificates that rules evaluate where a session did not show its own.
public struct AssumedChain: Hashable, Sendable {
  /// Where they come from.
  public enum Source: String, Hashable, Sendable {
    /// The handshake that this session resumes showed them: they are judged as this session's own (policy text I).
    case earlierSession
    /// The user says that the host has them: judged likewise.
    case supplied
    /// Another session with the same host in the same inputs showed them, and the user says that they are this session's too:
    /// judged likewise.
    case captured
    /// Another session with the same name at the same address showed them: shown, and never judged.
    case probable
  }

  /// The earlier session that showed the certificates of a resumed one.
  public struct Origin: Hashable, Sendable {
    /// The record name of that session.
    public package(set) var session: String

    /// The capture that holds it.
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

  /// The certificates.
  public package(set) var chain: CertificateChain

  /// Where they come from.
  public package(set) var source: Source

  /// The session that showed them; nil where none did.
  public package(set) var origin: Origin?

  /// The OCSP response that was stapled to them.
  public package(set) var ocspResponse: Bytes?

  /// What was stapled to those above the leaf, by their indices.
  public package(set) var issuerOCSPResponses: [Int: Bytes]

  /// The SignedCertificateTimestampList that was delivered beside them.
  public package(set) var sctList: Bytes?

  /// Creates a chain with what was delivered beside it.
  package init(
    chain: CertificateChain, source: Source, origin: Origin? = nil, ocspResponse: Bytes? = nil,
    issuerOCSPResponses: [Int: Bytes] = [:], sctList: Bytes? = nil
  ) {
    self.chain = chain
    self.source = source
    self.origin = origin
    self.ocspResponse = ocspResponse
    self.issuerOCSPResponses = issuerOCSPResponses
    self.sctList = sctList
  }

  /// Whether rules look at them.
  public var isJudged: Bool { source != .probable }
}

extension ObservedSession {
  /// Whether what the server delivers beside its certificates is known in full from the handshake that this one goes back to.
  package var inheritsStatus: Bool {
    evidence.certificateStatus == .resumed && assumedChain?.source == .earlierSession
      && !evidence.contains(.firstHandshakeStatusNotSeen)
  }
}

extension ObservedSession {
  /// Whether rules see certificates that the session did not show itself.
  package var hasJudgedAssumption: Bool {
    assumedChain?.isJudged == true && tls?.chain == nil
  }

  /// Whether the assumed chain comes from elsewhere than this connection, and its leaf was issued after `time`: the server cannot have sent
  /// it in a session of that time.
  package func isSuppliedChainIssued(after time: Timestamp?) -> Bool {
    guard hasJudgedAssumption, let assumed = assumedChain, assumed.source != .earlierSession, let time,
      let issued = assumed.chain.certificates.first?.certificate.notBefore
    else { return false }
    return issued > time
  }

  /// The handshake as rules see it: with the assumed certificates where it did not show its own.
  package var judgedTLS: Shared<TLSFacts>? {
    guard hasJudgedAssumption, let assumed = assumedChain, var judged = tls else { return tls }
    judged.chain = assumed.chain
    if judged.sctList == nil { judged.sctList = assumed.sctList }
    if let response = assumed.ocspResponse, judged.ocspResponse == nil {
      judged.ocspResponse = response
      judged.ocspStapled = true
    }
    if !assumed.issuerOCSPResponses.isEmpty { judged.issuerOCSPResponses = assumed.issuerOCSPResponses }
    return judged
  }
}
