import CleartextObservation
import Reassembly
import SessionModel
import TLSObservation
import Values

/// Makes the sessions of a closed connection.
struct SessionAssembly {
  let file: String
  let key: ConnectionKey
  var connection: ConnectionFacts
  let ending: SessionTracker.Ending
  /// The names that the capture contains for addresses; nil if there are none.
  let names: NameTable?

  /// The session of a handshake; nil if no byte of one was read.
  func handshakeSession(_ conversation: inout Conversation) -> EndedSession? {
    guard conversation.hasHandshake, let first = conversation.first else { return nil }
    return EndedSession(session(of: &conversation, from: first))
  }

  private func session(of conversation: inout Conversation, from first: PacketReference) -> ObservedSession {
    var last = conversation.last ?? first
    conclude(&conversation.handshake, at: last.frame)
    let clientDirection = conversation.handshake.clientDirection ?? connection.opener ?? key.probableClient
    let server = key[clientDirection.opposite]
    var tunnel = tunnel(server: server)
    if let preamble = conversation.preamble { tunnel += preamble.tunnel(port: server.port) }
    if let known = usualProtocol(conversation, server.port) {
      tunnel.append(known)
    } else if beganWithUnknownProtocol(conversation, server.port) {
      tunnel.append(.unknownProtocol)
    }
    let naming = naming(by: conversation, server, before: max(first.frame, last.frame))
    let unreachable = completeEvidence(of: &conversation, clientDirection, start: first.time)
    if let unreachable, unreachable.frame > last.frame { last = unreachable }
    var session = ObservedSession(
      file: file, firstFrame: first.frame, lastFrame: max(first.frame, last.frame), start: first.time,
      end: last.time, transport: .tcp, application: .tls, client: key[clientDirection], server: server)
    session.process = connection.process
    (session.serverName, session.serverNameSource) = (naming.name, naming.source)
    session.tunnel = tunnel
    session.nameHints = naming.hints
    session.controlEnds = conversation.preamble?.ftpControl.map { Shared($0) }
    session.evidence = conversation.handshake.takeEvidence()
    session.sharedTLS = Shared(conversation.handshake.takeFacts())
    return session
  }

  /// Determines the outcome of a handshake, and what depends on contested bytes.
  private func conclude(_ handshake: inout Handshake, at lastFrame: UInt64) {
    var wasReset = false
    if case .reset = ending { wasReset = true }
    handshake.conclude(wasReset: wasReset, resetFrame: lastFrame, opener: connection.opener, saw: connection.saw)
    for bytes in connection.contestedBytes {
      for part in handshake.parts(of: bytes) { handshake.evidence.contest(part, bytes.frames) }
    }
  }

  /// What a handshake and the request to a proxy before it name the host.
  @inline(__always)
  private func naming(
    by conversation: borrowing Conversation, _ server: Endpoint, before frame: UInt64
  ) -> (name: String?, source: ObservedSession.NameSource?, hints: [NameHint]) {
    var (requested, address, addressSource) = (String?.none, server.address, ObservedSession.NameSource.address)
    switch conversation.preamble?.asked {
    case .host(let host): requested = host
    case .address(let asked): (address, addressSource) = (asked, .connect)
    case nil: break
    }
    // If the proxy was given a name, the host's address is unknown.
    let hints = requested == nil ? hints(for: address, before: frame) : []
    // Copies of the ClientHello disagree, so the client's name is unknown.
    if conversation.handshake.evidence.isContested(.clientHello) { return (nil, nil, hints) }
    let (name, source) = name(
      of: conversation.handshake, requested, address, addressSource,
      mayLackProxyRequest: conversation.mayLackProxyRequest || conversation.preamble?.lacksTarget == true
        || mayFollowProxy(conversation.preamble, server.port, followsGreeting: conversation.followsGreeting))
    return (name, source, hints)
  }

  /// Completes the evidence of a handshake. Returns the packet that reports the server as unreachable; nil if there is none.
  private func completeEvidence(of conversation: inout Conversation, _ clientDirection: Direction, start: Timestamp?) -> PacketReference? {
    let outcome = conversation.handshake.facts.outcome
    var unreachable: PacketReference?
    if let report = connection.unreachable, report.direction == clientDirection, conversation.handshake.noteUnreachable(report.reference) {
      unreachable = report.reference
    }
    let hitLimit = conversation.handshake.hitLimit
    var isClosed = conversation.handshake.isCloseAnsweredByAlert
    if case .closed = ending, outcome == .incomplete, !conversation.handshake.sawEncryptedAlert, !conversation.handshake.mayBeFinished {
      isClosed = true
    }
    complete(
      &conversation.handshake.evidence, missingBytes: conversation.missingBytes, start: start, outcome,
      hitLimit: hitLimit, isClosedWithoutAlert: isClosed, isUnreachable: unreachable != nil)
    if isClosed || outcome == .reset { conversation.handshake.noteClosing(withoutAlert: isClosed) }
    if conversation.followsGreeting, connection.priorMark == nil { conversation.handshake.note(.tlsNotAtStart) }
    let lacksBeginning = conversation.lacksBeginning || conversation.followsGreeting && connection.opener == nil
    // The layers before a hello explain it, unless bytes of an unknown protocol follow them.
    let isExplained = conversation.preamble != nil && !conversation.followsGreeting
    // Without a hello or a tunnel, the host is not known either.
    if lacksBeginning, !isExplained, conversation.handshake.facts.sharedOffer != nil || conversation.preamble != nil {
      conversation.handshake.note(.beginningMissing)
      if conversation.handshake.evidence.incomplete == nil {
        conversation.handshake.evidence.incomplete = connection.truncatedPackets > 0 ? .snaplen : .loss
      }
    }
    if let preamble = conversation.preamble {
      if preamble.lacksConnectResponse { conversation.handshake.note(.connectResponseMissing) }
      if preamble.isTunnelRefused { conversation.handshake.note(.connectRefused) }
      if preamble.hasStartTLS { conversation.handshake.note(.tlsNotAtStart) }
    }
    return unreachable
  }

  /// The names that an address had before a packet.
  func hints(for address: IPAddress, before frame: UInt64) -> [NameHint] {
    names?.hints(for: address, before: frame) ?? []
  }

  /// The host as the client names it, and the source of the name (policy text A.3). `server` is the requested address, after any proxies.
  func name(
    of handshake: borrowing Handshake, _ connectHost: String?, _ server: IPAddress,
    _ addressSource: ObservedSession.NameSource = .address, mayLackProxyRequest: Bool = false
  ) -> (String?, ObservedSession.NameSource?) {
    if let connectHost, !connectHost.isEmpty { return (connectHost.asciiLowercase, .connect) }
    // The outer hello contains the name of the client-facing server, which decrypts the inner hello.
    if handshake.facts.innerRandom != nil, handshake.facts.outerHello == nil { return (nil, nil) }
    if let name = handshake.facts.serverName, !name.isEmpty { return (name.asciiLowercase, .sni) }
    // An incomplete hello may have contained a name.
    guard handshake.facts.sharedOffer != nil, handshake.evidence.clientHello == .complete else { return (nil, nil) }
    // The bytes before the hello may have requested another host from a proxy.
    if mayLackProxyRequest { return (nil, nil) }
    return (server.description, addressSource)
  }

  /// Whether a request to a proxy for another host may precede a handshake: the connection began before the capture, or it began, perhaps
  /// after a PROXY protocol header, with bytes that were not recognized.
  private func mayFollowProxy(_ preamble: Preamble?, _ port: UInt16, followsGreeting: Bool) -> Bool {
    (preamble == nil && connection.opener == nil || preamble?.asked == nil && followsGreeting)
      && SessionAssembly.proxyPorts.contains(port)
  }

  /// The usual ports of SOCKS and HTTP proxies, including those of developers' tools.
  private static let proxyPorts: Set<UInt16> = [1080, 3128, 8080, 8118, 8888, 9050, 9150]

  /// The protocol that most likely preceded a handshake, if the bytes before it were not captured or not recognized. Connections to the
  /// ports of such protocols do not begin with TLS.
  private func usualProtocol(_ conversation: borrowing Conversation, _ port: UInt16) -> EnclosingLayer? {
    guard conversation.preamble == nil,
      connection.opener == nil || connection.priorMark != nil || conversation.followsGreeting || conversation.lacksBeginning,
      connection.priorMark?.foreignProtocol == nil
    else { return nil }
    return ForeignProtocol.usual(onPort: port)?.tunnel(port: port)
  }

  /// Whether the capture has the whole beginning of the connection, and a protocol that is neither TLS nor that of a proxy began it, or
  /// began the tunnel in it.
  @inline(__always)
  private func beganWithUnknownProtocol(_ conversation: borrowing Conversation, _ port: UInt16) -> Bool {
    let followsShortGreeting = conversation.followsGreeting && connection.opener != nil && connection.priorMark == nil
    let followsLongGreeting = connection.followsUnknownProtocol && connection.priorMark?.foreignProtocol == nil
    return (followsShortGreeting || followsLongGreeting) && conversation.preamble?.endsWithTunnel != false && !conversation.lacksBeginning
      && (conversation.preamble?.asked != nil || !SessionAssembly.proxyPorts.contains(port))
  }

  func tunnel(server: Endpoint) -> [EnclosingLayer] {
    var list = connection.tunnels ?? []
    if let known = connection.priorMark?.foreignProtocol {
      list.append(known.tunnel(port: server.port))
    }
    return list
  }

  /// The sessions of cleartext HTTP, one for each host.
  func httpSessions(_ conversation: borrowing Conversation) -> [ObservedSession] {
    conversation.httpConversations.flatMap { sessions(of: $0.http, at: $0.layerIndex, conversation) }
  }

  private func sessions(of http: HTTPConversation, at layerIndex: Int, _ conversation: borrowing Conversation) -> [ObservedSession] {
    let (client, server) = (key[http.clientDirection], key[http.clientDirection.opposite])
    return http.hosts.map { host in
      var session = ObservedSession(
        file: file, firstFrame: host.first.frame, lastFrame: max(host.first.frame, host.last.frame), start: host.first.time,
        end: host.last.time, transport: .tcp, application: .http, client: client, server: server)
      session.tunnel = tunnel(server: server)
      session.tunnel += conversation.preamble?.tunnel(before: layerIndex, port: server.port) ?? []
      if let target = host.proxyTarget { session.tunnel.append(EnclosingLayer("http-proxy \(target)")) }
      session.process = connection.process
      if let name = host.name {
        (session.serverName, session.serverNameSource) = (name.asciiLowercase, host.source)
      } else if case .address(let address) = http.requested.target, host.facts.requestCount > 0, !host.isNameLost {
        (session.serverName, session.serverNameSource) = (address.description, .connect)
      }
      session.http = host.facts
      session.evidence = evidence(of: host, http, missingBytes: conversation.missingBytes)
      if session.evidence.isContested(.clientHello) {
        session.serverName = nil
        session.serverNameSource = nil
      }
      if session.isHostAddressKnown {
        session.nameHints = hints(for: session.hostAddress, before: session.lastFrame)
      }
      session.controlEnds = conversation.preamble?.ftpControl.map { Shared($0) }
      return session
    }
  }

  private func evidence(of host: RequestedHosts.Host, _ http: HTTPConversation, missingBytes: Int) -> Evidence {
    var evidence = Evidence()
    evidence.clientHello = host.isNameLost ? .partial : .complete
    evidence.frames[.clientHello].insert(host.first.frame)
    evidence.missingBytes = missingBytes
    evidence.truncatedPackets = connection.truncatedPackets
    evidence.isClockPlausible = host.first.time.map { SessionTracker.plausibleSeconds.contains($0.seconds) } ?? false
    if http.hasLongHead {
      evidence.incomplete = .limit
    } else if missingBytes > 0 {
      evidence.incomplete = connection.truncatedPackets > 0 ? .snaplen : .loss
    } else if !connection.sawBothDirections {
      evidence.incomplete = .oneDirection
    } else if connection.opener == nil {
      evidence.incomplete = .startedLate
    } else if case .limit = ending {
      evidence.incomplete = .limit
    } else if http.isUnfinished, isEndedEarly {
      evidence.incomplete = .stillOpen
    }
    for note in http.notes { evidence.add(note) }
    for bytes in connection.contestedBytes {
      let isRequest = bytes.direction == http.clientDirection
      guard host.mayHoldHead(in: bytes.frames, isRequest: isRequest) else { continue }
      evidence.contest(isRequest ? .clientHello : .serverHello, bytes.frames)
    }
    noteDispute(&evidence, .tcpRetransmissionDisagrees)
    return evidence
  }

  /// Whether the capture ended, or the connection became idle, before it was closed.
  private var isEndedEarly: Bool {
    switch ending {
    case .stillOpen, .superseded: true
    case .done, .closed, .reset, .limit: false
    }
  }

  func complete(
    _ evidence: inout Evidence, missingBytes: Int, start: Timestamp?, _ outcome: TLSFacts.Outcome, hitLimit: Bool, hasGaps: Bool = false,
    isClosedWithoutAlert: Bool = false, isUnreachable: Bool = false, disputeNote: EvidenceNote = .tcpRetransmissionDisagrees
  ) {
    evidence.missingBytes = missingBytes
    evidence.truncatedPackets = connection.truncatedPackets
    evidence.isClockPlausible = start.map { SessionTracker.plausibleSeconds.contains($0.seconds) } ?? false
    evidence.incomplete = incomplete(
      evidence, outcome, hitLimit: hitLimit, hasGaps: hasGaps, isClosedWithoutAlert: isClosedWithoutAlert, isUnreachable: isUnreachable)
    if connection.priorMark != nil { evidence.add(.tlsNotAtStart) }
    noteDispute(&evidence, disputeNote)
  }

  private func noteDispute(_ evidence: inout Evidence, _ note: EvidenceNote) {
    let fragment = connection.disputedFragment
    guard connection.disagreeingBytes > 0 || fragment > 0 else { return }
    if connection.disagreeingBytes > 0 { evidence.add(note) }
    if fragment > 0 { evidence.add(.ipFragmentsDisagree) }
    let frames = connection.disputeFrames
    evidence.disagreements = FrameList([frames.fromLower, frames.fromUpper, fragment].filter { $0 > 0 })
  }

  /// The reason why the session is incomplete; nil if it is complete.
  private func incomplete(
    _ evidence: borrowing Evidence, _ outcome: TLSFacts.Outcome, hitLimit: Bool, hasGaps: Bool,
    isClosedWithoutAlert: Bool, isUnreachable: Bool
  ) -> Evidence.Incomplete? {
    func isIn(_ state: Evidence.State) -> Bool {
      evidence.clientHello == state || evidence.serverHello == state || evidence.certificates == state
        || evidence.certificateStatus == state || evidence.serverKeyExchange == state
    }
    let lacksHello = evidence.clientHello != .complete
    let lacksPart = isIn(.partial) || isIn(.missing)
    guard lacksHello || lacksPart || outcome == .incomplete || outcome == .reset && evidence.missingBytes > 0 else { return nil }
    if hitLimit || evidence.incomplete == .limit { return .limit }
    if case .limit = ending { return .limit }
    // A server that is unreachable sends nothing that could be captured.
    if !connection.sawBothDirections, !isUnreachable { return .oneDirection }
    if connection.truncatedPackets > 0, evidence.missingBytes > 0 || hasGaps { return .snaplen }
    if evidence.missingBytes > 0 || hasGaps { return .loss }
    if lacksHello, connection.opener == nil { return .startedLate }
    // After one endpoint has closed and the other has acknowledged it, nothing more follows.
    return isEndedEarly && outcome == .incomplete && !isClosedWithoutAlert && !isUnreachable ? .stillOpen : nil
  }
}
