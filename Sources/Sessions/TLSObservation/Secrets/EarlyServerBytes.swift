import ByteParsing
import TLSParsing
import Values

/// What a server says that the capture holds before the client's hello, whose random names the secrets that open it.
///
/// A class: hardly any handshake has one.
final class EarlyServerBytes {
  /// The direction in which they come.
  let direction: Direction

  private var pieces: [(bytes: Bytes, frame: UInt64)] = []

  /// How many bytes are kept.
  private(set) var byteCount = 0

  /// As much as a record holds, which is what is kept of one that is being opened.
  private static let maximumByteCount = RecordHeader.maximumFragmentLength

  init(in direction: Direction) { self.direction = direction }

  /// Keeps a piece; false where there is no room.
  func keep(_ piece: Span<UInt8>, frame: UInt64) -> Bool {
    guard byteCount + piece.count <= EarlyServerBytes.maximumByteCount else { return false }
    byteCount += piece.count
    pieces.append((Bytes(copying: piece), frame))
    return true
  }

  /// Returns what was kept.
  func take() -> [(bytes: Bytes, frame: UInt64)] {
    defer { pieces = [] }
    return pieces
  }
}

extension Handshake {
  /// Keeps what a server says before the client's hello has come; false where it is to be read at once.
  mutating func keepEarly(
    _ piece: Span<UInt8>, _ direction: Direction, _ frame: UInt64, sharing shared: inout SharedFacts
  ) -> Bool {
    if let early {
      guard early.direction == direction else { return false }
      if early.keep(piece, frame: frame) { return true }
      readEarly(sharing: &shared)
      return false
    }
    guard !records[direction].hasRecord, piece.count > RecordHeader.byteCount,
      TLSRecognition.handshakeStart(piece) == .yes,
      piece[RecordHeader.byteCount] == HandshakeType.serverHello.rawValue
    else { return false }
    let early = EarlyServerBytes(in: direction)
    guard early.keep(piece, frame: frame) else { return false }
    self.early = early
    return true
  }

  /// Reads what was kept of a server.
  mutating func readEarly(sharing shared: inout SharedFacts) {
    guard let early else { return }
    self.early = nil
    for piece in early.take() {
      read(piece.bytes.span, in: early.direction, frame: piece.frame, sharing: &shared)
    }
  }
}

extension RecordStream.Event {
  /// Whether it is a client's hello, or what there is of one.
  var isOfClientHello: Bool {
    switch self {
    case .message(let type, _), .gatheredMessage(let type), .brokenMessage(let type): type == .clientHello
    case .ssl2Hello, .brokenSSL2Hello: true
    case .alert, .changeCipherSpec, .protected, .lost: false
    }
  }
}
