package import SessionModel
import TLSParsing
import Values

/// The byte ranges of the messages that evidence names, counted from the first byte of the handshake in each direction.
struct MessageExtents {
  private var extents: [(part: Evidence.Part, range: Range<Int>)] = []

  /// Records the range of a message, or one that extends it; an empty range is ignored.
  mutating func note(_ part: Evidence.Part, _ range: Range<Int>) {
    let range = range.clamped(to: 0..<Int.max)
    guard !range.isEmpty else { return }
    guard let index = extents.firstIndex(where: { $0.part == part }) else { return extents.append((part, range)) }
    let known = extents[index].range
    extents[index].range = min(known.lowerBound, range.lowerBound)..<max(known.upperBound, range.upperBound)
  }

  /// The range of a message, including the header of its first record; nil if it was not captured in cleartext.
  private subscript(part: Evidence.Part) -> Range<Int>? {
    guard let (_, range) = extents.first(where: { $0.part == part }) else { return nil }
    return max(0, range.lowerBound - RecordHeader.byteCount)..<range.upperBound
  }

  /// The messages to which bytes of one side belong. Bytes before that side's hello count as the hello, because they may determine its
  /// host, as a request to a proxy does.
  func parts(at range: Range<Int>, fromClient: Bool) -> [Evidence.Part] {
    let hello: Evidence.Part = fromClient ? .clientHello : .serverHello
    guard let helloExtent = self[hello] else { return [hello] }
    var parts =
      fromClient
      ? []
      : [Evidence.Part.certificates, .certificateStatus, .serverKeyExchange].filter {
        self[$0].map { $0.overlaps(range) } ?? false
      }
    if range.lowerBound < helloExtent.upperBound { parts.insert(hello, at: 0) }
    return parts
  }
}

extension Handshake {
  /// The messages to which contested bytes belong.
  package func parts(of bytes: ContestedBytes) -> [Evidence.Part] {
    let count = records.reading(bytes.direction) { $0.offset }
    let (start, end) = (count - bytes.beforeEnd.upperBound, count - bytes.beforeEnd.lowerBound + 1)
    let isClient = isClient(bytes.direction) ?? opener.map { $0 == bytes.direction }
    var parts = extents.parts(at: min(start, end)..<end, fromClient: isClient ?? (bytes.direction == .fromLower))
    if evidence.frames[.outcome].numbers.contains(where: { bytes.frames.numbers.contains($0) }) {
      parts.append(.outcome)
    }
    return parts
  }
}
