package import ByteParsing
package import SessionModel
import TLSParsing
package import Values

/// The cleartext of a protocol that may change to TLS on the same connection, up to a hello.
///
/// It is searched for a hello, not parsed: commands may be pipelined, responses may have many lines, TLS may be refused and requested
/// again, and a hello may directly follow the words that announce it.
package final class CleartextDialogue {
  /// Bytes, and the packet that contains them.
  package typealias Part = (bytes: Bytes, reference: PacketReference)

  /// The protocol, as far as it is known.
  package private(set) var foreignProtocol: ForeignProtocol

  /// Whether too much cleartext was exchanged for a change to TLS to be expected.
  package private(set) var isOver = false

  private var byteCount = 0

  /// The beginning of the last line, by direction.
  private var lines: BothDirections<Bytes> = BothDirections(Bytes())

  /// The maximum number of bytes of a line that identify a protocol.
  private static let maximumLineByteCount = 64

  /// The possible start of a hello, by direction.
  private var held: BothDirections<[Part]> = BothDirections([])

  /// The state of each direction, if messages have lengths.
  private var framed: BothDirections<FramedNegotiation>?

  /// The runs of the whole messages that the last piece completed, if messages have lengths.
  package private(set) var runs: [ByteAccount.Run] = []

  /// Whether the dialogue rules out TLS on this connection.
  package private(set) var rulesOutTLS = false

  /// The ports that each direction announces in FTP.
  private var dataPorts: BothDirections<FTPDataPorts>

  /// The ports that were announced and not yet taken, with their directions.
  private var announced: [(FTPDataPorts.Announcement, direction: Direction)] = []

  /// The maximum length of a dialogue; a client changes to TLS before it sends anything of length.
  private static let maximumByteCount = 64 * 1024

  /// Whether the connection used TLS before.
  package let followsTLS: Bool

  /// Creates a dialogue that has read nothing yet. If it follows TLS, its first bytes may be the last ones of TLS.
  package init(_ foreignProtocol: ForeignProtocol, followsTLS: Bool = false) {
    self.foreignProtocol = foreignProtocol
    self.followsTLS = followsTLS
    dataPorts = BothDirections(FTPDataPorts(followsTLS: followsTLS))
    if foreignProtocol.isFramed { framed = BothDirections(FramedNegotiation(foreignProtocol)) }
  }

  /// Reads on in one direction. Returns the bytes from the start of a hello on; nil while there is none.
  package func consume(_ piece: Span<UInt8>, in direction: Direction, at reference: PacketReference) -> [Part]? {
    refineProtocol(by: piece, direction)
    byteCount += piece.count
    if byteCount > CleartextDialogue.maximumByteCount { isOver = true }
    if foreignProtocol == .ftp || foreignProtocol == .smtpOrFTP {
      announced += dataPorts[direction].consume(piece).map { ($0, direction) }
    }
    var kept = held[direction]
    var bytes = StreamBeginning.joined(kept)
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

  /// Identifies the protocol more closely by a line, whose bytes may be in several pieces.
  private func refineProtocol(by piece: Span<UInt8>, _ direction: Direction) {
    guard foreignProtocol.mayBeRefined else { return }
    var line = lines[direction]
    let room = CleartextDialogue.maximumLineByteCount - line.count
    line.append(copying: piece.extracting(first: room))
    foreignProtocol = foreignProtocol.refined(by: line.span)
    let end = (0..<piece.count).last { piece[$0] == UInt8(ascii: "\n") }
    if let end {
      let rest = piece.extracting((end + 1)..<piece.count)
      line = Bytes(copying: rest.extracting(first: CleartextDialogue.maximumLineByteCount))
    }
    lines[direction] = line
  }

  /// Returns the ports announced since the last call.
  package func takeAnnounced() -> [(FTPDataPorts.Announcement, direction: Direction)] { exchange(&announced, with: []) }

  /// Reads on if messages have lengths; `parts` are the packets' parts of `bytes`.
  private func consumeFramed(_ bytes: Span<UInt8>, _ parts: [Part], _ direction: Direction) -> [Part]? {
    guard var negotiation = framed?[direction] else { return nil }
    let progress = negotiation.consume(bytes)
    framed?[direction] = negotiation
    runs = progress.runs
    var kept: [Part] = []
    var recognized = progress.recognized
    for part in parts {
      let count = min(recognized, part.bytes.count)
      recognized -= count
      if count < part.bytes.count { kept.append((Bytes(part.bytes[count...]), part.reference)) }
    }
    if progress.hasHello { return kept }
    if progress.isOver { isOver = true }
    if progress.rulesOutTLS { rulesOutTLS = true }
    held[direction] = kept
    return nil
  }

  /// The number of bytes kept in one direction because they may begin a hello.
  package func keptBytes(in direction: Direction) -> Int {
    held[direction].reduce(0) { $0 + $1.bytes.count }
  }

  /// Records bytes that the capture lacks in one direction.
  package func skip(in direction: Direction) {
    held[direction] = []
    lines[direction] = Bytes()
    dataPorts[direction].skip()
    framed?[direction].lose()
  }

  /// The offset of a hello, and whether enough of it is available to be certain.
  private static func findHello(in bytes: Span<UInt8>) -> (start: Int, isWhole: Bool)? {
    if TLSRecognition.ssl2ClientHello(bytes) == .yes { return (0, true) }
    for start in 0..<bytes.count where bytes[start] == ContentType.handshake.rawValue {
      let rest = bytes.extracting(start..<bytes.count)
      switch TLSRecognition.handshakeStart(rest) {
      case .no: continue
      case .needMore: return (start, false)
      case .yes:
        // A server's hello begins its own packet; other bytes that look like one do not count.
        if start == 0 || rest.count > 5 && rest[5] == HandshakeType.clientHello.rawValue { return (start, true) }
      }
    }
    return nil
  }
}
