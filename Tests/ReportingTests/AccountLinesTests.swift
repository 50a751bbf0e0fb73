import SessionRecords
import Testing

@testable import Reporting

@Suite struct AccountLinesTests {
  @Test func `what was not read is a line, and what was only noted is none`() {
    var input = InputSummary(file: "a.pcap", kind: "capture", format: "pcap")
    input.health = [
      NamedCount("undecodable.encrypted-esp", "packets encrypted with IPsec", count: 1200, meaning: .notRead),
      NamedCount("fragments", "IP fragments", count: 3, meaning: .remark),
    ]
    input.limits = [NamedCount("heldBytes", "gaps given up", count: 1, meaning: .notRead)]
    var summary = SummaryRecord()
    #expect(AccountLines.lines(of: summary).isEmpty)
    summary.inputs = [input, input]
    #expect(
      AccountLines.lines(of: summary) == [
        "not read: 2,400 packets encrypted with IPsec", "limits reached: 2 gaps given up",
      ])
  }

  @Test(arguments: [
    ("packets that are not IP", "packet that is not IP"), ("IP fragments", "IP fragment"),
    ("packets with missing fragments", "packet with missing fragments"),
    ("files that are not captures", "file that is no capture"),
    ("fragments that contradict others", "fragment that contradicts others"),
    ("packets that refer to an undescribed process", "packet that names a process without a block"),
  ])
  func `one of something is spoken of as one`(many: String, one: String) {
    #expect(Wording.singular(many) == one)
  }
}
