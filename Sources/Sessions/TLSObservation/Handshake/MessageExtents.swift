package import SessionModel
import TLSParsing
import Values

/// The byte ranges of the messages that evidence names, counted from the first byte of the handshake in each direction.
struct MessageExtents {
  private var clientHello = Extent()
  private var serverHello = Extent()
  private var certificates = Extent()
  private var certificateStatus = Extent()
  private var serverKeyExchange = Extent()

  private struct Extent {
    var start: UInt32 = 0
    var end: UInt32 = 0

    mutating func extend(to range: Range<Int>) {
      let (first, last) = (UInt32(clamping: range.lowerBound), UInt32(clamping: range.upperBound))
      (start, end) = end == 0 ? (first, last) : (min(start, first), max(end, last))
    }
  }

  /// Records the range of a message; an empty range is ignored.
  @inline(__always)
  mutating func note(_ part: Evidence.Part, _ range: Range<Int>) {
    guard !range.isEmpty else { return }
    switch part {
    case .clientHello: clientHello.extend(to: range)
    case .serverHello: serverHello.extend(to: range)
    case .certificates: certificates.extend(to: range)
    case .certificateStatus: certificateStatus.extend(to: range)
    case .serverKeyExchange: serverKeyExchange.extend(to: range)
    case .outcome: break
    }
  }

  /// The range of a message, including the header of its first record; nil if it was not captured in cleartext.
  private subscript(part: Evidence.Part) -> Range<Int>? {
    let extent =
      switch part {
      case .clientHello: clientHello
      case .serverHello: serverHello
      case .certificates: certificates
      case .certificateStatus: certificateStatus
      case .serverKeyExchange: serverKeyExchange
      case .outcome: Extent()
      }
    guard extent.end > 0 else { return nil }
    return max(0, Int(extent.start) - RecordHeader.byteCount)..<Int(extent.end)
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
    var parts = extents.parts(
      at: min(start, end)..<end, fromClient: isClient ?? (bytes.direction == .fromLower))
    if evidence.frames[.outcome].numbers.contains(where: { bytes.frames.numbers.contains($0) }) {
      parts.append(.outcome)
    }
    return parts
  }
}
