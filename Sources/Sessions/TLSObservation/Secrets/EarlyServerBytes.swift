import ByteParsing
import TLSParsing
import Values

/// The bytes that a server sent before the client's hello in the capture. The hello's random identifies the secrets that decrypt them.
///
/// A class: hardly any handshake has one.
final class EarlyServerBytes {
  /// The direction in which they were sent.
  let direction: Direction

  private var pieces: [(bytes: Bytes, frame: UInt64)] = []

  private(set) var byteCount = 0

  /// The maximum number of bytes kept: one record, as for a record being decrypted.
  private static let maximumByteCount = RecordHeader.maximumFragmentLength

  init(in direction: Direction) { self.direction = direction }

  /// Keeps a piece; returns false if it exceeds the limit.
  func keep(_ piece: Span<UInt8>, frame: UInt64) -> Bool {
    guard byteCount + piece.count <= EarlyServerBytes.maximumByteCount else { return false }
    byteCount += piece.count
    pieces.append((Bytes(copying: piece), frame))
    return true
  }

  /// Removes and returns the kept pieces.
  func take() -> [(bytes: Bytes, frame: UInt64)] { exchange(&pieces, with: []) }
}

extension Handshake {
  /// Keeps a piece that a server sent before the client's hello; returns false if the piece is to be read immediately.
  mutating func keepEarly(_ piece: Span<UInt8>, _ direction: Direction, _ frame: UInt64, sharing shared: inout SharedFacts) -> Bool {
    if let early {
      guard early.direction == direction else { return false }
      if early.keep(piece, frame: frame) { return true }
      readEarly(sharing: &shared)
      return false
    }
    guard !records.reading(direction, { $0.hasRecord }), piece.count > RecordHeader.byteCount,
      TLSRecognition.handshakeStart(piece) == .yes,
      piece[RecordHeader.byteCount] == HandshakeType.serverHello.rawValue
    else { return false }
    let early = EarlyServerBytes(in: direction)
    guard early.keep(piece, frame: frame) else { return false }
    self.early = early
    return true
  }

  /// Reads the kept pieces of a server.
  mutating func readEarly(sharing shared: inout SharedFacts) {
    guard let early else { return }
    self.early = nil
    for piece in early.take() {
      read(piece.bytes.span, in: early.direction, frame: piece.frame, sharing: &shared)
    }
  }
}

extension RecordStream.Event {
  /// Whether it is a client's hello, complete or not.
  var isOfClientHello: Bool {
    switch self {
    case .message(let type, _), .gatheredMessage(let type), .brokenMessage(let type): type == .clientHello
    case .ssl2Hello, .brokenSSL2Hello: true
    case .alert, .changeCipherSpec, .protected, .lost: false
    }
  }
}
