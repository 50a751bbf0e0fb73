import ByteParsing
import PropertyLists
import Testing

@Suite struct XMLPropertyListWriterTests {
  private func text(_ value: PropertyListValue) -> String? {
    value.xml().map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `a dictionary has the layout of Apple's tools`() {
    let value = PropertyListValue.dictionary(
      PropertyListDictionary([
        ("b", .boolean(true)), ("a", .dictionary(PropertyListDictionary())),
        ("list", .array([.string("<&>"), .integer(-3), .array([])])),
      ]))
    #expect(
      text(value) == """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \t<key>b</key>
        \t<true/>
        \t<key>a</key>
        \t<dict/>
        \t<key>list</key>
        \t<array>
        \t\t<string>&lt;&amp;&gt;</string>
        \t\t<integer>-3</integer>
        \t\t<array/>
        \t</array>
        </dict>
        </plist>

        """)
  }

  @Test func `a written property list is read as the same value`() throws {
    let value = PropertyListValue.dictionary(
      PropertyListDictionary([
        ("ü\n\t]]>\r", .string("a\rb\"'")), ("", .boolean(false)), ("\u{10FFFD}", .integer(0)),
        ("nested", .array([.dictionary(PropertyListDictionary([("x", .string(""))]))])),
      ]))
    let bytes = try #require(value.xml())
    let isSame = try PropertyList(reading: bytes).root == value
    #expect(isSame)
  }

  @Test(arguments: [
    ("a\u{7F}b", "a&#x7F;b"), ("\u{9B}", "&#x9B;"), ("x\u{202E}y", "x&#x202E;y"), ("\u{2066}", "&#x2066;"),
    ("\u{200B}", "&#x200B;"), ("ü", "ü"),
  ])
  func `characters that hide or reorder text are written as character references`(text: String, written: String) throws {
    let value = PropertyListValue.string(text)
    #expect(try #require(self.text(value)).contains("<string>\(written)</string>"))
    let isSame = try PropertyList(reading: #require(value.xml())).root == value
    #expect(isSame)
  }

  @Test(arguments: ["\u{0}", "\u{1B}", "\u{FFFE}", "\u{FFFF}"])
  func `text that XML forbids is not written`(text: String) {
    #expect(PropertyListValue.string(text).xml() == nil)
    #expect(PropertyListValue.dictionary(PropertyListDictionary([(text, .boolean(true))])).xml() == nil)
  }

  @Test func `values of types that ATS settings do not use are not written`() {
    for value in [PropertyListValue.null, .uid(1), .date(0), .data([1]), .real(1), .set([])] {
      #expect(PropertyListValue.array([value]).xml() == nil)
    }
  }

  @Test func `nesting beyond the depth limit of the reader is not written`() {
    var value = PropertyListValue.array([])
    for _ in 0..<(PropertyListLimits.depth + 1) { value = .array([value]) }
    #expect(value.xml() == nil)
  }
}
