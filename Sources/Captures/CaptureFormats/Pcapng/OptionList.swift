import ByteParsing

/// Iterates over the options of a block, or the records of a Name Resolution Block, which have the same format.
///
///     +---------------+---------------+---------------+---------------+
///     |             type              |            length             |
///     |                 value, padded to four bytes                   |
///     +---------------+---------------+---------------+---------------+
struct OptionList {
  /// One option: its code and the range of its value.
  struct Item {
    let code: UInt16
    let start: Int
    let count: Int
  }

  /// The index of the next option, or after the end marker once that was read.
  private(set) var position: Int

  /// The index after the list.
  let end: Int

  /// Whether an option extended beyond the end.
  private(set) var isMalformed = false

  private var hasEnded = false

  init(from position: Int, to end: Int) {
    self.position = position
    self.end = end
  }

  /// The next option; nil after the last, with or without an end marker.
  mutating func next(in bytes: RawSpan, _ byteOrder: ByteOrder) -> Item? {
    let room = end - position - 4
    guard !hasEnded, room >= 0 else {
      if !hasEnded, position != end { isMalformed = true }
      return nil
    }
    let code = bytes.uint16(at: position, byteOrder)
    let count = Int(bytes.uint16(at: position + 2, byteOrder))
    if code == OptionCode.endOfOptions {
      hasEnded = true
      position += 4
      return nil
    }
    guard count <= room else {
      isMalformed = true
      hasEnded = true
      return nil
    }
    let start = position + 4
    // The last value may lack its padding.
    position = min(start + (count + 3) / 4 * 4, end)
    return Item(code: code, start: start, count: count)
  }
}

extension RawSpan {
  /// A text in a file: up to the first zero byte, and at most `CaptureLimits.textLength` bytes.
  func text(at start: Int, count: Int) -> String {
    var text = Bytes()
    for index in start..<(start + min(count, CaptureLimits.textLength)) {
      let byte = byte(index)
      if byte == 0 { break }
      text.append(byte)
    }
    return String(decoding: text, as: UTF8.self)
  }
}
