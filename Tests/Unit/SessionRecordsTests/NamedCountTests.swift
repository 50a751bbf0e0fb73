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

  @Test func `a sum has the first details of all counts, one more than the text lists`() {
    let counts = (0..<20).map { index in
      var count = NamedCount("name", "datagram{s}", count: 1)
      count.details = index < 2 ? ["Q050"] : ["Q\(index)"]
      return count
    }
    #expect(NamedCount.sums(of: Array(counts.prefix(3))).map(\.text) == ["datagrams (Q050, Q2)"])
    let all = NamedCount.sums(of: counts)
    #expect(all.map(\.count) == [20])
    #expect(all.first?.details.count == 17)
    #expect(all.first?.text.hasSuffix("Q15, Q16, …)") == true)
  }
}
