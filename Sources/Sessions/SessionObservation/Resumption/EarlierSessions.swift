import ByteParsing
import TLSParsing
import Values

/// Remembers the handshakes that showed certificates, for the sessions that resume them or meet the same server again.
///
/// Sessions are given in the order of their first packets, across all captures of a run. What is held is bounded; an
/// origin that was forgotten leaves what resumes it undecided.
public final class EarlierSessions {
  /// Sessions, tickets and servers that are remembered at least, each.
  public static let limit = 8192

  /// A handshake that showed certificates.
  private final class Origin {
    let identifier: UInt64
    let serverName: String?
    let file: String
    let lastFrame: UInt64
    let chain: CertificateChain
    let ocspResponse: Bytes?
    let sctList: Bytes?
    let isComplete: Bool

    init(_ session: borrowing ObservedSession, _ facts: borrowing TLSFacts, _ chain: CertificateChain) {
      identifier = SessionIdentifier(session).hash
      serverName = session.serverName
      file = session.file
      lastFrame = session.lastFrame
      self.chain = chain
      ocspResponse = facts.ocspResponse
      sctList = facts.sctList
      isComplete = session.evidence.certificates == .complete && chain.isComplete
    }

    func chain(as source: AssumedChain.Source) -> AssumedChain {
      AssumedChain(chain: chain, source: source, ocspResponse: ocspResponse, sctList: sctList)
    }
  }

  private struct Server: Hashable {
    var address: IPAddress
    var name: String
  }

  private var origins = RecentTable<TicketDigest, Origin>(limit: limit)
  private var servers = RecentTable<Server, Origin>(limit: limit)

  /// Creates a memory of nothing.
  public init() {}

  /// What was forgotten for others.
  public var forgotten: UInt64 { origins.forgotten + servers.forgotten }

  /// Takes note of a session, and returns it with what earlier ones tell of it; nil where they tell nothing.
  public func complete(_ session: borrowing ObservedSession) -> ObservedSession? {
    guard let facts = session.tls, session.assumedChain == nil else { return nil }
    if let chain = facts.chain {
      if !chain.certificates.isEmpty { remember(session, facts, chain) }
      return nil
    }
    // What did not get as far as the certificates resumes nothing.
    guard facts.answer != nil else { return nil }
    if facts.resumed == true, facts.resumption != .psk, let origin = origin(of: facts, in: session) {
      // A ticket that is given anew leads to the same certificates.
      if facts.established, !facts.issuedTicket.isNone { origins.insert(origin, for: facts.issuedTicket) }
      var completed = copy session
      completed.resumedFrom = EarlierSessions.text(origin.identifier)
      if origin.isComplete, origin.serverName == session.serverName {
        completed.assumedChain = origin.chain(as: .earlierSession)
      }
      return completed
    }
    guard let name = session.serverName,
      let origin = servers[Server(address: session.server.address, name: name)],
      precedes(origin, session)
    else { return nil }
    var completed = copy session
    completed.assumedChain = origin.chain(as: .probable)
    return completed
  }

  private func remember(
    _ session: borrowing ObservedSession, _ facts: borrowing TLSFacts, _ chain: CertificateChain
  ) {
    let server = session.serverName.map { Server(address: session.server.address, name: $0) }
    let isKnown = server.map { servers[$0]?.chain === chain } ?? true
    let sessionID = facts.canBeResumed ? TicketDigest(sessionID: facts.sessionID) : .none
    let ticket = facts.canBeResumed ? facts.issuedTicket : .none
    guard !isKnown || !sessionID.isNone || !ticket.isNone else { return }
    let origin = Origin(session, facts, chain)
    if let server, !isKnown, origin.isComplete { servers.insert(origin, for: server) }
    if !sessionID.isNone { origins.insert(origin, for: sessionID) }
    if !ticket.isNone { origins.insert(origin, for: ticket) }
  }

  private func origin(of facts: borrowing TLSFacts, in session: borrowing ObservedSession) -> Origin? {
    let byTicket = facts.offeredTicket.isNone ? nil : origins[facts.offeredTicket]
    guard let origin = byTicket ?? origins[TicketDigest(sessionID: facts.sessionID)],
      precedes(origin, session)
    else { return nil }
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

extension TLSFacts {
  /// Whether later sessions can go back to this handshake by what it gave out (TLS 1.2 and older).
  fileprivate var canBeResumed: Bool {
    established && resumed == false && !(answer?.content.version.hasTLS13Handshake ?? true)
  }
}
