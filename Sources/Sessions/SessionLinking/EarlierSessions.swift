import ByteParsing
package import SessionModel
import Values

/// Remembers handshakes, for sessions that resume them or contact the same server again.
///
/// Sessions are passed in the order of their first packets, capture after capture. Each capture is linked separately, so that other
/// captures change only one thing: a session whose origin its own capture lacks is linked to one in an earlier capture, which the link
/// names. Memory is bounded; a session whose origin was evicted remains unlinked.
package struct EarlierSessions {
  /// The minimum number of sessions, tickets and servers remembered, each.
  package static let minimumCount = 8192

  /// A handshake that contained certificates, or can be resumed.
  private final class Origin {
    let identifier: UInt64
    let address: IPAddress
    let serverName: String?
    let file: String
    let start: Timestamp?
    let lastFrame: UInt64
    let frames: FrameList
    let chain: CertificateChain?
    let ocspResponse: Bytes?
    let issuerOCSPResponses: [Int: Bytes]
    let sctList: Bytes?
    /// Whether the chain is certainly the server's, and whole.
    let isComplete: Bool
    let control: FTPControls.Control?
    private let offer: Shared<ClientOffer>?
    private let isStatusComplete: Bool

    init(_ session: borrowing ObservedSession, _ chain: CertificateChain?) {
      identifier = SessionIdentifier(session).hash
      address = session.server.address
      serverName = session.serverName
      file = session.file
      start = session.evidence.isClockPlausible ? session.start : nil
      lastFrame = session.lastFrame
      frames = session.evidence.frames[.certificates]
      self.chain = chain
      ocspResponse = session.sharedTLS?.ocspResponse
      issuerOCSPResponses = session.sharedTLS?.issuerOCSPResponses ?? [:]
      sctList = session.sharedTLS?.sctList
      isComplete =
        session.evidence.certificates == .complete && chain?.isComplete == true
        && session.sharedTLS?.handshakeSignature != .invalid && session.evidence.contested == nil
      control = FTPControls.isControl(session) ? FTPControls.Control(session) : nil
      offer = session.sharedTLS?.sharedOffer
      let status = session.evidence.certificateStatus
      isStatusComplete =
        session.evidence.serverHello == .complete && (status == .complete || status == .notSent)
        && (session.sharedTLS?.hasStapledOCSPResponse != true || ocspResponse != nil)
    }

    /// Whether the client requested OCSP responses and SCTs, and the server's delivery was captured in full.
    var isStatusKnown: Bool { isStatusComplete && offer?.requestsStatus == true }

    func chain(as source: AssumedChain.Source) -> Shared<AssumedChain>? {
      chain.map {
        Shared(
          AssumedChain(
            chain: $0, source: source,
            origin: AssumedChain.Origin(session: SessionIdentifier.text(of: identifier), file: file, frames: frames),
            ocspResponse: ocspResponse, issuerOCSPResponses: issuerOCSPResponses, sctList: sctList))
      }
    }
  }

  /// Origins in the current capture, by ticket or session ID, and by server.
  private var origins = RecentTable<[LinkDigest: Origin]>(entriesPerGeneration: minimumCount)
  private var servers = RecentTable<[LinkDigest: Origin]>(entriesPerGeneration: minimumCount)

  /// FTP control connections in the current capture.
  private var controls = FTPControls()

  /// Origins in earlier captures.
  private var originsElsewhere = RecentTable<[LinkDigest: Origin]>(entriesPerGeneration: minimumCount)

  /// The number of entries evicted before the current capture.
  private var forgottenBefore: UInt64 = 0

  package init() {}

  /// The number of evicted entries.
  package var forgotten: UInt64 {
    forgottenBefore + origins.evicted + servers.evicted + originsElsewhere.evicted + controls.forgotten
  }

  /// Begins another capture.
  package mutating func beginCapture() {
    forgottenBefore += controls.forgotten
    controls = FTPControls()
    guard !origins.isEmpty || !servers.isEmpty else { return }
    forgottenBefore += origins.evicted + servers.evicted
    originsElsewhere.insert(contentsOf: origins)
    origins = RecentTable(entriesPerGeneration: EarlierSessions.minimumCount)
    servers = RecentTable(entriesPerGeneration: EarlierSessions.minimumCount)
  }

  /// Records a session, and links it to earlier ones. Returns whether it was linked.
  package mutating func complete(_ session: inout ObservedSession) -> Bool {
    var resumed: FTPControls.Control?
    let isLinked = link(&session, &resumed)
    guard let control = controls.controlSession(of: session, resuming: resumed) else { return isLinked }
    session.controlSession = SessionIdentifier.text(of: control)
    if !session.isFTPData { session.tunnel.append(.ftpData) }
    return true
  }

  /// Records a session, and links it to the handshake that it resumes, or to the last one with its server. `control` is set if the resumed
  /// handshake is on an FTP control connection.
  private mutating func link(_ session: inout ObservedSession, _ control: inout FTPControls.Control?) -> Bool {
    guard session.sharedAssumedChain == nil else { return false }
    if let chain = session.sharedTLS?.chain {
      remember(session, chain.certificates.isEmpty ? nil : chain)
      return false
    }
    // A session without a ServerHello cannot have been resumed.
    guard session.sharedTLS?.sharedServerHello != nil else { return false }
    var isLinked = false
    if let found = resumedOrigin(of: session) {
      control = found.origin.control
      if EarlierSessions.link(&session, to: found) { return true }
      isLinked = true
    } else {
      remember(session, nil)
    }
    guard let origin = server(of: session), precedes(origin, session) else { return isLinked }
    session.sharedAssumedChain = origin.chain(as: .probable)
    return true
  }

  /// Records a saved session. Its record contains the links within its capture; links to earlier captures are added as if the captures were
  /// read together.
  package mutating func complete(saved session: inout ObservedSession) {
    if let chain = session.sharedTLS?.chain {
      remember(session, chain.certificates.isEmpty ? nil : chain)
      return
    }
    guard session.sharedTLS?.sharedServerHello != nil else { return }
    guard let found = resumedOrigin(of: session) else {
      remember(session, nil)
      return
    }
    guard session.resumedFrom == nil else { return }
    _ = EarlierSessions.link(&session, to: found)
    if session.controlSession == nil, let control = found.origin.control, FTPControls.mayBeData(session, of: control) {
      session.controlSession = SessionIdentifier.text(of: control.identifier)
      if !session.isFTPData { session.tunnel.append(.ftpData) }
    }
  }

  /// The handshake that a session resumes, and whether it is in another capture. A ticket issued in the session leads to the same
  /// handshake.
  private mutating func resumedOrigin(of session: borrowing ObservedSession) -> (origin: Origin, isElsewhere: Bool)? {
    guard session.sharedTLS?.isResumed == true, session.sharedTLS?.resumption != .psk, let found = origin(of: session) else { return nil }
    let ticket = LinkDigest(ticket: session.sharedTLS?.issuedTicket ?? ShortBytes())
    if !ticket.isNone, EarlierSessions.mayHaveEnded(session) {
      if found.isElsewhere {
        originsElsewhere.insert(found.origin, for: ticket)
      } else {
        origins.insert(found.origin, for: ticket)
      }
    }
    return found
  }

  /// Links a session to the handshake that it resumes. Returns whether it inherits the certificates.
  private static func link(_ session: inout ObservedSession, to found: (origin: Origin, isElsewhere: Bool)) -> Bool {
    let origin = found.origin
    session.resumedFrom = SessionIdentifier.text(of: origin.identifier)
    if found.isElsewhere { session.resumedFromCapture = origin.file }
    guard origin.isComplete, let name = session.serverName, origin.serverName == name else { return false }
    session.sharedAssumedChain = origin.chain(as: .earlierSession)
    if session.sharedTLS?.sharedOffer?.requestsStatus == true, !origin.isStatusKnown {
      session.evidence.add(.firstHandshakeStatusMissing)
    }
    return true
  }

  /// The last handshake with this server that contained certificates; nil if there is none, or the server has no name.
  private func server(of session: borrowing ObservedSession) -> Origin? {
    guard !servers.isEmpty, session.serverName != nil, let origin = servers[EarlierSessions.digest(ofServer: session)],
      origin.address == session.server.address, origin.serverName == session.serverName
    else { return nil }
    return origin
  }

  private static func digest(ofServer session: borrowing ObservedSession) -> LinkDigest {
    LinkDigest(server: session.server.address, nameDigest: session.serverNameDigest)
  }

  private mutating func remember(_ session: borrowing ObservedSession, _ chain: CertificateChain?) {
    let isKnown = chain == nil || session.serverName == nil || server(of: session)?.chain === chain
    let canBeResumed = EarlierSessions.canBeResumed(session)
    let sessionID = canBeResumed ? (session.sharedTLS?.sessionID).map { LinkDigest(sessionID: $0) } ?? .none : .none
    let ticket = canBeResumed ? (session.sharedTLS?.issuedTicket).map { LinkDigest(ticket: $0) } ?? .none : .none
    guard !isKnown || !sessionID.isNone || !ticket.isNone else { return }
    let origin = Origin(session, chain)
    if !isKnown, origin.isComplete { servers.insert(origin, for: EarlierSessions.digest(ofServer: session)) }
    if !sessionID.isNone { origins.insert(origin, for: sessionID) }
    if !ticket.isNone { origins.insert(origin, for: ticket) }
  }

  /// Whether later sessions can resume this handshake by its session ID or ticket (TLS 1.2 and older).
  private static func canBeResumed(_ session: borrowing ObservedSession) -> Bool {
    mayHaveEnded(session) && session.sharedTLS?.isResumed == false && session.sharedTLS?.sharedServerHello?.hasTLS13Handshake == false
  }

  /// Whether the handshake was completed, possibly after the capture ended. A later resumption proves it.
  private static func mayHaveEnded(_ session: borrowing ObservedSession) -> Bool {
    session.sharedTLS?.outcome == .established || session.sharedTLS?.outcome == .incomplete
  }

  private func origin(of session: borrowing ObservedSession) -> (origin: Origin, isElsewhere: Bool)? {
    let ticket = (session.sharedTLS?.offeredTicket).map { LinkDigest(ticket: $0) } ?? .none
    let sessionID = (session.sharedTLS?.sessionID).map { LinkDigest(sessionID: $0) } ?? .none
    if let origin = origins[ticket] ?? origins[sessionID] { return precedes(origin, session) ? (origin, false) : nil }
    guard let origin = originsElsewhere[ticket] ?? originsElsewhere[sessionID],
      EarlierSessions.mayResume(session, origin)
    else { return nil }
    return (origin, true)
  }

  /// Links only point backward: the earlier handshake ended before this session did.
  private func precedes(_ origin: Origin, _ session: borrowing ObservedSession) -> Bool {
    origin.lastFrame < session.lastFrame
  }

  /// Whether a session can resume a handshake of another capture: it has the same server and did not begin earlier. Across captures the
  /// digest alone is weaker evidence, since one may be an altered copy of the other, or from another network.
  private static func mayResume(_ session: borrowing ObservedSession, _ origin: Origin) -> Bool {
    guard origin.serverName == session.serverName,
      origin.serverName != nil || origin.address == session.server.address
    else { return false }
    guard let first = origin.start, session.evidence.isClockPlausible, let second = session.start else { return true }
    return first <= second
  }

  /// The chain that a session contained in full, with its OCSP responses and SCTs, for other sessions with the same host; nil if it is not
  /// complete.
  package static func captured(in session: borrowing ObservedSession) -> Shared<AssumedChain>? {
    guard let chain = session.sharedTLS?.chain, !chain.certificates.isEmpty else { return nil }
    let origin = Origin(session, chain)
    return origin.isComplete ? origin.chain(as: .captured) : nil
  }
}
