import QUICObservation
import QUICParsing
import Reassembly
import SessionModel
import TLSObservation
import Values

extension SessionAssembly {
  /// The session of a QUIC connection; nil if no hello was captured.
  func quicSession(_ session: QUICSession) -> ObservedSession? {
    let quic = session.connection
    let evidence = session.handshake.evidence
    guard evidence.clientHello != .missing || evidence.serverHello != .missing,
      let clientDirection = quic.clientDirection
    else { return nil }
    session.handshake.conclude(wasReset: false, resetFrame: 0, isServerFlightUnread: quic.isServerFlightUnread)
    if quic.secretsFailed { session.handshake.note(.secretsDoNotDecrypt) }
    switch quic.handshakeKeys {
    case .missing, .sought: if session.handshake.facts.isResumed != true { session.handshake.note(.secretsMissing) }
    case .awaitingServerHello, .awaitingRandom, .none, .derived: break
    }
    if case .missing(isSearchUnfinished: true) = quic.handshakeKeys { session.handshake.note(.secretSearchUnfinished) }
    if quic.lacksServerSecret { session.handshake.note(.serverSecretMissing) }
    if session.hasMoved { session.handshake.note(.quicAddressChanged) }
    if quic.wasRetried { session.handshake.note(.quicRetry) }
    if !quic.negotiatedVersions.isEmpty { session.handshake.note(.quicVersionNegotiation) }
    var last = session.last
    let isUnreachable = session.unreachable.map { session.handshake.noteUnreachable($0) } ?? false
    if isUnreachable, let reference = session.unreachable, reference.frame > last.frame { last = reference }
    let first = session.first
    let (client, server) = (key[clientDirection], key[clientDirection.opposite])
    var observed = ObservedSession(
      file: file, firstFrame: first.frame, lastFrame: max(first.frame, last.frame), start: first.time,
      end: last.time, transport: .quic, application: .tls, client: client, server: server)
    observed.tunnel = connection.tunnels ?? []
    observed.process = connection.process
    for (part, frame) in [(Evidence.Part.clientHello, quic.contestedInitials.client), (.serverHello, quic.contestedInitials.server)]
    where frame > 0 {
      session.handshake.evidence.contest(part, FrameList(session.handshake.evidence.frames[part].numbers + [frame]))
    }
    if !session.handshake.evidence.isContested(.clientHello) {
      (observed.serverName, observed.serverNameSource) = name(of: session.handshake, nil, server.address)
    }
    observed.nameHints = hints(for: server.address, before: observed.lastFrame)
    observed.quic = QUICFacts(
      version: quic.version.rawValue,
      close: session.close.map { QUICFacts.Close(code: $0.code, frame: $0.frame) })
    complete(
      &session.handshake.evidence, missingBytes: 0, start: first.time, session.handshake.facts.outcome, hitLimit: quic.hitLimit,
      hasGaps: quic.hasGaps, isUnreachable: isUnreachable, disputeNote: .quicCryptoDisagrees)
    observed.evidence = session.handshake.takeEvidence()
    observed.sharedTLS = Shared(session.handshake.takeFacts())
    return observed
  }
}
