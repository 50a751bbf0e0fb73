import ByteParsing
import TLSParsing

/// What one end says in messages whose lengths tell where they end, up to a hello: one begins between two of them, or not at all.
///
/// That is how the Remote Desktop Protocol ([MS-RDPBCGR] §2.2.1.1) and the Android Debug Bridge change to TLS.
struct FramedWords {
  /// What is next at the end of a message.
  private enum Next {
    /// Too few bytes are there to tell.
    case undecided
    /// Another message, by what its bytes are.
    case message([MessageTrace.Run])
    /// A hello.
    case hello
    /// Nothing that leads to TLS; it is known what it is, or not.
    case end(isKnown: Bool)
  }

  /// What some bytes have told.
  struct Progress {
    /// What the bytes of whole messages are.
    var runs: [MessageTrace.Run] = []
    /// How many bytes those are.
    var told = 0
    /// Whether a hello stands behind them.
    var hasHello = false
    /// Whether TLS is not to be expected any more.
    var isOver = false
    /// Whether that is certain.
    var isSettled = false
  }

  private let form: ForeignProtocol

  /// Whether a whole message was read.
  private var hasSpoken = false

  /// Bytes still to come of the last message.
  private var left = 0

  /// Whether bytes were missing, so that it is not known where a message begins.
  private var isLost = false

  init(_ form: ForeignProtocol) { self.form = form }

  /// Takes note of bytes that the capture lacks.
  mutating func lose() { isLost = true }

  /// Reads on; what is not told has to come again in front of what follows.
  mutating func consume(_ bytes: Span<UInt8>) -> Progress {
    var progress = Progress()
    guard !isLost else {
      progress.hasHello = FramedWords.helloStart(bytes) == .yes
      if !progress.hasHello { progress.add(.content(bytes.count)) }
      return progress
    }
    while true {
      let step = min(left, bytes.count - progress.told)
      if step > 0 { progress.add(.content(step)) }
      left -= step
      guard progress.told < bytes.count else { return progress }
      switch next(bytes.extracting(progress.told..<bytes.count)) {
      case .undecided: return progress
      case .hello:
        progress.hasHello = true
        return progress
      case .end(let isKnown):
        progress.isOver = true
        progress.isSettled = isKnown
        return progress
      case .message(let runs):
        hasSpoken = true
        for run in runs {
          let there = min(run.count, bytes.count - progress.told)
          left += run.count - there
          progress.add(run, upTo: there)
        }
      }
    }
  }

  private static func helloStart(_ bytes: Span<UInt8>) -> TLSRecognition {
    let hello = TLSRecognition.handshakeStart(bytes)
    return hello == .no ? TLSRecognition.ssl2ClientHello(bytes) : hello
  }

  private func next(_ bytes: Span<UInt8>) -> Next {
    switch FramedWords.helloStart(bytes) {
    case .yes: return .hello
    case .needMore: return .undecided
    case .no: break
    }
    if form == .adb { return nextOfADB(bytes) }
    // Each end says one thing before TLS.
    if hasSpoken { return .end(isKnown: false) }
    switch ConnectionNegotiation.recognize(bytes) {
    case .needMore: return .undecided
    case .no: return .end(isKnown: false)
    case .yes(let negotiation):
      return negotiation.leadsToTLS ? .message(negotiation.runs) : .end(isKnown: true)
    }
  }

  private func nextOfADB(_ bytes: Span<UInt8>) -> Next {
    switch BridgeHeader.recognize(bytes) {
    case .needMore: .undecided
    case .no: .end(isKnown: false)
    case .yes(let header):
      header.leadsToTLS
        ? .message([.other(BridgeHeader.byteCount), .content(header.bodyLength)]) : .end(isKnown: true)
    }
  }
}

extension FramedWords.Progress {
  /// Adds bytes of a message, as many of them as are there.
  fileprivate mutating func add(_ run: MessageTrace.Run, upTo limit: Int = .max) {
    let count = min(run.count, limit)
    guard count > 0 else { return }
    told += count
    if case .other = run { runs.append(.other(count)) } else { runs.append(.content(count)) }
  }
}

/// What a parser of a first message says of some bytes.
enum Recognized<Message> {
  case yes(Message)
  case needMore
  case no
}

/// A connection request or confirm of X.224 in which the ends of a Remote Desktop connection agree on TLS
/// ([MS-RDPBCGR] §2.2.1.1 and §2.2.1.2).
struct ConnectionNegotiation {
  /// Whether TLS may follow: the client offers it, or the server chose it.
  private(set) var leadsToTLS: Bool

  /// What its bytes are: between the headers and what is negotiated a request names its user.
  private(set) var runs: [MessageTrace.Run]

  /// TPKT (4 bytes) and the fixed part of X.224 (7 bytes).
  private static let headerByteCount = 11

  /// A name and a token in front of what is negotiated are short.
  private static let maximumByteCount = 1024

  private static let negotiationByteCount = 8
  private static let correlationByteCount = 36

  static func recognize(_ bytes: Span<UInt8>) -> Recognized<ConnectionNegotiation> {
    guard bytes.count > 0 else { return .needMore }
    guard bytes[0] == 3, bytes.count < 2 || bytes[1] == 0 else { return .no }
    guard bytes.count > 5 else { return .needMore }
    let length = Int(bytes[2]) << 8 | Int(bytes[3])
    let isRequest = bytes[5] == 0xE0
    guard isRequest || bytes[5] == 0xD0, Int(bytes[4]) == length - 5,
      length >= headerByteCount, length <= maximumByteCount
    else { return .no }
    guard bytes.count >= length else { return .needMore }
    // Who does not negotiate speaks no TLS.
    guard length >= headerByteCount + negotiationByteCount else {
      return .yes(ConnectionNegotiation(leadsToTLS: false, runs: []))
    }
    // A confirm holds nothing else; in a request what is negotiated comes last, but for what names the connection in logs.
    var start = isRequest ? length - negotiationByteCount : headerByteCount
    let correlation = length - correlationByteCount
    if isRequest, correlation - negotiationByteCount >= headerByteCount, bytes[correlation] == 6,
      bytes[correlation + 1] == 0, bytes[correlation + 2] == UInt8(correlationByteCount),
      bytes[correlation + 3] == 0
    {
      start = correlation - negotiationByteCount
    }
    let type: UInt8 = isRequest ? 1 : 2
    guard bytes[start + 2] == UInt8(negotiationByteCount), bytes[start + 3] == 0,
      bytes[start] == type || !isRequest && bytes[start] == 3
    else { return .no }
    // All forms of security but the oldest are in TLS, or in something that is.
    let protocols = (4..<8).contains { bytes[start + $0] != 0 }
    return .yes(
      ConnectionNegotiation(
        leadsToTLS: bytes[start] == type && protocols,
        runs: [.other(headerByteCount), .content(start - headerByteCount), .other(length - start)]))
  }
}

/// The header of a message of the Android Debug Bridge (`protocol.txt` of its source): command, two arguments, length, checksum, and
/// the command inverted.
struct BridgeHeader {
  static let byteCount = 24

  /// Bytes that follow.
  private(set) var bodyLength: Int

  /// Whether TLS may come later: nothing is opened yet.
  private(set) var leadsToTLS: Bool

  private static let maximumBodyLength = 1 << 20

  /// What is said before anything is opened.
  private static let beginnings: [[UInt8]] = ["CNXN", "AUTH", "STLS", "SYNC"].map { Array($0.utf8) }

  /// What is said when something is, or was.
  private static let others: [[UInt8]] = ["OPEN", "OKAY", "WRTE", "CLSE"].map { Array($0.utf8) }

  static func recognize(_ bytes: Span<UInt8>) -> Recognized<BridgeHeader> {
    func begins(_ command: [UInt8]) -> Bool {
      (0..<min(4, bytes.count)).allSatisfy { bytes[$0] == command[$0] }
    }
    let leadsToTLS = beginnings.contains(where: begins)
    guard leadsToTLS || others.contains(where: begins) else { return .no }
    // The first argument is a version there, or small: words of text that begin alike have no zeros.
    if leadsToTLS, (5..<7).contains(where: { $0 < bytes.count && bytes[$0] != 0 }) { return .no }
    guard bytes.count >= byteCount else { return .needMore }
    guard (0..<4).allSatisfy({ bytes[20 + $0] == ~bytes[$0] }) else { return .no }
    let length = (0..<4).reduce(0) { $0 | Int(bytes[12 + $1]) << (8 * $1) }
    guard length <= maximumBodyLength else { return .no }
    return .yes(BridgeHeader(bodyLength: length, leadsToTLS: leadsToTLS))
  }
}
