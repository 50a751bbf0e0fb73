import ByteParsing
import SessionRecords
import Testing

@testable import ReportFormats

@Suite struct AuditSnapshotTests {
  @Test func `a baseline is read with as many hosts as are written, and with any number of inputs`() throws {
    // One more than a list may have elsewhere.
    let count = 65_537
    let inputs = repeatElement("\"a\"", count: count).joined(separator: ",")
    let hosts = (0..<count).map { number in
      """
      {"host":"\(number)","port":443,"process":null,"verdicts":{"fail":0,"unknown":0,"exempt":0,"pass":1,"relaxed":0},\
      "rules":{},"versions":[],"cipherSuites":[],"groups":[],"chains":[],"pins":[],"issuers":[],"trust":[],"outcomes":[]}
      """
    }
    let text = #"{"schema":"atscope.baseline/1","run":{"inputs":[\#(inputs)]},"hosts":[\#(hosts.joined(separator: ","))]}"#
    let snapshot = try AuditSnapshot(reading: Bytes(text.utf8).span)
    #expect(snapshot.order.count == count)
    #expect(snapshot.run?.inputs.count == count)
  }
}
