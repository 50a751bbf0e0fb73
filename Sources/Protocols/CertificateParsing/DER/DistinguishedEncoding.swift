import ByteParsing

/// Whether lengths and BOOLEANs are encoded as DER requires (X.690 §10.1, §11.1), in the first element and everything within it. Truncated
/// elements and indefinite lengths are reported elsewhere: they give `ifUnreadable`.
func isDistinguished(_ bytes: Span<UInt8>, ifUnreadable: Bool = true) -> Bool {
  // The contents of a constructed element follow its header, so one pass from header to header visits everything.
  var start = 0
  var end = bytes.count
  while start < end {
    var reader = DERReader(bytes.extracting(start..<bytes.count), base: start)
    guard let element = try? reader.next("element") else { return ifUnreadable }
    guard element.hasShortestLength else { return false }
    if start == 0 { end = reader.offset }
    if element.tag == Tag.boolean {
      guard element.bytes.count == 1, [0x00, 0xFF].contains(element.bytes[0]) else { return false }
    }
    start = element.tag & 0x20 == 0 ? reader.offset : element.contents.offset
  }
  return true
}
