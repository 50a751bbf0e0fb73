import ByteParsing
import SessionModel
import TLSParsing

/// Finds the handshake messages in the fragments of one direction's records, and joins those that span several (RFC 8446 §5.1).
///
/// A message that is complete in one piece is returned as a range of it.
struct MessageGathering {
  private enum State {
    /// A message begins with the next byte, or has begun in `bytes`.
    case reading
    /// The next bytes belong to a message that is incomplete or too long.
    case steppingOver(Int)
    /// The next message boundary is unknown; the start of each record is examined.
    case lost

    /// The state after `count` bytes of a message that lacks `rest` bytes.
    static func after(_ count: Int, of rest: Int) -> State {
      count > rest ? .lost : count == rest ? .reading : .steppingOver(rest - count)
    }
  }

  /// The minimum length of a record whose message continues in the next one. Such a message usually fills its record, and encrypted
  /// handshake records are shorter.
  private static let leastFullFragment = 256

  private var state = State.reading

  /// Whether a message boundary was found after a gap, where encrypted bytes may resemble a message.
  private var isBoundaryGuessed = false

  /// The message that is being gathered or was last returned, including its header.
  private(set) var bytes = Bytes()

  /// The packets that carry it.
  private(set) var frames = FrameList()

  /// Whether a message exceeded the length limit.
  private(set) var hitLimit = false

  /// Whether `bytes` was returned.
  private var isReturned = false

  /// Reads on in a piece that ends at or before the end of the fragment. Always advances, or returns an event.
  mutating func read(
    _ piece: Span<UInt8>, at position: inout Int, fragmentLength: Int, isFragmentStart: Bool, frame: UInt64
  ) -> RecordStream.Event? {
    switch state {
    case .reading: break
    case .steppingOver(let rest):
      let count = min(rest, piece.count - position)
      position += count
      state = .after(count, of: rest)
      return nil
    case .lost:
      guard isFragmentStart, beginsMessage(piece, position, fragmentLength) else {
        position = piece.count
        return nil
      }
      (state, isBoundaryGuessed) = (.reading, true)
      if let broken = endReading() { return broken }
    }
    guard bytes.isEmpty else { return gather(piece, &position, frame) }
    if !frames.isEmpty { frames = FrameList() }
    if let (type, body) = HandshakeHeader.message(in: piece, from: position) {
      position = body.upperBound
      frames.insert(frame)
      return .message(type, body: body)
    }
    return gather(piece, &position, frame)
  }

  private mutating func gather(_ piece: Span<UInt8>, _ position: inout Int, _ frame: UInt64) -> RecordStream.Event? {
    if bytes.count < HandshakeHeader.byteCount {
      guard append(upTo: HandshakeHeader.byteCount, piece, &position, frame) else { return nil }
    }
    guard let length = MessageGathering.wholeLength(bytes.span, 0) else { return nil }
    guard length - HandshakeHeader.byteCount <= HandshakeHeader.maximumLength else {
      if !isBoundaryGuessed { hitLimit = true }
      state = isBoundaryGuessed ? .lost : .steppingOver(length - HandshakeHeader.byteCount)
      return endReading()
    }
    guard gather(upTo: length, piece, &position, frame) else { return nil }
    return .gatheredMessage(HandshakeType(rawValue: bytes[0]))
  }

  /// Gathers bytes of any content, such as an SSL 2 hello. Returns true once there are `count`, which then count as returned.
  mutating func gather(upTo count: Int, _ piece: Span<UInt8>, _ position: inout Int, _ frame: UInt64) -> Bool {
    isReturned = append(upTo: count, piece, &position, frame)
    return isReturned
  }

  /// Appends the next of the first `count` bytes; returns whether they are complete.
  private mutating func append(upTo count: Int, _ piece: Span<UInt8>, _ position: inout Int, _ frame: UInt64) -> Bool {
    let end = min(piece.count, position + count - bytes.count)
    if end > position {
      frames.insert(frame)
      bytes.append(copying: piece.extracting(position..<end))
      position = end
    }
    return bytes.count == count
  }

  /// Skips bytes of a fragment that the capture lacks; returns the message that they make incomplete.
  mutating func skip(_ count: Int) -> RecordStream.Event? {
    switch state {
    case .lost: return nil
    case .steppingOver(let rest):
      state = .after(count, of: rest)
      return nil
    case .reading:
      if let length = MessageGathering.wholeLength(bytes.span, 0) {
        state = .after(count, of: length - bytes.count)
      } else {
        state = .lost
      }
      return endReading()
    }
  }

  /// Returns the first bytes of an incomplete message; nil if none has begun.
  mutating func endReading() -> RecordStream.Event? {
    guard !isReturned, let type = bytes.first else { return nil }
    isReturned = true
    return .brokenMessage(HandshakeType(rawValue: type))
  }

  /// Records that the next message boundary is unknown.
  mutating func lose() { state = .lost }

  /// Frees the memory of a message that was returned.
  @inline(__always)
  mutating func dropReturned() {
    if isReturned { (isReturned, bytes, frames) = (false, [], FrameList()) }
  }

  /// Whether a record after a gap begins with a cleartext message. It may also continue a message that began in the gap, or be encrypted if
  /// a ChangeCipherSpec is in the gap.
  private func beginsMessage(_ piece: Span<UInt8>, _ position: Int, _ fragmentLength: Int) -> Bool {
    guard let length = MessageGathering.wholeLength(piece, position) else { return false }
    let type = HandshakeType(rawValue: piece[position])
    guard type.name != nil, type != .finished, type != .messageHash else { return false }
    // A HelloRequest is empty. The explicit nonce of an encrypted record often begins with zeros as well.
    if type.rawValue == 0 { return length == fragmentLength && length == HandshakeHeader.byteCount }
    return length <= fragmentLength
      || fragmentLength >= MessageGathering.leastFullFragment && length - HandshakeHeader.byteCount <= HandshakeHeader.maximumLength
  }

  /// The length of the message that begins at `start`, including its header; nil if the header is incomplete.
  private static func wholeLength(_ bytes: Span<UInt8>, _ start: Int) -> Int? {
    guard let header = try? HandshakeHeader(parsing: bytes.extracting(start..<bytes.count)) else { return nil }
    return HandshakeHeader.byteCount + header.length
  }
}
