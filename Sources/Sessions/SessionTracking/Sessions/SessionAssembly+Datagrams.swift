import Reassembly
import SessionModel
import TLSObservation
import TLSParsing
import Values

extension SessionAssembly {
  func datagramSession(_ conversation: DatagramConversation) -> ObservedSession {
    let first = conversation.first
    var last = conversation.last
    conversation.handshake.conclude(wasReset: false, resetFrame: last.frame)
    let isUnreachable = conversation.unreachable.map { conversation.handshake.noteUnreachable($0) } ?? false
    if isUnreachable, let reference = conversation.unreachable, reference.frame > last.frame { last = reference }
    let clientDirection = conversation.handshake.clientDirection ?? key.probableClient
    let server = key[clientDirection.opposite]
    var session = ObservedSession(
      file: file, firstFrame: first.frame, lastFrame: max(first.frame, last.frame), start: first.time, end: last.time, transport: .udp,
      application: .dtls, client: key[clientDirection], server: server)
    (session.serverName, session.serverNameSource) = name(of: conversation.handshake, nil, server.address)
    session.nameHints = hints(for: server.address, before: session.lastFrame)
    session.tunnel = tunnel(server: server)
    session.process = connection.process
    session.evidence = conversation.handshake.takeEvidence()
    complete(
      &session.evidence, missingBytes: conversation.missingBytes, start: first.time, conversation.handshake.facts.outcome,
      hitLimit: conversation.hitLimit, hasGaps: conversation.handshake.lost.fromLower || conversation.handshake.lost.fromUpper,
      isUnreachable: isUnreachable, disputeNote: .dtlsRetransmissionDisagrees)
    session.sharedTLS = Shared(conversation.handshake.takeFacts())
    return session
  }
}

extension DatagramConversation {
  /// The facts about the datagrams that a session's evidence contains.
  var facts: ConnectionFacts {
    ConnectionFacts(
      opener: handshake.clientDirection, truncatedPackets: truncatedPackets, saw: saw, priorMark: nil, tunnels: tunnels, process: process,
      disagreeingBytes: assemblies.fromLower.disagreeingBytes + assemblies.fromUpper.disagreeingBytes,
      disputeFrames: BothDirections(fromLower: assemblies.fromLower.disputePacket, fromUpper: assemblies.fromUpper.disputePacket),
      disputedFragment: disputedFragment)
  }
}
