import ByteParsing
package import SessionModel
import TLSParsing
import Values

/// Remembers handshakes, for the sessions that resume them or meet the same server again.
///
/// Sessions are given in the order of their first packets, capture after capture. What a capture shows is remembered apart
/// from what others showed, so that other captures change nothing but this: a session whose origin its own capture lacks is
/// linked to one in an earlier capture, which the link names. What is held is bounded; an origin that was forgotten leaves
/// what resumes it undecided.
package struct EarlierSessions {
  /// Sessions, tickets and servers that are remembered at least, each.
  package static let maximumCount = 8192

  /// A handshake that showed certificates, or can be resumed.
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
      ocspResponse = session.tls?.ocspResponse
      issuerOCSPResponses = session.tls?.issuerOCSPResponses ?? [:]
      sctList = session.tls?.sctList
      isComplete = session.evidence.certificates == .complete && chain?.isComplete == true
      control = FTPControls.isControl(session) ? FTPControls.Control(session) : nil
      offer = session.tls?.offer
      let status = session.evidence.certificateStatus
      isStatusComplete =
        session.evidence.serverHello == .complete && (status == .complete || status == .notSent)
        && (session.tls?.ocspStapled != true || ocspResponse != nil)
    }

    /// Whether the client requested all that servers deliver beside certificates, and what came of it was seen in full.
    var isStatusKnown: Bool { isStatusComplete && offer?.requestsStatus == true }

    func chain(as source: AssumedChain.Source) -> Shared<AssumedChain>? {
      chain.map {
        Shared(
          AssumedChain(
            chain: $0, source: source,
            origin: AssumedChain.Origin(
              session: EarlierSessions.text(identifier), file: file, frames: frames),
            ocspResponse: ocspResponse, issuerOCSPResponses: issuerOCSPResponses,
            sctList: sctList))
      }
    }
  }

  /// Those of the present capture.
  private var origins = RecentTable<[LinkDigest: Origin]>(maximumCount: maximumCount)
  private var servers = RecentTable<[LinkDigest: Origin]>(maximumCount: maximumCount)

  /// Control connections of FTP in the present capture.
  private var controls = FTPControls()

  /// Those of the captures before it.
  private var originsElsewhere = RecentTable<[LinkDigest: Origin]>(maximumCount: maximumCount)

  /// What was forgotten of captures before the present one.
  private var forgottenBefore: UInt64 = 0

  /// Creates a memory of nothing.
  package init() {}

  /// What was forgotten for others.
  package var forgotten: UInt64 {
    forgottenBefore + origins.evicted + servers.evicted + originsElsewhere.evicted + controls.forgotten
  }

  /// Makes ready for another capture.
  package mutating func beginCapture() {
    forgottenBefore += controls.forgotten
    controls = FTPControls()
    guard !origins.isEmpty || !servers.isEmpty else { return }
    forgottenBefore += origins.evicted + servers.evicted
    originsElsewhere.insert(contentsOf: origins)
    origins = RecentTable(maximumCount: EarlierSessions.maximumCount)
    servers = RecentTable(maximumCount: EarlierSessions.maximumCount)
  }

  /// Records a session, and adds what earlier ones tell of it. Returns whether they tell anything.
  package mutating func complete(_ session: inout ObservedSession) -> Bool {
    var resumed: FTPControls.Control?
    let isLinked = link(&session, &resumed)
    guard let control = controls.controlSession(of: session, resuming: resumed) else { return isLinked }
    session.controlSession = EarlierSessions.text(control)
    if !session.isFTPData { session.tunnel.append(ObservedSession.ftpDataTunnel) }
    return true
  }

  /// Records a session, and links it to the handshake that it goes back to, or to the last one with its server; `control` is set
  /// to the control connection of FTP that showed the former.
  private mutating func link(
    _ session: inout ObservedSession, _ control: inout FTPControls.Control?
  ) -> Bool {
    guard session.assumedChain == nil else { return false }
    if let chain = session.tls?.chain {
      remember(session, chain.certificates.isEmpty ? nil : chain)
      return false
    }
    // What did not get as far as the certificates resumes nothing.
    guard session.tls?.serverHello != nil else { return false }
    var isLinked = false
    if let found = resumedOrigin(of: session) {
      control = found.origin.control
      if EarlierSessions.link(&session, to: found) { return true }
      isLinked = true
    } else {
      remember(session, nil)
    }
    guard let origin = server(of: session), precedes(origin, session) else { return isLinked }
    session.assumedChain = origin.chain(as: .probable)
    return true
  }

  /// Records a session that was saved. Its record has the links within its capture; those to earlier captures are added as they
  /// would be if the captures were read together.
  package mutating func complete(saved session: inout ObservedSession) {
    if let chain = session.tls?.chain {
      remember(session, chain.certificates.isEmpty ? nil : chain)
      return
    }
    guard session.tls?.serverHello != nil else { return }
    guard let found = resumedOrigin(of: session) else {
      remember(session, nil)
      return
    }
    guard session.resumedFrom == nil else { return }
    _ = EarlierSessions.link(&session, to: found)
    if session.controlSession == nil, let control = found.origin.control,
      FTPControls.mayBeData(session, of: control)
    {
      session.controlSession = EarlierSessions.text(control.identifier)
      if !session.isFTPData { session.tunnel.append(ObservedSession.ftpDataTunnel) }
    }
  }

  /// The handshake that a session resumes, and whether it is in another capture. A ticket that the session was given leads there too.
  private mutating func resumedOrigin(
    of session: borrowing ObservedSession
  ) -> (origin: Origin, isElsewhere: Bool)? {
    guard session.tls?.resumed == true, session.tls?.resumption != .psk, let found = origin(of: session)
    else { return nil }
    let ticket = LinkDigest(ticket: session.tls?.issuedTicket ?? ShortBytes())
    if !ticket.isNone, EarlierSessions.mayHaveEnded(session) {
      if found.isElsewhere {
        originsElsewhere.insert(found.origin, for: ticket)
      } else {
        origins.insert(found.origin, for: ticket)
      }
    }
    return found
  }

  /// Links a session to the handshake that it resumes. Returns whether it has the certificates of that.
  private static func link(
    _ session: inout ObservedSession, to found: (origin: Origin, isElsewhere: Bool)
  ) -> Bool {
    let origin = found.origin
    session.resumedFrom = text(origin.identifier)
    if found.isElsewhere { session.resumedFromCapture = origin.file }
    guard origin.isComplete, let name = session.serverName, origin.serverName == name else { return false }
    session.assumedChain = origin.chain(as: .earlierSession)
    if session.tls?.offer?.requestsStatus == true, !origin.isStatusKnown {
      session.evidence.add(.firstHandshakeStatusNotSeen)
      session.evidence.notes.sort()
    }
    return true
  }

  /// The last handshake with this server that showed certificates; nil where none did, or the server has no name.
  private func server(of session: borrowing ObservedSession) -> Origin? {
    guard !servers.isEmpty, session.serverName != nil,
      let origin = servers[EarlierSessions.digest(ofServer: session)],
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
    let sessionID =
      canBeResumed ? (session.tls?.sessionID).map { LinkDigest(sessionID: $0) } ?? .none : .none
    let ticket =
      canBeResumed ? (session.tls?.issuedTicket).map { LinkDigest(ticket: $0) } ?? .none : .none
    guard !isKnown || !sessionID.isNone || !ticket.isNone else { return }
    let origin = Origin(session, chain)
    if !isKnown, origin.isComplete { servers.insert(origin, for: EarlierSessions.digest(ofServer: session)) }
    if !sessionID.isNone { origins.insert(origin, for: sessionID) }
    if !ticket.isNone { origins.insert(origin, for: ticket) }
  }

  /// Whether later sessions can go back to this handshake by what it gave out (TLS 1.2 and older).
  private static func canBeResumed(_ session: borrowing ObservedSession) -> Bool {
    mayHaveEnded(session) && session.tls?.resumed == false
      && session.tls?.serverHello?.version.hasTLS13Handshake == false
  }

  /// Whether a handshake came to its end, in what the capture lacks if not in what it shows. That it did shows when it is resumed.
  private static func mayHaveEnded(_ session: borrowing ObservedSession) -> Bool {
    session.tls?.established == true || session.tls?.outcome == .incomplete
  }

  /// The handshake that a session resumes, and whether it is in another capture.
  private func origin(of session: borrowing ObservedSession) -> (origin: Origin, isElsewhere: Bool)? {
    let ticket = (session.tls?.offeredTicket).map { LinkDigest(ticket: $0) } ?? .none
    let sessionID = (session.tls?.sessionID).map { LinkDigest(sessionID: $0) } ?? .none
    if let origin = origins[ticket] ?? origins[sessionID] {
      return precedes(origin, session) ? (origin, false) : nil
    }
    guard let origin = originsElsewhere[ticket] ?? originsElsewhere[sessionID],
      EarlierSessions.mayResume(session, origin)
    else { return nil }
    return (origin, true)
  }

  /// Knowledge runs forward: the earlier handshake was over when this session was.
  private func precedes(_ origin: Origin, _ session: borrowing ObservedSession) -> Bool {
    origin.lastFrame < session.lastFrame
  }

  /// Whether a session can resume a handshake of another capture: it is with the same server, and did not begin before that. The digest
  /// alone tells less across captures, of which one may be another's copy, changed, or from another network.
  private static func mayResume(_ session: borrowing ObservedSession, _ origin: Origin) -> Bool {
    guard origin.serverName == session.serverName,
      origin.serverName != nil || origin.address == session.server.address
    else { return false }
    guard let first = origin.start, session.evidence.isClockPlausible, let second = session.start else {
      return true
    }
    return first <= second
  }

  /// The chain that a session showed in full, with what the server delivered beside it, for other sessions with its host; nil where
  /// it showed none.
  package static func captured(in session: borrowing ObservedSession) -> Shared<AssumedChain>? {
    guard let chain = session.tls?.chain, !chain.certificates.isEmpty else { return nil }
    let origin = Origin(session, chain)
    return origin.isComplete ? origin.chain(as: .captured) : nil
  }

  private static func text(_ identifier: UInt64) -> String {
    hexadecimal((0..<8).map { UInt8(truncatingIfNeeded: identifier >> UInt64(56 - 8 * $0)) })
  }
}
