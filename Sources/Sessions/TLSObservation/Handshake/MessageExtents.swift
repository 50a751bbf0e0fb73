package import SessionModel
import TLSParsing
import Values

/// Where the messages that evidence names lie in their directions, counted from the first byte of the handshake there.
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

  /// Notes where a message lies; one of which that is not known changes nothing.
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

  /// Where a message lies, the header of its first record included; nil where it was not seen in the clear.
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

  /// The messages that bytes of one side belong to. What comes before the hello of that side, or may hold it, counts as the hello:
  /// whom a proxy was asked for, for instance.
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
  /// The messages that contested bytes of one direction belong to, which end so many bytes before the end of what was read.
  package func parts(of bytes: ContestedBytes) -> [Evidence.Part] {
    let count = records[bytes.direction].offset
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
