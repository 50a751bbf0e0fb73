import ByteParsing
import TLSParsing
import Values

/// Remembers handshakes, for the sessions that resume them or meet the same server again.
///
/// Sessions are given in the order of their first packets, across all captures of a run. What is held is bounded; an
/// origin that was forgotten leaves what resumes it undecided.
public struct EarlierSessions {
  /// Sessions, tickets and servers that are remembered at least, each.
  public static let limit = 8192

  /// A handshake that showed certificates, or can be resumed.
  private final class Origin {
    let identifier: UInt64
    let address: IPAddress
    let serverName: String?
    let file: String
    let lastFrame: UInt64
    let chain: CertificateChain?
    let ocspResponse: Bytes?
    let issuerOCSPResponses: [Int: Bytes]
    let sctList: Bytes?
    let isComplete: Bool
    private let offer: ClientOffer?
    private let isStatusComplete: Bool

    init(_ session: borrowing ObservedSession, _ chain: CertificateChain?) {
      identifier = SessionIdentifier(session).hash
      address = session.server.address
      serverName = session.serverName
      file = session.file
      lastFrame = session.lastFrame
      self.chain = chain
      ocspResponse = session.tls?.ocspResponse
      issuerOCSPResponses = session.tls?.issuerOCSPResponses ?? [:]
      sctList = session.tls?.sctList
      isComplete = session.evidence.certificates == .complete && chain?.isComplete == true
      offer = session.tls?.offer
      let status = session.evidence.certificateStatus
      isStatusComplete =
        session.evidence.serverHello == .complete && (status == .complete || status == .notSent)
        && (session.tls?.ocspStapled != true || ocspResponse != nil)
    }

    /// Whether the client asked for all that servers deliver beside certificates, and what came of it was seen in full.
    var isStatusKnown: Bool { isStatusComplete && offer?.asksForStatus == true }

    func chain(as source: AssumedChain.Source) -> AssumedChain? {
      chain.map {
        AssumedChain(
          chain: $0, source: source, ocspResponse: ocspResponse, issuerOCSPResponses: issuerOCSPResponses,
          sctList: sctList)
      }
    }
  }

  private var origins = DigestTable<Origin>(limit: limit)
  private var servers = DigestTable<Origin>(limit: limit)

  /// Creates a memory of nothing.
  public init() {}

  /// What was forgotten for others.
  public var forgotten: UInt64 { origins.forgotten + servers.forgotten }

  /// Takes note of a session, and adds what earlier ones tell of it. Returns whether they tell anything.
  public mutating func complete(_ session: inout ObservedSession) -> Bool {
    guard session.assumedChain == nil else { return false }
    if let chain = session.tls?.chain {
      remember(session, chain.certificates.isEmpty ? nil : chain)
      return false
    }
    // What did not get as far as the certificates resumes nothing.
    guard session.tls?.answer != nil else { return false }
    var isLinked = false
    if session.tls?.resumed == true, session.tls?.resumption != .psk, let origin = origin(of: session) {
      // A ticket that is given anew leads to the same certificates.
      if EarlierSessions.mayHaveEnded(session), let ticket = session.tls?.issuedTicket, !ticket.isNone {
        origins.insert(origin, for: ticket)
      }
      session.resumedFrom = EarlierSessions.text(origin.identifier)
      if origin.isComplete, let name = session.serverName, origin.serverName == name {
        session.assumedChain = origin.chain(as: .earlierSession)
        if session.tls?.offer?.asksForStatus == true, !origin.isStatusKnown {
          session.evidence.notes = (session.evidence.notes + [ObservedSession.unknownStatusNote]).sorted()
        }
        return true
      }
      isLinked = true
    } else {
      remember(session, nil)
    }
    guard let origin = server(of: session), precedes(origin, session) else { return isLinked }
    session.assumedChain = origin.chain(as: .probable)
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

  private static func digest(ofServer session: borrowing ObservedSession) -> TicketDigest {
    TicketDigest(server: session.server.address, nameDigest: session.serverNameDigest)
  }

  private mutating func remember(_ session: borrowing ObservedSession, _ chain: CertificateChain?) {
    let isKnown = chain == nil || session.serverName == nil || server(of: session)?.chain === chain
    let canBeResumed = EarlierSessions.canBeResumed(session)
    let sessionID =
      canBeResumed ? (session.tls?.sessionID).map { TicketDigest(sessionID: $0) } ?? .none : .none
    let ticket = canBeResumed ? session.tls?.issuedTicket ?? .none : .none
    guard !isKnown || !sessionID.isNone || !ticket.isNone else { return }
    let origin = Origin(session, chain)
    if !isKnown, origin.isComplete { servers.insert(origin, for: EarlierSessions.digest(ofServer: session)) }
    if !sessionID.isNone { origins.insert(origin, for: sessionID) }
    if !ticket.isNone { origins.insert(origin, for: ticket) }
  }

  /// Whether later sessions can go back to this handshake by what it gave out (TLS 1.2 and older).
  private static func canBeResumed(_ session: borrowing ObservedSession) -> Bool {
    mayHaveEnded(session) && session.tls?.resumed == false
      && session.tls?.answer?.content.version.hasTLS13Handshake == false
  }

  /// Whether a handshake came to its end, in what the capture lacks if not in what it shows. That it did shows when it is resumed.
  private static func mayHaveEnded(_ session: borrowing ObservedSession) -> Bool {
    session.tls?.established == true || session.tls?.outcome == .incomplete
  }

  private func origin(of session: borrowing ObservedSession) -> Origin? {
    var origin: Origin?
    if let ticket = session.tls?.offeredTicket, !ticket.isNone { origin = origins[ticket] }
    if origin == nil, let sessionID = session.tls?.sessionID {
      origin = origins[TicketDigest(sessionID: sessionID)]
    }
    guard let origin, precedes(origin, session) else { return nil }
    return origin
  }

  /// Knowledge runs forward: within a file the earlier handshake was over when this session was.
  private func precedes(_ origin: Origin, _ session: borrowing ObservedSession) -> Bool {
    origin.file != session.file || origin.lastFrame < session.lastFrame
  }

  private static func text(_ identifier: UInt64) -> String {
    hexadecimal((0..<8).map { UInt8(truncatingIfNeeded: identifier >> UInt64(56 - 8 * $0)) })
  }
}
