import ByteParsing
import PacketParsing

/// The captured fragments of a datagram.
struct PartialDatagram {
  /// The fragments, with the packets that carry them.
  private(set) var fragments = Assembler<UInt64>()

  /// The length of the datagram; nil until its last fragment was added.
  private(set) var length: Int?

  /// The protocol of the datagram, from its first fragment.
  private(set) var protocolNumber: UInt8?

  /// The headers of its first fragment; nil until that was added.
  private(set) var headers: PacketHeaders?

  /// The first packet with bytes that differ from an earlier copy; 0 if there is none.
  private(set) var disputeFrame: UInt64 = 0

  /// Copies of bytes that disagree with `fragments`, each within one piece of them.
  private var others: [Copy] = []

  private struct Copy {
    var start: Int
    var bytes: Bytes
    var frame: UInt64
  }

  /// The maximum number of such copies kept; with more, the datagram is contested.
  private static let maximumOtherCopyCount = 16

  /// The maximum number of such copies tried in every combination.
  private static let maximumCombinedCopyCount = 6

  /// The time of its first fragment in the capture, in seconds.
  let begun: Int64

  /// The packet with that fragment.
  let firstFrame: UInt64

  /// Whether its fragments only repeat a complete datagram.
  var isRepetition = false

  /// The memory that the datagram takes, in bytes.
  var cost: Int { fragments.cost + costOfOthers }

  private var costOfOthers = 0

  init(begun: Int64, firstFrame: UInt64) {
    self.begun = begun
    self.firstFrame = firstFrame
  }

  /// The result of adding a fragment.
  struct Outcome {
    /// The number of bytes that differ from an earlier copy.
    var disagreeingBytes = 0

    /// Whether the fragment contradicts the known length of the datagram.
    var contradictsLength = false
  }

  /// Adds a fragment; of repeated bytes the first copy is kept.
  mutating func add(_ bytes: Span<UInt8>, _ headers: PacketHeaders, frame: UInt64) -> Outcome {
    let start = headers.fragment.offset
    let lengthOnWire = headers.payloadLengthOnWire
    let isLast = headers.fragment.isLast
    var outcome = Outcome()
    let end = start + lengthOnWire
    if let length, end > length || isLast && end != length {
      outcome.contradictsLength = true
      return outcome
    }
    if isLast {
      if let last = fragments.pieces.last, last.end > end {
        outcome.contradictsLength = true
        return outcome
      }
      length = end
    }
    if start == 0, protocolNumber == nil {
      protocolNumber = headers.fragment.protocolNumber
      self.headers = headers
    }
    for conflict in fragments.insert(bytes, length: lengthOnWire, at: start, from: frame) {
      outcome.disagreeingBytes += conflict.disagreeingBytes
      let captured = (conflict.captured.lowerBound - start)..<(conflict.captured.upperBound - start)
      keep(bytes.extracting(captured), at: conflict.captured.lowerBound, frame)
    }
    if outcome.disagreeingBytes > 0, disputeFrame == 0 { disputeFrame = frame }
    return outcome
  }

  private mutating func keep(_ bytes: Span<UInt8>, at start: Int, _ frame: UInt64) {
    guard others.count < PartialDatagram.maximumOtherCopyCount else { return }
    let copy = Bytes(copying: bytes)
    if others.contains(where: { $0.start == start && $0.bytes == copy }) { return }
    others.append(Copy(start: start, bytes: copy, frame: frame))
    costOfOthers += copy.count + MemoryLayout<Copy>.stride
  }

  /// The bytes of a complete datagram, and whether it is contested: fragments disagree, and not exactly one choice between them is valid.
  func decided(isValid: (Bytes) -> Bool?) -> (bytes: Bytes, isContested: Bool) {
    let first = fragments.contiguous
    guard disputeFrame > 0 else { return (first, false) }
    guard others.count < PartialDatagram.maximumOtherCopyCount else { return (first, true) }
    // Tries all combinations if there are few copies; otherwise each copy alone, and all together.
    let choices: [UInt64] =
      others.count <= PartialDatagram.maximumCombinedCopyCount
      ? Array(0..<(1 << UInt64(others.count)))
      : [0, .max] + others.indices.map { 1 << UInt64($0) }
    var found: Set<Bytes> = []
    for choice in choices {
      var bytes = first
      for (index, other) in others.enumerated() where choice >> UInt64(index) & 1 == 1 {
        guard other.start + other.bytes.count <= bytes.count else { continue }
        bytes.replaceSubrange(other.start..<(other.start + other.bytes.count), with: other.bytes)
      }
      guard let isValid = isValid(bytes) else { return (first, true) }
      if isValid { found.insert(bytes) }
    }
    guard let only = found.first, found.count == 1 else { return (first, true) }
    return (only, false)
  }

  /// The packets that carry the datagram, including those with disagreeing copies.
  var frames: [UInt64] { fragments.pieces.map(\.origin) + others.map(\.frame) }

  /// Whether every byte was sent in a captured fragment, even if truncated to the snapshot length, and no piece exceeds the length.
  var isComplete: Bool { fragments.length == length && !fragments.isEmpty }

  /// The incomplete datagram, once the rest will not arrive; nil without its first fragment, which identifies its connection.
  var broken: BrokenDatagram? {
    let pieces = fragments.pieces
    guard let headers, let first = pieces.first, first.start == 0, let last = pieces.last else { return nil }
    let start = fragments.contiguous
    var isTruncated = false
    var end = 0
    var rest: [BrokenDatagram.Piece] = []
    for piece in pieces {
      if piece.start < start.count {
        end = piece.end
        isTruncated = piece.bytes.count < piece.length
      } else {
        rest.append(BrokenDatagram.Piece(start: piece.start, bytes: piece.bytes, lengthOnWire: piece.length, frame: piece.origin))
      }
    }
    return BrokenDatagram(
      headers: headers, start: start, startLengthOnWire: isTruncated ? end : start.count, frame: first.origin, firstFrame: firstFrame,
      frames: frames, rest: rest, length: length, knownLength: length ?? last.end, disputeFrame: disputeFrame)
  }
}
