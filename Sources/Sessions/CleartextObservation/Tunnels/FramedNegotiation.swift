import ByteParsing
import TLSParsing

/// Reads the length-prefixed messages that one endpoint sends before a hello. A hello can begin only at a message boundary.
///
/// The Remote Desktop Protocol ([MS-RDPBCGR] §2.2.1.1) and the Android Debug Bridge change to TLS in this way.
struct FramedNegotiation {
  /// The data at a message boundary.
  private enum Next {
    /// Too few bytes to decide.
    case undecided
    /// Another message, with its runs.
    case message([ByteAccount.Run])
    case hello
    /// Data that does not lead to TLS; `isKnown` if its protocol was recognized.
    case end(isKnown: Bool)
  }

  /// The result of reading a piece.
  struct Progress {
    /// The runs of the messages.
    var runs: [ByteAccount.Run] = []
    /// The number of bytes in these runs.
    var recognized = 0
    /// Whether a hello follows the runs.
    var hasHello = false
    /// Whether TLS can no longer follow.
    var isOver = false
    /// Whether it is certain that TLS does not follow.
    var rulesOutTLS = false
  }

  private let foreignProtocol: ForeignProtocol

  /// Whether a message was read.
  private var hasSpoken = false

  /// The number of bytes of the last message still to be read.
  private var left = 0

  /// Whether bytes were missing, so that the message boundaries are unknown.
  private var isLost = false

  init(_ foreignProtocol: ForeignProtocol) { self.foreignProtocol = foreignProtocol }

  /// Records bytes that the capture lacks.
  mutating func lose() { isLost = true }

  /// Reads further bytes. Bytes beyond `recognized` must be passed again, before the next piece.
  mutating func consume(_ bytes: Span<UInt8>) -> Progress {
    var progress = Progress()
    guard !isLost else {
      progress.hasHello = FramedNegotiation.helloStart(bytes) == .yes
      if !progress.hasHello { progress.add(.content(bytes.count)) }
      return progress
    }
    while true {
      let step = min(left, bytes.count - progress.recognized)
      if step > 0 { progress.add(.content(step)) }
      left -= step
      guard progress.recognized < bytes.count else { return progress }
      switch next(bytes.extracting(progress.recognized..<bytes.count)) {
      case .undecided: return progress
      case .hello:
        progress.hasHello = true
        return progress
      case .end(let isKnown):
        progress.isOver = true
        progress.rulesOutTLS = isKnown
        return progress
      case .message(let runs):
        hasSpoken = true
        for run in runs {
          let there = min(run.count, bytes.count - progress.recognized)
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
    switch FramedNegotiation.helloStart(bytes) {
    case .yes: return .hello
    case .needMore: return .undecided
    case .no: break
    }
    if foreignProtocol == .adb { return nextOfADB(bytes) }
    // Each endpoint sends one message before TLS.
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
      header.leadsToTLS ? .message([.other(BridgeHeader.byteCount), .content(header.bodyLength)]) : .end(isKnown: true)
    }
  }
}

extension FramedNegotiation.Progress {
  /// Adds the available bytes of a message.
  fileprivate mutating func add(_ run: ByteAccount.Run, upTo limit: Int = .max) {
    let count = min(run.count, limit)
    guard count > 0 else { return }
    recognized += count
    if case .other = run { runs.append(.other(count)) } else { runs.append(.content(count)) }
  }
}
