import ByteParsing
import HTTPParsing
import SessionModel

/// Bytes of one direction that are kept until later ones identify them, with their packets.
struct KeptBytes {
  private(set) var bytes = Bytes()

  /// The end offset of each packet's bytes, and the packet.
  private var parts: [(end: Int, reference: PacketReference)] = []

  var isEmpty: Bool { parts.isEmpty }

  var count: Int { bytes.count }

  /// The memory that they take, in bytes.
  var heldBytes: Int { bytes.count + parts.count * KeptBytes.partCost }

  private static let partCost = 48

  /// The packet of the first byte; nil if no bytes are kept.
  var first: PacketReference? { parts.first?.reference }

  mutating func append(_ piece: Span<UInt8>, at reference: PacketReference) {
    bytes.append(copying: piece)
    parts.append((bytes.count, reference))
  }

  /// The kind of beginning that the kept bytes and `piece` form together.
  mutating func kind(with piece: Span<UInt8>) -> StreamBeginning.Kind {
    if bytes.isEmpty { return StreamBeginning.kind(of: piece) }
    if isWithinTarget(piece) { return .undecided }
    bytes.append(copying: piece)
    defer { bytes.removeLast(piece.count) }
    return StreamBeginning.kind(of: bytes.span)
  }

  /// Whether a piece only continues the target of a request. If so, the kept bytes are not examined again for each of many small pieces.
  private func isWithinTarget(_ piece: Span<UInt8>) -> Bool {
    // By then every other text protocol would have been recognized.
    guard bytes.count >= 512, bytes.count + piece.count < HTTPRecognition.maximumRequestLineLength,
      (0x21...0x7E).contains(bytes[0])
    else { return false }
    // Only the version and the end of the line decide.
    for index in 0..<piece.count where piece[index] == 0x0A { return false }
    let version = HTTPRecognition.versionPrefix
    var end = Bytes(bytes.suffix(version.count - 1))
    end.append(copying: piece)
    return !end.indices.contains { end[$0...].starts(with: version) }
  }

  /// Removes and returns the kept bytes, by packet.
  mutating func take() -> [(bytes: Bytes, reference: PacketReference)] {
    defer { self = KeptBytes() }
    var start = 0
    return parts.map { part in
      defer { start = part.end }
      return (Bytes(bytes[start..<part.end]), part.reference)
    }
  }
}
