import ByteParsing
import CleartextObservation
import SessionModel
import TLSObservation

/// What the first bytes tell, and what is begun with them.
extension Conversation {
  mutating func begin(
    _ piece: Span<UInt8>, _ fromLower: Bool, _ moment: Moment, _ shared: inout ObservationTables
  ) {
    let stepOver = min(fromLower ? lower.stepOver : upper.stepOver, piece.count)
    guard stepOver == 0 else {
      if fromLower { lower.stepOver -= stepOver } else { upper.stepOver -= stepOver }
      trace?.add(
        isBehindWords ? .replaced(NeutralBytes.line(stepOver)) : .content(stepOver), fromLower: fromLower,
        unread: piece.count - stepOver)
      if stepOver < piece.count {
        begin(piece.extracting(stepOver..<piece.count), fromLower, moment, &shared)
      }
      return
    }
    let kind = fromLower ? lower.examine(piece, at: moment) : upper.examine(piece, at: moment)
    if expectsNames, mayBeNames(kind, piece, fromLower) {
      beginNames(kind == .undecided ? nil : piece, fromLower, moment, &shared)
      return
    }
    switch kind {
    case .undecided:
      return
    case .foreign where isHelloBehindWords(piece, fromLower):
      // Words of no protocol: what comes behind them is looked at by itself.
      tellKept(fromLower: fromLower, unread: piece.count)
      if fromLower { lower = StreamBeginning() } else { upper = StreamBeginning() }
      isBehindWords = true
      begin(piece, fromLower, moment, &shared)
    case .foreign where isTextBeforeHello(piece, fromLower):
      let count = StreamBeginning.textBeforeHello(piece)
      let (all, ends) = takeAll(piece, fromLower)
      if let trace {
        let words = NeutralBytes.beginning(all, ends, isText: true, upTo: all.count - piece.count + count)
        trace.add(.replaced(words), fromLower: fromLower, unread: piece.count - count)
      }
      isBehindWords = true
      begin(piece.extracting(count..<piece.count), fromLower, moment, &shared)
    case .foreign:
      // What follows a gap says nothing about how the stream began; the other direction may still tell.
      guard fromLower ? lower.isLost : upper.isLost else {
        beginForeign(piece, fromLower, moment, &shared)
        return
      }
      let before = fromLower ? lower.giveUp() : upper.giveUp()
      trace?.add(.content(before), fromLower: fromLower, unread: piece.count)
      if before > 0 {
        // What did not go on with it may begin something itself.
        begin(piece, fromLower, moment, &shared)
      } else {
        tellNothing(piece, fromLower: fromLower)
      }
    case .proxyHeader where preamble?.hasProxyHeader == true:
      phase = .foreign
    case .proxyHeader(let version, let byteCount):
      guard pass(.proxyProtocol(version)) else { return }
      self.stepOver(byteCount, piece, fromLower, moment, &shared)
    case .httpResponse: return
    case .httpRequest, .http2Preface:
      phase = .http
      let http = HTTPConversation(isClientLower: fromLower, in: self.http)
      if trace != nil { http.beginTrace() }
      http.pass(fromLower ? lower.lostBytes : upper.lostBytes, fromLower: fromLower)
      http.pass(fromLower ? upper.lostBytes : lower.lostBytes, fromLower: !fromLower)
      if kind == .http2Preface {
        http.takeHTTP2Preface(since: (fromLower ? lower : upper).firstKept, at: moment)
      }
      self.http = http
      let dropped = fromLower ? upper.droppedBytes : lower.droppedBytes
      let answers = fromLower ? upper.take() : lower.take()
      for part in fromLower ? lower.take() : upper.take() {
        consume(part.bytes.span, fromLower: fromLower, at: part.moment, sharing: &shared)
      }
      consume(piece, fromLower: fromLower, at: moment, sharing: &shared)
      if trace != nil { tellEarly(answers, fromLower: !fromLower, dropped: dropped) }
      // An answer that the capture holds before its request.
      for part in answers {
        consume(part.bytes.span, fromLower: !fromLower, at: part.moment, sharing: &shared)
      }
      if dropped > 0, phase == .http { http.skip(missing: dropped, fromLower: !fromLower) }
    case .hello where fromLower ? upper.isConsentOfPostgreSQL : lower.isConsentOfPostgreSQL:
      // The client's request is late in the capture, or lost.
      let said = fromLower ? lower.take() : upper.take()
      trace?.add(.other(1), fromLower: !fromLower)
      guard pass(.startTLS(.postgresql)) else { return }
      beginAnew()
      for part in said { consume(part.bytes.span, fromLower: fromLower, at: part.moment, sharing: &shared) }
      consume(piece, fromLower: fromLower, at: moment, sharing: &shared)
    case .hello, .alert, .ssl2Hello:
      phase = .handshake
      hasHandshake = true
      isStartLost = fromLower ? lower.isLost : upper.isLost
      if kind == .ssl2Hello { handshake.expectSSL2Hello(fromLower: fromLower) }
      if fromLower ? upper.isLost : lower.isLost {
        handshake.skip(missing: 1, fromLower: !fromLower, frame: moment.frame, sharing: &shared.facts)
      }
      if lower.isKeeping || upper.isKeeping { readKept(fromLower, &shared) }
      read(piece, fromLower, moment, &shared)
    }
  }

  /// Whether a hello follows bytes that told nothing, and do not with it.
  private func isHelloBehindWords(_ piece: Span<UInt8>, _ fromLower: Bool) -> Bool {
    let kept = fromLower ? lower.keptBytes : upper.keptBytes
    return !kept.isEmpty && StreamBeginning.kind(of: piece) == .hello
      && ForeignProtocol(beginningWith: kept.span) == nil
  }

  /// Whether a hello stands behind words of no known protocol in one segment.
  private func isTextBeforeHello(_ piece: Span<UInt8>, _ fromLower: Bool) -> Bool {
    guard !(fromLower ? lower.isLost : upper.isLost), StreamBeginning.textBeforeHello(piece) > 0 else {
      return false
    }
    var all = fromLower ? lower.keptBytes : upper.keptBytes
    all.append(copying: piece)
    return ForeignProtocol(beginningWith: all.span) == nil
  }

  /// Begins behind words of no known protocol that stand in front of a hello in one segment.
  mutating func stepOverWords(_ count: Int, fromLower: Bool) {
    isBehindWords = true
    if fromLower { lower.stepOver = count } else { upper.stepOver = count }
  }

  /// Whether a beginning may be one of DNS.
  private func mayBeNames(_ kind: StreamBeginning.Kind, _ piece: Span<UInt8>, _ fromLower: Bool) -> Bool {
    let kept = fromLower ? lower.keptBytes : upper.keptBytes
    switch kind {
    case .hello, .httpRequest, .http2Preface, .proxyHeader: return false
    case .undecided: return kept.first.map(NameStreams.mayBegin) ?? true
    case .alert, .ssl2Hello, .httpResponse, .foreign:
      return kept.count + piece.count < NameStreams.tellingCount
        || NameStreams.beginLikeDNS(kept, followedBy: piece)
    }
  }

  /// Begins with messages of DNS; `piece` is nil where it is kept already.
  private mutating func beginNames(
    _ piece: Span<UInt8>?, _ fromLower: Bool, _ moment: Moment, _ shared: inout ObservationTables
  ) {
    phase = .names
    let names = NameStreams()
    self.names = names
    if lower.isLost || upper.isLost { names.lose() }
    for isLower in [!fromLower, fromLower] {
      for part in isLower ? lower.take() : upper.take() {
        names.consume(part.bytes.span, fromLower: isLower, frame: part.moment.frame, into: &shared.names)
      }
    }
    if let piece { names.consume(piece, fromLower: fromLower, frame: moment.frame, into: &shared.names) }
  }

  /// Steps over bytes at the start of a direction and begins anew with what follows them.
  private mutating func stepOver(
    _ count: Int, _ piece: Span<UInt8>, _ fromLower: Bool, _ moment: Moment, _ shared: inout ObservationTables
  ) {
    let (all, ends) = takeAll(piece, fromLower)
    if let trace {
      trace.add(
        .replaced(NeutralBytes.beginning(all, ends, isText: all.first == UInt8(ascii: "P"), upTo: count)),
        fromLower: fromLower, unread: max(0, all.count - count))
    }
    if fromLower { lower = StreamBeginning() } else { upper = StreamBeginning() }
    guard count < all.count else {
      if fromLower { lower.stepOver = count - all.count } else { upper.stepOver = count - all.count }
      return
    }
    let rest = Bytes(all[count...])
    begin(rest.span, fromLower, moment, &shared)
  }

  /// Begins with what is neither TLS nor HTTP, and perhaps leads to one of them.
  private mutating func beginForeign(
    _ piece: Span<UInt8>, _ fromLower: Bool, _ moment: Moment, _ shared: inout ObservationTables
  ) {
    let (all, ends) = takeAll(piece, fromLower)
    phase = .foreign
    guard let form = ForeignProtocol(beginningWith: all.span) else {
      return tell(all, ends, fromLower: fromLower)
    }
    // An answer that the capture holds before what it answers.
    let answers = fromLower ? upper.take() : lower.take()
    let preamble = preamble ?? Preamble()
    self.preamble = preamble
    if form.isSOCKS {
      phase = .socks
      preamble.socks = SOCKSNegotiation(
        form, isClientLower: fromLower,
        needsReply: handshake.isOpenedByLower == nil && preamble.layers.isEmpty)
      readSOCKS(all.span, fromLower, moment, &shared)
    } else {
      phase = .dialogue
      preamble.dialogue = CleartextDialogue(form)
      readDialogue(all.span, fromLower, moment, &shared, beginningAt: ends)
    }
    consume(answers, fromLower: !fromLower, sharing: &shared)
  }

  /// Begins as an FTP control connection whose client may have ended TLS.
  mutating func beginFTPControl() {
    let preamble = Preamble()
    preamble.dialogue = CleartextDialogue(.ftp, isBehindTLS: true)
    self.preamble = preamble
    phase = .dialogue
  }

  /// Reads what was kept of a direction, by packets.
  mutating func consume(
    _ parts: [(bytes: Bytes, moment: Moment)], fromLower: Bool, sharing shared: inout ObservationTables
  ) {
    var left = parts.reduce(0) { $0 + $1.bytes.count }
    for part in parts {
      left -= part.bytes.count
      trace?.expect(left, fromLower: fromLower)
      consume(part.bytes.span, fromLower: fromLower, at: part.moment, sharing: &shared)
    }
  }

  /// Gives out what was kept of a direction with its next piece, and where each packet's part of it ends.
  private mutating func takeAll(_ piece: Span<UInt8>, _ fromLower: Bool) -> (bytes: Bytes, ends: [Int]) {
    var (all, ends) = fromLower ? lower.takeJoined() : upper.takeJoined()
    all.append(copying: piece)
    ends.append(all.count)
    return (all, ends)
  }

  /// Reads what was kept of both directions before it told what is spoken; the other direction's first.
  private mutating func readKept(_ fromLower: Bool, _ shared: inout ObservationTables) {
    // What is no TLS is read as if it were.
    let dropped = fromLower ? upper.droppedBytes : lower.droppedBytes
    let others = fromLower ? upper.take() : lower.take()
    if trace != nil { tellKeptOfHandshake(others, fromLower: !fromLower, dropped: dropped) }
    var left = others.reduce(dropped) { $0 + $1.bytes.count }
    for part in others {
      left -= part.bytes.count
      trace?.expect(left, fromLower: !fromLower)
      read(part.bytes.span, !fromLower, part.moment, &shared)
    }
    trace?.expect(0, fromLower: !fromLower)
    trace?.addUnread(dropped, fromLower: !fromLower)
    if dropped > 0 {
      handshake.skip(missing: dropped, fromLower: !fromLower, frame: first?.frame ?? 0, sharing: &shared.facts)
    }
    for part in fromLower ? lower.take() : upper.take() {
      read(part.bytes.span, fromLower, part.moment, &shared)
    }
  }
}
