import SessionRecords
import Testing

@testable import Reporting

@Suite struct RepeatedMessagesTests {
  @Test func `similar messages are one line with a count`() {
    let faults = (1...20).map { "\($0)/a.pcap: a record of \($0) bytes where 4 are left" }
    #expect(
      RepeatedMessages.grouped(faults + ["b.pcap: is empty"]) == [
        "1/a.pcap: a record of 1 bytes where 4 are left (and 19 more like this)", "b.pcap: is empty",
      ])
  }

  @Test func `a few messages are listed one by one`() {
    let faults = (1...8).map { "\($0).pcap: is empty" }
    #expect(RepeatedMessages.grouped(faults) == faults)
  }

  @Test func `counts with the same name are summed, in order of first appearance`() {
    let counts = [
      NamedCount("a", "packet{s}", count: 1),
      NamedCount("b", "byte{s}", count: 0),
      NamedCount("c", "file{s}", count: 2),
      NamedCount("a", "packet{s}", count: .max),
    ]
    #expect(NamedCount.sums(of: counts).map(\.name) == ["a", "c"])
    #expect(NamedCount.sums(of: counts).map(\.count) == [.max, 2])
  }

  @Test func `with many kinds of counts the text lists some and counts the others`() {
    let counts = (0..<40).map {
      NamedCount("unknownLinkType.\($0)", "packet{s} of unknown link type \($0)", count: 2)
    }
    #expect(
      Wording.counts(counts)?.hasSuffix("type 29, and 20 of 10 more kinds: --format json lists them") == true)
  }
}
