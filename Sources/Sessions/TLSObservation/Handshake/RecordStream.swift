import ByteParsing
import SessionModel
import TLSParsing

/// Splits one direction of a connection into TLS records, and cleartext records into handshake messages and alerts (RFC 8446 §5.1).
///
/// Bytes arrive in pieces of any size. After bytes that the capture lacks, reading resumes at the next record or message boundary that
/// follows from lengths before the gap, or at a record header at the start of a piece.
package struct RecordStream: ~Copyable {
  /// The result of `next`.
  enum Event {
    /// A whole handshake message; `body` is its range in the piece.
    case message(HandshakeType, body: Range<Int>)
    /// A whole handshake message in `gathered`, including its four-byte header.
    case gatheredMessage(HandshakeType)
    /// The first bytes of an incomplete handshake message in `gathered`, including its header.
    case brokenMessage(HandshakeType)
    /// A cleartext alert.
    case alert(level: UInt8, AlertDescription)
    case changeCipherSpec
    case protected(RecordHeader)
    /// A whole hello in the SSL 2 format in `gathered`, without its two-byte header.
    case ssl2Hello
    /// The first bytes of an incomplete hello in the SSL 2 format in `gathered`.
    case brokenSSL2Hello
    /// The bytes are not a TLS record.
    case lost
  }

  private enum State {
    /// Before or within a record header, of which `partialHeader` has been read.
    case header
    /// Within the fragment of a record.
    case fragment(Fragment)
    /// Before or within the two-byte header of an SSL 2 hello, of which `partialHeader` has been read.
    case ssl2Header
    /// Within the body of an SSL 2 hello.
    case ssl2Hello(length: Int)
    /// The next record boundary is unknown; the start of each piece is examined.
    case lost
  }

  /// The rest of a record's fragment.
  private struct Fragment {
    /// The type of a cleartext record; nil for a protected one.
    var type: ContentType?
    /// The length of the whole fragment in bytes.
    var length: Int
    /// The number of bytes still to be read.
    var remaining: Int
  }

  /// The minimum length of an encrypted alert record: 2 bytes, and a tag of at least 10 (RFC 6066 §7).
  private static let minimumEncryptedAlertLength = 12

  private var state = State.header

  /// The bytes of an incomplete header.
  private var partialHeader = Bytes()

  private var messages = MessageGathering()

  /// Whether the sender has changed to encryption, so that all records except ChangeCipherSpec are protected.
  var isProtected = false

  /// Whether a record has begun.
  private(set) var hasRecord = false

  /// The first byte of an alert whose second byte has not been read: an alert may span two records (RFC 5246 §6.2.1).
  private var alertLevel: UInt8?

  /// The number of bytes at the end of the last piece that were not read because they are not a record.
  private var unreadCount = 0

  /// The number of bytes before the current piece.
  private(set) var offset = 0

  /// The offset of the message last returned or being gathered.
  private(set) var messageStart = 0

  /// The message that is being gathered or was last returned, including its header.
  var gathered: Bytes { messages.bytes }

  var heldBytes: Int { messages.bytes.count }

  /// The packets that carry the message last returned or being gathered.
  var frames: FrameList { messages.frames }

  /// Whether a message exceeded the length limit.
  var hitLimit: Bool { messages.hitLimit }

  /// Advances the offset past a piece.
  @inline(__always)
  mutating func passPiece(_ count: Int) { offset &+= count }

  /// Returns the number of bytes at the end of the last piece that were not read, once.
  mutating func takeUnread() -> Int { exchange(&unreadCount, with: 0) }

  /// Reads the next bytes as a hello in the SSL 2 format if their first bit is set, as that of a TLS record is not.
  mutating func expectSSL2Hello() { (state, partialHeader) = (.ssl2Header, []) }

  /// Reads on in `piece` from `position`; nil when all of it has been read.
  mutating func next(in piece: Span<UInt8>, at position: inout Int, frame: UInt64) -> Event? {
    messages.dropReturned()
    while true {
      switch state {
      case .header:
        guard position < piece.count else { return nil }
        if let event = readHeader(piece, &position) { return event }
      case .fragment(let fragment):
        guard position < piece.count else { return nil }
        if let event = read(fragment, piece, &position, frame) { return event }
      case .ssl2Header:
        guard position < piece.count else { return nil }
        if partialHeader.isEmpty, piece[position] & 0x80 == 0 { state = .header } else { readSSL2Header(piece, &position) }
      case .ssl2Hello(let length):
        guard messages.gather(upTo: length, piece, &position, frame) else { return nil }
        state = .header
        return .ssl2Hello
      case .lost:
        guard position == 0, RecordStream.seemsToBegin(in: piece) else {
          if position == 0 { unreadCount = piece.count }
          position = piece.count
          return nil
        }
        state = .header
      }
    }
  }

  /// Skips the bytes of the last returned protected record that are in `piece`.
  @inline(__always)
  mutating func pass(in piece: Span<UInt8>, at position: inout Int) {
    guard case .fragment(let fragment) = state else { return }
    let count = min(fragment.remaining, piece.count &- position)
    position &+= count
    advance(fragment, by: count)
  }

  /// Whether a gap of `count` bytes may contain more than the rest of the current record.
  func mayHideRecords(in count: Int) -> Bool {
    guard case .fragment(let fragment) = state else { return true }
    return count > fragment.remaining
  }

  /// Skips `count` bytes that the capture lacks; returns the message that they make incomplete.
  mutating func skip(missing count: Int) -> Event? {
    messages.dropReturned()
    guard count > 0 else { return nil }
    alertLevel = nil
    var event: Event?
    switch state {
    case .lost: return nil
    case .fragment(let fragment):
      let skipped = min(count, fragment.remaining)
      if fragment.type == .handshake { event = messages.skip(skipped) }
      advance(fragment, by: skipped)
      if skipped == count { return event }
    case .header, .ssl2Header, .ssl2Hello: break
    }
    event = event ?? endReading()
    lose()
    return event
  }

  /// Returns the first bytes of an incomplete message when the stream ends; nil if none has begun.
  mutating func endReading() -> Event? {
    messages.dropReturned()
    switch state {
    case .ssl2Header, .ssl2Hello:
      state = .header
      partialHeader = []
      return messages.endReading() == nil ? nil : .brokenSSL2Hello
    case .header, .fragment, .lost: return messages.endReading()
    }
  }

  private mutating func lose() {
    state = .lost
    partialHeader = []
    messages.lose()
  }

  /// Whether a record seems to begin with the piece, after bytes that are not a record.
  package static func seemsToBegin(in piece: Span<UInt8>) -> Bool {
    guard let header = try? RecordHeader(parsing: piece) else { return false }
    return header.isPlausible && header.length > 0
  }

  /// Frees the memory of a message that was returned.
  @inline(__always)
  mutating func dropReturned() { messages.dropReturned() }

  private mutating func advance(_ fragment: Fragment, by count: Int) {
    var fragment = fragment
    fragment.remaining &-= count
    state = fragment.remaining > 0 ? .fragment(fragment) : .header
  }
}

// MARK: - Headers and fragments

extension RecordStream {
  /// Reads a header as far as possible. Returns an event if the record is protected, or is not a record.
  @inline(__always)
  private mutating func readHeader(_ piece: Span<UInt8>, _ position: inout Int) -> Event? {
    if partialHeader.isEmpty, piece.count &- position >= RecordHeader.byteCount {
      let start = position
      position &+= RecordHeader.byteCount
      return begin(try? RecordHeader(parsing: piece.extracting(start..<position)), piece, position)
    }
    while partialHeader.count < RecordHeader.byteCount {
      guard position < piece.count else { return nil }
      let byte = piece[position]
      position += 1
      // Bytes that are not a record are detected early, so that a record which begins with the next piece is found.
      if partialHeader.isEmpty, !(20...24).contains(byte) { return lose(piece.count - position + 1) }
      partialHeader.append(byte)
    }
    let header = try? RecordHeader(parsing: partialHeader.span)
    partialHeader = []
    return begin(header, piece, position)
  }

  private mutating func begin(_ header: RecordHeader?, _ piece: Span<UInt8>, _ position: Int) -> Event? {
    guard let header, header.isPlausible else { return lose(min(piece.count, piece.count - position + RecordHeader.byteCount)) }
    hasRecord = true
    if isProtected, header.contentType == .handshake, beginsHello(piece, position) { isProtected = false }
    if header.contentType != .alert { alertLevel = nil }
    let isEncrypted = isEncrypted(header)
    let type = isEncrypted ? nil : header.contentType
    advance(Fragment(type: type, length: header.length, remaining: header.length), by: 0)
    return isEncrypted ? .protected(header) : nil
  }

  private mutating func lose(_ unread: Int) -> Event {
    unreadCount = unread
    lose()
    return .lost
  }

  private func isEncrypted(_ record: RecordHeader) -> Bool {
    switch record.contentType {
    case .applicationData: true
    case .changeCipherSpec: false
    case .alert: isProtected || record.length >= RecordStream.minimumEncryptedAlertLength
    default: isProtected
    }
  }

  /// Whether a cleartext hello seems to follow. In TLS 1.3, one may follow the ChangeCipherSpec that is sent for middlebox compatibility
  /// (RFC 8446 appendix D.4).
  private func beginsHello(_ piece: Span<UInt8>, _ position: Int) -> Bool {
    let count = piece.count - position
    // Type, length (3), version (2).
    guard count > 1, piece[position] == 1 || piece[position] == 2, piece[position + 1] == 0 else { return false }
    return (count < 5 || piece[position + 4] == 3) && (count < 6 || piece[position + 5] <= 4)
  }

  /// Reads on in a fragment. Always advances, or returns an event.
  private mutating func read(_ fragment: Fragment, _ piece: Span<UInt8>, _ position: inout Int, _ frame: UInt64) -> Event? {
    let start = position
    let end = start + min(fragment.remaining, piece.count - start)
    var event: Event?
    switch fragment.type {
    case .handshake?:
      if messages.bytes.isEmpty { messageStart = offset &+ position }
      event = messages.read(
        piece.extracting(0..<end), at: &position, fragmentLength: fragment.length,
        isFragmentStart: fragment.remaining == fragment.length, frame: frame)
    case .alert?:
      event = readAlert(piece[position])
      position += 1
    default:
      position = end
      if fragment.type == .changeCipherSpec, end - start == fragment.remaining { event = .changeCipherSpec }
    }
    advance(fragment, by: position - start)
    return event
  }

  private mutating func readAlert(_ byte: UInt8) -> Event? {
    guard let level = alertLevel else {
      alertLevel = byte
      return nil
    }
    alertLevel = nil
    return .alert(level: level, AlertDescription(rawValue: byte))
  }

  /// Reads a two-byte header: the first bit is set, and the other fifteen are the length (RFC 5246 appendix E.2).
  private mutating func readSSL2Header(_ piece: Span<UInt8>, _ position: inout Int) {
    partialHeader.append(piece[position])
    position += 1
    guard partialHeader.count == 2 else { return }
    state = .ssl2Hello(length: max(1, Int(partialHeader.raw.big16(0) & 0x7FFF)))
    partialHeader = []
  }
}
