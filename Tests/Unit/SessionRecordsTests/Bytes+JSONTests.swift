import ByteParsing
import SeededRandom
@testable import SessionRecords
import Testing
import Values

@Suite struct BytesJSONTests {
  private func text(_ write: (inout Bytes) -> Void) -> String {
    var bytes = Bytes()
    write(&bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: [0, 9, 10, 99, 100, 12_345, 18_446_744_073_709_551_615] as [UInt64])
  func `numbers are written in decimal`(number: UInt64) {
    #expect(text { $0.appendJSON(number) } == String(number))
  }

  @Test func `negative numbers have their sign`() {
    #expect(text { $0.appendJSON(-1200) } == "-1200")
    #expect(text { $0.appendJSON(Int.min) } == String(Int.min))
  }

  @Test func `text from inputs is escaped twice, the program's own text once`() {
    #expect(text { $0.appendJSONText("a\"\\\u{1B}") } == "\"a\\\"\\\\\\\\\\\\x1b\"")
    #expect(text { $0.appendJSONString("a\"\\\u{1B}") } == "\"a\\\"\\\\\\u001b\"")
  }

  @Test func `commas separate members and elements`() {
    let written = text {
      $0.appendObject { json in
        json.number("a", 1)
        json.numbers("b", [1, 2])
      }
    }
    #expect(written == "{\"a\":1,\"b\":[1,2]}")
  }

  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ])
  func `base64 agrees with RFC 4648`(plain: String, encoded: String) {
    #expect(text { Base64.append(Bytes(plain.utf8), to: &$0) } == encoded)
    #expect(Base64.decode(Bytes(encoded.utf8).span) == Bytes(plain.utf8))
  }

  @Test(arguments: ["Z", "Zg", "Zg=", "Zh==", "Zm9=", "=m8=", "Zm8!", "Zg==Zg==", "====", "Zm 8="])
  func `invalid and noncanonical base64 is rejected`(encoded: String) {
    #expect(Base64.decode(Bytes(encoded.utf8).span) == nil)
  }

  @Test func `base64 of any bytes decodes to the same bytes`() {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<3000 {
      let bytes = SampleSessions.bytes(&random, 40)
      var encoded = Bytes()
      Base64.append(bytes, to: &encoded)
      #expect(Base64.decode(encoded.span) == bytes)
    }
  }
}
