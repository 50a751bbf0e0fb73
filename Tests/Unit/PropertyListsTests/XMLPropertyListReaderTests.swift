import ByteParsing
import PropertyLists
import Testing

@Suite struct XMLPropertyListReaderTests {
  static func plist(_ body: String, head: String = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n") -> Bytes {
    Bytes((head + "<plist version=\"1.0\">\(body)</plist>\n").utf8)
  }

  static let appleDoctype =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
    + "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n"

  @Test(arguments: [
    ("<true/>", PropertyListValue.boolean(true)),
    ("<false></false>", .boolean(false)),
    ("<integer>1</integer>", .integer(1)),
    ("<integer> -0x10 </integer>", .integer(-16)),
    ("<integer>-9223372036854775808</integer>", .integer(PropertyListInteger(Int64.min))),
    ("<integer>18446744073709551615</integer>", .integer(PropertyListInteger(UInt64.max))),
    ("<real>1</real>", .real(1)),
    ("<real>-2.5e3</real>", .real(-2500)),
    ("<string></string>", .string("")),
    ("<string/>", .string("")),
    ("<string> a&amp;b &#228;<![CDATA[<x>]]></string>", .string(" a&b ä<x>")),
    ("<date>2001-01-01T00:00:01Z</date>", .date(1)),
    ("<data>\n\tq80=\n</data>", .data([0xAB, 0xCD])),
    ("<array/>", .array([])),
    ("<array><true/><!-- between --><string>x</string></array>", .array([.boolean(true), .string("x")])),
    ("<dict/>", .dictionary(PropertyListDictionary())),
    (
      "<dict><key></key><integer>5</integer></dict>", .dictionary(PropertyListDictionary([("", .integer(5))]))
    ),
  ])
  func `each element is read exactly`(body: String, expected: PropertyListValue) throws {
    for head in ["", "<?xml version=\"1.0\"?>", XMLPropertyListReaderTests.appleDoctype, " \n\t"] {
      let list = try PropertyList(reading: XMLPropertyListReaderTests.plist(body, head: head))
      #expect(list.root == expected)
    }
    // Foundation does not require the element plist.
    #expect(try PropertyList(reading: Bytes(body.utf8)).root == expected)
  }

  @Test func `keys and values have their line numbers`() throws {
    let bytes = XMLPropertyListReaderTests.plist(
      "\n<dict>\n<key>a</key>\n\n<true/><key>b\n</key><dict>\n</dict></dict>")
    let dictionary = try #require(try PropertyList(reading: bytes).root.dictionary)
    let a = try #require(dictionary.entry("a"))
    #expect(a.keyLine == 4)
    let b = try #require(dictionary.entry("b\n"))
    #expect(b.keyLine == 6)
  }

  @Test func `lines before the XML declaration count`() throws {
    let bytes = Bytes("\r\n\n\r<?xml version=\"1.0\"?><plist><dict>\n<key>a</key><true/></dict></plist>".utf8)
    #expect(try PropertyList(reading: bytes).root.dictionary?.entry("a")?.keyLine == 5)
    let wrong = Bytes("\n\n<plist>\n<dict><true/></dict></plist>".utf8)
    let error = #expect(throws: PropertyListError.self) { try PropertyList(reading: wrong) }
    #expect(error?.position == .line(4))
  }

  @Test func `the last entry of a repeated key counts, the others are kept separately`() throws {
    let bytes = XMLPropertyListReaderTests.plist(
      "<dict><key>a</key><true/>\n<key>b</key><true/>\n<key>a</key><false/></dict>")
    let dictionary = try #require(try PropertyList(reading: bytes).root.dictionary)
    #expect(dictionary["a"] == .boolean(false))
    #expect(dictionary.entry("a")?.keyLine == 4)
    #expect(dictionary.entries.map(\.key) == ["a", "b"])
    #expect(dictionary.repeated.map(\.keyLine) == [2])
  }

  @Test func `canonically equivalent keys are distinct`() throws {
    let bytes = XMLPropertyListReaderTests.plist("<dict><key>K</key><true/><key>\u{212A}</key><false/></dict>")
    let dictionary = try #require(try PropertyList(reading: bytes).root.dictionary)
    #expect(dictionary.entries.count == 2)
    #expect(dictionary["K"] == .boolean(true))
    #expect(dictionary["\u{212A}"] == .boolean(false))
  }

  @Test(arguments: [true, false], [true, false])
  func `UTF-16 is read in either byte order, with or without a byte order mark`(isLittle: Bool, hasMark: Bool) throws {
    let text = "<plist><string>Grüße €</string></plist>"
    var bytes = Bytes()
    for unit in (hasMark ? [0xFEFF] : []) + Array(text.utf16) {
      let pair = [UInt8(truncatingIfNeeded: unit >> 8), UInt8(truncatingIfNeeded: unit)]
      bytes += isLittle ? pair.reversed() : pair
    }
    #expect(try PropertyList(reading: bytes).root == .string("Grüße €"))
  }

  @Test(arguments: [true, false])
  func `an old-style property list in UTF-16 is recognized as one`(isLittle: Bool) {
    var bytes = Bytes()
    for unit in "\u{FEFF}\n{ a = b; }".utf16 {
      let pair = [UInt8(truncatingIfNeeded: unit >> 8), UInt8(truncatingIfNeeded: unit)]
      bytes += isLittle ? pair.reversed() : pair
    }
    let error = #expect(throws: PropertyListError.self) { try PropertyList(reading: bytes) }
    #expect(error?.reason == .oldStyle)
  }

  @Test func `a byte order mark overrides the declared encoding`() throws {
    let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist><string>ü</string></plist>"
    var utf16: Bytes = [0xFF, 0xFE]
    for unit in text.utf16 {
      utf16 += [UInt8(truncatingIfNeeded: unit), UInt8(truncatingIfNeeded: unit >> 8)]
    }
    #expect(try PropertyList(reading: utf16).root == .string("ü"))
    let utf8 = Bytes([0xEF, 0xBB, 0xBF] + text.utf8)
    #expect(try PropertyList(reading: utf8).root == .string("ü"))
    let latin = Bytes("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><plist><string>".utf8) + [0xFC]
    #expect(try PropertyList(reading: latin + Bytes("</string></plist>".utf8)).root == .string("ü"))
  }

  @Test(arguments: [
    ("<dict><true/></dict>", "without its key"), ("<dict><key>a</key></dict>", "'a' has no value"),
    ("<dict><key>a</key><key>b</key></dict>", "'a' has no value"), ("<key>a</key>", "must contain a value"),
    ("<array><key>a</key></array>", "only contain values"), ("", "has no value"),
    ("<true/><false/>", "more than one value"), ("<plist><true/></plist>", "must contain a value"),
    ("<string><b/></string>", "within the text"), ("<true>yes</true>", "not a value for the element true"),
    ("<integer></integer>", "not a value for the element integer"), ("<integer>1.5</integer>", "integer"),
    ("<integer>18446744073709551616</integer>", "integer"), ("<integer>--1</integer>", "integer"),
    ("<integer>-9223372036854775809</integer>", "integer"), ("<real>one</real>", "element real"),
    ("<date>yesterday</date>", "element date"), ("<date>2001-13-01T00:00:00Z</date>", "element date"),
    ("<null/>", "unknown"), ("<Dict/>", "unknown"), ("text", "text outside"),
    ("<array>text</array>", "text outside"), ("<dict>", "mismatched tag"),
    ("<string>\u{1}</string>", "XML"),
  ])
  func `an invalid element throws its line and a reason`(body: String, reason: String) {
    let error = #expect(throws: PropertyListError.self) {
      try PropertyList(reading: XMLPropertyListReaderTests.plist(body))
    }
    #expect(error?.position == .line(2))
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }

  @Test(arguments: [
    "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><string>&a;</string></plist>",
    "<!DOCTYPE plist [<!ELEMENT plist ANY>]><plist><true/></plist>",
    "<!DOCTYPE plist []><plist><true/></plist>",
    "<!DOCTYPE plist SYSTEM \"file:///etc/passwd\"><plist><string>&a;</string></plist>",
    "<!DOCTYPE plist [<!ENTITY % a SYSTEM \"http://192.0.2.1/a\">%a;]><plist><true/></plist>",
    "<plist><string>&undefined;</string></plist>",
  ])
  func `DTD declarations and entities are rejected`(text: String) {
    let error = #expect(throws: PropertyListError.self) { try PropertyList(reading: Bytes(text.utf8)) }
    #expect(error?.reason == .entity)
  }

  @Test(arguments: [
    ("", PropertyListError.Reason.empty), (" \n\t", .empty), ("{ a = b; }", .oldStyle),
    ("{\"a\": 1}", .oldStyle), ("( a, b )", .oldStyle), ("// comment\n{}", .oldStyle),
    ("\0\0\0\0", .unknownFormat),
    ("%PDF", .unknownFormat), ("bplist", .truncated), ("<plist><true/>", .truncated), ("<", .truncated),
  ])
  func `input in neither format throws a specific reason`(text: String, reason: PropertyListError.Reason) {
    let error = #expect(throws: PropertyListError.self) { try PropertyList(reading: Bytes(text.utf8)) }
    #expect(error?.reason == reason)
  }
}
