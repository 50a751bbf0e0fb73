import ByteParsing
import Reassembly
import Values

extension ConnectionMap {
  /// The content of the bytes of one direction, as far as they were classified.
  struct Flow {
    private var parts: [ConnectionLayout.Part]

    /// The most recent segments that were redacted.
    private var leftOut: [(start: SequenceNumber, count: Int)] = []

    private let anchor: (sequence: SequenceNumber, position: Int)?

    init(_ layout: ConnectionLayout, _ direction: Direction) {
      parts = layout.parts[direction]
      anchor = layout.anchors[direction]
    }
  }
}

extension ConnectionMap.Flow {
  /// Replaces addresses by their pseudonyms.
  mutating func hideAddresses(by anonymizer: inout Anonymizer) {
    for index in parts.indices {
      guard case .address(let address, let text) = parts[index].replacement else { continue }
      let replaced = anonymizer.replacement(of: address)
      guard replaced != address else { continue }
      // A textual pseudonym might not have the same length. An address with 1 for every digit does, and is valid.
      parts[index].replacement = .bytes(
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
    // The last part that begins at or before the first byte.
    var index = max(0, parts.partitioningIndex { $0.position > start } - 1)
    while index < parts.count, parts[index].position < start + payload.count {
      apply(parts[index], payload, to: &result, from: start)
      index += 1
    }
    return result
  }

  private func apply(_ part: ConnectionLayout.Part, _ payload: Bytes, to result: inout Bytes, from start: Int) {
    let first = max(0, part.position - start)
    let end = min(result.count, part.position + part.count - start)
    guard first < end else { return }
    for index in first..<end {
      switch part.replacement {
      case .same, .address: result[index] = payload[index]
      case .bytes(let bytes, let original):
        let offset = start + index - part.position
        let isSame = original.map { $0[offset] == payload[index] } ?? true
        result[index] = isSame ? bytes[offset] : bytes[offset] ^ 0x80
      case .zeros: result[index] = 0
      case .digits: result[index] = 0x30
      }
    }
  }
}
