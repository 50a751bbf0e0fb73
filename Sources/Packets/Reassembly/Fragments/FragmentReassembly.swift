package import ByteParsing
import DequeModule
package import PacketParsing

/// Limits on the memory of reassembly, with their reasons. Each has a counter in `FragmentReassembly`.
package struct FragmentLimits: Sendable {
  /// Datagrams that are incomplete at once; beyond it, the oldest is evicted.
  package var datagrams = 1024

  /// Bytes held of all incomplete datagrams; beyond it, the oldest is evicted.
  package var heldBytes = 16 * 1024 * 1024

  /// Pieces of one datagram. A datagram of 64 KiB has 1,366 over the shortest link allowed (RFC 791: 68 bytes), and fewer than 128 over any
  /// link in use today.
  package var pieces = 256

  /// Seconds of capture time after which an incomplete datagram is abandoned (RFC 8200 §4.5).
  package var seconds: Int64 = 60

  /// Bytes of complete datagrams that are remembered; at most twice as many. Copies of their fragments follow soon.
  package var rememberedBytes = 1024 * 1024

  package init() {}
}

/// A datagram that was reassembled from IP fragments.
package struct WholeDatagram: Sendable {
  /// The bytes after the IP header, as captured, up to the first gap.
  package var payload: Bytes

  /// The original length of the payload in bytes.
  package var lengthOnWire: Int

  /// The protocol of the payload: an IPv4 protocol number, or an IPv6 next header.
  package var protocolNumber: UInt8

  package var frames: [UInt64]

  /// The first of its fragments in the capture.
  package var firstFrame: UInt64

  /// The first packet with bytes that differ from an earlier copy; 0 if there is none.
  package var disputeFrame: UInt64

  /// Whether fragments disagree and the payload's checksum does not decide between them.
  package var isContested: Bool
}

/// An incomplete datagram that was abandoned.
package struct BrokenDatagram: Sendable {
  /// Bytes after a gap.
  package struct Piece: Sendable {
    /// The offset of the first byte in the datagram.
    package var start: Int
    /// The captured bytes.
    package var bytes: Bytes
    /// The original length in bytes.
    package var lengthOnWire: Int
    /// The packet that carries the bytes.
    package var frame: UInt64
  }

  package var headers: PacketHeaders

  /// The bytes after the IP header, up to the first gap.
  package var start: Bytes

  /// The original length of `start` in bytes: more than its count if the snapshot length caused the gap.
  package var startLengthOnWire: Int

  /// The packet with the first fragment.
  package var frame: UInt64

  package var firstFrame: UInt64

  /// The packets that carry the datagram, including those with disagreeing copies.
  package var frames: [UInt64]

  /// The pieces after gaps, in order.
  package var rest: [Piece]

  /// The length of the datagram; nil if its last fragment was not captured.
  package var length: Int?

  /// The minimum length of the datagram, from its fragments.
  package var knownLength: Int

  /// The first packet with bytes that differ from an earlier copy; 0 if there is none.
  package var disputeFrame: UInt64
}

/// Reassembles the fragments of IPv4 and IPv6 packets, in any order.
///
/// If copies of a byte differ, the copy with a valid TCP or UDP checksum wins; if neither or both are valid, the first. Copies of fragments
/// that follow their complete datagram do not begin another one. Usage:
///
///     case .unread(.fragment):
///       while let whole = fragments.add(headers, payload, seconds: now) { headers.decode(reassembled: …) … }
package struct FragmentReassembly: ~Copyable {
  private let limits: FragmentLimits
  private var datagrams: [FragmentKey: PartialDatagram] = [:]
  /// Keys in the order in which their datagrams began, including those of complete datagrams.
  private var order: Deque<(key: FragmentKey, begun: Int64)> = []
  private var heldBytes = 0

  private var complete: RecentTable<[FragmentKey: CompleteDatagram]>

  /// Abandoned datagrams with their first fragment, to be read as far as possible.
  private var broken: [BrokenDatagram] = []

  /// The first packets of abandoned datagrams of which nothing can be read.
  private var lost: [UInt64] = []

  package private(set) var fragments: UInt64 = 0
  package private(set) var wholeDatagrams: UInt64 = 0

  /// The number of datagrams abandoned because a fragment did not arrive in time.
  package private(set) var incompleteDatagrams: UInt64 = 0

  /// The number of datagrams abandoned at a limit.
  package private(set) var limitedDatagrams: UInt64 = 0

  /// The number of bytes that differ from an earlier copy.
  package private(set) var disagreeingBytes: UInt64 = 0

  /// The number of fragments that contradict others about the length of their datagram; they are dropped.
  package private(set) var contradictingFragments: UInt64 = 0

  /// Whether the last fragment added began a new datagram.
  package private(set) var hasBegun = false

  package init(limits: FragmentLimits = FragmentLimits()) {
    self.limits = limits
    complete = RecentTable(entriesPerGeneration: limits.datagrams, costPerGeneration: limits.rememberedBytes)
  }

  package var openDatagrams: Int { datagrams.count }

  /// Adds the fragment that `headers` describe, and returns its datagram if that is now complete.
  ///
  /// `payload` is the captured part of the fragment, `seconds` the packet's time, or nil if it has none, and `frame` the packet's number.
  package mutating func add(_ headers: PacketHeaders, _ payload: Span<UInt8>, seconds: Int64?, frame: UInt64 = 0) -> WholeDatagram? {
    fragments += 1
    hasBegun = false
    if let seconds { abandon(before: seconds) }
    let key = FragmentKey(headers)
    let earlier = repeated(by: payload, headers, key, seconds: seconds)
    var datagram: PartialDatagram
    var isFirst = false
    if let known = datagrams.removeValue(forKey: key) {
      datagram = known
      heldBytes -= datagram.cost
    } else {
      datagram = PartialDatagram(begun: seconds ?? order.last?.begun ?? 0, firstFrame: frame)
      isFirst = true
      note(key, begun: datagram.begun)
    }
    if datagram.isRepetition, earlier == nil, !isFirst, !isValid(datagram, with: payload, headers) {
      // The identification is used for another datagram.
      lost.append(datagram.firstFrame)
      datagram = PartialDatagram(begun: seconds ?? datagram.begun, firstFrame: frame)
      isFirst = true
      note(key, begun: datagram.begun)
    }
    datagram.isRepetition = earlier != nil && (isFirst || datagram.isRepetition)
    let outcome = datagram.add(payload, headers, frame: frame)
    disagreeingBytes += UInt64(outcome.disagreeingBytes)
    if outcome.contradictsLength { contradictingFragments += 1 }
    // A copy of a whole datagram is dropped, unless a receiver drops the earlier one as invalid and reads this one.
    if datagram.isComplete, datagram.isRepetition, let earlier, earlier.isValid != false {
      lost.append(datagram.firstFrame)
      return nil
    }
    if datagram.isComplete, let length = datagram.length {
      wholeDatagrams += 1
      let number = datagram.protocolNumber ?? headers.fragment.protocolNumber
      let (payload, isContested) = datagram.decided { bytes in
        headers.hasValidChecksum(reassembled: bytes.span, protocolNumber: number)
      }
      let isValid = payload.count == length ? headers.hasValidChecksum(reassembled: payload.span, protocolNumber: number) : nil
      complete.insert(
        CompleteDatagram(begun: datagram.begun, payload: payload, length: length, isValid: isValid), for: key, cost: payload.count)
      return WholeDatagram(
        payload: payload, lengthOnWire: length, protocolNumber: number, frames: datagram.frames, firstFrame: datagram.firstFrame,
        disputeFrame: datagram.disputeFrame, isContested: isContested)
    }
    hasBegun = isFirst
    guard datagram.fragments.pieces.count <= limits.pieces else {
      limitedDatagrams += 1
      abandon(datagram)
      return nil
    }
    heldBytes += datagram.cost
    datagrams[key] = datagram
    while datagrams.count > limits.datagrams || heldBytes > limits.heldBytes {
      guard evictOldest() else { break }
      limitedDatagrams += 1
    }
    return nil
  }

  /// Removes and returns the first packets of abandoned datagrams of which nothing can be read.
  package mutating func takeLost() -> [UInt64] { exchange(&lost, with: []) }

  /// Removes and returns the abandoned datagrams with their first fragment.
  package mutating func takeBroken() -> [BrokenDatagram] { exchange(&broken, with: []) }

  /// Abandons all datagrams, oldest first: no more packets will come.
  package mutating func finish() {
    for datagram in datagrams.values where !datagram.isRepetition { incompleteDatagrams += 1 }
    while evictOldest() {}
  }

  /// The recent complete datagram that a fragment repeats; nil if there is none.
  private func repeated(by payload: Span<UInt8>, _ headers: PacketHeaders, _ key: FragmentKey, seconds: Int64?) -> CompleteDatagram? {
    guard let earlier = complete[key], earlier.contains(payload, headers) else { return nil }
    let age = seconds?.subtractingReportingOverflow(earlier.begun).partialValue ?? 0
    return age <= limits.seconds ? earlier : nil
  }

  /// Whether a fragment completes a datagram, whose checksum is then valid.
  private func isValid(_ datagram: PartialDatagram, with payload: Span<UInt8>, _ headers: PacketHeaders) -> Bool {
    var whole = datagram
    _ = whole.add(payload, headers, frame: 0)
    let number = whole.protocolNumber ?? headers.fragment.protocolNumber
    return whole.isComplete && headers.hasValidChecksum(reassembled: whole.fragments.contiguous.span, protocolNumber: number) == true
  }

  private mutating func note(_ key: FragmentKey, begun: Int64) {
    // Entries of complete datagrams are swept once they are in the majority.
    if order.count > 2 * limits.datagrams {
      order = Deque(order.filter { datagrams[$0.key]?.begun == $0.begun })
    }
    order.append((key, begun))
  }

  /// Abandons datagrams that have been incomplete for too long.
  package mutating func abandon(before now: Int64) {
    while let entry = order.first {
      let isCurrent = datagrams[entry.key]?.begun == entry.begun
      // Clocks can jump, so a datagram that seems to be from the future is kept.
      if isCurrent, now.subtractingReportingOverflow(entry.begun).partialValue <= limits.seconds { return }
      if isCurrent {
        if datagrams[entry.key]?.isRepetition == false { incompleteDatagrams += 1 }
        drop(entry.key)
      }
      order.removeFirst()
    }
  }

  /// Abandons the oldest datagram; returns false if there is none.
  private mutating func evictOldest() -> Bool {
    while let entry = order.popFirst() {
      if datagrams[entry.key]?.begun == entry.begun {
        drop(entry.key)
        return true
      }
    }
    return false
  }

  private mutating func drop(_ key: FragmentKey) {
    guard let datagram = datagrams.removeValue(forKey: key) else { return }
    heldBytes -= datagram.cost
    abandon(datagram)
  }

  private mutating func abandon(_ datagram: borrowing PartialDatagram) {
    if let broken = datagram.broken { self.broken.append(broken) } else { lost.append(datagram.firstFrame) }
  }
}
