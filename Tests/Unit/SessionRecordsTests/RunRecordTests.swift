import ATSEvaluation
import ByteParsing
import JSONReading
import SessionRecords
import Testing
import Values

@Suite struct RunRecordTests {
  private func text(_ write: (inout Bytes) -> Void) -> String {
    var bytes = Bytes()
    write(&bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `a run record contains the inputs, options and assumptions`() {
    var run = RunRecord(toolVersion: "1.0.0", policyVersion: "1", command: "audit")
    run.inputs = ["a\u{1B}.pcap"]
    run.options = [.init("os", .text("ios26.5")), .init("strict", .boolean(true)), .init("jobs", .number(2))]
    run.assumptions = [.init("context", .text("app")), .init("sdk", .null)]
    run.infoPlists = [.init(file: "Info.plist", sha256: "aa", appliesTo: "MyApp")]
    run.roots = .init(kind: .file, count: 2, sha256: "bb")
    run.anchors = [.init(file: "root.pem", sha256: "cc", count: 1)]
    #expect(
      text { $0.appendJSON(run) } == """
        {"schema":"atscope.run/1","tool":"atscope","toolVersion":"1.0.0","policyVersion":"1","command":"audit",\
        "inputs":["a\\\\x1b.pcap"],"options":{"os":"ios26.5","strict":true,"jobs":2},\
        "assumptions":{"context":"app","sdk":null},\
        "infoPlists":[{"file":"Info.plist","sha256":"aa","process":"MyApp"}],\
        "roots":{"kind":"file","version":null,"count":2,"sha256":"bb"},"anchors":[{"file":"root.pem","sha256":"cc","count":1}],\
        "logList":null,"revocations":[],"chains":[]}
        """)
  }

  @Test func `a summary record counts sessions and unread packets`() {
    var summary = SummaryRecord()
    summary.sessions = 3
    summary.hosts = 2
    var verdicts = VerdictCounts()
    verdicts.add(.fail, isRelaxed: false, isRefused: false)
    verdicts.add(.pass, isRelaxed: true, isRefused: false, times: 2)
    summary.verdicts = verdicts
    var input = InputSummary(file: "a.pcap", kind: .capture, format: "pcap")
    input.packets = 9
    input.firstTime = Timestamp(seconds: 0)
    input.interfaces = [.init(name: nil, linkType: 147, linkTypeName: nil)]
    input.health = [
      NamedCount(
        "unknownLinkType.147", "packet{s} of unknown link type 147", count: 2, meaning: .notRead),
      NamedCount("truncatedBySnaplen", "packet{s} cut short", count: 1),
      NamedCount(
        "unknownLinkType.147", "packet{s} of unknown link type 147", count: .max, meaning: .notRead),
    ]
    input.error = .init("cut off", at: 77, isTruncated: true)
    summary.inputs = [input]
    summary.withoutHandshake = [
      .init(server: Endpoint(address: IPAddress(v4: 1), port: 443), connections: 4)
    ]
    #expect(
      text { $0.appendJSON(summary) } == """
        {"schema":"atscope.summary/1","sessions":3,"hosts":2,\
        "verdicts":{"fail":1,"unknown":0,"exempt":0,"pass":2,"relaxed":2},"notShown":0,\
        "inputs":[{"file":"a.pcap","kind":"capture","format":"pcap","bytes":0,"packets":9,"sessions":0,\
        "firstTime":"1970-01-01T00:00:00Z","lastTime":null,\
        "metadata":{"os":null,"hardware":null,"application":null,"comments":[],\
        "interfaces":[{"name":null,"linkType":147,"linkTypeName":null,"snapshotLength":null,"received":null,\
        "dropped":null}]},"health":{"unknownLinkType.147":18446744073709551615,"truncatedBySnaplen":1},\
        "limits":{},"error":{"text":"cut off","offset":77,"cutOff":true}}],\
        "withoutHandshake":[{"server":{"address":"0.0.0.1","port":443},"connections":4}],"limits":{}}
        """)
  }

  @Test func `a run record is read as it was written`() throws {
    var run = RunRecord(toolVersion: "1.0.0", policyVersion: "1", command: "diff")
    run.isRejudgeable = false
    run.inputs = ["a\u{1B}.pcap"]
    run.options = [
      .init("os", .text("ios26.5")), .init("strict", .boolean(true)), .init("jobs", .number(2)), .init("at", .null),
      .init("host", .texts(["*\u{1B}", "b"])),
    ]
    run.assumptions = [.init("context", .text("app")), .init("appleBundle", .boolean(false))]
    run.project = .init(file: ".atscope.json", sha256: "00")
    run.infoPlists = [.init(file: "Info.plist", sha256: "aa", appliesTo: "MyApp")]
    run.roots = .init(kind: .apple, version: "2025072000", count: 2, sha256: "bb")
    run.anchors = [.init(file: "root.pem", sha256: "cc", count: 1)]
    run.intermediates = [.init(file: "ca.pem", sha256: nil)]
    run.logList = .init(file: "apple", sha256: "dd", count: 3, date: "2025-07-20")
    run.revocations = [.init(file: "a.crl", sha256: "ee")]
    run.chains = [.init(file: "b.pem", sha256: "ff", appliesTo: "b.example.com")]
    var bytes = Bytes()
    bytes.appendJSON(run)
    var reader = JSONReader(bytes.span, line: 1)
    #expect(try RunRecord(reading: &reader) == run)
  }
}
