import SessionRecords
import Testing

@Suite struct NamedCountTests {
  @Test(arguments: [
    ("packet{s}", "packet", "packets"),
    ("address{es} whose name{s} {was|were} evicted", "address whose name was evicted", "addresses whose names were evicted"),
    ("{a |}chain{s} that fit{s|}", "a chain that fits", "chains that fit"), ("IP", "IP", "IP"), ("", "", ""),
  ])
  func `words in braces depend on the count`(words: String, one: String, many: String) {
    for (count, text) in [(0, many), (1, one), (2, many)] as [(UInt64, String)] {
      #expect(NamedCount("name", words, count: count).text == text)
    }
  }
}
