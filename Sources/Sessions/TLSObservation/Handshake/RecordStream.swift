import ByteParsing
import SessionModel
import TLSParsing

/// Cuts one direction of a connection into TLS records, and plain records into handshake messages and alerts.
///
/// Bytes come in pieces of any size. A message that lies whole in one piece is handed out where it lies; one that is
/// spread over pieces or records is gathered first. Bytes that the capture lacks are stepped over as far as the
/// lengths around them tell where the next record or message begins.
package struct RecordStream {
  /// What `next` found.
  enum Event {
    /// A whole handshake message whose body lies in the piece at `body`.
    case message(HandshakeType, body: Range<Int>)
    /// A whole handshake message whose body is in `gathered` behind the first four bytes.
    case gatheredMessage(HandshakeType)
    /// A handshake message of which only the first bytes are in the capture: `gathered`, header included.
    case brokenMessage(HandshakeType)
    /// An alert in the clear.
    case alert(level: UInt8, AlertDescription)
    /// A ChangeCipherSpec record.
    case changeCipherSpec
    /// The start of a record that is protected, and the length of its fragment.
    case protected(ContentType, length: Int)
    /// A whole hello in the format of SSL 2: `gathered`, without the two bytes of its header.
    case ssl2Hello
    /// A hello in the format of SSL 2 of which only the first bytes are in the capture: `gathered`.
    case brokenSSL2Hello
    /// The bytes are no TLS record, or the place is lost.
    case lost
  }

  /// Alert records shorter than this are not encrypted: 2 bytes, and a tag of 10 at least (RFC 6066 §7).
  private static let leastSealedAlertLength = 12

  /// The longest handshake message that is gathered; longer ones are stepped over and counted.
  static let messageLimit = 256 * 1024

  /// Whether records of the types that can be protected are taken as protected from now on.
  var isProtected = false

  /// The message that is being gathered, header included.
  private(set) var gathered = Bytes()

  /// The packets that carry the message last handed out or being gathered.
  private(set) var frames = FrameList()

  /// Whether a message was longer than the limit.
  private(set) var hitLimit = false

  /// Whether a record has been begun.
  private(set) var hasRecord = false

  /// Version in the header of the last record.
  private(set) var recordVersion: UInt16 = 0

  private var header: UInt64 = 0
  private var headerCount = 0
  private var contentType: UInt8 = 0
  private var remaining = 0
  private var fragmentLength = 0

  /// Bytes of the gathered message that are still to come; meaningful once its header is whole.
  private var isBroken = false
  /// Bytes of a broken or too long message that are still to be stepped over.
  private var stepOver = 0
  /// The first byte of an alert whose second one is still to come; its records may be cut, or joined (RFC 5246 §6.2.1).
  private var alertLevel: UInt8?
  /// The place is lost: a record is looked for at the start of each piece.
  private var isLost = false
  /// Within a record, but where the next message begins is not known.
  private var isMessageLost = false
  /// Records may be missing from before the next one, and no message has been seen since.
  private var followsGap = false
  private var needsRelease = false

  /// Bytes that came before the present piece.
  private(set) var offset = 0

  /// Where the message last handed out, or being gathered, begins.
  private(set) var messageStart = 0

  /// Takes note that a piece has been read to its end.
  @inline(__always)
  mutating func passPiece(_ count: Int) { offset &+= count }

  /// Bytes at the end of the piece read last that nothing was read of, the place being lost.
  private var unreadCount = 0

  /// Gives out how many bytes at the end of the piece read last nothing was read of, the place being lost.
  mutating func takeUnread() -> Int {
    defer { unreadCount = 0 }
    return unreadCount
  }

  /// Takes the bytes to come for a hello in the format of SSL 2, up to whose end no record is looked for.
  mutating func expectSSL2Hello() { ssl2HelloLength = 0 }

  /// Bytes of the expected SSL 2 hello: nil where none is expected, 0 before its header is whole.
  private var ssl2HelloLength: Int?

  /// Whether a handshake message has been begun and not ended.
  var hasUnfinishedMessage: Bool { !gathered.isEmpty && !needsRelease }

  /// The type of the message that has been begun; nil before its first byte.
  var unfinishedType: HandshakeType? { gathered.first.map { HandshakeType(rawValue: $0) } }

  /// Reads on in `piece` from `position`; nil when all of it has been read.
  mutating func next(
    in piece: Span<UInt8>, at position: inout Int, frame: UInt64, spare: inout SpareBuffers
  ) -> Event? {
    if needsRelease { release(to: &spare) }
    if isLost {
      guard position == 0, resumes(at: piece) else {
        if position == 0 { unreadCount = piece.count }
        position = piece.count
        return nil
      }
    }
    if let length = ssl2HelloLength { return gatherSSL2Hello(length, piece, &position, frame) }
    while true {
      if remaining == 0 {
        // Nothing is left of most pieces behind a record.
        if position == piece.count { return nil }
        switch readHeader(piece, &position) {
        case .needMore: return nil
        case .event(let event): return event
        case .begun: continue
        }
      }
      let available = min(remaining, piece.count - position)
      guard available > 0 else { return nil }
      switch contentType {
      case ContentType.handshake.rawValue where !isProtected:
        if let event = readHandshake(piece, &position, available, frame, &spare) { return event }
      case ContentType.alert.rawValue where isPlainAlert:
        if let event = readAlert(piece, &position) { return event }
      case ContentType.changeCipherSpec.rawValue:
        position += available
        remaining -= available
        if remaining == 0 { return .changeCipherSpec }
      default:
        position += available
        remaining -= available
      }
    }
  }

  /// Passes over what `piece` holds of a protected record that has just been handed out, of which nobody reads more.
  @inline(__always)
  mutating func pass(in piece: Span<UInt8>, at position: inout Int) {
    let available = max(0, min(remaining, piece.count &- position))
    position &+= available
    remaining &-= available
  }

  /// Whether a gap of `count` bytes may hold more than the rest of the record at hand.
  func mayHideRecords(in count: Int) -> Bool { isLost || remaining == 0 || count > remaining }

  /// Takes note of `count` bytes that the capture lacks.
  mutating func skip(missing count: Int, spare: inout SpareBuffers) -> Event? {
    if needsRelease { release(to: &spare) }
    guard !isLost, count > 0 else { return nil }
    alertLevel = nil
    if ssl2HelloLength != nil {
      let event = breakOff(spare: &spare)
      lose()
      return event
    }
    var count = count
    if remaining == 0, headerCount == 0, gathered.isEmpty {
      lose()
      return nil
    }
    let inRecord = min(count, remaining)
    if inRecord > 0 {
      remaining -= inRecord
      count -= inRecord
      if contentType == ContentType.handshake.rawValue, !isProtected { skipInMessage(inRecord) }
    }
    if count > 0 || headerCount > 0 && remaining == 0 {
      let event = takeBroken() ?? breakOff(spare: &spare)
      lose()
      return event
    }
    return takeBroken()
  }

  /// What was begun of a message when the stream ended.
  mutating func breakOff(spare: inout SpareBuffers) -> Event? {
    if needsRelease { release(to: &spare) }
    if ssl2HelloLength != nil {
      ssl2HelloLength = nil
      guard !gathered.isEmpty else { return nil }
      needsRelease = true
      return .brokenSSL2Hello
    }
    guard let type = unfinishedType, gathered.count >= 1, !isBroken else { return nil }
    isBroken = true
    needsRelease = true
    return .brokenMessage(type)
  }

  private mutating func lose() {
    isLost = true
    followsGap = true
    headerCount = 0
    remaining = 0
    stepOver = 0
    isMessageLost = false
  }

  /// Whether a record seems to begin with the piece.
  private mutating func resumes(at piece: Span<UInt8>) -> Bool {
    guard RecordStream.seemsToBegin(in: piece) else { return false }
    isLost = false
    return true
  }

  /// Whether a record seems to begin with the piece, behind something that is none.
  package static func seemsToBegin(in piece: Span<UInt8>) -> Bool {
    guard piece.count >= RecordHeader.byteCount, let header = try? RecordHeader(parsing: piece) else {
      return false
    }
    return header.isPlausible && header.length > 0
  }

  /// Gives the memory of a message back that was handed out.
  @inline(__always)
  mutating func letGo(to spare: inout SpareBuffers) {
    if needsRelease { release(to: &spare) }
  }

  private mutating func release(to spare: inout SpareBuffers) {
    needsRelease = false
    isBroken = false
    spare.take(back: &gathered)
    frames = FrameList()
  }

  /// Gives its memory away: nothing more will come.
  mutating func giveBuffer(to spare: inout SpareBuffers) {
    if gathered.capacity > 0 { spare.take(back: &gathered) }
  }

  private enum HeaderStep {
    case needMore
    case begun
    case event(Event)
  }

  /// Takes the five bytes of a header; an event only if they begin a protected record or are no header.
  @inline(__always)
  private mutating func readHeader(_ piece: Span<UInt8>, _ position: inout Int) -> HeaderStep {
    if headerCount == 0, piece.count &- position >= RecordHeader.byteCount {
      header = UInt64(piece.raw.big32(position)) &<< 8 | UInt64(piece[position &+ 4])
      position &+= RecordHeader.byteCount
    } else if let step = gatherHeader(piece, &position) {
      return step
    }
    contentType = UInt8(truncatingIfNeeded: header &>> 32)
    recordVersion = UInt16(truncatingIfNeeded: header &>> 16)
    let length = Int(truncatingIfNeeded: header & 0xFFFF)
    guard (20...24).contains(contentType), (0x0300...0x0304).contains(recordVersion),
      length <= RecordHeader.maximumFragmentLength
    else {
      unreadCount = min(piece.count, piece.count - position + RecordHeader.byteCount)
      lose()
      return .event(.lost)
    }
    headerCount = 0
    hasRecord = true
    remaining = length
    fragmentLength = length
    isMessageLost = false
    let type = ContentType(rawValue: contentType)
    if isProtected, type == .handshake, beginsHello(piece, position) { isProtected = false }
    if type != .alert { alertLevel = nil }
    let isSealed =
      type == .applicationData
      || isProtected && type != .changeCipherSpec
      || type == .alert && !isPlainAlert
    return isSealed ? .event(.protected(type, length: length)) : .begun
  }

  /// Gathers a header that is spread over pieces; nil once it is whole.
  @inline(never)
  private mutating func gatherHeader(_ piece: Span<UInt8>, _ position: inout Int) -> HeaderStep? {
    while headerCount < RecordHeader.byteCount {
      guard position < piece.count else { return .needMore }
      header = header << 8 | UInt64(piece[position])
      position += 1
      headerCount += 1
      // What is no record shows early, so that one that begins with the next piece is found.
      if headerCount == 1, !(20...24).contains(header & 0xFF) {
        unreadCount = piece.count - position + 1
        lose()
        return .event(.lost)
      }
    }
    return nil
  }

  /// Whether the record at hand, which holds alerts, is in the clear.
  private var isPlainAlert: Bool { !isProtected && fragmentLength < RecordStream.leastSealedAlertLength }

  /// Whether a record behind a gap begins with a message in the clear: it may go on with a message that began in the gap, or be
  /// encrypted, where a ChangeCipherSpec is among what is missing.
  private func beginsMessage(_ piece: Span<UInt8>, _ position: Int, _ available: Int) -> Bool {
    guard available >= HandshakeHeader.byteCount else { return false }
    let type = HandshakeType(rawValue: piece[position])
    let length = RecordStream.length(piece, position)
    guard type.name != nil, type != .finished, type != .messageHash else { return false }
    return length <= fragmentLength - HandshakeHeader.byteCount
      || fragmentLength >= RecordStream.leastFullFragment && length <= RecordStream.messageLimit
  }

  /// Whether a hello in the clear seems to follow: in TLS 1.3 one may stand behind the ChangeCipherSpec that is there for
  /// middleboxes (RFC 8446 appendix D.4).
  private func beginsHello(_ piece: Span<UInt8>, _ position: Int) -> Bool {
    let count = piece.count - position
    // Type, length (3), version (2).
    guard count > 1, piece[position] == 1 || piece[position] == 2, piece[position + 1] == 0 else {
      return false
    }
    return (count < 5 || piece[position + 4] == 3) && (count < 6 || piece[position + 5] <= 4)
  }

  /// Messages that do not fit into one record fill it, as a rule; what is encrypted is shorter in a handshake.
  private static let leastFullFragment = 256

  private mutating func readHandshake(
    _ piece: Span<UInt8>, _ position: inout Int, _ available: Int, _ frame: UInt64,
    _ spare: inout SpareBuffers
  ) -> Event? {
    if followsGap, remaining == fragmentLength {
      isMessageLost = !beginsMessage(piece, position, available)
      if !isMessageLost { followsGap = false }
    }
    if isMessageLost {
      position += available
      remaining -= available
      return nil
    }
    if stepOver > 0 {
      let count = min(stepOver, available)
      position += count
      remaining -= count
      stepOver -= count
      return nil
    }
    if gathered.isEmpty {
      messageStart = offset &+ position
      if !frames.isEmpty { frames = FrameList() }
      if available >= HandshakeHeader.byteCount {
        let length = RecordStream.length(piece, position)
        if length <= available - HandshakeHeader.byteCount {
          let start = position + HandshakeHeader.byteCount
          let type = HandshakeType(rawValue: piece[position])
          position = start + length
          remaining -= HandshakeHeader.byteCount + length
          frames.insert(frame)
          return .message(type, body: start..<(start + length))
        }
        gathered = spare.take()
        gathered.reserveCapacity(min(HandshakeHeader.byteCount + length, RecordStream.messageLimit))
      }
    }
    return gather(piece, &position, available, frame, &spare)
  }

  private mutating func gather(
    _ piece: Span<UInt8>, _ position: inout Int, _ available: Int, _ frame: UInt64,
    _ spare: inout SpareBuffers
  ) -> Event? {
    frames.insert(frame)
    var wanted = wantedLength
    if gathered.isEmpty, available >= HandshakeHeader.byteCount {
      // The header and what it announces at once, unless it announces too much.
      let whole = HandshakeHeader.byteCount + RecordStream.length(piece, position)
      if whole <= RecordStream.messageLimit { wanted = whole }
    }
    let count = min(available, wanted - gathered.count)
    if gathered.count == HandshakeHeader.byteCount {
      gathered.reserveCapacity(min(wanted, RecordStream.messageLimit))
    }
    gathered.append(copying: piece.extracting(position..<(position + count)))
    position += count
    remaining -= count
    if gathered.count == HandshakeHeader.byteCount, wantedLength > RecordStream.messageLimit {
      hitLimit = true
      stepOver = wantedLength - HandshakeHeader.byteCount
      return breakOff(spare: &spare)
    }
    guard gathered.count >= HandshakeHeader.byteCount, gathered.count == wantedLength else { return nil }
    needsRelease = true
    return .gatheredMessage(HandshakeType(rawValue: gathered[0]))
  }

  /// Bytes that the gathered message will have, as far as its header says.
  private var wantedLength: Int {
    guard gathered.count >= HandshakeHeader.byteCount else { return HandshakeHeader.byteCount }
    return HandshakeHeader.byteCount + RecordStream.length(gathered.span, 0)
  }

  private mutating func skipInMessage(_ count: Int) {
    if isMessageLost { return }
    if stepOver > 0 {
      let inMessage = min(count, stepOver)
      stepOver -= inMessage
      if inMessage < count { loseMessage() }
      return
    }
    guard gathered.count >= HandshakeHeader.byteCount else {
      loseMessage()
      if !gathered.isEmpty { isBroken = true }
      return
    }
    let rest = wantedLength - gathered.count
    isBroken = true
    stepOver = max(0, rest - count)
    if count > rest { loseMessage() }
  }

  /// Takes the next message to begin nobody knows where: what it may go on with stands in later records, too.
  private mutating func loseMessage() {
    isMessageLost = true
    followsGap = true
  }

  private mutating func takeBroken() -> Event? {
    guard isBroken, !needsRelease, let type = unfinishedType else { return nil }
    needsRelease = true
    return .brokenMessage(type)
  }

  private mutating func gatherSSL2Hello(
    _ length: Int, _ piece: Span<UInt8>, _ position: inout Int, _ frame: UInt64
  ) -> Event? {
    var length = length
    while length == 0, position < piece.count {
      header = header << 8 | UInt64(piece[position])
      headerCount += 1
      position += 1
      // Two bytes, the first bit set; the other fifteen are the length.
      if headerCount == 2 {
        length = max(1, Int(header & 0x7FFF))
        ssl2HelloLength = length
        headerCount = 0
      }
    }
    guard position < piece.count else { return nil }
    frames.insert(frame)
    let count = min(length - gathered.count, piece.count - position)
    gathered.append(copying: piece.extracting(position..<(position + count)))
    position += count
    guard gathered.count == length else { return nil }
    ssl2HelloLength = nil
    needsRelease = true
    return .ssl2Hello
  }

  private mutating func readAlert(_ piece: Span<UInt8>, _ position: inout Int) -> Event? {
    let byte = piece[position]
    position += 1
    remaining -= 1
    guard let level = alertLevel else {
      alertLevel = byte
      return nil
    }
    alertLevel = nil
    return .alert(level: level, AlertDescription(rawValue: byte))
  }

  private static func length(_ bytes: Span<UInt8>, _ start: Int) -> Int {
    Int(bytes[start + 1]) << 16 | Int(bytes[start + 2]) << 8 | Int(bytes[start + 3])
  }
}
