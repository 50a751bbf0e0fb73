import ByteParsing
import SessionModel

/// The frame arrays of one session's rules: rules that rest on the same parts share the text.
struct FrameTexts {
  struct Parts: OptionSet, Hashable {
    var rawValue: UInt8

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ parts: [Evidence.Part]) {
      rawValue = 0
      for part in parts { insert(Parts(part)) }
    }

    init(_ part: Evidence.Part) {
      switch part {
      case .clientHello: rawValue = 1
      case .serverHello: rawValue = 2
      case .certificates: rawValue = 4
      case .certificateStatus: rawValue = 8
      case .serverKeyExchange: rawValue = 16
      case .outcome: rawValue = 32
      }
    }
  }

  private struct Slot {
    var session: UInt64 = 0
    var start = 0
    var end = 0
  }

  private var text = Bytes()
  private var slots = [Slot](repeating: Slot(), count: 64)
  private var session: UInt64 = 0

  /// Forgets what was rendered for the session before.
  mutating func begin() {
    session &+= 1
    text.removeAll(keepingCapacity: true)
  }

  /// Appends the frames of the parts as the member `frames`: each once, ascending. Appends nothing where there are none.
  mutating func append(_ parts: Parts, of evidence: borrowing Evidence, to output: inout Bytes) {
    if parts.isEmpty { return }
    let index = Int(parts.rawValue & 63)
    if slots[index].session != session {
      let start = text.count
      let union = FrameTexts.union(parts, of: evidence)
      if !union.isEmpty {
        text.appendRaw(",\"frames\":")
        text.appendJSON(union)
      }
      slots[index] = Slot(session: session, start: start, end: text.count)
    }
    output.append(copying: text.span.extracting(slots[index].start..<slots[index].end))
  }

  /// The frames of the parts, each once, ascending.
  private static func union(_ parts: Parts, of evidence: borrowing Evidence) -> FrameList {
    var union = FrameList()
    for part in Evidence.Part.allCases where parts.contains(Parts(part)) {
      if union.isEmpty {
        union = evidence.frames[part]
      } else {
        for frame in evidence.frames[part].numbers { union.insert(frame) }
      }
    }
    return union
  }
}
