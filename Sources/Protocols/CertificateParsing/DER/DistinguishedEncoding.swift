/// Whether lengths and BOOLEANs are encoded as DER requires (X.690 §10.1, §11.1), in the first element and everything within it. Truncated
/// elements and indefinite lengths are reported elsewhere.
func isDistinguished(_ bytes: Span<UInt8>) -> Bool {
  // The contents of a constructed element follow its header, so one pass from header to header visits everything.
  var index = 0
  var end: Int?
  while index < end ?? bytes.count {
    guard let header = ElementHeader(in: bytes, at: index) else { return true }
    guard header.isShortest else { return false }
    let after = header.contents.lowerBound + header.contents.count
    end = end ?? after
    if header.tag == Tag.boolean {
      guard header.contents.count == 1, [0x00, 0xFF].contains(bytes[header.contents.lowerBound]) else {
        return false
      }
    }
    index = header.tag & 0x20 == 0 ? after : header.contents.lowerBound
  }
  return true
}

/// The ranges of an element's parts; the element is complete.
private struct ElementHeader {
  var tag: UInt8
  var contents: Range<Int>
  /// Whether the length is in the shortest form.
  var isShortest = true

  /// Nil if the element is truncated, or has an indefinite length.
  init?(in bytes: Span<UInt8>, at start: Int) {
    tag = bytes[start]
    var index = start + 1
    if tag & 0x1F == 0x1F {
      while index < bytes.count, bytes[index] & 0x80 != 0 { index += 1 }
      index += 1
    }
    guard index < bytes.count else { return nil }
    let first = bytes[index]
    index += 1
    var length = Int(first)
    if first >= 0x80 {
      let lengthBytes = Int(first & 0x7F)
      guard lengthBytes > 0, lengthBytes <= bytes.count - index else { return nil }
      length = 0
      for position in 0..<lengthBytes {
        length = length << 8 | Int(bytes[index + position])
        guard length <= bytes.count else { return nil }
      }
      isShortest = bytes[index] != 0 && length >= 0x80
      index += lengthBytes
    }
    guard length <= bytes.count - index else { return nil }
    contents = index..<(index + length)
  }
}
