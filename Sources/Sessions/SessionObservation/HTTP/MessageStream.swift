import ByteParsing
import HTTPParsing

/// Cuts one direction of cleartext HTTP/1.x into heads, and steps over the bodies between them.
struct MessageStream {
  /// What `next` found.
  enum Event {
    /// A whole head: `head`.
    case head
    /// The bytes are no message, or the place is lost.
    case lost
  }

  private enum State {
    case head
    case body(remaining: Int64)
    case chunks(ChunkedScanner)
    /// The rest of the connection belongs to the message, or is not HTTP any more.
    case rest
    /// A message is looked for at the start of each piece.
    case lost
  }

  /// The head last found.
  private(set) var head = Bytes()

  private var state = State.head
  private var gathered = Bytes()
  private let isRequests: Bool

  /// Whether a message has been begun whose end is still to come, and will be told.
  var isWithinMessage: Bool {
    switch state {
    case .head: !gathered.isEmpty
    case .body, .chunks: true
    case .rest, .lost: false
    }
  }

  init(isRequests: Bool) { self.isRequests = isRequests }

  /// Says how the body behind the last head ends.
  mutating func expect(_ framing: BodyFraming) {
    switch framing {
    case .none: state = .head
    case .length(let count): state = count > 0 ? .body(remaining: count) : .head
    case .chunked: state = .chunks(ChunkedScanner())
    case .untilClose: state = .rest
    }
  }

  /// Stops reading: what follows is not HTTP.
  mutating func stop() { state = .rest }

  /// Reads on in `piece` from `position`; nil when all of it has been read.
  mutating func next(in piece: Span<UInt8>, at position: inout Int) -> Event? {
    while position < piece.count {
      switch state {
      case .rest:
        position = piece.count
      case .body(let remaining):
        let count = min(Int64(piece.count - position), remaining)
        position += Int(count)
        state = remaining > count ? .body(remaining: remaining - count) : .head
      case .chunks(var scanner):
        position += scanner.consume(piece.extracting(position..<piece.count))
        switch scanner.status {
        case .unfinished: state = .chunks(scanner)
        case .finished: state = .head
        case .failed: return lose(piece, &position)
        }
      case .lost:
        guard position == 0, recognizes(piece) == .yes else {
          position = piece.count
          return nil
        }
        state = .head
      case .head:
        if let event = readHead(piece, &position) { return event }
      }
    }
    return nil
  }

  /// Takes note of bytes that the capture lacks.
  mutating func skip(missing count: Int) {
    switch state {
    case .rest, .lost: break
    case .head:
      gathered.removeAll()
      state = .lost
    case .body(let remaining):
      // A gap that ends within the body leaves the place known.
      state =
        Int64(count) <= remaining
        ? (Int64(count) == remaining ? .head : .body(remaining: remaining - Int64(count))) : .lost
    case .chunks(var scanner):
      state = scanner.skip(byteCount: Int64(count)) ? .chunks(scanner) : .lost
    }
  }

  private mutating func lose(_ piece: Span<UInt8>, _ position: inout Int) -> Event {
    position = piece.count
    gathered.removeAll()
    state = .lost
    return .lost
  }

  private func recognizes(_ bytes: Span<UInt8>) -> HTTPRecognition {
    isRequests ? .request(bytes) : .response(bytes)
  }

  private mutating func readHead(_ piece: Span<UInt8>, _ position: inout Int) -> Event? {
    let before = gathered.count
    gathered.append(copying: piece.extracting(position..<piece.count))
    guard recognizes(gathered.span) != .no else { return lose(piece, &position) }
    let found: Int?
    do throws(ParseError) {
      found = try MessageHead.byteCount(of: gathered.span, searchingFrom: before)
    } catch {
      return lose(piece, &position)
    }
    guard let count = found else {
      position = piece.count
      return nil
    }
    // The end lies in this piece: it was looked for after every one before.
    position += max(0, count - before)
    head = Bytes(gathered[..<count])
    gathered.removeAll()
    return .head
  }
}
