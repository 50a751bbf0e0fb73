import ByteParsing
import HTTPParsing

/// Splits one direction of cleartext HTTP/1.x into heads, and skips the bodies between them.
struct MessageStream {
  /// The result of `next`.
  enum Event {
    /// A whole head, in `head`.
    case head
    /// The start of a head that exceeds the limit, in `head`; the rest of the piece, of `rest` bytes, is skipped. The next message
    /// boundary is unknown.
    case longHead(rest: Int)
    /// The bytes are not a message, or the next message boundary is unknown.
    case lost
    /// A hello follows whole requests, or bytes that could not be read, as in a tunnel whose CONNECT the capture lacks. It is not consumed.
    case hello
  }

  /// What a gap leaves of a stream.
  enum Gap {
    /// The next message boundary is known.
    case withinMessage
    /// A message began in the gap, whose end is unknown.
    case ofMessage
    /// The next message boundary is unknown.
    case unknown
  }

  private enum State {
    case head
    case body(remaining: Int64)
    case chunks(ChunkedScanner)
    /// The following bytes are not read until their recipient is known.
    case waiting
    /// The rest of the connection belongs to the message, or is no longer HTTP.
    case rest
    /// The next message boundary is unknown; the start of each piece is examined.
    case lost
  }

  /// The last head found.
  private(set) var head = Bytes()

  /// The number of bytes that the last call of `next` has finished with, including a head that it found and what it skipped.
  private(set) var readByteCount = 0

  private var state = State.head
  private var gathered = Bytes()
  /// Whether the gathered bytes were recognized as the beginning of a message.
  private var isRecognized = false
  private let isRequests: Bool

  /// Whether to pause after the current body.
  private var waitsAfterBody = false

  /// Whether bytes of the current body have been read or are known to be missing.
  private var isBodyBegun = false

  /// Whether the current body may be omitted, so that the next piece may begin with a head instead.
  private var mayOmitBody = false

  /// The state of the current body, while the gathered bytes are either its beginning or that of the next message; nil otherwise.
  private var bodyInstead: State?

  /// Whether reading is paused.
  var isWaiting: Bool { if case .waiting = state { true } else { false } }

  /// Whether a head is incomplete.
  var isWithinHead: Bool { !gathered.isEmpty }

  /// Whether a message is incomplete whose end will be recognized.
  var isWithinMessage: Bool {
    switch state {
    case .head: !gathered.isEmpty
    case .body, .chunks: true
    case .waiting, .rest, .lost: false
    }
  }

  /// The number of bytes of an incomplete head.
  var gatheredByteCount: Int { gathered.count }

  init(isRequests: Bool) { self.isRequests = isRequests }

  /// Sets the framing of the body after the last head.
  mutating func expect(_ framing: BodyFraming) {
    (isBodyBegun, mayOmitBody, bodyInstead) = (false, false, nil)
    switch framing {
    case .none: state = .head
    case .length(let count): state = count > 0 ? .body(remaining: count) : .head
    case .chunked: state = .chunks(ChunkedScanner())
    // The end of a request is then unknown: its sender waits for the response on the open connection.
    case .untilClose: state = isRequests ? .lost : .rest
    }
  }

  /// Records that the body after the last head may be omitted unless it has begun.
  mutating func allowOmittedBody() { mayOmitBody = !isBodyBegun }

  /// Begins the next message if `piece` is one instead of a body that may be omitted.
  private mutating func endOmittedBody(before piece: Span<UInt8>) {
    mayOmitBody = false
    switch state {
    case .body, .chunks:
      // A body may begin with a word that is a method too.
      if recognizes(piece) == .yes {
        guard HTTPRecognition.hasKnownMethod(piece) else { return }
      } else {
        guard HTTPRecognition.mayBeginRequest(piece) else { return }
        bodyInstead = state
      }
      state = .head
      endBody(isOver: true)
    case .head, .waiting, .rest, .lost: return
    }
  }

  /// Decides whether the gathered bytes, of which `count` precede the current piece, are a body. If so, reads these, and returns true.
  private mutating func resumeBody(before count: Int, _ recognition: HTTPRecognition) -> Bool {
    guard let body = bodyInstead, recognition != .needMore else { return false }
    bodyInstead = nil
    if recognition == .yes, HTTPRecognition.hasKnownMethod(gathered.span) { return false }
    let bytes = Bytes(gathered[..<count])
    gathered.removeAll()
    state = body
    let read = readBody(bytes.span) ?? bytes.count
    // The next message may begin within them.
    gathered = Bytes(bytes[read...])
    return true
  }

  /// Treats gathered bytes that do not suffice to show a request as the body that they may be, since no more follow them.
  mutating func settleBody() {
    if bodyInstead != nil { _ = resumeBody(before: gathered.count, HTTPRecognition.isBegunClient(gathered.span) ? .yes : .no) }
  }

  /// Reads bytes of the current body. Returns their number; nil if they violate its framing.
  private mutating func readBody(_ bytes: Span<UInt8>) -> Int? {
    isBodyBegun = true
    switch state {
    case .body(let remaining):
      let count = min(Int64(bytes.count), remaining)
      state = remaining > count ? .body(remaining: remaining - count) : .head
      endBody(isOver: remaining == count)
      return Int(count)
    case .chunks(var scanner):
      let count = scanner.consume(bytes)
      switch scanner.status {
      case .unfinished: state = .chunks(scanner)
      case .finished:
        state = .head
        endBody(isOver: true)
      case .failed:
        lose()
        return nil
      }
      return count
    case .head, .waiting, .rest, .lost: return 0
    }
  }

  /// Ends reading: the following bytes are not HTTP.
  mutating func stop() { state = .rest }

  /// Pauses reading after a body with this framing.
  mutating func wait(after framing: BodyFraming) {
    expect(framing)
    waitsAfterBody = true
    endBody(isOver: isAtHead)
  }

  /// Resumes reading, or cancels a planned pause.
  mutating func resume() {
    waitsAfterBody = false
    if isWaiting { state = .head }
  }

  /// Records that the next message boundary is unknown.
  mutating func lose() { (state, waitsAfterBody, bodyInstead) = (.lost, false, nil) }

  /// Ends an incomplete head, which is then in `head`. Returns false if there is none.
  mutating func breakHead() -> Bool {
    settleBody()
    guard isWithinHead else { return false }
    head = gathered
    gathered.removeAll()
    lose()
    return true
  }

  private var isAtHead: Bool { if case .head = state { true } else { false } }

  private mutating func endBody(isOver: Bool) {
    if isOver, waitsAfterBody { (state, waitsAfterBody) = (.waiting, false) }
  }

  /// Reads on in `piece` from `position`; nil when all of it has been read.
  mutating func next(in piece: Span<UInt8>, at position: inout Int) -> Event? {
    let before = gathered.count - position
    defer { readByteCount = before + position - gathered.count }
    while position < piece.count {
      if mayOmitBody { endOmittedBody(before: piece.extracting(position..<piece.count)) }
      switch state {
      case .waiting:
        return nil
      case .rest:
        position = piece.count
      case .body, .chunks:
        guard let count = readBody(piece.extracting(position..<piece.count)) else { return lose(piece, &position) }
        position += count
      case .lost where position == 0 && isRequests && StreamBeginning.isClientHello(piece):
        return .hello
      case .head where position == 0 && gathered.isEmpty && isRequests && StreamBeginning.isClientHello(piece):
        state = .lost
        return .hello
      case .lost:
        guard position == 0, recognizes(piece) == .yes, !isRequests || HTTPRecognition.hasKnownMethod(piece) else {
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

  /// Records bytes that the capture lacks, and returns what they leave of the stream.
  mutating func skip(missing count: Int) -> Gap {
    var isOfMessage = false
    settleBody()
    (isBodyBegun, mayOmitBody) = (true, false)
    switch state {
    case .rest: return .withinMessage
    case .lost, .waiting: return .unknown
    case .head:
      isOfMessage = gathered.isEmpty
      gathered.removeAll()
    case .body(let remaining):
      // After a gap that ends within the body, the next head is still found.
      if Int64(count) <= remaining {
        state = Int64(count) == remaining ? .head : .body(remaining: remaining - Int64(count))
        endBody(isOver: Int64(count) == remaining)
        return .withinMessage
      }
      isOfMessage = true
    case .chunks(var scanner):
      if scanner.skip(byteCount: Int64(count)) {
        state = .chunks(scanner)
        return .withinMessage
      }
      isOfMessage = true
    }
    lose()
    return isOfMessage ? .ofMessage : .unknown
  }

  private mutating func lose(_ piece: Span<UInt8>, _ position: inout Int) -> Event {
    position = piece.count
    gathered.removeAll()
    lose()
    return .lost
  }

  private func recognizes(_ bytes: Span<UInt8>) -> HTTPRecognition {
    isRequests ? .request(bytes) : .response(bytes)
  }

  private mutating func readHead(_ piece: Span<UInt8>, _ position: inout Int) -> Event? {
    let before = gathered.count
    let start = position
    // One byte more than the maximum head length suffices to detect a head that is too long. A piece may contain very many heads.
    let next = piece.extracting(start..<min(piece.count, start + MessageHead.maximumByteCount + 1))
    let found: Int?
    do throws(ParseError) {
      if before == 0 {
        let recognition = recognizes(next)
        guard recognition != .no else { return lose(piece, &position) }
        isRecognized = recognition == .yes
        found = try MessageHead.byteCount(of: next)
        gathered.append(copying: next.extracting(first: found ?? next.count))
      } else {
        gathered.append(copying: next)
        position = start + next.count
        if !isRecognized {
          let recognition = recognizes(gathered.span)
          if resumeBody(before: before, recognition) {
            if case .lost = state { return lose(piece, &position) }
            position = start
            return nil
          }
          guard recognition != .no else { return lose(piece, &position) }
          isRecognized = recognition == .yes
        }
        found = try MessageHead.byteCount(of: gathered.span, searchingFrom: before)
      }
    } catch {
      if before == 0 { gathered.append(copying: next) }
      // Truncated, so that the result does not depend on the division into pieces.
      head = Bytes(gathered.prefix(MessageHead.maximumByteCount + 1))
      let rest = piece.count - start - max(0, head.count - before)
      _ = lose(piece, &position)
      return .longHead(rest: rest)
    }
    guard let count = found else {
      position = piece.count
      return nil
    }
    // The end is in this piece, since every earlier one was searched.
    position = start + max(0, count - before)
    head = before == 0 ? gathered : Bytes(gathered[..<count])
    gathered.removeAll()
    return .head
  }
}
