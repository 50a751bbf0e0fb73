import ByteParsing
import HTTPParsing
import SessionModel

/// Bytes of one direction that are kept until later ones tell what they are, with the packets they came in.
struct KeptBytes {
  private(set) var bytes = Bytes()

  /// Where the parts end that came in one packet each, and those packets.
  private var parts: [(end: Int, reference: PacketReference)] = []

  var isEmpty: Bool { parts.isEmpty }

  var count: Int { bytes.count }

  /// What they take of memory, in bytes.
  var heldBytes: Int { bytes.count + parts.count * KeptBytes.partCost }

  private static let partCost = 48

  /// The packet that the first of them came in; nil for none.
  var first: PacketReference? { parts.first?.reference }

  mutating func append(_ piece: Span<UInt8>, at reference: PacketReference) {
    bytes.append(copying: piece)
    parts.append((bytes.count, reference))
  }

  /// What the direction begins with if a piece continues with what is kept.
  mutating func kind(with piece: Span<UInt8>) -> StreamBeginning.Kind {
    if bytes.isEmpty { return StreamBeginning.kind(of: piece) }
    if isWithinTarget(piece) { return .undecided }
    bytes.append(copying: piece)
    defer { bytes.removeLast(piece.count) }
    return StreamBeginning.kind(of: bytes.span)
  }

  /// Whether a piece only continues with the target of a request: then it shows no more than what is kept, all of which need not be
  /// read again for each of many small pieces.
  private func isWithinTarget(_ piece: Span<UInt8>) -> Bool {
    // By then all else that begins with a character has told.
    guard bytes.count >= 512, bytes.count + piece.count < HTTPRecognition.maximumRequestLineLength,
      (0x21...0x7E).contains(bytes[0])
    else { return false }
    func isOfTarget(_ byte: UInt8) -> Bool { byte > 0x20 && byte != 0x7F }
    guard bytes.suffix(16).allSatisfy(isOfTarget) else { return false }
    for index in 0..<piece.count where !isOfTarget(piece[index]) { return false }
    return true
  }

  /// Returns what was kept, by packets.
  mutating func take() -> [(bytes: Bytes, reference: PacketReference)] {
    defer { self = KeptBytes() }
    var start = 0
    return parts.map { part in
      defer { start = part.end }
      return (Bytes(bytes[start..<part.end]), part.reference)
    }
  }
}
