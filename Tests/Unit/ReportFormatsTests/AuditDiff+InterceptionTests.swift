import ByteParsing
import Reporting
import SessionRecords
import Testing

@testable import ReportFormats

/// Changes of outcomes, roots and issuers in a comparison.
@Suite struct AuditDiffInterceptionTests {
  private func snapshot(
    issuers: [String] = [], trust: [String] = [], outcomes: [String] = []
  ) throws -> AuditSnapshot {
    func list(_ texts: [String]) -> String { texts.map { "\"\($0)\"" }.joined(separator: ",") }
    let text = """
      {"schema":"atscope.baseline/1","hosts":[{"host":"a.example","port":443,"process":null,\
      "verdicts":{"fail":0,"unknown":0,"exempt":0,"pass":1,"relaxed":0},"rules":{},"versions":[],\
      "cipherSuites":[],"groups":[],"chains":[],"pins":[],"issuers":[\(list(issuers))],\
      "trust":[\(list(trust))],"outcomes":[\(list(outcomes))]}]}
      """
    return try AuditSnapshot(reading: Bytes(text.utf8).span)
  }

  private func changes(_ before: AuditSnapshot, _ after: AuditSnapshot, strict: Bool) -> [AuditDiff.Change] {
    let diff = AuditDiff(
      baseline: before, current: after, counting: strict ? [.fail, .outcome, .trust] : [.fail])
    #expect(diff.isWorse == diff.changes.contains { $0.kind == .regression })
    return diff.changes
  }

  @Test(arguments: [
    (["established"], ["refused by the server (handshake_failure)"], AuditDiff.Kind.regression),
    (["established"], ["established", "reset by the server"], .moved),
    (["refused by the server"], ["established"], .improvement),
    (["refused by the server"], ["reset by the server"], .moved),
  ])
  func `a changed handshake outcome is reported, and is a regression only if it counts`(
    before: [String], after: [String], kind: AuditDiff.Kind
  ) throws {
    let (then, now) = (try snapshot(outcomes: before), try snapshot(outcomes: after))
    #expect(changes(then, now, strict: true).map(\.kind) == [kind])
    #expect(changes(then, now, strict: false).map(\.kind) == [kind == .regression ? .moved : kind])
    #expect(changes(then, now, strict: false).map(\.subject) == [.outcome])
    #expect(changes(then, then, strict: true).isEmpty)
  }

  @Test(arguments: [
    (["system root"], ["added anchor"], true), (["system root"], ["no trusted root"], true),
    (["Apple root"], ["no trusted root"], true), (["system root"], ["added anchor", "system root"], true),
    (["added anchor"], ["no trusted root"], false), (["added anchor"], ["system root"], false),
    (["system root"], ["Apple root"], false),
  ])
  func `a chain that no longer leads to a public root is a regression`(
    before: [String], after: [String], isAlarm: Bool
  ) throws {
    let changes = changes(try snapshot(trust: before), try snapshot(trust: after), strict: true)
    #expect(changes.map(\.subject) == [.trust])
    #expect(changes.map(\.kind) == [isAlarm ? .regression : .moved])
    #expect((changes.first?.details != nil) == isAlarm)
  }

  @Test func `the headline names suspected interception whether or not it counts, and advice on --fail-on only below status 1`() throws {
    let (then, now) = (try snapshot(trust: ["system root"]), try snapshot(trust: ["added anchor"]))
    for (counted, rest, advice) in [
      (Set([AuditDiff.Concern.fail]), "no regression, 1 other change", true), ([.fail, .trust], "1 regression", false),
    ] {
      let diff = AuditDiff(baseline: then, current: now, counting: counted)
      #expect(diff.headline == "1 host possibly intercepted, \(rest)")
      let run = RunRecord(toolVersion: "1", policyVersion: "2", command: "diff")
      let text = String(decoding: DiffReports(diff, ComparedRuns(baseline: run, current: run)).text(TextOptions()), as: UTF8.self)
      #expect(text.contains("see issuers below"))
      #expect(text.contains("with --fail-on trust") == advice)
    }
  }

  @Test func `an issuer of another organization or under an added anchor is a regression`() throws {
    let then = try snapshot(issuers: ["CN=R10, O=Example CA, C=US"], trust: ["system root"])
    for (issuer, root, isAlarm) in [
      ("CN=R11, O=Example CA, C=US", "system root", false), ("CN=Proxy, O=Example Corp", "system root", true),
      ("CN=R11, O=Example CA", "added anchor", true),
    ] {
      let changes = changes(then, try snapshot(issuers: [issuer], trust: [root]), strict: true)
      #expect(
        changes.first { $0.subject == .issuers }?.kind == (isAlarm ? .regression : .moved), "\(issuer)")
    }
    #expect(changes(then, try snapshot(trust: ["system root"]), strict: true).isEmpty)
    #expect(AuditDiff.organization("CN=A\\, O=Spoofed") == "CN=A\\, O=Spoofed")
  }
}
