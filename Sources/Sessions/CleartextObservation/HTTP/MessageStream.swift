import ByteParsing
import HTTPParsing
import SessionModel

/// Splits one direction of cleartext HTTP/1.x into heads, and skips the bodies between them.
struct MessageStream {
  /// What `next` found.
  enum Event {
    /// A whole head: `head`.
    case head
    /// The beginning of a head that is too long: `head`. Where the next message begins is unknown.
    case longHead
    /// The bytes are not a message, or where the next message begins is unknown.
    case lost
  }

  private enum State {
    case head
    case body(remaining: Int64)
    case chunks(ChunkedScanner)
    /// Bytes that are neither head nor body; after them, the rest.
    case preface(remaining: Int)
    /// What follows is not read until its recipient is known.
    case waiting
    /// The rest of the connection belongs to the message, or is not HTTP any more.
    case rest
    /// Where the next message begins is unknown; the start of each piece is examined.
    case lost
  }

  /// The head last found.
  private(set) var head = Bytes()

  private var state = State.head
  private var gathered = Bytes()
  /// Whether the gathered bytes are known to begin a message.
  private var isTold = false
  private let isRequests: Bool

  /// Whether the stream waits after the present body.
  private var waitsAfterBody = false

  /// The account of the bytes; nil unless it is kept.
  var account: ByteAccount.Side?

  /// Whether what follows is not read for now.
  var isWaiting: Bool { if case .waiting = state { true } else { false } }

  /// Whether a part of a head waits for the rest of it.
  var isWithinHead: Bool { !gathered.isEmpty }

  /// Whether a message has begun whose end is still to come and will be recognized.
  var isWithinMessage: Bool {
    switch state {
    case .head: !gathered.isEmpty
    case .body, .chunks: true
    case .preface, .waiting, .rest, .lost: false
    }
  }

  /// Bytes of a head whose rest is still to come.
  var gatheredByteCount: Int { gathered.count }

  init(isRequests: Bool) { self.isRequests = isRequests }

  /// Sets how the body after the last head ends.
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

  /// Stops reading after `count` further bytes.
  mutating func stop(after count: Int) { state = count > 0 ? .preface(remaining: count) : .rest }

  /// Pauses reading after a body that ends as `framing` says.
  mutating func wait(after framing: BodyFraming) {
    expect(framing)
    waitsAfterBody = true
    endBody(isOver: isAtHead)
  }

  /// Resumes reading, or cancels a pause that was to come.
  mutating func goOn() {
    waitsAfterBody = false
    if isWaiting { state = .head }
  }

  /// Records that it is unknown where the next message begins.
  mutating func lose() { (state, waitsAfterBody) = (.lost, false) }

  /// Takes a head whose rest is still to come for all that will be there of it: `head`. False where there is none.
  mutating func breakHead() -> Bool {
    guard isWithinHead else { return false }
    head = gathered
    account?.add(.head(head))
    gathered.removeAll()
    lose()
    return true
  }

  private var isAtHead: Bool { if case .head = state { true } else { false } }

  private mutating func endBody(isOver: Bool) {
    if isOver, waitsAfterBody { (state, waitsAfterBody) = (.waiting, false) }
  }

  /// Continues reading in `piece` from `position`; nil when all of it has been read.
  mutating func next(in piece: Span<UInt8>, at position: inout Int) -> Event? {
    while position < piece.count {
      switch state {
      case .waiting:
        return nil
      case .rest:
        account?.add(.content(piece.count - position))
        position = piece.count
      case .preface(let remaining):
        let count = min(piece.count - position, remaining)
        account?.add(.framing(count))
        position += count
        state = remaining > count ? .preface(remaining: remaining - count) : .rest
      case .body(let remaining):
        let count = min(Int64(piece.count - position), remaining)
        account?.add(.content(Int(count)))
        position += Int(count)
        state = remaining > count ? .body(remaining: remaining - count) : .head
        endBody(isOver: remaining == count)
      case .chunks(var scanner):
        readChunks(&scanner, piece, &position)
        switch scanner.status {
        case .unfinished: state = .chunks(scanner)
        case .finished:
          state = .head
          endBody(isOver: true)
        case .failed: return lose(piece, &position)
        }
      case .lost:
        guard position == 0, recognizes(piece) == .yes, !isRequests || HTTPRecognition.hasKnownMethod(piece)
        else {
          account?.add(.content(piece.count - position))
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

  /// Records bytes that the capture lacks; returns false if it is then unknown where the next message begins.
  mutating func skip(missing count: Int) -> Bool {
    // The part of a head is read as its beginning.
    if !gathered.isEmpty { account?.add(.head(gathered)) }
    account?.add(.content(count))
    switch state {
    case .rest: return true
    case .lost, .preface, .waiting: return false
    case .head:
      gathered.removeAll()
      state = .lost
    case .body(let remaining):
      // After a gap that ends within the body, the next head is still found.
      if Int64(count) <= remaining {
        state = Int64(count) == remaining ? .head : .body(remaining: remaining - Int64(count))
        endBody(isOver: Int64(count) == remaining)
        return true
      }
      state = .lost
    case .chunks(var scanner):
      if scanner.skip(byteCount: Int64(count)) {
        state = .chunks(scanner)
        return true
      }
      state = .lost
    }
    waitsAfterBody = false
    return false
  }

  private mutating func lose(_ piece: Span<UInt8>, _ position: inout Int) -> Event {
    account?.add(.content(gathered.count + piece.count - position))
    position = piece.count
    gathered.removeAll()
    lose()
    return .lost
  }

  private mutating func readChunks(
    _ scanner: inout ChunkedScanner, _ piece: Span<UInt8>, _ position: inout Int
  ) {
    guard let account else {
      position += scanner.consume(piece.extracting(position..<piece.count))
      return
    }
    while position < piece.count, scanner.status == .unfinished {
      let data = Int(min(scanner.skippableByteCount, Int64(piece.count - position)))
      // Of what is between the data, sizes and line ends are read.
      let isContent = data > 0 || scanner.isWithinText && ![0x0D, 0x0A].contains(piece[position])
      let count = scanner.consume(piece.extracting(position..<(position + max(data, 1))))
      account.add(isContent ? .content(count) : .framing(count))
      position += count
      if count == 0 { return }
    }
  }

  private func recognizes(_ bytes: Span<UInt8>) -> HTTPRecognition {
    isRequests ? .request(bytes) : .response(bytes)
  }

  private mutating func readHead(_ piece: Span<UInt8>, _ position: inout Int) -> Event? {
    let before = gathered.count
    let start = position
    // The maximum length of a head and one byte more, which shows that it is too long: a piece may hold very many heads.
    let next = piece.extracting(start..<min(piece.count, start + MessageHead.maximumByteCount + 1))
    let found: Int?
    do throws(ParseError) {
      if before == 0 {
        let recognition = recognizes(next)
        guard recognition != .no else { return lose(piece, &position) }
        isTold = recognition == .yes
        found = try MessageHead.byteCount(of: next)
        gathered.append(copying: next.extracting(first: found ?? next.count))
      } else {
        gathered.append(copying: next)
        position = start + next.count
        if !isTold {
          let recognition = recognizes(gathered.span)
          guard recognition != .no else { return lose(piece, &position) }
          isTold = recognition == .yes
        }
        found = try MessageHead.byteCount(of: gathered.span, searchingFrom: before)
      }
    } catch {
      if before == 0 { gathered.append(copying: next) }
      // The result does not depend on the division into pieces.
      head = Bytes(gathered.prefix(MessageHead.maximumByteCount + 1))
      account?.add(.head(head))
      gathered.removeAll()
      position = start + max(0, head.count - before)
      _ = lose(piece, &position)
      return .longHead
    }
    guard let count = found else {
      position = piece.count
      return nil
    }
    // The end lies in this piece: it was looked for after every one before.
    position = start + max(0, count - before)
    head = before == 0 ? gathered : Bytes(gathered[..<count])
    account?.add(.head(head))
    gathered.removeAll()
    return .head
  }
}
