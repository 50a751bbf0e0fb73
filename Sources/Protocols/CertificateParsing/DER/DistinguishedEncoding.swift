/// Whether lengths and BOOLEANs are written as DER asks (X.690 §10.1, §11.1): the first element, and all that constructed
/// ones hold. What is truncated or has no length is for those to tell who read it.
func isDistinguished(_ bytes: Span<UInt8>) -> Bool {
  // A constructed element's contents follow its header, so that one pass from header to header meets everything.
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

/// Where the parts of an element lie, all of which is there.
private struct ElementHeader {
  var tag: UInt8
  var contents: Range<Int>
  /// Whether the length is in the shortest form.
  var isShortest = true

  /// Nil where not all of the element is there, or its length is not told.
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
