import ATSEvaluation
import ArgumentParser
import SessionModel
import SessionRecords
import Testing

@testable import ATScope
@testable import ATScopeCommand

/// Tests policy files that are missing or are not of the kind that their option expects.
@Suite struct AuditRequestUnusableFilesTests {
  private static let capture = "captures/tls10/static-rsa.pcap"
  private static let anchors = "captures/anchors/example-ca.pem"

  private func request(_ arguments: [String]) throws -> AuditRequest {
    try AuditCommand.parse([AuditRequestUnusableFilesTests.capture] + arguments).request()
  }

  @Test(arguments: [
    ["--anchors", "no-such.pem"], ["--anchors", "README.md"], ["--system-anchors", "no-such.pem"],
    ["--ct-log-list", "no-such.json", "--no-system-anchors"], ["--ct-log-list", "README.md"],
    ["--revocations", "no-such.crl"], ["--revocations", "README.md"], ["--chain", "no-such.pem"],
    ["--chain", "www.example.com=README.md"], ["--info-plist", "no-such.plist"],
    ["--info-plist", "App=README.md"],
  ])
  func `sessions are judged without an unusable file, and the exit status is 2`(arguments: [String]) throws {
    let request = try request(arguments)
    let audited = Audit(request.options).run()
    let (sessions, outcome) = (audited.sessions, audited.outcome)
    #expect(sessions.map(\.verdict) == [.fail])
    #expect(outcome.faults.count == 1)
    let file = arguments[1].split(separator: "=").last.map(String.init)
    #expect(outcome.summary.inputs.first?.file == file)
    #expect(outcome.summary.inputs.first?.error != nil)
    #expect(outcome.summary.inputs.last?.error == nil)
    #expect(outcome.summary.inputs.map(\.kind) == [.option, .capture])
    #expect(Execution.status(outcome, failures: .standard, isStrict: false) == 2)
  }

  @Test(
    arguments: [
      (["--system-anchors", anchors], "pass"), (["--system-anchors", anchors, "--anchors", "no-such.pem"], "pass"),
      (["--anchors", "no-such.pem", "--anchors", anchors], "pass"),
      (["--system-anchors", "no-such.pem", "--anchors", anchors], "pass"), ([], "fail"), (["--no-system-anchors"], "unknown"),
      (["--anchors", "no-such.pem"], "unknown"), (["--intermediates", "no-such.pem"], "unknown"),
      (["--system-anchors", "no-such.pem", "--anchors", "captures/intercepted/root.pem"], "unknown"),
    ] as [([String], String)])
  func `usable anchors are used, and if one is unusable no chain is rejected`(arguments: [String], outcome: String) throws {
    let session = try #require(Audit(try request(arguments).options).run().sessions.first)
    let finding = session.judgement.findings.first { $0.id == "ATS-CERT-TRUST" }
    #expect(finding.map { "\($0.outcome)" } == outcome)
  }

  @Test func `the name of the roots ends with the unusable files`() throws {
    let options = try request(["--anchors", "no-such.pem", "--anchors", Self.anchors]).options
    #expect(
      options.judging.anchors.name(under: options.judging.assumptions)
        == "Apple, iOS 26.5 (store 2025072000) (not used: no-such.pem)")
    #expect(options.judging.anchors.added.map(\.file) == [Self.anchors])
  }

  @Test func `usable files are used along with unusable ones`() throws {
    let options = try request([
      "--chain", "no-such.pem", "--chain", "example.com=captures/anchors/example-ca.pem",
      "--no-system-anchors",
    ]).options
    #expect(options.unusable.count == 1)
    #expect(options.judging.chains.records.count == 1)
  }

  @Test func `the run record names unusable settings files`() throws {
    let options = try request(["--info-plist", "App=README.md"]).options
    #expect(options.judging.programs.assignments.isEmpty)
    let record = try #require(options.judging.programs.records(under: options.judging.assumptions).first)
    #expect(record.file == "README.md")
    #expect(record.sha256 == nil)
    #expect(record.appliesTo == "App")
  }
}
