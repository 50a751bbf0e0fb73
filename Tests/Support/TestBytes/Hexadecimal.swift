package import ByteParsing

/// Parses hexadecimal digits; spaces and line breaks are ignored.
package func hex(_ text: String) -> Bytes {
  let digits = text.compactMap(\.hexDigitValue)
  var bytes = Bytes()
  for index in stride(from: 0, to: digits.count - 1, by: 2) {
    bytes.append(UInt8(digits[index] << 4 | digits[index + 1]))
  }
  return bytes
}
