import BasicContainers
import ByteParsing
import PacketParsing
import Reassembly
import SessionModel
import Values

/// Copies of bytes that disagree: the one with the right checksum counts if it is the only one; else the bytes are contested.
extension SessionTracker {
  /// Compares bytes that were sent again with the copies that were read; `payload` is all that their packet holds.
  mutating func compare(
    _ index: Int, _ direction: Direction, _ again: Span<UInt8>, at sequence: SequenceNumber,
    _ payload: Span<UInt8>,
    _ origin: RecentBytes.Origin
  ) {
    let place = connections[index].streams[direction].recentBytes
    let count = recentBytes.disagreements(of: again, at: sequence, with: place)
    guard count > 0 else { return }
    settle(count, index, direction, again, at: sequence, origin, origin.checksum.verdict(adding: payload))
  }

  /// Decides between copies that disagree.
  @inline(never)
  private mutating func settle(
    _ count: Int, _ index: Int, _ direction: Direction, _ again: Span<UInt8>, at sequence: SequenceNumber,
    _ origin: RecentBytes.Origin, _ verdict: SegmentChecksum.Verdict
  ) {
    let place = connections[index].streams[direction].recentBytes
    let isOffloaded = isOffloaded(
      index, direction, besides: SequenceRange(start: sequence, count: again.count))
    var settled = origin
    settled.checksum = SegmentChecksum(verdict)
    var mustRead = false
    for dispute in recentBytes.disputes(of: again, at: sequence, with: place) {
      let isContested =
        connections[index].streams[direction].isContested(dispute.range)
      switch (dispute.verdict, verdict) {
      case (.right, .wrong) where !isOffloaded: continue
      case (.wrong, .right) where !isOffloaded && !isContested && canRead(index):
        let offset = sequence.distance(to: dispute.overlap.start)
        let overlap = again.extracting(offset..<(offset + dispute.overlap.count))
        if recentBytes.replace(overlap, at: dispute.overlap.start, with: place, from: settled) {
          mustRead = true
          change(index, direction) { $0.settle(dispute.overlap) }
          continue
        }
      default: break
      }
      let hasOnlyWrong = dispute.verdict == .wrong && verdict == .wrong && !isOffloaded
      change(index, direction) {
        $0.contest(dispute.range, dispute.frame, origin.frame, hasOnlyWrong: hasOnlyWrong)
      }
    }
    change(index, direction) { $0.noteDisagreement(count, frame: origin.frame) }
    if mustRead { readAgain(index) }
  }

  private mutating func change(_ index: Int, _ direction: Direction, _ body: (inout SegmentStream) -> Void) {
    body(&connections[index].streams[direction])
  }

  /// Whether one side seems to leave checksums to its card: all of its segments that were seen, those with bytes of `range` excepted,
  /// have wrong ones.
  func isOffloaded(_ index: Int, _ direction: Direction, besides range: SequenceRange) -> Bool {
    let syn = connections[index].streams[direction].synVerdict
    if syn == .right { return false }
    let place = connections[index].streams[direction].recentBytes
    let sound = recentBytes.soundness(at: place, besides: range)
    return (sound.hasWrong || syn == .wrong) && !sound.hasRight
  }

  /// Whether a segment with SYN, FIN or RST is one that its receiver takes: one with a wrong checksum is discarded, unless its sender
  /// leaves checksums to its card.
  mutating func admits(_ index: Int, _ head: SegmentHead, _ packet: Packet) -> Bool {
    let verdict = packet.verdict
    if head.flags.contains(.syn) {
      let known = connections[index].streams[head.direction].synVerdict
      if known == .unknown || verdict == .right {
        change(index, head.direction) { $0.synVerdict = verdict }
      }
      return verdict != .wrong || known != .right
    }
    return verdict != .wrong || !hasRight(index, head)
  }

  /// Whether a segment may end what is said on its connection: not one that its receiver discards, whose true copy is still to come.
  mutating func mayEnd(_ index: Int, _ head: SegmentHead, _ packet: Packet) -> Bool {
    guard packet.verdict == .wrong, hasRight(index, head) else { return true }
    connections[index].isConversationOver = false
    return false
  }

  /// Whether other segments of the side that sent one have right checksums.
  private func hasRight(_ index: Int, _ head: SegmentHead) -> Bool {
    let syn = connections[index].streams[head.direction].synVerdict
    if syn != .unknown { return syn == .right }
    let place = connections[index].streams[head.direction].recentBytes
    let range = SequenceRange(start: head.firstByte, count: head.lengthOnWire)
    return recentBytes.soundness(at: place, besides: range).hasRight
  }

  /// How often what is said on one connection is read again.
  static let rereadingLimit = 32

  /// Whether all that was said on a connection is remembered, so that it can be read again.
  private func canRead(_ index: Int) -> Bool {
    connections[index].rereadings < SessionTracker.rereadingLimit
      && Direction.allCases.allSatisfy { direction in
        connections[index].streams[direction].position <= RecentBytes.byteLimit
          && recentBytes.transcript(at: connections[index].streams[direction].recentBytes) != nil
      }
  }

  /// Reads what was said on a connection again, from its beginning: another copy of some of it counts.
  @inline(never)
  private mutating func readAgain(_ index: Int) {
    connections[index].rereadings += 1
    connections[index].reading?.restart()
    let all = Direction.allCases.flatMap { direction in
      (recentBytes.transcript(at: connections[index].streams[direction].recentBytes) ?? []).map {
        ($0, direction)
      }
    }
    let place = Int(connections[index].conversation)
    if place >= 0 {
      openBytes -= conversations.places[place].weight
      conversations.end(place)
      connections[index].conversation = -1
    }
    connections[index].saidWords = false
    connections[index].isConversationOver = false
    _ = beginConversation(index)
    var next: BothDirections<SequenceNumber?> = BothDirections(nil)
    // Parts of one packet of which some bytes were replaced have one order.
    let inOrder = all.sorted { one, other in
      one.0.order != other.0.order
        ? one.0.order < other.0.order : one.0.sequence.distance(to: other.0.sequence) > 0
    }
    for (excerpt, direction) in inOrder {
      let reference = PacketReference(frame: excerpt.frame, time: excerpt.time)
      let known = next[direction]
      if let known { skipAgain(index, direction, from: known, to: excerpt.sequence, reference) }
      if connections[index].isConversationOver { _ = watchBehindWords(index) }
      let end = excerpt.sequence.advanced(by: excerpt.bytes.count)
      handOn(index, direction, excerpt.bytes.span, upTo: end, missing: 0, reference, isHeld: true)
      next[direction] = end
    }
    for direction in Direction.allCases {
      guard let known = next[direction] else { continue }
      let end = connections[index].streams[direction].next
      skipAgain(index, direction, from: known, to: end, PacketReference(frame: 0, time: nil))
    }
  }

  private mutating func skipAgain(
    _ index: Int, _ direction: Direction, from start: SequenceNumber, to end: SequenceNumber, _ reference: PacketReference
  ) {
    let gap = start.distance(to: end)
    guard gap > 0, connections[index].conversation >= 0 else { return }
    let place = Int(connections[index].conversation)
    conversations[place].skip(missing: gap, in: direction, at: reference, sharing: &shared)
    settleReading(index, place, direction, upTo: end)
  }

  /// Notes a segment of which fragments disagree: its bytes are contested.
  mutating func noteDisputedFragment(_ index: Int, _ head: SegmentHead, _ packet: Packet) {
    connections[index].note(disputedFragment: packet.disputedFragment)
    guard packet.isContested, head.lengthOnWire > 0 else { return }
    let range = SequenceRange(start: head.firstByte, count: head.lengthOnWire)
    let (frame, other) = (packet.reference.frame, packet.disputedFragment)
    change(index, head.direction) { $0.contest(range, min(frame, other), max(frame, other)) }
  }
}
