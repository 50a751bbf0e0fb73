import ByteParsing
import SessionModel
import TLSParsing

/// Finds the handshake messages in the fragments of one direction's records, and joins those that are spread over several
/// (RFC 8446 §5.1).
///
/// A message that lies whole in one piece is returned where it lies.
struct MessageGathering {
  private enum State {
    /// A message begins with the next byte, or has begun in `bytes`.
    case reading
    /// The next bytes, this many, belong to a message that is broken or too long.
    case steppingOver(Int)
    /// Where the next message begins is not known: one is looked for at the start of each record.
    case lost

    /// The state after `count` bytes of a message that lacks `rest` bytes.
    static func after(_ count: Int, of rest: Int) -> State {
      count > rest ? .lost : count == rest ? .reading : .steppingOver(rest - count)
    }
  }

  /// Messages that do not fit into one record usually fill it; encrypted records of a handshake are shorter.
  private static let leastFullFragment = 256

  private var state = State.reading

  /// The message that is being gathered or was returned last, header included.
  private(set) var bytes = Bytes()

  /// The packets that carry it.
  private(set) var frames = FrameList()

  /// Whether a message was longer than the limit.
  private(set) var hitLimit = false

  /// Whether `bytes` was returned.
  private var isReturned = false

  /// Continues reading in a piece that ends with the fragment, or before it; always moves on, or returns an event.
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
      state = .reading
      if let broken = breakOff() { return broken }
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

  private mutating func gather(
    _ piece: Span<UInt8>, _ position: inout Int, _ frame: UInt64
  ) -> RecordStream.Event? {
    if bytes.count < HandshakeHeader.byteCount {
      guard append(upTo: HandshakeHeader.byteCount, piece, &position, frame) else { return nil }
    }
    guard let length = MessageGathering.wholeLength(bytes.span, 0) else { return nil }
    guard length - HandshakeHeader.byteCount <= HandshakeHeader.maximumLength else {
      hitLimit = true
      state = .steppingOver(length - HandshakeHeader.byteCount)
      return breakOff()
    }
    bytes.reserveCapacity(length)
    guard gather(upTo: length, piece, &position, frame) else { return nil }
    return .gatheredMessage(HandshakeType(rawValue: bytes[0]))
  }

  /// Gathers bytes without regard to what they are, such as an SSL 2 hello; true once there are `count`, which are then returned.
  mutating func gather(
    upTo count: Int, _ piece: Span<UInt8>, _ position: inout Int, _ frame: UInt64
  ) -> Bool {
    isReturned = append(upTo: count, piece, &position, frame)
    return isReturned
  }

  /// Appends what the piece has of the first `count` bytes; whether they are complete.
  private mutating func append(
    upTo count: Int, _ piece: Span<UInt8>, _ position: inout Int, _ frame: UInt64
  ) -> Bool {
    let end = min(piece.count, position + count - bytes.count)
    if end > position {
      frames.insert(frame)
      bytes.append(copying: piece.extracting(position..<end))
      position = end
    }
    return bytes.count == count
  }

  /// Steps over bytes of a fragment that the capture lacks; returns the message that they break.
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
      return breakOff()
    }
  }

  /// Returns the first bytes of a message that has no end in the capture; nil where none has begun.
  mutating func breakOff() -> RecordStream.Event? {
    guard !isReturned, let type = bytes.first else { return nil }
    isReturned = true
    return .brokenMessage(HandshakeType(rawValue: type))
  }

  /// Forgets where the next message begins.
  mutating func lose() { state = .lost }

  /// Frees the memory of a message that was returned.
  @inline(__always)
  mutating func dropReturned() {
    if isReturned { (isReturned, bytes, frames) = (false, [], FrameList()) }
  }

  /// Whether a record after a gap begins with a cleartext message: it may also continue a message that began in the gap, or be
  /// encrypted where a ChangeCipherSpec is among the missing bytes.
  private func beginsMessage(_ piece: Span<UInt8>, _ position: Int, _ fragmentLength: Int) -> Bool {
    guard let length = MessageGathering.wholeLength(piece, position) else { return false }
    let type = HandshakeType(rawValue: piece[position])
    guard type.name != nil, type != .finished, type != .messageHash else { return false }
    return length <= fragmentLength
      || fragmentLength >= MessageGathering.leastFullFragment
        && length - HandshakeHeader.byteCount <= HandshakeHeader.maximumLength
  }

  /// Bytes of the message that begins at `start`, header included; nil where not all of the header is there.
  private static func wholeLength(_ bytes: Span<UInt8>, _ start: Int) -> Int? {
    guard let header = try? HandshakeHeader(parsing: bytes.extracting(start..<bytes.count)) else {
      return nil
    }
    return HandshakeHeader.byteCount + header.length
  }
}
