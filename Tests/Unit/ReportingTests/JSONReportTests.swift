import ByteParsing
import Reporting
import ReportSamples
import SessionRecords
import Testing

@Suite struct JSONReportTests {
  @Test func `the JSON report is one object that contains the records`() {
    var report = JSONReport()
    var bytes = Bytes()
    let session = Samples.session("api.example.com")
    var encoder = SessionEncoder()
    var record = Bytes()
    encoder.append(session, Samples.failing, to: &record)
    var run = Bytes()
    run.appendJSON(Samples.run())
    var summary = Bytes()
    summary.appendJSON(Samples.summary())
    var hosts = HostCollector()
    report.begin(Samples.run(), to: &bytes)
    for _ in 0..<2 {
      report.append(session, Samples.failing, to: &bytes)
      hosts.add(session, Samples.failing)
    }
    report.end(hosts, Samples.summary(), to: &bytes)
    let host = """
      {"host":"api.example.com","port":443,"verdict":"fail","best":"fail","relaxed":false,"sessions":2,\
      "verdicts":{"fail":2,"unknown":0,"exempt":0,"pass":0,"relaxed":0},"score":12,"bestScore":12,\
      "failingRules":["ATS-TLS-VERSION","ATS-CERT-DATES"]}
      """
    let line = String(decoding: record, as: UTF8.self)
    #expect(
      String(decoding: bytes, as: UTF8.self) == """
        {"run":\(String(decoding: run, as: UTF8.self)),
        "sessions":[
        \(line),
        \(line)
        ],
        "hosts":[
        \(host)
        ],
        "summary":\(String(decoding: summary, as: UTF8.self))}

        """)
  }
}
