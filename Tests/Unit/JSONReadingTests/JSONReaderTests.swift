import ByteParsing
import SeededRandom
import TestBytes
import Testing

@testable import JSONReading

@Suite struct JSONReaderTests {
  static let valid = Bytes(
    #"{"a":[true,false,null,-1.5e3,18446744073709551615],"b":{"c":"é\u00e9\n","d":"00ff"},"e":"AQID","f":"0x0303"}"#.utf8)

  /// Reads a JSON object whose members include base64 and a code point.
  static func read(_ bytes: Span<UInt8>) throws(JSONError) {
    var reader = JSONReader(bytes, line: 1)
    try reader.readObject { key, reader throws(JSONError) in
      switch key {
      case "e": _ = try reader.readBase64()
      case "f": _ = try reader.readCodePoint()
      default: try reader.skipValue()
      }
    }
    guard reader.readEnd() else { throw reader.error(.unexpectedByte(try reader.peek())) }
  }

  static func reason(_ text: String, _ read: (inout JSONReader) throws(JSONError) -> Void) -> JSONError.Reason? {
    let bytes = Bytes(text.utf8)
    var reader = JSONReader(bytes.span, line: 1)
    do throws(JSONError) {
      try read(&reader)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test func `a text truncated anywhere throws`() {
    for count in 0..<Self.valid.count {
      let prefix = Bytes(Self.valid.prefix(count))
      #expect(throws: JSONError.self) { try Self.read(prefix.span) }
    }
    #expect(throws: Never.self) { try Self.read(Self.valid.span) }
  }

  @Test func `random and changed bytes never trap, and few are accepted`() {
    let accepted = torment(Self.valid, marks: Bytes("\"\\{}[]:,0-u".utf8)) { bytes in try Self.read(bytes) }
    // A changed byte in a skipped string or number can leave the text valid.
    #expect((500..<6_000).contains(accepted))
  }

  @Test(arguments: [("[", "]"), ("{\"a\":", "}")])
  func `nesting is read up to its limit`(open: String, close: String) {
    for depth in [JSONReader.maximumDepth, JSONReader.maximumDepth + 1, 100_000] {
      let text = String(repeating: open, count: depth) + "0" + String(repeating: close, count: depth)
      let reason = Self.reason(text) { reader throws(JSONError) in try reader.skipValue() }
      #expect(reason == (depth <= JSONReader.maximumDepth ? nil : .tooDeep))
    }
  }

  @Test func `keys and elements are read up to their limits`() {
    for count in [JSONReader.maximumKeyCount, JSONReader.maximumKeyCount + 1] {
      let text = "{" + (0..<count).map { "\"\($0)\":0" }.joined(separator: ",") + "}"
      let reason = Self.reason(text) { reader throws(JSONError) in
        try reader.readObject { _, reader throws(JSONError) in try reader.skipValue() }
      }
      #expect(reason == (count <= JSONReader.maximumKeyCount ? nil : .tooLarge))
    }
    for count in [3, 4] {
      let text = "[" + [String](repeating: "0", count: count).joined(separator: ",") + "]"
      let reason = Self.reason(text) { reader throws(JSONError) in
        try reader.readArray(limit: 3) { reader throws(JSONError) in try reader.skipValue() }
      }
      #expect(reason == (count <= 3 ? nil : .tooLarge))
    }
  }

  @Test(arguments: [
    ("0", UInt64(0)), ("7", 7), ("18446744073709551615", .max), ("18446744073709551616", nil), ("-1", nil), ("01", nil),
    ("1.0", nil), ("1e3", nil), ("", nil), ("x", nil),
  ])
  func `an integer is read if it is canonical and in the range of UInt64`(text: String, expected: UInt64?) {
    let bytes = Bytes(text.utf8)
    var reader = JSONReader(bytes.span, line: 1)
    let value = try? reader.readInteger()
    #expect(value == expected)
  }

  @Test(arguments: [
    (#""a\u00e9\n""#, "aé\n"), (#""\ud83d\ude00""#, "😀"), (#""\ud83d""#, nil), (#""\x""#, nil), (#""a"#, nil), (#""\u00g0""#, nil),
    ("\"a\u{1}\"", nil),
  ])
  func `a string is read if it is valid JSON`(text: String, expected: String?) {
    let bytes = Bytes(text.utf8)
    var reader = JSONReader(bytes.span, line: 1)
    let value = try? reader.readString()
    #expect(value == expected)
  }

  @Test func `invalid UTF-8 and duplicate keys are rejected`() {
    let bytes: Bytes = [0x22, 0xC3, 0x28, 0x22]
    var reader = JSONReader(bytes.span, line: 1)
    let value = try? reader.readString()
    #expect(value == nil)
    let reason = Self.reason(#"{"a":0,"a":0}"#) { reader throws(JSONError) in
      try reader.readObject { _, reader throws(JSONError) in try reader.skipValue() }
    }
    #expect(reason == .duplicateKey)
  }
}
