import SessionRecords
import Testing

@Suite struct NamedCountTests {
  @Test(arguments: [
    ("packet{s}", "packet", "packets"),
    ("address{es} whose name{s} {was|were} evicted", "address whose name was evicted", "addresses whose names were evicted"),
    ("{a |}chain{s} that fit{s|}", "a chain that fits", "chains that fit"), ("IP", "IP", "IP"), ("", "", ""),
  ])
  func `words in braces depend on the count`(words: String, one: String, many: String) {
    let count = NamedCount("name", words, count: 1)
    #expect(count == NamedCount("name", one: one, many: many, count: 1))
    #expect(count.text == one)
  }
}
