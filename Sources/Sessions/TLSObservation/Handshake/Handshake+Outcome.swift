package import SessionModel
import TLSParsing
package import Values

/// How the handshake ends: alerts, what is protected, and what the capture shows in all.
extension Handshake {
  mutating func receiveAlert(_ alert: ObservedAlert, _ direction: Direction) {
    if clientDirection == nil {
      // Before any hello only a server has a reason to alert: the client's hello is not in the capture.
      clientDirection = opener ?? direction.opposite
      isClientGuessed = true
    }
    let isClient = clientDirection == direction
    if isClient, facts.clientAlerts.count < Handshake.alertLimit { facts.clientAlerts.append(alert) }
    if !isClient, facts.serverAlerts.count < Handshake.alertLimit { facts.serverAlerts.append(alert) }
    guard facts.outcome == .incomplete, endsHandshake(alert) else { return }
    if answersClose(alert.description, direction, alert.frame) {
      if closed?.isByReset == false { isClosedWithoutAlert = true }
      return
    }
    settle(isClient ? .refusedByClient : .refusedByServer, alert.frame)
  }

  /// Takes note that one end closes the connection, by FIN or RST.
  package mutating func close(in direction: Direction, isByReset: Bool, _ frame: UInt64) {
    if closed == nil, facts.outcome == .incomplete { closed = (direction, isByReset, frame) }
  }

  /// Notes a server that answers the ClientHello with HTTP, as one without TLS does, and many a portal or proxy.
  mutating func noteHTTPResponse(_ piece: Span<UInt8>, _ direction: Direction, _ frame: UInt64) {
    guard isClient(direction) == false, !records[direction].hasRecord,
      Handshake.lengthOfHTTPStart(of: piece) > 0
    else { return }
    note(EndingNote.httpResponse)
    evidence.frames[.outcome].insert(frame)
  }

  /// How many bytes at the start of a piece show that it is an HTTP response; 0 where it is none.
  package static func lengthOfHTTPStart(of piece: Span<UInt8>) -> Int {
    guard startOfHTTPResponse.count <= piece.count else { return 0 }
    for (index, byte) in startOfHTTPResponse.enumerated() where piece[index] != byte { return 0 }
    return startOfHTTPResponse.count
  }

  private static let startOfHTTPResponse = Array("HTTP/1.".utf8)

  /// Notes which end closed or reset a connection whose handshake was not over.
  package mutating func noteClosing(withoutAlert: Bool) {
    if withoutAlert { note(EndingNote.closedWithoutAlert) }
    guard let closed, let isClient = isClient(closed.direction) else { return }
    note(isClient ? EndingNote.closedByClient : EndingNote.closedByServer)
  }

  /// Notes that the server cannot be reached, where that is why the handshake did not go on: unless it was over before, or an end had
  /// closed the connection. That the client gives up behind the report is a consequence.
  package mutating func noteUnreachable(_ moment: PacketReference) -> Bool {
    guard facts.outcome == .incomplete || facts.outcome == .reset else { return false }
    if let closed, isClient(closed.direction) != true || closed.frame < moment.frame { return false }
    note(EndingNote.unreachable)
    evidence.frames[.outcome].insert(moment.frame)
    return true
  }

  /// Takes an end that closed for the one that refused, if it had said what is wrong, whatever level the alert has.
  private mutating func concludeRefusal() {
    guard let closed, !closed.isByReset, let isClient = isClient(closed.direction) else { return }
    let alerts = isClient ? facts.clientAlerts : facts.serverAlerts
    guard let last = alerts.last(where: { $0.frame <= closed.frame }),
      !Handshake.mereWarnings.contains(last.description.rawValue)
    else { return }
    settle(isClient ? .refusedByClient : .refusedByServer, last.frame)
    isClosedWithoutAlert = false
  }

  /// Whether something of a server's flight that was under way when one end reset the connection may still come, and says more than
  /// what is there.
  package func awaitsServer(afterResetFrom direction: Direction) -> Bool {
    guard clientDirection == direction, facts.offer != nil, !isOver, !server.endedFlight else { return false }
    guard isTLS13 else { return true }
    return !isRetryLast && opening != nil && !sawServerFinished
  }

  /// Whether an alert answers that the other end has closed the connection, and so refuses nothing.
  private func answersClose(_ alert: AlertDescription, _ direction: Direction, _ frame: UInt64) -> Bool {
    isBehindClose(direction, frame) && Handshake.answersToClose.contains(alert.rawValue)
  }

  /// Whether the other end has closed the connection before this packet.
  private func isBehindClose(_ direction: Direction, _ frame: UInt64) -> Bool {
    guard let closed else { return false }
    return closed.direction != direction && closed.frame < frame
  }

  /// What implementations say where a connection ends before its time: close_notify, unexpected_message, handshake_failure,
  /// decode_error, internal_error. Other alerts tell of something that was read before.
  private static let answersToClose: [UInt8] = [0, 10, 40, 50, 80]

  /// What is said beside a handshake that goes on: no_certificate (SSL 3), user_canceled, no_renegotiation, unrecognized_name.
  private static let mereWarnings: [UInt8] = [41, 90, 100, 112]

  /// Takes what is known better than what was concluded from an alert.
  mutating func correctClient(_ direction: Direction) {
    guard isClientGuessed else { return }
    isClientGuessed = false
    guard clientDirection != direction else { return }
    clientDirection = direction
    (facts.clientAlerts, facts.serverAlerts) = (facts.serverAlerts, facts.clientAlerts)
    switch facts.outcome {
    case .refusedByClient: facts.outcome = .refusedByServer
    case .refusedByServer: facts.outcome = .refusedByClient
    case .established, .reset, .incomplete: break
    }
  }

  /// Whether an alert ends the handshake: any fatal one; `close_notify`, behind which its sender says nothing more (RFC 5246
  /// §7.2.1); in TLS 1.3 any that is no mere warning there (RFC 8446 §6).
  private func endsHandshake(_ alert: ObservedAlert) -> Bool {
    if alert.level == 2 || alert.description == .closeNotify { return true }
    return isTLS13 && ![90, 100, 112].contains(alert.description.rawValue)
  }

  mutating func receiveChangeCipherSpec(_ direction: Direction) {
    // In TLS 1.3 the record is there for middleboxes only (RFC 8446 appendix D.4).
    guard !isTLS13, let isClient = isClient(direction) else { return }
    if isClient {
      client.changedCipherSpec = true
    } else {
      server.changedCipherSpec = true
      server.wentOn = true
      server.endedFlight = true
    }
    records[direction].isProtected = true
  }

  /// The least fragment that holds a Finished of TLS 1.3: 4 bytes of header, 32 of digest, the type, a tag of 8.
  static let leastFinishedLength = 45

  /// Whether a fragment has the length of an alert of TLS 1.3 and nothing else: 2 bytes, the type, the tag, and the
  /// 16 bytes of padding that Java puts into every record. A Certificate message without certificates, which a
  /// client sends that was asked for one, is six bytes longer.
  @inline(__always)
  private func isSealedAlert(_ length: Int) -> Bool {
    switch length {
    case 19, 35: !hasShortTag
    case 11, 27: hasShortTag
    default: false
    }
  }

  /// Whether the tags of records have 8 bytes and not 16. Asked step by step: a content that is asked for as a whole is copied.
  private var hasShortTag: Bool {
    guard let serverHello = facts.serverHello, let suite = serverHello.cipherSuite else { return false }
    return suite == .aes128CCM8
  }

  mutating func receiveProtected(
    _ type: ContentType, length: Int, _ direction: Direction, _ frame: UInt64
  ) {
    guard let isClient = isClient(direction), facts.outcome == .incomplete || refusedByShape else { return }
    if type == .alert || isTLS13 && length < Handshake.leastFinishedLength && isSealedAlert(length) {
      sawSealedAlert = true
    }
    if isTLS13 {
      // The ServerHello may be late: a gap in it is given up only at the end.
      guard !isRetryLast || isClient && saidHelloAfterRetry else { return }
      if !isClient {
        server.finished = true
      } else if length >= Handshake.leastFinishedLength {
        if refusedByShape { takeBackRefusal() }
        client.finished = true
      } else if isSealedAlert(length), !client.finished, !offeredEarlyData, !refusedByShape,
        !hidden[direction], !isBehindClose(direction, frame)
      {
        // Before its Finished a client has nothing else of that length to say.
        refuseByShape(frame)
        return
      }
    } else if type == .alert {
      receiveSealedAlert(fromClient: isClient, direction, frame)
      return
    } else {
      guard type == .handshake || type == .applicationData else { return }
      // Early data says nothing about how the handshake will end.
      if isClient, facts.serverHello == nil, offeredEarlyData {
        client.mayHaveFinished = true
        return
      }
      // Where the server's hello is missing it may have chosen TLS 1.3, whose alerts look like application data.
      if isClient, type == .applicationData, length < Handshake.leastFinishedLength, mayBeTLS13 { return }
      if isClient {
        if refusedByShape { takeBackRefusal() }
        client.finished = true
        if type == .applicationData { client.sentData = true }
      } else {
        server.finished = true
      }
    }
    establishIfFinished(frame)
  }

  /// Takes an alert of TLS 1.2 or older that is encrypted. A client that checks the certificate beside the handshake
  /// sends one behind its Finished, without waiting for the server's; with data before it, it may just be closing.
  private mutating func receiveSealedAlert(fromClient isClient: Bool, _ direction: Direction, _ frame: UInt64) {
    guard isClient, client.finished, !client.sentData, !server.finished, !refusedByShape,
      !hidden.fromLower, !hidden.fromUpper, !isBehindClose(direction, frame)
    else { return }
    refuseByShape(frame)
  }

  private mutating func refuseByShape(_ frame: UInt64) {
    note(Handshake.sealedAlertNote)
    refusedByShape = true
    settle(.refusedByClient, frame)
  }

  /// Whether TLS 1.3 may have been chosen in a ServerHello that is not in the capture.
  private var mayBeTLS13: Bool {
    guard facts.serverHello == nil, !server.sentFullHandshakeMessage, !client.sentFullHandshakeMessage else {
      return false
    }
    guard evidence.clientHello == .complete, let offer = facts.offer else { return true }
    return offer.versions.contains { $0.hasTLS13Handshake }
  }

  /// A client that goes on did not refuse.
  private mutating func takeBackRefusal() {
    refusedByShape = false
    facts.outcome = .incomplete
    evidence.frames[.outcome] = FrameList()
    evidence.notes.removeAll { $0 == Handshake.sealedAlertNote }
  }

  /// Takes back a refusal that rests on the server not having finished, where it may have: the client had more of it than was
  /// read. In TLS 1.3 the refusal rests on the client's own Finished.
  package mutating func doubtRefusal() {
    if refusedByShape, !isTLS13 { takeBackRefusal() }
  }

  private static let sealedAlertNote = "encrypted-alert-from-client"

  /// Takes the Finished of one side, which was opened.
  mutating func finish(in direction: Direction, _ frame: UInt64) {
    guard let isClient = isClient(direction) else { return }
    if isClient { client.finished = true } else { noteServerFinished() }
    if facts.outcome == .incomplete { establishIfFinished(frame) }
  }

  /// Takes note of the server's Finished, behind which nothing of the handshake comes from it.
  mutating func noteServerFinished() {
    server.finished = true
    sawServerFinished = true
  }

  private mutating func establishIfFinished(_ frame: UInt64) {
    guard client.finished, server.finished else { return }
    establish(frame)
  }

  /// Both sides have finished.
  mutating func establish(_ frame: UInt64) {
    guard facts.outcome == .incomplete else { return }
    facts.established = true
    settle(.established, frame)
    isOver = true
  }

  mutating func settle(_ outcome: TLSFacts.Outcome, _ frame: UInt64) {
    facts.outcome = outcome
    evidence.frames[.outcome].insert(frame)
  }

  /// Gives the facts away, once they are concluded.
  package mutating func takeFacts() -> TLSFacts {
    var taken = TLSFacts()
    swap(&taken, &facts)
    return taken
  }

  /// Gives the evidence away, once it is concluded.
  package mutating func takeEvidence() -> Evidence {
    var taken = Evidence()
    swap(&taken, &evidence)
    return taken
  }

  /// What the capture shows in all, once no more of the connection will be read.
  ///
  /// `saw` says whether packets of each direction were seen.
  package mutating func conclude(
    wasReset: Bool, resetFrame: UInt64, opener: Direction? = nil,
    saw: BothDirections<Bool> = BothDirections(true)
  ) {
    if let opener { correctClient(opener) }
    if facts.outcome == .incomplete, wasReset || closed != nil, !mayHaveFinishedUnseen(saw) {
      concludeRefusal()
      if facts.outcome == .incomplete, wasReset { settle(.reset, resetFrame) }
    }
    if facts.resumed == nil, facts.serverHello != nil, !isTLS13 { concludeResumption() }
    if server.endedFlight, !isTLS13, facts.serverHello != nil, !isServerFlightBroken {
      facts.forgoesClientCertificate = !facts.clientCertificateRequested
    }
    concludeStates()
  }

  /// Whether both sides may have finished, or one have refused, in what the capture lacks: a reset then tells nothing of the
  /// handshake.
  private func mayHaveFinishedUnseen(_ saw: BothDirections<Bool>) -> Bool {
    if hidden.fromLower || hidden.fromUpper { return true }
    guard let clientDirection else { return !saw.fromLower || !saw.fromUpper }
    let mayClientHaveFinished = client.finished || client.mayHaveFinished && facts.serverHello == nil
    return (mayClientHaveFinished || !saw[clientDirection])
      && (server.finished || !saw[clientDirection.opposite])
  }

  private mutating func concludeResumption() {
    if server.sentFullHandshakeMessage || client.sentFullHandshakeMessage {
      facts.resumed = false
      return
    }
    let echoed = !facts.sessionID.isEmpty && facts.sessionID == facts.offeredSessionID
    // A ChangeCipherSpec right behind the hello tells, unless what stood between the two was lost.
    guard echoed || server.changedCipherSpec && !isServerFlightBroken else { return }
    facts.resumed = true
    // Clients send a made-up session ID with a ticket: without the whole hello, the ID alone tells nothing.
    facts.resumption = offeredTicket ? .ticket : evidence.clientHello == .complete ? .sessionID : nil
  }

  /// Whether bytes of the server's first flight are missing.
  private var isServerFlightBroken: Bool {
    guard let clientDirection else { return lost.fromLower || lost.fromUpper }
    return lost[clientDirection.opposite]
  }

  /// Whether the server's whole hello says that no CertificateStatus follows.
  private var forgoesCertificateStatus: Bool {
    guard evidence.serverHello == .complete, !isTLS13, let serverHello = facts.serverHello, server.wentOn
    else {
      return false
    }
    return !serverHello.extensions.contains { $0 == .statusRequest || $0 == .statusRequestV2 }
  }

  /// Whether the server shows certificates besides knowing the key (RFC 8773 §4).
  private var isCertifiedBesidePSK: Bool {
    facts.serverHello?.extensions.contains { $0.rawValue == 33 } ?? false
  }

  private mutating func concludeStates() {
    let isResumed = facts.resumed == true
    let unseen: Evidence.State
    if isTLS13, !isRetryLast, isResumed, !isCertifiedBesidePSK {
      // What goes by a key that both knew before has no certificates in it, opened or not (RFC 8446 §4.4.2).
      unseen = .resumed
    } else if isTLS13, !isRetryLast, sawServerFinished {
      unseen = .notSent
    } else if isTLS13, !isRetryLast {
      unseen = isServerFlightUnread ? .missing : .encrypted
    } else if isResumed {
      unseen = .resumed
    } else {
      unseen = facts.serverHello != nil && server.wentOn && !isServerFlightBroken ? .notSent : .missing
    }
    if evidence.certificates == .missing { evidence.certificates = unseen }
    if evidence.certificateStatus == .missing {
      // Without the extension in its hello a server sends none (RFC 6066 §8), whatever else was lost.
      evidence.certificateStatus = unseen == .missing && forgoesCertificateStatus ? .notSent : unseen
    }
    if evidence.serverKeyExchange == .missing {
      evidence.serverKeyExchange = isTLS13 && !isRetryLast ? .notSent : unseen
    }
  }
}
