import BasicContainers
import CleartextObservation
import PacketParsing
import Reassembly
import SessionModel
import TLSObservation
import Values

extension SessionTracker {
  /// Processes a segment of a watched connection.
  @inline(__always)
  mutating func advance(_ index: Int, _ head: SegmentHead, _ packet: Packet) {
    let reference = packet.reference
    if head.flags.changeConnection {
      let validity = packet.validity
      if head.flags.contains(.syn) { noteSYN(index, head.direction, validity) }
      if validity == .invalid, isDiscarded(index, head) { return }
    }
    let step = connections[index].determineStep(for: head)
    if connections[index].isObserved { report(head, of: index) }
    if connections[index].acknowledgesUnseenEnd(head) { recordUnseenClose(index, before: head, at: reference) }
    switch step {
    case .nothing: break
    case .repeated:
      compare(index, head.direction, packet.payload, at: head.firstByte, packet.payload, packet.origin)
      contestStart(index, head, packet)
    case .keepAlive:
      compare(index, head.direction, packet.payload, at: head.firstByte, packet.payload, packet.origin, isKeepAlive: true)
    case .deliver(let skip):
      deliver(index, head.direction, packet.payload, at: head.firstByte, skip: skip, length: head.lengthOnWire, reference, packet.origin)
      if connections[index].hasHeld(head.direction) { drain(index, head.direction) }
    case .hold:
      takeTurn(index, at: reference.frame)
      recordContinuation(index, in: head.direction)
      hold(index, head, packet)
      // Its bytes may be the ones that held segments wait for.
      drain(index, head.direction)
    case .supersede:
      return supersede(index, head, packet)
    }
    if packet.disputedFragment != 0 { noteDisputedFragment(index, head, packet) }
    if head.flags.contains(.fin), connections[index].mayFinish(head) {
      connections[index].finish(head)
      recordClose(index, by: head, at: reference)
    }
    if head.flags.contains(.rst), connections[index].mayReset(head) {
      if connections[index].isCertainReset(head) {
        reset(index, by: head, at: reference)
      } else {
        connections[index].suspect(head, at: reference)
      }
    } else if connections[index].doubtfulReset != nil, let settled = resolveDoubt(index) {
      reset(index, by: settled.head, at: settled.reference)
    } else if connections[index].isConversationOver {
      if packet.validity == .invalid, isDiscarded(index, head) {
        // The copy that the receiver accepts is still to come.
        connections[index].isConversationOver = false
      } else {
        endConversation(index)
      }
    } else if connections[index].isClosed {
      close(index, .closed)
    }
  }

  /// Closes a connection whose endpoints have begun a new one, and processes a segment of the new one.
  @inline(never)
  private mutating func supersede(_ index: Int, _ head: SegmentHead, _ packet: Packet) {
    let key = table.key(at: index)
    let hash = table.hash(at: index)
    let isContested = connections[index].isContested
    close(index, .superseded)
    guard let next = open(key, hash, head, packet) else { return }
    connections[next].isContested = isContested
    advance(next, head, packet)
  }

  /// Returns a recorded RST that further data has confirmed; one that was accepted and is refuted no longer ends the handshake.
  private mutating func resolveDoubt(_ index: Int) -> DoubtfulReset? {
    let wasAccepted = connections[index].doubtfulReset?.isAccepted == true
    let settled = connections[index].resolveDoubt()
    if wasAccepted, settled == nil, let slot = connections[index].conversation {
      conversations.slots[slot].handshake.continueAfterReset()
    }
    return settled
  }

  /// Closes a connection at a RST, unless segments that the RST's receiver sent are still in flight.
  private mutating func reset(_ index: Int, by head: SegmentHead, at reference: PacketReference) {
    if awaitRest(index, after: head, at: reference) { return }
    connections[index].finish(byReset: head)
    recordClose(index, by: head, at: reference)
    close(index, .reset(reference))
  }

  @inline(__always)
  mutating func takeTurn(_ index: Int, at frame: UInt64) {
    if connections[index].turn == nil { connections[index].turn = queue.takeTurn(at: frame) }
  }

  /// Moves a session to the position of its own first packet in the order of sessions, from that of the packets that led to it. For a held
  /// segment, `frame` is nil, and the position is kept.
  private mutating func replaceTurn(_ index: Int, _ slot: Int, _ frame: UInt64?) {
    conversations.slots[slot].needsNewTurn = false
    conversations.slots[slot].byteCountBeforeTunnel = connections[index].byteCount
    // Earlier cleartext requests are sessions with this turn, and held segments may begin the session.
    guard !conversations.slots[slot].httpConversations.contains(where: { !$0.http.hosts.isEmpty }),
      !connections[index].hasHeldAny,
      let frame, conversations.slots[slot].first?.frame ?? frame == frame
    else { return }
    if let turn = connections[index].turn { queue.end(turn, nil, weight: 0, to: &finished) }
    connections[index].turn = conversations.slots[slot].hasSession ? queue.takeTurn(at: frame) : nil
  }

  /// Holds an out-of-order segment, and skips the gap before it if too much is held.
  private mutating func hold(_ index: Int, _ head: SegmentHead, _ packet: Packet) {
    let (piece, reference) = (packet.payload, packet.reference)
    let before = connections[index].heldBytes(head.direction)
    connections[index].streams[head.direction].hold(
      head.firstByte, piece, lengthOnWire: head.lengthOnWire, frame: reference.frame, time: reference.time, validity: packet.validity,
      isOffloaded: isOffloaded(index, head.direction, besides: SequenceRange(start: head.firstByte, count: piece.count)))
    heldBytes += connections[index].heldBytes(head.direction) - before
    // The data connection must not wait for bytes that the capture may lack, nor the second ClientHello, without which no secrets are
    // found for what the server sends next.
    if readsDataPorts(index) && !FTPDataPorts.announcements(in: piece).isEmpty || awaitsSecondHello(index, in: head.direction) {
      skipGap(index, head.direction, reference)
    }
    while connections[index].streams.reading(head.direction, { $0.isOverfull })
      || heldBytes > limits.heldBytes && connections[index].hasHeld(head.direction)
    {
      health.abandonedGaps += 1
      skipGap(index, head.direction, reference)
    }
  }

  /// Delivers the next bytes of a stream, and the gap that the snapshot length left after them.
  @inline(__always)
  private mutating func deliver(
    _ index: Int, _ direction: Direction, _ piece: Span<UInt8>, at sequence: SequenceNumber, skip: Int, length: Int,
    _ reference: PacketReference, _ origin: RecentBytes.Origin, isHeld: Bool = false
  ) {
    var origin = origin
    if skip > 0 {
      let again = piece.extracting(first: min(skip, piece.count))
      compare(index, direction, again, at: sequence, piece, origin)
      origin.checksum.add(again)
    }
    let news = piece.extracting(min(skip, piece.count)..<piece.count)
    connections[index].read(news, at: sequence.advanced(by: skip), direction, length: length - skip, from: origin, in: &recentBytes)
    advanceConversation(
      index, direction, news, upTo: sequence.advanced(by: max(skip, piece.count)),
      missing: length - max(skip, piece.count), reference, isHeld: isHeld)
  }

  /// Delivers bytes to the conversation, and the gap that the snapshot length left after them; `end` is the sequence number after the
  /// bytes.
  @inline(__always)
  mutating func advanceConversation(
    _ index: Int, _ direction: Direction, _ news: Span<UInt8>, upTo end: SequenceNumber, missing: Int,
    _ reference: PacketReference, isHeld: Bool
  ) {
    if connections[index].isObserved { observer?.advance(by: news, upTo: end, in: direction, of: index) }
    if connections[index].hasUnknownGreeting, !replyEndsGreeting(index, in: direction),
      extendGreeting(index, news, length: news.count + missing, direction)
    {
      if missing > 0 { connections[index].streams[direction].noteMissing(missing) }
      return
    }
    let slot = conversation(index)
    takeTurn(index, at: reference.frame)
    let progress = conversations.slots[slot].advance(news, in: direction, at: reference, sharing: &shared)
    openBytes += progress.weightGain
    connections[index].isConversationOver = progress.isOver
    if progress.isRefusedNow, connections[index].hasUnreadBytes(direction.opposite) {
      conversations.slots[slot].handshake.doubtRefusal()
      connections[index].isConversationOver = conversations.slots[slot].isOver
    }
    if progress.needsNewTurn { replaceTurn(index, slot, isHeld ? nil : reference.frame) }
    if conversations.slots[slot].phase == .dialogue {
      noteDataPorts(index, slot, at: reference.frame)
      // Its session was reported, so other sessions need not wait for it.
      if connections[index].priorMark != nil { releaseTurn(index) }
    }
    reportRuns(index, slot)
    if missing > 0 {
      connections[index].streams[direction].noteMissing(missing)
      let made = shared.facts.madeBytes
      skip(index, slot, direction, missing, upTo: end.advanced(by: missing), reference)
      openBytes += conversations.slots[slot].weigh(made: shared.facts.madeBytes &- made)
    }
  }

  /// Passes on to the conversation that the capture lacks bytes of a direction, up to a sequence number.
  mutating func skip(
    _ index: Int, _ slot: Int, _ direction: Direction, _ missing: Int, upTo end: SequenceNumber, _ reference: PacketReference
  ) {
    conversations.slots[slot].skip(missing: missing, in: direction, at: reference, sharing: &shared)
    guard connections[index].isObserved else { return }
    let lacksRequest = conversations.slots[slot].http?.notes.contains(.httpRequestLost) == true
    observer?.skip(upTo: end, in: direction, of: index, lacksRequest: lacksRequest)
    reportRuns(index, slot)
  }

  /// Reports a segment to the observer.
  private func report(_ head: SegmentHead, of index: Int) {
    let waiting = connections[index].streams.reading(head.direction) { head.lengthOnWire > 0 ? $0.firstHeld(after: head.firstByte) : nil }
    observer?.receive(head.firstByte, in: head.direction, of: index, before: waiting, isContested: connections[index].isContested)
  }

  /// Reports to the observer the runs that the readers of a connection have classified.
  func reportRuns(_ index: Int, _ slot: Int) {
    guard let account = conversations.slots[slot].account else { return }
    for sender in Direction.allCases {
      observer?.add(
        account.take(in: sender), unread: conversations.slots[slot].unreadBytes(in: sender), in: sender, of: index)
    }
  }

  /// The slot of a connection's conversation, which is begun if there is none.
  @inline(__always)
  mutating func conversation(_ index: Int) -> Int {
    connections[index].conversation ?? beginConversation(index)
  }

  @inline(never)
  mutating func beginConversation(_ index: Int) -> Int {
    let new = conversations.begin()
    if connections[index].isObserved { conversations.slots[new].account = ByteAccount() }
    connections[index].conversation = new
    conversations.slots[new].handshake.opener = connections[index].opener
    noteUnread(index, new)
    if let close = connections[index].earlyClose {
      conversations.slots[new].handshake.close(in: close.head.direction, isByReset: close.head.flags.contains(.rst), close.frame)
    }
    let key = table.key(at: index)
    if key.lower.port == 53 || key.upper.port == 53 { conversations.slots[new].expectsDNS = true }
    if !dataConnections.isEmpty,
      let control = dataConnections.take(key, opener: connections[index].opener, at: connections[index].lastSeen, limits)
    {
      _ = conversations.slots[new].pass(.ftpData(control))
    }
    return new
  }

  /// Records in which directions bytes precede the next ones that a conversation reads.
  mutating func noteUnread(_ index: Int, _ slot: Int) {
    for direction in Direction.allCases { conversations.slots[slot].hadUnread[direction] = connections[index].hasUnreadBytes(direction) }
  }

  mutating func dropConversation(_ index: Int, _ slot: Int) {
    openBytes -= conversations.slots[slot].weight
    conversations.end(slot)
    connections[index].conversation = nil
  }

  /// Whether the client's next bytes are its second ClientHello, and the capture lacks the first.
  private func awaitsSecondHello(_ index: Int, in direction: Direction) -> Bool {
    guard let slot = connections[index].conversation, conversations.slots[slot].hasHandshake else { return false }
    return conversations.slots[slot].handshake.lacksFirstHello && conversations.slots[slot].handshake.isClient(direction) == true
  }

  /// Whether a connection is an FTP control connection that was under TLS before.
  private func readsDataPorts(_ index: Int) -> Bool {
    guard let slot = connections[index].conversation else { return false }
    return conversations.slots[slot].preamble?.dialogue?.followsTLS == true
  }

  /// Expects the data connections that an FTP control connection has announced.
  private mutating func noteDataPorts(_ index: Int, _ slot: Int, at frame: UInt64) {
    guard let dialogue = conversations.slots[slot].preamble?.dialogue else { return }
    let key = table.key(at: index)
    for (announcement, direction) in dialogue.takeAnnounced() {
      let client = direction.reversed(if: announcement.isByServer)
      let control = FTPControlEndpoints(client: key[client], server: key[client.opposite], frame: frame)
      dataConnections.expect(announcement, on: control, at: connections[index].lastSeen)
    }
  }

  private mutating func drain(_ index: Int, _ direction: Direction) {
    let before = connections[index].heldBytes(direction)
    while let (segment, skip) = connections[index].streams[direction].takeHeld() {
      if connections[index].isConversationOver { _ = keepWatching(index) }
      deliver(
        index, direction, segment.bytes.span, at: segment.sequence, skip: skip, length: segment.lengthOnWire,
        PacketReference(frame: segment.frame, time: segment.time),
        RecentBytes.Origin(frame: segment.frame, time: segment.time, checksum: SegmentChecksum(segment.validity)), isHeld: true)
    }
    heldBytes -= before - connections[index].heldBytes(direction)
  }

  mutating func skipGap(_ index: Int, _ direction: Direction, _ reference: PacketReference) {
    let gap = connections[index].streams[direction].skipGap()
    if gap > 0, !connections[index].hasUnknownGreeting || replyEndsGreeting(index, in: direction) {
      let slot = conversation(index)
      skip(index, slot, direction, gap, upTo: connections[index].streams.reading(direction) { $0.next }, reference)
    }
    drain(index, direction)
  }
}
