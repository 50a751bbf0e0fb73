import ByteParsing
import CleartextObservation
import SessionModel
import TLSObservation
import Values

/// Identifies the protocol by the first bytes, and begins to read it.
extension Conversation {
  mutating func begin(_ piece: Span<UInt8>, _ direction: Direction, _ reference: PacketReference, _ shared: inout ObservationTables) {
    let stepOver = min(beginnings.reading(direction) { $0.stepOver }, piece.count)
    guard stepOver == 0 else {
      beginnings[direction].stepOver -= stepOver
      account?.add(followsGreeting ? .line(stepOver) : .content(stepOver), in: direction)
      if stepOver < piece.count {
        begin(piece.extracting(stepOver..<piece.count), direction, reference, &shared)
      }
      return
    }
    let kind = beginnings[direction].examine(piece, at: reference)
    if expectsDNS, mayBeDNS(kind, piece, direction) {
      beginDNS(kind == .undecided ? nil : piece, direction, reference, &shared)
      return
    }
    switch kind {
    case .undecided:
      return
    case .foreign where isHelloAfterGreeting(piece, direction):
      // After the greeting of an unknown protocol, the following bytes are examined separately.
      accountForKept(in: direction)
      beginnings[direction] = StreamBeginning()
      followsGreeting = true
      begin(piece, direction, reference, &shared)
    case .foreign where isTextBeforeHello(piece, direction):
      let count = StreamBeginning.textBeforeHello(piece)
      let all = takeAll(piece, direction)
      account?.add(.beginning(all.count - piece.count + count, of: nil), in: direction)
      followsGreeting = true
      begin(piece.extracting(count..<piece.count), direction, reference, &shared)
    case .foreign:
      // Bytes after a gap do not show how the stream began; the other direction still may.
      if beginnings.reading(direction, { $0.isLost }), !isSOCKSRequest(piece, direction) {
        passUnrecognized(piece, direction, reference, &shared)
      } else {
        beginForeign(piece, direction, reference, &shared)
      }
    case .proxyHeader(let version, let byteCount):
      guard pass(.proxyProtocol(version)) else {
        account?.add(.content(beginnings[direction].keptBytes.count + piece.count), in: direction)
        return
      }
      self.stepOver(byteCount, piece, direction, reference, &shared)
    case .response: return
    case .httpRequest, .http2Preface:
      beginHTTP(kind, piece, direction, reference, &shared)
    case .hello where beginnings.reading(direction.opposite, { $0.isConsentOfPostgreSQL }):
      beginAfterConsent(piece, direction, reference, &shared)
    case .hello, .alert, .ssl2Hello:
      beginHandshake(kind, piece, direction, reference, &shared)
    }
  }

  /// Passes bytes after a gap that do not begin a protocol.
  private mutating func passUnrecognized(
    _ piece: Span<UInt8>, _ direction: Direction, _ reference: PacketReference, _ shared: inout ObservationTables
  ) {
    let before = beginnings[direction].abandon()
    account?.add(.content(before), in: direction)
    if before > 0 {
      // The piece does not continue the earlier bytes, and may begin a protocol itself.
      begin(piece, direction, reference, &shared)
    } else {
      // An extract contains zeros instead, and four of them begin no known protocol either.
      account?.add(piece.count >= 4 ? .content(piece.count) : .beginning(piece.count, of: nil), in: direction)
    }
  }

  /// Begins TLS after a PostgreSQL server's consent; the client's request was captured later, or not at all.
  private mutating func beginAfterConsent(
    _ piece: Span<UInt8>, _ direction: Direction, _ reference: PacketReference, _ shared: inout ObservationTables
  ) {
    let taken = beginnings[direction].take()
    account?.add(.other(1), in: direction.opposite)
    guard pass(.startTLS(.postgresql, nil)) else { return }
    restart()
    consume(taken, in: direction, sharing: &shared)
    consume(piece, in: direction, at: reference, sharing: &shared)
  }

  private mutating func beginHandshake(
    _ kind: StreamBeginning.Kind, _ piece: Span<UInt8>, _ direction: Direction, _ reference: PacketReference,
    _ shared: inout ObservationTables
  ) {
    phase = .handshake
    hasHandshake = true
    mayLackProxyRequest = beginnings.reading(direction) { $0.isLost }
    lacksBeginning = missingBytes > 0 || mayLackProxyRequest
    firstRecordDirection = direction
    if kind == .ssl2Hello { handshake.expectSSL2Hellos() }
    let isOtherLost = beginnings.reading(direction.opposite) { $0.isLost }
    if isOtherLost {
      handshake.skip(missing: 1, in: direction.opposite, frame: reference.frame, sharing: &shared.facts)
    }
    if beginnings.fromLower.isKeeping || beginnings.fromUpper.isKeeping { readKept(direction, &shared) }
    read(piece, direction, reference, &shared)
    // The client's flight may have been lost, or passed over after a gap, in the cleartext before the handshake.
    if missingBytes > 0, !isOtherLost, handshake.facts.sharedOffer == nil, handshake.isClient(direction) == false {
      handshake.skip(missing: 1, in: direction.opposite, frame: reference.frame, sharing: &shared.facts)
    }
  }

  /// Begins to read HTTP; `piece` is nil if all bytes of the client are kept already.
  private mutating func beginHTTP(
    _ kind: StreamBeginning.Kind, _ piece: Span<UInt8>?, _ direction: Direction, _ reference: PacketReference,
    _ shared: inout ObservationTables
  ) {
    phase = .http
    let http = HTTPConversation(clientDirection: direction, in: self.http, to: preamble?.asked)
    http.account = account
    if beginnings.fromLower.followsUnknown || beginnings.fromUpper.followsUnknown { http.passUnknown() }
    // A gap before an HTTP/2 preface may hold a request to upgrade, for the same host.
    if kind == .httpRequest, beginnings[direction].isLost, preamble?.lacksTarget != true { http.passLost() }
    if kind == .http2Preface {
      http.beginHTTP2(since: beginnings[direction].firstKept, at: reference)
    }
    self.http = http
    let dropped = beginnings[direction.opposite].droppedBytes
    let responses = beginnings[direction.opposite].take()
    let requests = beginnings[direction].take()
    consume(requests, in: direction, sharing: &shared)
    if let piece { consume(piece, in: direction, at: reference, sharing: &shared) }
    if account != nil { accountForEarly(responses, in: direction.opposite) }
    // A response that was captured before its request.
    consume(responses, in: direction.opposite, sharing: &shared)
    account?.expectAdded(false)
    if dropped > 0, phase == .http {
      http.skip(missing: dropped, in: direction.opposite)
    } else {
      account?.add(.content(dropped), in: direction.opposite)
    }
  }

  /// Begins to read HTTP if the kept bytes of a client, of which no more are to come, show that it sends HTTP. Returns whether they do.
  mutating func beginBegunHTTP(in direction: Direction, at reference: PacketReference, _ shared: inout ObservationTables) -> Bool {
    guard beginnings[direction].isBegunByHTTPClient else { return false }
    let isPreface = beginnings[direction].keptBytes.starts(with: "PRI ".utf8)
    beginHTTP(isPreface ? .http2Preface : .httpRequest, nil, direction, reference, &shared)
    return true
  }

  /// Whether a hello follows bytes that identify no protocol, with or without the hello.
  private func isHelloAfterGreeting(_ piece: Span<UInt8>, _ direction: Direction) -> Bool {
    let kept = beginnings[direction].keptBytes
    return !kept.isEmpty && StreamBeginning.kind(of: piece) == .hello && ForeignProtocol(beginningWith: kept.span) == nil
  }

  /// Whether a hello follows the greeting of an unknown protocol in one segment.
  private func isTextBeforeHello(_ piece: Span<UInt8>, _ direction: Direction) -> Bool {
    guard !beginnings[direction].isLost, StreamBeginning.textBeforeHello(piece) > 0 else { return false }
    var all = beginnings[direction].keptBytes
    all.append(copying: piece)
    return ForeignProtocol(beginningWith: all.span) == nil
  }

  /// Skips the greeting of an unknown protocol that precedes a hello in one segment.
  mutating func skipGreeting(_ count: Int, in direction: Direction) {
    followsGreeting = true
    beginnings[direction].stepOver = count
  }

  /// Whether the first bytes of a direction may be DNS.
  private func mayBeDNS(_ kind: StreamBeginning.Kind, _ piece: Span<UInt8>, _ direction: Direction) -> Bool {
    let kept = beginnings[direction].keptBytes
    switch kind {
    case .hello, .httpRequest, .http2Preface, .proxyHeader: return false
    case .undecided: return kept.first.map(DNSStreams.mayBegin) ?? true
    case .alert, .ssl2Hello, .response, .foreign:
      return kept.count + piece.count < DNSStreams.recognitionByteCount || DNSStreams.beginLikeDNS(kept, followedBy: piece)
    }
  }

  /// Begins to read DNS messages; `piece` is nil if it is kept already.
  private mutating func beginDNS(
    _ piece: Span<UInt8>?, _ direction: Direction, _ reference: PacketReference, _ shared: inout ObservationTables
  ) {
    phase = .dns
    let messages = DNSStreams()
    dnsMessages = messages
    if beginnings.fromLower.isLost || beginnings.fromUpper.isLost { messages.lose() }
    for sender in [direction.opposite, direction] {
      for part in beginnings[sender].take() {
        messages.consume(part.bytes.span, in: sender, frame: part.reference.frame, into: &shared.names)
      }
    }
    if let piece { messages.consume(piece, in: direction, frame: reference.frame, into: &shared.names) }
  }

  /// Skips bytes at the start of a direction, and examines the following ones.
  private mutating func stepOver(
    _ count: Int, _ piece: Span<UInt8>, _ direction: Direction, _ reference: PacketReference, _ shared: inout ObservationTables
  ) {
    let all = takeAll(piece, direction)
    account?.add(.proxyHeader(min(count, all.count)), in: direction)
    beginnings[direction] = StreamBeginning()
    guard count < all.count else {
      beginnings[direction].stepOver = count - all.count
      return
    }
    let rest = Bytes(all[count...])
    begin(rest.span, direction, reference, &shared)
  }

  /// Whether a SOCKS request follows a greeting that the capture lacks.
  private func isSOCKSRequest(_ piece: Span<UInt8>, _ direction: Direction) -> Bool {
    let beganEarlier = handshake.opener == nil && preamble?.layers.isEmpty != false
    return (beganEarlier || beginnings[direction].isLost && preamble?.lacksTarget != true)
      && beginnings[direction].isSOCKSRequest(endingWith: piece)
  }

  /// Begins a protocol other than TLS or HTTP, which may lead to one of them.
  private mutating func beginForeign(
    _ piece: Span<UInt8>, _ direction: Direction, _ reference: PacketReference, _ shared: inout ObservationTables
  ) {
    let lacksGreeting = isSOCKSRequest(piece, direction)
    let all = takeAll(piece, direction)
    phase = .foreign
    guard let foreignProtocol = lacksGreeting ? .socks5 : ForeignProtocol(beginningWith: all.span) else {
      account?.add(.beginning(all.count, of: nil), in: direction)
      if isUnknownGreeting { accountForKept(in: direction.opposite) }
      return
    }
    // A response that was captured before its request.
    let responses = (parts: beginnings[direction.opposite].take(), missing: beginnings[direction.opposite].droppedBytes)
    let preamble = preamble ?? Preamble()
    self.preamble = preamble
    if foreignProtocol.isSOCKS {
      phase = .socks
      preamble.socks = SOCKSNegotiation(
        foreignProtocol, clientDirection: direction, needsReply: handshake.opener == nil && preamble.layers.isEmpty,
        lacksGreeting: lacksGreeting)
      readSOCKS(all.span, direction, reference, &shared)
    } else {
      phase = .dialogue
      preamble.dialogue = CleartextDialogue(foreignProtocol)
      readDialogue(all.span, direction, reference, &shared, isBeginning: true)
    }
    consume(responses, in: direction.opposite, at: reference, sharing: &shared)
  }

  /// Begins an FTP control connection whose client may have ended TLS.
  mutating func beginFTPControl() {
    let preamble = Preamble()
    preamble.dialogue = CleartextDialogue(.ftp, followsTLS: true)
    self.preamble = preamble
    phase = .dialogue
  }

  /// Reads the kept bytes of a direction, by packet.
  mutating func consume(
    _ parts: [(bytes: Bytes, reference: PacketReference)], in direction: Direction, sharing shared: inout ObservationTables
  ) {
    for part in parts { consume(part.bytes.span, in: direction, at: part.reference, sharing: &shared) }
  }

  /// Reads the kept bytes of a direction, by packet, and skips the bytes after them that are missing or not kept.
  mutating func consume(
    _ kept: (parts: [(bytes: Bytes, reference: PacketReference)], missing: Int), in direction: Direction,
    at reference: PacketReference, sharing shared: inout ObservationTables
  ) {
    consume(kept.parts, in: direction, sharing: &shared)
    if kept.missing > 0 { skip(missing: kept.missing, in: direction, at: reference, sharing: &shared) }
  }

  /// Removes and returns the kept bytes of a direction with its next piece.
  private mutating func takeAll(_ piece: Span<UInt8>, _ direction: Direction) -> Bytes {
    var all = StreamBeginning.joined(beginnings[direction].take())
    all.append(copying: piece)
    return all
  }

  /// Reads the TLS of a server after a proxy's response to a CONNECT, if the capture lacks every byte of the client.
  mutating func readTunnelOfServer(_ shared: inout ObservationTables) {
    for direction in Direction.allCases where beginnings[direction.opposite].isEmpty {
      guard var rest = beginnings[direction].headBeforeHello else { continue }
      let dropped = beginnings[direction].droppedBytes
      account?.add(.head(rest), in: direction)
      phase = .handshake
      hasHandshake = true
      if beginnings[direction.opposite].isLost {
        handshake.skip(missing: 1, in: direction.opposite, frame: 0, sharing: &shared.facts)
      }
      for part in beginnings[direction].take() {
        let head = part.bytes.span.extracting(first: rest)
        rest -= head.count
        if head.count < part.bytes.count {
          read(part.bytes.span.extracting(head.count..<part.bytes.count), direction, part.reference, &shared)
        }
      }
      account?.add(.content(dropped), in: direction)
      if dropped > 0 {
        handshake.skip(missing: dropped, in: direction, frame: first?.frame ?? 0, sharing: &shared.facts)
      }
    }
  }

  /// Reads the bytes of both directions that were kept before the protocol was identified, those of the other direction first.
  private mutating func readKept(_ direction: Direction, _ shared: inout ObservationTables) {
    // Bytes that are not TLS are read as if they were.
    let dropped = beginnings[direction.opposite].droppedBytes
    let others = beginnings[direction.opposite].take()
    let first = account == nil ? 0 : accountForGreeting(before: others, in: direction.opposite)
    for (index, part) in others.enumerated() {
      account?.expectAdded(index < first)
      read(part.bytes.span, direction.opposite, part.reference, &shared)
    }
    account?.expectAdded(false)
    account?.add(.content(dropped), in: direction.opposite)
    if dropped > 0 {
      handshake.skip(missing: dropped, in: direction.opposite, frame: self.first?.frame ?? 0, sharing: &shared.facts)
    }
    for part in beginnings[direction].take() {
      read(part.bytes.span, direction, part.reference, &shared)
    }
  }
}
