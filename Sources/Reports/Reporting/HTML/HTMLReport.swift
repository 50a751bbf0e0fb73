public import ATSEvaluation
public import ByteParsing
public import SessionModel
public import SessionRecords
import Values

/// One page that holds everything and asks for nothing: it opens from a disk without a network.
///
/// What comes from inputs stands in script elements that hold data, and in text that is escaped; the page's script puts it
/// on the screen as text nodes. The page's policy forbids all requests and all scripts but its own.
public struct HTMLReport: SessionReport {
  private let judges: Bool
  private var encoder = SessionEncoder()
  private var records = InternedRecords()
  private var run = RunRecord(toolVersion: "", policyVersion: "", command: "")
  private var record = Bytes()
  private var summary = Bytes()
  private var sessions = 0

  /// Sessions that are listed; a page with more opens on few machines. Of those beyond, hosts and counts are there.
  public static let sessionLimit = 50_000

  /// The hosts have a table of their own.
  public var needsHosts: Bool { judges }

  /// Creates the writer of one report.
  public init(judges: Bool) { self.judges = judges }

  /// Appends the page up to the records.
  public mutating func begin(_ run: RunRecord, to output: inout Bytes) {
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

  /// Appends the lines of a session.
  public mutating func append(
    _ session: ObservedSession, _ judgement: Judgement?, to output: inout Bytes
  ) {
    sessions += 1
    guard sessions <= HTMLReport.sessionLimit else { return }
    record.removeAll(keepingCapacity: true)
    summary.removeAll(keepingCapacity: true)
    encoder.append(session, judgement, to: &record)
    summary.appendSessionSummary(session, judgement)
    records.append(record, summary: summary, to: &output)
  }

  /// Appends hosts, rules and the page's script.
  public mutating func end(_ hosts: HostCollector?, _ summary: SummaryRecord, to output: inout Bytes) {
    let reports = hosts?.report() ?? []
    output.appendRaw("</script>\n<script type=\"application/json\" id=\"hosts\">")
    var text = Bytes([0x5B])
    for host in reports {
      text.appendJSONComma()
      text.append(0x0A)
      text.appendHostSummary(host)
    }
    text.append(0x5D)
    output.appendScript(text[...])
    output.appendRaw("</script>\n<script type=\"application/json\" id=\"summary\">")
    text.removeAll()
    text.appendJSON(summary)
    output.appendScript(text[...])
    output.appendRaw("</script>\n<script type=\"application/json\" id=\"words\">")
    text.removeAll()
    appendWords(reports, hosts, summary, to: &text)
    output.appendScript(text[...])
    output.appendRaw("</script>\n<script>\(HTMLPage.script)</script>\n</body>\n</html>\n")
  }

  /// The facts of the run, each with a label, the same as in the other reports.
  private func facts(_ summary: SummaryRecord, unlisted: String?) -> [(label: String, items: [String])] {
    var rows: [(label: String, items: [String])] = []
    let inputs = summary.inputs.filter { $0.packets > 0 || $0.sessions > 0 || $0.error != nil }
    for input in inputs.prefix(TextReport.listLimit) {
      rows.append((DisplayText.escaped(input.file), [Wording.facts(of: input, hosts: nil)]))
    }
    if inputs.count > TextReport.listLimit {
      rows.append(("and", [Wording.count(inputs.count - TextReport.listLimit, "more input")]))
    }
    if judges {
      rows.append(("policy", [Wording.policy(of: run)]))
      rows.append(("based on", Wording.basis(of: run)))
    }
    rows.append(("made by", ["atscope \(run.toolVersion), policy \(run.policyVersion)"]))
    let health = summary.inputs.flatMap(\.health)
    if summary.notShown > 0 { rows.append(("not chosen", [Wording.count(summary.notShown, "session")])) }
    if let text = Wording.counts(health.filter { $0.meaning == .notRead }) {
      rows.append(("not read", [text]))
    }
    if let text = Wording.counts(health.filter { $0.meaning == .remark }) {
      rows.append(("also noted", [text]))
    }
    if let text = Wording.counts(summary.inputs.flatMap(\.limits) + summary.limits) {
      rows.append(("limits reached", [text]))
    }
    if let text = Wording.silent(summary.withoutHandshake, limit: TextReport.listLimit) {
      rows.append(("no handshake", [text]))
    }
    for input in summary.inputs {
      guard let text = Wording.fault(of: input) else { continue }
      rows.append((Wording.kind(of: input.error), [text]))
    }
    if let unlisted { rows.append(("not listed", [unlisted])) }
    if sessions > HTMLReport.sessionLimit {
      rows.append(("not listed", [Wording.count(sessions - HTMLReport.sessionLimit, "further session")]))
    }
    return rows
  }

  /// Appends what the page says of the run: its headline, facts, things to do and the titles of rules.
  private func appendWords(
    _ hosts: [HostReport], _ collector: HostCollector?, _ summary: SummaryRecord, to text: inout Bytes
  ) {
    text.appendRaw("{\"title\":")
    text.appendJSONString(
      judges
        ? Wording.tally(
          hosts, further: collector?.unlistedHosts ?? VerdictCounts(), notShown: summary.notShown)
        : Wording.count(summary.sessions, "session"))
    text.appendJSONKey("about")
    text.append(0x5B)
    for (label, items) in facts(summary, unlisted: collector?.unlistedText) {
      text.appendJSONComma()
      text.appendRaw("{\"label\":")
      text.appendJSONString(label)
      text.appendJSONKey("items")
      text.appendJSONStrings(items)
      text.append(0x7D)
    }
    let list = FixList(hosts)
    text.appendRaw("],\"fixes\":")
    text.appendJSON(list.fixes)
    text.appendRaw(",\"settlements\":")
    text.appendJSON(list.settlements)
    text.appendRaw(",\"rules\":{")
    for rule in RuleCatalogue.all {
      text.appendJSONKey(rule.id)
      text.appendJSONString(rule.title)
    }
    text.appendRaw("}}")
  }
}
