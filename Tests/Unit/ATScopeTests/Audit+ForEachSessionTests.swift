import ATSEvaluation
import ATScope
import TestFiles
import SessionModel
import Testing

/// Tests reading sessions one at a time, and judging them again.
@Suite struct AuditForEachSessionTests {
  private static let several = Repository.path("captures/variants/hosts/several-hosts.pcap")

  private static func names(_ sessions: [JudgedSession]) -> [String] {
    sessions.map { "\($0.session.firstFrame) \($0.session.serverName ?? "") \($0.verdict)" }
  }

  @Test func `forEachSession passes the same sessions that an audit returns`() throws {
    let options = AuditOptions(paths: [Self.several])
    let expected = try Audit(options).sessions()
    #expect(expected.count > 1)
    var streamed: [JudgedSession] = []
    let outcome = Audit(options).forEachSession { streamed.append($0) }
    try outcome.requireComplete()
    #expect(Self.names(streamed) == Self.names(expected))
    #expect(outcome.judged == expected.count)
    #expect(outcome.summary.sessions == expected.count)
    #expect(outcome.summary.verdicts?.fail == expected.count { $0.verdict == .fail })
  }

  @Test func `the summary counts the sessions of hosts that are not selected`() throws {
    var options = AuditOptions(paths: [Self.several])
    let all = try Audit(options).sessions().count
    options.hosts = ["nosuch.example"]
    let outcome = Audit(options).run().outcome
    #expect(outcome.summary.sessions == 0)
    #expect(outcome.summary.notShown == all)
    #expect(Diagnosis(options).run().text().contains("no sessions were selected"))
  }

  @Test func `settings from memory stay separate even if they have the same name`() throws {
    var options = AuditOptions(paths: ["captures/variants/process/process-blocks.pcapng"])
    let process = try #require(try Audit(options).sessions().lazy.compactMap(\.session.process?.name).first)
    try options.judging.programs.assign(AppPolicy(settings: [:]))
    try options.judging.programs.assign(AppPolicy(settings: ["NSAllowsArbitraryLoads": true]), to: process)
    let sessions = try Audit(options).sessions()
    #expect(sessions.contains { $0.session.process?.name == process })
    for session in sessions {
      #expect(session.judgement.policy.requiresHTTPS == (session.session.process?.name != process))
    }
  }

  @Test func `an interrupted run ends with a fault that says so`() {
    var options = AuditOptions(paths: [Self.several])
    options.reading.isInterrupted = { true }
    let outcome = Audit(options).run().outcome
    #expect(outcome.faults.map(\.file) == [Self.several])
    #expect(outcome.faults.allSatisfy { $0.description.contains("interrupted") })
    #expect(outcome.summary.sessions == 0)
  }

  private struct Enough: Error {}

  @Test func `reading ends with the caller's error`() {
    var count = 0
    #expect(throws: Enough.self) {
      _ = try Audit(AuditOptions(paths: [Self.several])).forEachSession { _ throws(Enough) in
        count += 1
        throw Enough()
      }
    }
    #expect(count == 1)
  }

  @Test(arguments: ["captures/no-such.pcap", "README.md", "captures/variants/format/cut-at-end.pcap"])
  func `an input that cannot be read to its end is an error`(path: String) {
    let options = AuditOptions(paths: [path])
    #expect(throws: IncompleteRunError.self) { try Audit(options).sessions() }
    let outcome = Audit(options).forEachSession { _ in }
    #expect(throws: IncompleteRunError.self) { try outcome.requireComplete() }
  }

  @Test func `the error lists every input that cannot be read`() throws {
    let options = AuditOptions(paths: ["captures/no-such.pcap", Self.several, "README.md"])
    let error = #expect(throws: IncompleteRunError.self) { try Audit(options).sessions() }
    #expect(error?.faults.map(\.file) == ["captures/no-such.pcap", "README.md"])
    #expect(error?.faults == Audit(options).run().outcome.faults)
    let lines = try #require(error?.faults).map(\.description)
    #expect(error?.description == lines.joined(separator: "; "))
  }

  @Test func `judging sessions again with other settings gives the same verdicts as an audit with them`() throws {
    var options = AuditOptions(paths: ["captures/demo/demo.pcapng"])
    options.judging.anchors = try TrustAnchors(added: ["captures/anchors/example-ca.pem"])
    let before = try Audit(options).sessions()
    options.judging.programs = AppPolicies(
      try AppPolicy(settings: [
        "NSExceptionDomains": ["legacy.example.com": ["NSExceptionMinimumTLSVersion": "TLSv1.0"]]
      ]))
    let expected = try Audit(options).sessions()
    #expect(Self.names(before) != Self.names(expected))
    var judge = SessionJudge(options.judging)
    var again: [JudgedSession] = []
    for session in before { again.append(judge.judge(session.session)) }
    #expect(Self.names(again) == Self.names(expected))
  }
}
