import ByteParsing

/// The separators between the members of an object or the elements of an array: commas and line feeds.
struct JSONScope {
  private var isEmpty = true
  private var breaksLine = false
  private var indent = 0

  /// Requests a line feed before the next member, element or closing bracket of the scope.
  mutating func breakLine(indent: Int) {
    breaksLine = true
    self.indent = indent
  }

  /// Appends the separator before the next member or element.
  mutating func separate(in output: inout Bytes) {
    if !isEmpty { output.append(UInt8(ascii: ",")) }
    isEmpty = false
    appendLineBreak(to: &output)
  }

  mutating func close(_ bracket: Unicode.Scalar, in output: inout Bytes) {
    appendLineBreak(to: &output)
    output.append(UInt8(ascii: bracket))
  }

  private mutating func appendLineBreak(to output: inout Bytes) {
    guard breaksLine else { return }
    breaksLine = false
    output.append(UInt8(ascii: "\n"))
    for _ in 0..<indent { output.append(UInt8(ascii: " ")) }
  }
}
