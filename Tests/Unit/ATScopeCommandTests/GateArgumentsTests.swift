import ATScope
import ArgumentParser
import ByteParsing
import Foundation
import InfoPlistReading
import Reporting
import SessionRecords
import TestBytes
import TestFiles
import Testing

@testable import ATScopeCommand

/// Tests the gate, which does not pass silently if no session was judged.
@Suite struct GateArgumentsTests {
  private static let sessions = "captures/variants/hosts/several-hosts.pcap"

  private func request(_ arguments: [String]) throws -> AuditRequest {
    try AuditCommand.parse(arguments + ["--no-system-anchors"]).request()
  }

  private func status(_ arguments: [String]) throws -> (status: Int32, warnings: [String]) {
    let request = try request(arguments)
    let outcome = Audit(request.options).write(request.report) { _ in }
    return (
      Execution.status(
        outcome, failures: request.failures.adding(strict: request.isStrict), isStrict: request.isStrict,
        minSessions: request.minSessions), outcome.warnings
    )
  }

  @Test func `a second list of inputs is not dropped silently`() {
    let list = ["--files-from", "a"]
    #expect(throws: (any Error).self) { try AuditCommand.parse(list + list) }
    #expect(throws: Never.self) { try AuditCommand.parse(list) }
  }

  @Test func `a gate record omits options that are not given`() {
    let gate = GateRecord(failOn: "fail", isStrict: true)
    #expect(gate.settings.map(\.name) == ["fail-on", "strict"])
    let dated = GateRecord(failOn: "fail", isStrict: false, minSessions: 1, today: "2027-01-31")
    #expect(dated.settings.map(\.name) == ["fail-on", "strict", "min-sessions", "today"])
  }

  @Test func `an audit without sessions warns, and fails with --strict or --min-sessions 1`() throws {
    let empty = try TemporaryFile(emptyCapture)
    for (arguments, expected) in [
      ([String](), Int32(0)), (["--strict"], 1), (["--min-sessions", "1"], 1), (["--min-sessions", "0"], 0),
      (["--fail-on", "exempt"], 0),
    ] {
      let (status, warnings) = try status([empty.path] + arguments)
      #expect(status == expected, "\(arguments)")
      #expect(warnings.count == 1 && warnings[0].hasPrefix("\(empty.path): no session was judged: "))
    }
  }

  @Test(arguments: [
    ["--host", "nosuch.example"], ["--process", "Nope"], ["--from", "2100-01-01T00:00:00Z"],
  ])
  func `a selection that leaves no session gives a warning, and fails with --strict`(choice: [String]) throws {
    let (relaxed, warnings) = try status([GateArgumentsTests.sessions, "--fail-on", "exempt"] + choice)
    #expect(relaxed == 0)
    #expect(warnings.count == 1)
    let option = try #require(choice.first)
    #expect(warnings.first?.contains("no session was judged: ") == true)
    #expect(warnings.first?.contains(option) == true)
    #expect(try status([GateArgumentsTests.sessions, "--strict", "--fail-on", "exempt"] + choice).status == 1)
  }

  @Test(arguments: [(sessions, true), ("captures/variants/process/pktap.pcap", false)])
  func `a process selected in a capture without process names gives that reason`(capture: String, lacksNames: Bool) throws {
    let (_, warnings) = try status([capture, "--process", "Nope"])
    #expect(warnings.first?.contains("no process names") == lacksNames)
  }

  @Test(arguments: [
    ("captures/anchors/example-ca.pem", ["captures/intercepted/through-proxy.pcap"], true),
    ("captures/intercepted/root.pem", ["captures/intercepted/through-proxy.pcap", "captures/intercepted/without-proxy.pcap"], false),
    ("captures/anchors/example-ca.pem", ["captures/http/many-hosts.pcap"], false),
  ])
  func `added anchors at which no chain ends give a warning if a chain is untrusted`(
    anchors: String, captures: [String], warns: Bool
  ) throws {
    let warnings = try status(captures + ["--anchors", anchors]).warnings
    #expect(warnings.contains { $0.contains("no chain ends at an anchor of ") } == warns)
  }

  @Test func `the minimum number of sessions counts only selected sessions`() throws {
    let count = Audit(try request([GateArgumentsTests.sessions]).options).run().sessions.count
    let base = [GateArgumentsTests.sessions, "--fail-on", "relaxed"]
    #expect(count > 1)
    #expect(try status(base + ["--min-sessions", "\(count)"]).status == 0)
    #expect(try status(base + ["--min-sessions", "\(count + 1)"]).status == 1)
    #expect(try status(base + ["--min-sessions", "\(count)", "--host", "www.example.com"]).status == 1)
  }

  @Test(arguments: [([], false), (["--strict"], true), (["--fail-on", "unknown"], true), (["--fail-on", "exempt"], false)])
  func `unknown rules are listed if they fail the gate`(options: [String], isListed: Bool) throws {
    #expect(try request([GateArgumentsTests.sessions] + options).mainReport.listsUnknown == isListed)
  }

  @Test(arguments: [([], 0), (["--strict"], 0), (["--fail-on", "fail,refused"], 1), (["--fail-on", "exempt"], 1)] as [([String], Int32)])
  func `a load that the system rejects with ATS off counts as refused`(options: [String], expected: Int32) throws {
    let keys = "<key>NSAppTransportSecurity</key><dict><key>NSAllowsArbitraryLoads</key><true/></dict>"
    let folder = try TemporaryFolder()
    let plist = try folder.write("Info.plist", "<plist version=\"1.0\"><dict>\(keys)</dict></plist>")
    let run = ["captures/intercepted/through-proxy.pcap", "--anchors", "captures/anchors/example-ca.pem", "--info-plist", plist]
    #expect(try status(run + options).status == expected)
  }

  @Test func `failures that the list does not count give a warning`() {
    let relaxed = FailureList<GateVerdict>(names: [.relaxed])
    let warning = "1 failing session has no effect on the exit status: --fail-on relaxed does not include fail"
    #expect(relaxed.warning(about: 1, "failing session") == warning)
    #expect(relaxed.warning(about: 0, "failing session") == nil)
    #expect(FailureList<GateVerdict>(names: [.fail, .relaxed]).warning(about: 2, "failing session") == nil)
    let errors = "2 errors have no effect on the exit status: --fail-on warning does not include error"
    #expect(FailureList<LintRule.Severity>(names: [.warning]).warning(about: 2, "error") == errors)
  }

  @Test func `invalid gate options and values are rejected`() {
    #expect(throws: (any Error).self) { try request([GateArgumentsTests.sessions, "--min-sessions", "-1"]) }
    #expect(throws: (any Error).self) { try request([GateArgumentsTests.sessions, "--min-sessions", "x"]) }
    #expect(throws: (any Error).self) { try request([GateArgumentsTests.sessions, "--jobs", "1"]) }
    #expect(throws: (any Error).self) { try request([GateArgumentsTests.sessions, "--fail-on", "vanished"]) }
  }

  @Test(arguments: [("\n", false), ("\0", true)])
  func `inputs from a list are read after those that are named`(separator: String, isNull: Bool) throws {
    let captures = ["captures/tls12/ecdhe-rsa-gcm.pcap", "captures/tls10/static-rsa.pcap"]
    let list = try TemporaryFile(captures.joined(separator: separator))
    let options = ["--files-from", list.path] + (isNull ? ["--null"] : [])
    #expect(try request(options).options.inputs.compactMap(\.path) == captures)
    let named = try request([GateArgumentsTests.sessions] + options).options.inputs
    #expect(named.compactMap(\.path) == [GateArgumentsTests.sessions] + captures)
    // The output must not overwrite an input.
    #expect(throws: (any Error).self) { try request(options + ["-o", captures[0]]) }
  }

  @Test(arguments: [
    ("audti", "audit"), ("recomend", "recommend"), ("audit", nil), ("Sources", nil), ("trace.pcap", nil),
    ("nosuchfile", nil), ("Audit", "audit"), ("DIFF", "diff"), ("certs", "certificates"), ("judge", nil), ("tra", nil),
  ])
  func `a misspelt command is distinguished from a file`(argument: String, command: String?) {
    #expect(ATScopeTool.misspeltCommand(argument) == command)
  }

  @Test(arguments: [
    (["help"], nil), (["help", "audit"], nil), (["help", "help"], nil), (["help", "audit", "--help"], nil), (["help", "--version"], nil),
    (["audit", "help", "foo"], nil), (["help", "foo"], "The commands are audit, "), (["help", "lnt"], "Did you mean 'lint'?"),
    (["help", "audit", "extra"], "'atscope help' takes one command"),
  ])
  func `help for anything but one command is a usage error`(arguments: [String], text: String?) {
    var message: String?
    do { try ATScopeTool.checkHelp(arguments) } catch { message = error.message }
    #expect((message == nil) == (text == nil))
    #expect(message?.contains(text ?? "") != false)
  }

  @Test(arguments: [
    (["trace.pcap", "audit"], true), (["trace.pcap", "sessions", "--strict"], true), (["audit", "diff"], false),
    (["--strict", "audit"], true), (["--os", "ios15.4", "recommend", "trace.pcap"], true), (["trace.pcap", "-o", "diff"], false),
    (["a.pcap", "b.pcap"], false), (["lint"], false), (["trace.pcap", "Sources"], false),
  ])
  func `a command after an input or an option is a usage error`(arguments: [String], isError: Bool) {
    let inputs = (try? ATScopeTool.parseAsRoot(arguments) as? AuditCommand)?.reading.inputs ?? []
    #expect(((try? ATScopeTool.checkOrder(arguments, inputs: inputs[...])) == nil) == isError)
  }

  @Test func `--name names standard input`() throws {
    let options = try request([GateArgumentsTests.sessions, "-", "--name", "s3://lab/1.pcap"]).options
    #expect(options.inputs.map(\.name) == [nil, "s3://lab/1.pcap"])
    #expect(throws: (any Error).self) { try self.request([GateArgumentsTests.sessions, "--name", "x"]) }
  }

  @Test func `an unreadable list gives exit status 2, and the other inputs are judged`() throws {
    let request = try request([GateArgumentsTests.sessions, "--files-from", "no-such-list"])
    let audited = Audit(request.options).run()
    let (sessions, outcome) = (audited.sessions, audited.outcome)
    #expect(sessions.count == 7)
    #expect(Execution.status(outcome, failures: .standard, isStrict: false) == 2)
    #expect(throws: (any Error).self) { try self.request([GateArgumentsTests.sessions, "--null"]) }
  }
}
