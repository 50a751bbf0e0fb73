package import ATSEvaluation
import ATSEvidence
import ATSRules
package import ByteParsing
package import Reporting
package import SessionModel
package import SessionRecords
import Values

/// A self-contained HTML page that opens from disk without a network.
///
/// Text from inputs is only in escaped text and in script elements with data, which the page's script inserts as text nodes. The page's
/// policy forbids all requests and all other scripts.
package struct HTMLReport: SessionReport {
  private let judges: Bool
  private var encoder = SessionEncoder()
  private var records = InternedRecords()
  private var run = RunRecord(toolVersion: "", policyVersion: "", command: "")
  private var record = Bytes()
  private var summary = Bytes()
  private var sessions = 0

  /// The maximum number of sessions listed, which limits memory; further sessions only count and appear in hosts.
  package static let maximumSessions = 50_000

  /// True for an audit: hosts have a separate table.
  package var needsHosts: Bool { judges }

  package init(judges: Bool) { self.judges = judges }

  package mutating func begin(_ run: RunRecord, to output: inout Bytes) {
    self.run = run
    let inputs = run.inputs.prefix(3).map(DisplayText.escaped).joined(separator: ", ")
    output += HTMLPage.head(title: "atscope: \(inputs)", policy: HTMLPage.securityPolicy)
    output.appendRaw(HTMLPage.body)
    output.appendRaw("\n<script type=\"application/json\" id=\"run\">")
    var text = Bytes()
    text.appendJSON(run)
    output.appendScript(text[...])
    output.appendRaw("</script>\n<script type=\"application/x-ndjson\" id=\"records\">\n")
  }

  package mutating func append(_ session: ObservedSession, _ judgement: Shared<Judgement>?, to output: inout Bytes) {
    sessions += 1
    guard sessions <= HTMLReport.maximumSessions else { return }
    record.removeAll(keepingCapacity: true)
    summary.removeAll(keepingCapacity: true)
    encoder.append(session, judgement, to: &record)
    summary.appendObject { $0.row(of: session, judgement) }
    records.append(record, summary: summary, to: &output)
  }

  package mutating func end(_ hosts: HostCollector?, _ summary: SummaryRecord, to output: inout Bytes, flush: (inout Bytes) -> Void) {
    let reports = hosts?.report() ?? []
    output.appendRaw("</script>\n<script type=\"application/json\" id=\"hosts\">")
    var text = Bytes()
    text.appendArray { json in
      for host in reports {
        json.newLine()
        json.object { $0.row(of: host) }
      }
    }
    output.appendScript(text[...])
    output.appendRaw("</script>\n<script type=\"application/json\" id=\"summary\">")
    text.removeAll()
    text.appendJSON(summary)
    output.appendScript(text[...])
    output.appendRaw("</script>\n<script type=\"application/json\" id=\"words\">")
    text.removeAll()
    text.appendObject { writeWords(reports, hosts, summary, to: &$0) }
    output.appendScript(text[...])
    output.appendRaw("</script>\n<script>\(HTMLPage.script)</script>\n</body>\n</html>\n")
  }

  /// Returns the labeled facts of the run, as in the other reports.
  private func facts(_ summary: SummaryRecord, unlisted: String?) -> [(label: String, items: [String])] {
    var rows: [(label: String, items: [String])] = []
    let inputs = Wording.inputs(of: summary)
    for input in inputs.prefix(TextReport.maximumListed) {
      rows.append((DisplayText.escaped(input.file), [Wording.facts(of: input, in: run)]))
    }
    if inputs.count > TextReport.maximumListed {
      rows.append(("and", [Wording.count(inputs.count - TextReport.maximumListed, "more input{s}")]))
    }
    if judges {
      rows.append(("judged as", [Wording.policy(of: run, summary)]))
      rows += Wording.notes(on: summary, in: run).map { ("note", [$0]) }
      rows.append(("judged with", Wording.basis(of: run, summary)))
    }
    rows.append(("tool", ["atscope \(run.toolVersion), policy \(run.policyVersion)"]))
    rows += Wording.health(of: summary).map { ($0.label, [$0.text]) }
    if let unlisted { rows.append(("not listed", [unlisted])) }
    if sessions > HTMLReport.maximumSessions {
      rows.append(("not listed", [Wording.count(sessions - HTMLReport.maximumSessions, "further session{s}")]))
    }
    return rows
  }

  /// The inputs that settle rules of any session in the same words.
  private static let commonInputs: [DecidingInput] = [
    .keyLog, .captureSecrets, .time, .laterTime, .anchors, .systemAnchors, .intermediates, .revocations,
    .logList(isNewer: false, needsIssuer: false), .logList(isNewer: false, needsIssuer: true),
    .logList(isNewer: true, needsIssuer: false), .logList(isNewer: true, needsIssuer: true), .issuerCertificate,
  ]

  /// Writes the headline, the facts, the fixes, the instructions for undecided rules, and the titles of rules.
  private func writeWords(_ hosts: [HostReport], _ collector: HostCollector?, _ summary: SummaryRecord, to json: inout JSONObject) {
    let further = collector?.unlistedHosts ?? VerdictCounts()
    json.string(
      "title", judges ? Wording.tally(hosts, further: further, notShown: summary.notShown) : Wording.count(summary.sessions, "session{s}"))
    json.object("furtherHosts", further)
    json.objects("about", facts(summary, unlisted: collector?.unlistedText)) { json, fact in
      json.string("label", fact.label)
      json.strings("items", fact.items)
    }
    let steps = NextSteps(summary, in: run)
    let list = FixList(hosts, of: run, steps)
    json.objects("fixes", list.fixes)
    json.objects("settlements", list.settlements)
    json.texts("commands", list.commands)
    json.string("offerCaution", Wording.offerCaution)
    json.string("cleartextCaution", Wording.cleartextCaution)
    json.object("ways") { json in
      for input in HTMLReport.commonInputs { json.string(input.text, Wording.ways(steps.possible([input]))) }
    }
    json.string("insteadOfChain", steps.isOld ? Wording.ways(steps.possible([HostSections.anyChain])) : nil)
    json.object("unseen") { json in
      for reason in UnseenReason.allCases { json.string(reason.rawValue, reason.text) }
    }
    json.object("rules") { json in
      for rule in RuleCatalogue.all { json.string(rule.id, rule.title) }
    }
  }
}
