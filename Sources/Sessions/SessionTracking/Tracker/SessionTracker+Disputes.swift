import BasicContainers
import CleartextObservation
import PacketParsing
import Reassembly
import SessionModel
import TLSObservation
import Values

/// If copies of bytes disagree, the copy with a valid checksum counts if it is the only one; otherwise the bytes are contested.
extension SessionTracker {
  /// Compares retransmitted bytes with the copies that were read; `payload` is the whole payload of their packet. What seems to be a
  /// keep-alive contests nothing, but it may also be the one valid copy of the byte.
  mutating func compare(
    _ index: Int, _ direction: Direction, _ again: Span<UInt8>, at sequence: SequenceNumber, _ payload: Span<UInt8>,
    _ origin: RecentBytes.Origin, isKeepAlive: Bool = false
  ) {
    let location = connections[index].streams.reading(direction) { $0.recentBytes }
    let count = recentBytes.disagreements(of: again, at: sequence, with: location)
    if count > 0 {
      resolve(count, index, direction, again, at: sequence, origin, origin.checksum.validity(adding: payload), isKeepAlive)
    } else if !isKeepAlive, again.count > 0, connections[index].streams.reading(direction, { $0.missingBytes }) > 0 {
      fill(index, direction, again, at: sequence, origin, origin.checksum.validity(adding: payload))
    }
  }

  /// Reads a connection again if a segment contains bytes that an earlier copy lacks, because that copy was truncated to a shorter snapshot
  /// length.
  @inline(never)
  private mutating func fill(
    _ index: Int, _ direction: Direction, _ again: Span<UInt8>, at sequence: SequenceNumber, _ origin: RecentBytes.Origin,
    _ validity: SegmentChecksum.Validity
  ) {
    let range = SequenceRange(start: sequence, count: again.count)
    guard connections[index].streams.reading(direction, { $0.contains(sequence) }),
      let gaps = recentBytes.gaps(in: range, at: connections[index].streams.reading(direction) { $0.recentBytes }), !gaps.isEmpty,
      validity != .invalid || !hasValid(index, direction, besides: range), canRead(index)
    else { return }
    var whole = origin
    whole.checksum = SegmentChecksum(validity)
    for gap in gaps {
      let location = connections[index].streams.reading(direction) { $0.recentBytes }
      let filled = recentBytes.insert(again.extracting(gap), at: sequence.advanced(by: gap.lowerBound), after: location, from: whole)
      connections[index].streams[direction].recentBytes = filled
      connections[index].streams[direction].noteFound(gap.count)
    }
    // Storing them may have overwritten others.
    if canRead(index) { reread(index) }
  }

  /// Contests what was read of one side if a segment before the first byte begins with another hello of it. Without a SYN, the capture does
  /// not show which of the two the peer received.
  mutating func contestStart(_ index: Int, _ head: SegmentHead, _ packet: Packet) {
    let direction = head.direction
    guard let slot = connections[index].conversation, conversations.slots[slot].hasHandshake,
      !connections[index].streams.reading(direction, { $0.isFromSYN || $0.contains(head.firstByte) }),
      conversations.slots[slot].handshake.isContradicted(by: packet.payload, in: direction),
      packet.validity != .invalid || !isDiscarded(index, head)
    else { return }
    let isClient = conversations.slots[slot].handshake.isClient(direction) == true
    let read = conversations.slots[slot].handshake.evidence.frames[isClient ? .clientHello : .serverHello].first
    let range = SequenceRange(start: start(index, direction), count: RecentBytes.maximumByteCount)
    connections[index].streams[direction].noteContested(range, read, packet.reference.frame)
  }

  /// Decides between copies that disagree.
  @inline(never)
  private mutating func resolve(
    _ count: Int, _ index: Int, _ direction: Direction, _ again: Span<UInt8>, at sequence: SequenceNumber,
    _ origin: RecentBytes.Origin, _ validity: SegmentChecksum.Validity, _ isKeepAlive: Bool
  ) {
    let location = connections[index].streams.reading(direction) { $0.recentBytes }
    let isOffloaded = isOffloaded(index, direction, besides: SequenceRange(start: sequence, count: again.count))
    var resolved = origin
    resolved.checksum = SegmentChecksum(validity)
    var mustRead = false
    for dispute in recentBytes.disputes(of: again, at: sequence, with: location) {
      let isContested = connections[index].streams.reading(direction) { $0.isContested(dispute.range) }
      switch (dispute.validity, validity) {
      case (.valid, .invalid) where !isOffloaded: continue
      case (.invalid, .valid) where !isOffloaded && !isContested && canRead(index):
        let offset = sequence.distance(to: dispute.overlap.start)
        let overlap = again.extracting(offset..<(offset + dispute.overlap.count))
        if recentBytes.replace(overlap, at: dispute.overlap.start, with: location, from: resolved) {
          mustRead = true
          connections[index].streams[direction].resolveContested(in: dispute.overlap)
          continue
        }
      default: break
      }
      if isKeepAlive { continue }
      let hasOnlyInvalid = dispute.validity == .invalid && validity == .invalid && !isOffloaded
      connections[index].streams[direction].noteContested(dispute.range, dispute.frame, origin.frame, hasOnlyInvalid: hasOnlyInvalid)
    }
    if mustRead || !isKeepAlive { connections[index].streams[direction].noteDispute(count, frame: origin.frame) }
    if mustRead { reread(index) }
  }

  /// Whether checksums of one side seem to be offloaded: all of its captured segments outside `range` have invalid ones.
  func isOffloaded(_ index: Int, _ direction: Direction, besides range: SequenceRange) -> Bool {
    let syn = connections[index].streams.reading(direction) { $0.synValidity }
    if syn == .valid { return false }
    let location = connections[index].streams.reading(direction) { $0.recentBytes }
    let sound = recentBytes.soundness(at: location, besides: range)
    return (sound.hasInvalid || syn == .invalid) && !sound.hasValid
  }

  /// Whether the receiver discards a segment whose checksum is invalid: other segments of its sender have valid ones.
  func isDiscarded(_ index: Int, _ head: SegmentHead) -> Bool {
    head.flags.contains(.syn)
      ? connections[index].streams.reading(head.direction) { $0.synValidity } == .valid
      : hasValid(index, head.direction, besides: SequenceRange(start: head.firstByte, count: head.lengthOnWire))
  }

  /// Records whether the checksum of a SYN is valid; a valid one counts if there are several SYNs.
  mutating func noteSYN(_ index: Int, _ direction: Direction, _ validity: SegmentChecksum.Validity) {
    if connections[index].streams.reading(direction, { $0.synValidity }) == .unknown || validity == .valid {
      connections[index].streams[direction].synValidity = validity
    }
  }

  /// Whether segments of one side outside `range` have valid checksums.
  private func hasValid(_ index: Int, _ direction: Direction, besides range: SequenceRange) -> Bool {
    let syn = connections[index].streams.reading(direction) { $0.synValidity }
    if syn != .unknown { return syn == .valid }
    let location = connections[index].streams.reading(direction) { $0.recentBytes }
    return recentBytes.soundness(at: location, besides: range).hasValid
  }

  /// The maximum number of times that one connection is read again.
  static let maximumRereadingCount = 32

  /// Whether all bytes of a connection are still stored, so that it can be read again.
  private func canRead(_ index: Int) -> Bool {
    connections[index].rereadings < SessionTracker.maximumRereadingCount
      && Direction.allCases.allSatisfy { direction in
        connections[index].streams.reading(direction) { $0.position } <= RecentBytes.maximumByteCount
          && recentBytes.isWhole(at: connections[index].streams.reading(direction) { $0.recentBytes })
      }
  }

  /// Reads a connection again from its beginning, because another copy of some bytes is valid.
  @inline(never)
  private mutating func reread(_ index: Int) {
    connections[index].rereadings += 1
    if connections[index].isObserved { observer?.restart(index) }
    let all = Direction.allCases.flatMap { direction in
      (recentBytes.transcript(at: connections[index].streams.reading(direction) { $0.recentBytes }) ?? []).map {
        ($0, direction)
      }
    }
    if let slot = connections[index].conversation { dropConversation(index, slot) }
    connections[index].hasUnknownGreeting = false
    connections[index].isConversationOver = false
    _ = beginConversation(index)
    // The capture may lack bytes before the first ones.
    var next = BothDirections(fromLower: start(index, .fromLower), fromUpper: start(index, .fromUpper))
    // Parts of one packet have the same order after some of its bytes were replaced.
    let inOrder = all.sorted { one, other in
      one.0.order != other.0.order ? one.0.order < other.0.order : one.0.sequence.distance(to: other.0.sequence) > 0
    }
    for (excerpt, direction) in inOrder {
      let reference = PacketReference(frame: excerpt.frame, time: excerpt.time)
      skipAgain(index, direction, from: next[direction], to: excerpt.sequence, reference)
      if connections[index].isConversationOver { _ = watchAfterGreeting(index) }
      let end = excerpt.sequence.advanced(by: excerpt.bytes.count)
      advanceConversation(index, direction, excerpt.bytes.span, upTo: end, missing: 0, reference, isHeld: true)
      next[direction] = end
    }
    for direction in Direction.allCases {
      let end = connections[index].streams.reading(direction) { $0.next }
      skipAgain(index, direction, from: next[direction], to: end, PacketReference(frame: 0, time: nil))
    }
  }

  /// The sequence number of the first byte of a direction, read or missing.
  private func start(_ index: Int, _ direction: Direction) -> SequenceNumber {
    connections[index].streams.reading(direction) { $0.next.advanced(by: -$0.position) }
  }

  private mutating func skipAgain(
    _ index: Int, _ direction: Direction, from start: SequenceNumber, to end: SequenceNumber, _ reference: PacketReference
  ) {
    let gap = start.distance(to: end)
    guard gap > 0, let slot = connections[index].conversation else { return }
    skip(index, slot, direction, gap, upTo: end, reference)
  }

  /// Records a segment whose fragments disagree; its bytes are contested.
  mutating func noteDisputedFragment(_ index: Int, _ head: SegmentHead, _ packet: Packet) {
    connections[index].note(disputedFragment: packet.disputedFragment)
    guard packet.isContested, head.lengthOnWire > 0 else { return }
    let range = SequenceRange(start: head.firstByte, count: head.lengthOnWire)
    let (frame, other) = (packet.reference.frame, packet.disputedFragment)
    connections[index].streams[head.direction].noteContested(range, min(frame, other), max(frame, other))
  }
}
