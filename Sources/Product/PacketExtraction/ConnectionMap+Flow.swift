import ByteParsing
import CleartextObservation
import HTTPParsing
import Reassembly
import SessionTracking
import Values

extension ConnectionMap {
  /// The content of the bytes of one direction, as far as they were classified.
  struct Flow {
    /// A run of bytes of one kind, by the position of the first byte.
    private struct Run {
      var position: Int
      var count: Int
      var kind: Kind
    }

    private enum Kind {
      /// Replaced by these bytes. A copy that differed from `original` still differs in the extract.
      case bytes(Bytes, original: Bytes? = nil)
      case kept
      case zeros
      case digits
      /// An address to be replaced; `text` contains its characters if it is written as text.
      case address(IPAddress, text: Bytes?)

      func joins(_ next: Kind) -> Bool {
        switch (self, next) {
        case (.zeros, .zeros), (.kept, .kept): true
        default: false
        }
      }
    }

    private var runs: [Run] = []

    /// The most recent segments that were redacted.
    private var leftOut: [(start: SequenceNumber, count: Int)] = []

    private var anchor: (sequence: SequenceNumber, position: Int)?
  }
}

extension ConnectionMap.Flow {
  init(_ layout: ConnectionLayout, _ direction: Direction) {
    anchor = layout.anchors[direction]
    for part in layout.parts[direction] where part.run.count > 0 {
      let kind: Kind
      switch part.run {
      case .head(let bytes): kind = .bytes(HTTPReduction.reduced(bytes), original: bytes)
      case .replaced(let bytes): kind = .bytes(bytes)
      case .address(let address): kind = .address(address, text: nil)
      case .addressText(let address, let bytes): kind = .address(address, text: bytes)
      case .framing, .other: kind = .kept
      case .content, .misread: kind = .zeros
      case .secret: kind = .digits
      }
      if let last = runs.last, last.position + last.count == part.position, last.kind.joins(kind) {
        runs[runs.count - 1].count += part.run.count
      } else {
        runs.append(Run(position: part.position, count: part.run.count, kind: kind))
      }
    }
  }

  /// Replaces addresses by their pseudonyms.
  mutating func hideAddresses(by anonymizer: inout Anonymizer) {
    for index in runs.indices {
      guard case .address(let address, let text) = runs[index].kind else { continue }
      let replaced = anonymizer.replacement(of: address)
      guard replaced != address else { continue }
      // A textual pseudonym might not have the same length. An address with 1 for every digit does, and is valid.
      runs[index].kind = .bytes(
        text.map { Bytes($0.map { isHexadecimalDigit($0) ? UInt8(ascii: "1") : $0 }) } ?? replaced.bytes)
    }
  }

  /// The number of segments that two endpoints may send before they change protocols, and then retransmit.
  private static let maximumLeftOutCount = 64

  mutating func noteLeftOut(_ count: Int, at start: SequenceNumber) {
    if let last = leftOut.last, last.start.advanced(by: last.count) == start {
      leftOut[leftOut.count - 1].count += count
      return
    }
    if leftOut.count == Self.maximumLeftOutCount { leftOut.removeFirst() }
    leftOut.append((start, count))
  }

  /// Zeros bytes that were redacted earlier, up to `end`.
  func leaveOutAgain(_ result: inout Bytes, at start: SequenceNumber, before end: SequenceNumber?) {
    for part in leftOut {
      let first = start.distance(to: part.start)
      var last = min(first + part.count, result.count)
      if let end { last = min(last, start.distance(to: end)) }
      for index in max(0, first)..<max(0, first, last) { result[index] = 0 }
    }
  }

  /// The payload with every byte zeroed that no reader has classified.
  func reduced(_ payload: Bytes, at sequence: SequenceNumber) -> Bytes {
    var result = Bytes(repeating: 0, count: payload.count)
    guard let anchor else { return result }
    let start = anchor.position + anchor.sequence.distance(to: sequence)
    // The last run that begins at or before the first byte.
    var index = max(0, runs.partitioningIndex { $0.position > start } - 1)
    while index < runs.count, runs[index].position < start + payload.count {
      apply(runs[index], payload, to: &result, from: start)
      index += 1
    }
    return result
  }

  private func apply(_ run: Run, _ payload: Bytes, to result: inout Bytes, from start: Int) {
    let first = max(0, run.position - start)
    let end = min(result.count, run.position + run.count - start)
    guard first < end else { return }
    for index in first..<end {
      switch run.kind {
      case .kept, .address: result[index] = payload[index]
      case .bytes(let bytes, let original):
        let offset = start + index - run.position
        let isSame = original.map { $0[offset] == payload[index] } ?? true
        result[index] = isSame ? bytes[offset] : bytes[offset] ^ 0x80
      case .zeros: result[index] = 0
      case .digits: result[index] = 0x30
      }
    }
  }
}
