import ByteParsing
import SessionModel

/// Bytes of a server that wait for what the client sent before them, which is late in the capture or missing.
struct WaitingBytes {
  private(set) var kept = KeptBytes()

  /// The number of bytes after the kept ones.
  private var missing = 0

  /// Beyond this number, no further piece is kept; a server's first TLS flight is usually shorter.
  private static let sufficientByteCount = 16_384

  var isEmpty: Bool { kept.isEmpty }

  /// The number of bytes, kept or not.
  var byteCount: Int { kept.count + missing }

  var heldBytes: Int { kept.heldBytes }

  /// The length of the head of a response with which the bytes begin, if a hello follows it; otherwise nil.
  var headBeforeHello: Int? { StreamBeginning.headBeforeHello(of: kept.bytes.span) }

  mutating func add(_ piece: Span<UInt8>, at reference: PacketReference) {
    if piece.count == 0 { return }
    if missing > 0 || kept.count >= WaitingBytes.sufficientByteCount {
      missing += piece.count
    } else {
      kept.append(piece, at: reference)
    }
  }

  /// Records bytes that the capture lacks, or that were not kept.
  mutating func lose(_ count: Int) { missing += count }

  /// Removes and returns the kept bytes, by packet, and the number of bytes after them.
  mutating func take() -> (parts: [(bytes: Bytes, reference: PacketReference)], missing: Int) {
    defer { self = WaitingBytes() }
    return (kept.take(), missing)
  }
}
