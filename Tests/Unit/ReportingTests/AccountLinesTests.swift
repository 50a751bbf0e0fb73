import SessionRecords
import Testing

@testable import Reporting

@Suite struct AccountLinesTests {
  @Test func `a count of unread packets is a line, a count of remarks is not`() {
    var input = InputSummary(file: "a.pcap", kind: .capture, format: "pcap")
    input.health = [
      NamedCount(
        "undecodable.encrypted-esp", "packet{s} encrypted by IPsec", count: 1200, meaning: .notRead),
      NamedCount("fragments", "IP fragment{s}", count: 3, meaning: .remark),
    ]
    input.limits = [
      NamedCount("heldBytes", "gap{s} given up", count: 1, meaning: .notRead)
    ]
    var summary = SummaryRecord()
    #expect(AccountLines.lines(of: summary).isEmpty)
    summary.inputs = [input, input]
    #expect(
      AccountLines.lines(of: summary) == [
        "not read: 2,400 packets encrypted by IPsec", "limits reached: 2 gaps given up",
      ])
  }

  @Test func `a count of one is in the singular`() {
    let count = NamedCount("notIP", "packet{s} that {is|are} not IP", count: 1)
    #expect(Wording.counts([count]) == "1 packet that is not IP")
    #expect(Wording.counts([count, count]) == "2 packets that are not IP")
  }
}
