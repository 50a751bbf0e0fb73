import ByteParsing
import SeededRandom
import SessionRecords
import Testing
import Values

@Suite struct DisplayTextTests {
  @Test(arguments: [
    ("plain.example", "plain.example"), ("", ""), ("a\u{1B}[0m", "a\\x1b[0m"), ("\u{0}\u{7F}", "\\x00\\x7f"),
    ("\u{85}", "\\u{85}"), ("\u{202E}abc", "\\u{202e}abc"),
    (
      "\u{2066}\u{2069}\u{200E}\u{200F}\u{61C}",
      "\\u{2066}\\u{2069}\\u{200e}\\u{200f}\\u{61c}"
    ), ("C:\\x41", "C:\\\\x41"), ("é日本😀", "é日本😀"),
    ("\u{2028}\u{FEFF}", "\\u{2028}\\u{feff}"), ("\u{10FF80}\u{10FFFF}", "\\x80\\xff"),
  ])
  func `characters that could mislead a reader are escaped, and no others`(text: String, shown: String) {
    #expect(DisplayText.escaped(text) == shown)
    #expect(DisplayText.unescaped(shown) == text)
  }

  @Test func `a name that shows nothing is in quotes`() {
    #expect(["", " ", "a b", "\u{7F}"].map(DisplayText.name) == ["''", "' '", "a b", "\\x7f"])
  }

  @Test(arguments: [
    "\\", "a\\", "\\q", "\\x", "\\x1", "\\xg0", "\\x41", "\\X1B", "\\x1B", "\\u", "\\u{", "\\u{}",
    "\\u{41}", "\\u{202e", "\\u{1000000}", "\\u{d800}", "\\u{202E}", "\\u202e", "\\u{0202e}",
  ])
  func `an escape that the writer does not produce is rejected`(text: String) {
    #expect(DisplayText.unescaped(text) == nil)
  }

  @Test func `invalid UTF-8 is escaped byte by byte`() {
    #expect(DisplayText.escaped(InputText.string(decoding: [0x61, 0xFF, 0xC3, 0x28])) == "a\\xff\\xc3(")
    #expect(DisplayText.escaped(InputText.string(decoding: [0xE2, 0x82])) == "\\xe2\\x82")
    #expect(DisplayText.escaped(InputText.string(decoding: [0xED, 0xA0, 0x80])) == "\\xed\\xa0\\x80")
    #expect(InputText.string(decoding: "zoë 日本".utf8) == "zoë 日本")
  }

  @Test func `any text can be unescaped, and its escaped form has no control character`() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<TestEffort.rounds(20_000) {
      let bytes = SampleSessions.bytes(&random, 24)
      let text = random.once(in: 2) ? InputText.string(decoding: bytes) : SampleSessions.text(&random)
      let shown = DisplayText.escaped(text)
      #expect(DisplayText.unescaped(shown).map { Array($0.utf8) } == Array(text.utf8))
      #expect(shown.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
      #expect(!shown.unicodeScalars.contains { (0x202A...0x202E).contains($0.value) || $0.value == 0xFFFD })
    }
  }

  @Test func `bytes decoded as text can be recovered`() {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<TestEffort.rounds(20_000) {
      let bytes = SampleSessions.bytes(&random, 16)
      var back = Bytes()
      for scalar in InputText.string(decoding: bytes).unicodeScalars {
        if (0x10FF80...0x10FFFF).contains(scalar.value) {
          back.append(UInt8(scalar.value & 0xFF))
        } else {
          back.append(contentsOf: String(scalar).utf8)
        }
      }
      #expect(back == bytes)
    }
  }
}
