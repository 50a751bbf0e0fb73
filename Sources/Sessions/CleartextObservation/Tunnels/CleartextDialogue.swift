package import ByteParsing
package import SessionModel
import TLSParsing
package import Values

/// What two ends say in the clear in a protocol that may change to TLS on the same connection, until a hello begins.
///
/// It is listened to and not followed: commands may come ahead of their turn, answers have many lines, TLS may be refused and asked
/// for again, and a hello may directly follow the words that announce it.
package final class CleartextDialogue {
  /// Some bytes, and the packet that they came in.
  package typealias Part = (bytes: Bytes, reference: PacketReference)

  /// What is spoken, as far as it is known.
  package private(set) var form: ForeignProtocol

  /// Whether so much has been said that no change to TLS is expected any more.
  package private(set) var isOver = false

  private var byteCount = 0

  /// What may be the first bytes of a hello, of each direction.
  private var held: BothDirections<[Part]> = BothDirections([])

  /// How far each direction has come, where lengths tell what a message is.
  private var framed: BothDirections<FramedNegotiation>?

  /// What the bytes of whole messages are that the last piece ended, where lengths tell.
  package private(set) var runs: [ByteAccount.Run] = []

  /// Whether what was said rules TLS out on this connection.
  package private(set) var rulesOutTLS = false

  /// The ports that each direction announces, where FTP is spoken.
  private var dataPorts: BothDirections<FTPDataPorts>

  /// The ports that the last piece announced, each with the direction that it came in.
  private var announced: [(FTPDataPorts.Announcement, direction: Direction)] = []

  /// A client that means to change to TLS does so before anything of length is said.
  private static let maximumByteCount = 64 * 1024

  /// Whether TLS was spoken before.
  package let followsTLS: Bool

  /// Begins with the first bytes still to come, which may be the last ones of TLS.
  package init(_ form: ForeignProtocol, followsTLS: Bool = false) {
    self.form = form
    self.followsTLS = followsTLS
    dataPorts = BothDirections(FTPDataPorts(followsTLS: followsTLS))
    if form.isFramed { framed = BothDirections(FramedNegotiation(form)) }
  }

  /// Listens on in one direction; the bytes from the start of a hello on, where one begins.
  package func consume(_ piece: Span<UInt8>, in direction: Direction, at reference: PacketReference) -> [Part]? {
    form = form.refined(by: piece)
    byteCount += piece.count
    if byteCount > CleartextDialogue.maximumByteCount { isOver = true }
    if form == .ftp || form == .smtpOrFTP { listenForPorts(piece, direction) }
    var kept = held[direction]
    var bytes = Bytes()
    for part in kept { bytes.append(contentsOf: part.bytes) }
    let before = bytes.count
    bytes.append(copying: piece)
    if framed != nil {
      kept.append((Bytes(copying: piece), reference))
      return consumeFramed(bytes.span, kept, direction)
    }
    guard let (start, isWhole) = CleartextDialogue.findHello(in: bytes.span) else {
      held[direction] = []
      return nil
    }
    if start == 0, before > 0 {
      kept.append((Bytes(copying: piece), reference))
    } else {
      kept = [(Bytes(bytes[start...]), reference)]
    }
    if isWhole { return kept }
    held[direction] = kept
    return nil
  }

  private func listenForPorts(_ piece: Span<UInt8>, _ direction: Direction) {
    let found = dataPorts[direction].consume(piece)
    announced += found.map { ($0, direction) }
  }

  /// Returns the ports that were announced for data connections since this was called last.
  package func takeAnnounced() -> [(FTPDataPorts.Announcement, direction: Direction)] {
    defer { announced = [] }
    return announced
  }

  /// Continues reading where lengths tell what a message is; the parts are those that `bytes` came in.
  private func consumeFramed(_ bytes: Span<UInt8>, _ parts: [Part], _ direction: Direction) -> [Part]? {
    guard var negotiation = framed?[direction] else { return nil }
    let progress = negotiation.consume(bytes)
    framed?[direction] = negotiation
    runs = progress.runs
    var kept: [Part] = []
    var told = progress.told
    for part in parts {
      let count = min(told, part.bytes.count)
      told -= count
      if count < part.bytes.count { kept.append((Bytes(part.bytes[count...]), part.reference)) }
    }
    if progress.hasHello { return kept }
    if progress.isOver { isOver = true }
    if progress.rulesOutTLS { rulesOutTLS = true }
    held[direction] = kept
    return nil
  }

  /// How many bytes of one direction may be the first ones of a hello.
  package func keptBytes(in direction: Direction) -> Int {
    held[direction].reduce(0) { $0 + $1.bytes.count }
  }

  /// Records bytes that the capture lacks in one direction.
  package func skip(in direction: Direction) {
    held[direction] = []
    dataPorts[direction].skip()
    framed?[direction].lose()
  }

  /// Where a hello begins, and whether enough of it is there to be sure.
  private static func findHello(in bytes: Span<UInt8>) -> (start: Int, isWhole: Bool)? {
    if TLSRecognition.ssl2ClientHello(bytes) == .yes { return (0, true) }
    for start in 0..<bytes.count where bytes[start] == ContentType.handshake.rawValue {
      let rest = bytes.extracting(start..<bytes.count)
      switch TLSRecognition.handshakeStart(rest) {
      case .no: continue
      case .needMore: return (start, false)
      case .yes:
        // What a server sends begins with its own packet; in the middle of other words it is none.
        if start == 0 || rest.count > 5 && rest[5] == HandshakeType.clientHello.rawValue {
          return (start, true)
        }
      }
    }
    return nil
  }
}
