import ATSEvaluation
import ATSRules
package import ByteParsing
package import ExceptionPlanning
package import InfoPlistReading
import PolicyResolution
import ReportFormats
package import Reporting
import SessionModel
import SessionRecords
import Values

/// The reasons for a recommended dictionary as text, for standard error; the dictionary goes to standard output.
package struct RecommendationText {
  private let options: TextOptions

  /// Whether only the sessions of some hosts were considered.
  private let selectsHosts: Bool

  /// The maximum number of hosts and settings listed; further ones are counted.
  private static let maximumListed = 50

  package init(_ options: TextOptions, selectsHosts: Bool) {
    self.options = options
    self.selectsHosts = selectsHosts
  }

  /// Returns the reasons as UTF-8.
  package func rendered(_ plan: ExceptionPlan, _ findings: [LintFinding] = []) -> Bytes {
    var writer = TextWriter(options)
    writer.writeLine(RecommendationText.summary(of: plan), indent: 0)
    let counts = plan.counts
    if plan.keys.isEmpty, counts.impossible + counts.mayHelp + counts.upgradable == 0 {
      if counts.undecided > 0 {
        writer.writeFields([("no exception is known to be needed", .unstyled)], indent: 0)
      } else if counts.withoutKeys > 0 {
        writer.writeFields([("no exception is needed", .green)], indent: 0)
      }
    }
    section("reasons for each key", plan.keys.filter { !$0.dependsOnOffer }, &writer, keyBlock)
    section("keys that may not be needed; the client offered too little", plan.keys.filter(\.dependsOnOffer), &writer, keyBlock)
    section("entries without keys", plan.bareEntries, &writer) { item, writer in
      RecommendationText.write(DisplayText.escaped(item.entry), DisplayText.escaped(item.reason), &writer)
    }
    if !plan.webContentHosts.isEmpty { writeWebContent(plan.webContentHosts, &writer) }
    section("no key allows", plan.impossible.filter { !$0.needsBroaderKey }, &writer, impossibleBlock)
    section("only a broader key allows", plan.impossible.filter(\.needsBroaderKey), &writer, impossibleBlock)
    section("keys that may help; the capture does not show it", plan.mayHelp, &writer, mayHelpBlock)
    section("undecided; audit shows what settles them", plan.undecidedHosts, &writer) { host, writer in
      writer.writeFields([(host.map(DisplayText.escaped) ?? "host unknown", .bold)], indent: 2)
    }
    section("change the URL to https; no key is needed", plan.upgradable, &writer, upgradableBlock)
    section("requirements that the recorded sessions do not meet, removed", plan.abandoned, &writer) { item, writer in
      let remark = item.dependsOnOffer ? "the client offered too little: record a device before you remove it" : ""
      RecommendationText.write(RecommendationText.location(item.key, item.entry), remark, &writer)
    }
    let unneeded = selectsHosts ? "not needed by the sessions of --host; other hosts may need it" : "not needed by the recorded sessions"
    let kinds: [(String, ExceptionPlan.Unneeded.Kind)] = [
      (unneeded, .unused), ("broader than needed, replaced", .replaced), ("too broad to keep, but sessions may need it", .missed),
    ]
    for (title, kind) in kinds {
      section(title, plan.unneeded.filter { $0.kind == kind }, &writer) { item, writer in
        RecommendationText.write(RecommendationText.location(item.key, item.entry), DisplayText.escaped(item.reason), &writer)
      }
    }
    section("findings on the current settings", findings, &writer, findingBlock)
    section("one entry for several hosts", plan.alternatives, &writer, alternativeBlock)
    return writer.output
  }

  /// Writes a key or an entry with a remark, whose further lines are indented more than the next item.
  private static func write(_ name: String, _ remark: String, _ writer: inout TextWriter) {
    if remark.isEmpty {
      writer.writeFields([(name, .bold)], indent: 2)
    } else {
      writer.writeRow(TextRow(label: name, text: remark, style: .bold), indent: 2, labelWidth: TextWidth.of(name) + 1)
    }
  }

  /// Returns the reasons for another program, under a heading with the option that writes its settings.
  package func rendered(_ plan: ExceptionPlan, _ findings: [LintFinding], ofOther infoPlist: String?, process: String?) -> Bytes {
    var writer = TextWriter(options)
    writer.endLine()
    let name = infoPlist.map(DisplayText.escaped) ?? "ATS defaults"
    let choice = process.map { "--process \(DisplayText.escaped($0)) writes them" } ?? ""
    writer.writeFields([(name, .bold), ("has separate settings", .unstyled), (choice, .dim)], indent: 0)
    var output = writer.output
    output.append(contentsOf: rendered(plan, findings))
    return output
  }

  /// Returns `4 sessions: 1 needs no exception, 2 cannot be allowed by any key, 1 is undecided`.
  private static func summary(of plan: ExceptionPlan) -> String {
    let counts = plan.counts
    let broader = plan.impossible.filter(\.needsBroaderKey).reduce(0) { $0 + $1.sessions }
    let parts: [(count: Int, words: String)] = [
      (counts.withoutKeys, "need{s|} no exception"),
      (counts.byKeys, "{is|are} allowed by the keys"),
      (counts.impossible - broader, "cannot be allowed by any key"),
      (broader, "can be allowed only by a broader key"),
      (counts.mayHelp, "may be allowed by a key"),
      (counts.upgradable, "{is|are} in cleartext to {a host that passes|hosts that pass} over HTTPS"),
      (counts.undecided, "{is|are} undecided"),
      (counts.leftOut, "{is|are} not examined (a limit was reached)"),
    ]
    let texts = parts.filter { $0.count > 0 }.map { Wording.count($0.count, $0.words) }
    let all = Wording.count(parts.reduce(0) { $0 + $1.count }, "session{s}")
    return texts.isEmpty ? all : "\(all): \(texts.joined(separator: ", "))"
  }

  private func section<Item>(_ title: String, _ items: [Item], _ writer: inout TextWriter, _ block: (Item, inout TextWriter) -> Void) {
    if items.isEmpty { return }
    writer.endLine()
    writer.writeFields([(title, .bold)], indent: 0)
    for item in items.prefix(RecommendationText.maximumListed) { block(item, &writer) }
    if items.count > RecommendationText.maximumListed {
      writer.writeFields([("and \(Wording.grouped(items.count - RecommendationText.maximumListed)) more", .dim)], indent: 2)
    }
  }

  private func keyBlock(_ key: ExceptionPlan.Key, _ writer: inout TextWriter) {
    writer.writeFields([("\(RecommendationText.name(key.key, key.entry)) = \(key.value.text)", .bold)], indent: 2)
    var rows = [
      TextRow(
        label: "because", text: key.observed.prefix(3).map(DisplayText.escaped).joined(separator: "; "),
        style: .dim),
      TextRow(label: "allows", text: Wording.rules(key.rules), style: .dim),
      TextRow(
        label: "better", text: DisplayText.escaped(Fix.merged(key.fixes).text), style: .green),
      TextRow(label: "sessions", text: seen(key.sessions, key.example), style: .dim),
    ]
    if let draft = Justification.draft(for: key) {
      rows.add("App Review", "requires a justification; a draft:", style: .yellow)
      rows.add("", draft)
    } else {
      let text = key.needsJustification ? "requires a justification, if a device needs the key too" : "requires no justification"
      rows.add("App Review", text, style: .dim)
    }
    write(rows, &writer)
  }

  /// Writes the host; if it is unknown, with the endpoint under which audit lists the first session.
  private func writeHost(_ host: String?, _ example: ObservedSession, _ writer: inout TextWriter) {
    let endpoint = Endpoint(address: example.hostAddress, port: example.hostPort)
    let name = host.map(DisplayText.escaped) ?? "host unknown"
    writer.writeFields([(name, .bold), (host == nil ? "the first session is with \(endpoint)" : "", .dim)], indent: 2)
  }

  private func impossibleBlock(_ item: ExceptionPlan.Impossible, _ writer: inout TextWriter) {
    writeHost(item.host, item.example, &writer)
    let fixes = item.findings.compactMap(\.fix).filter { !$0.isIncluded(in: item.reason) }
    let rows = [
      TextRow(label: "fails", text: Wording.rules(item.findings.map(\.id)), style: .red),
      TextRow(label: "because", text: DisplayText.escaped(item.reason), style: .dim),
      TextRow(label: "fix", text: DisplayText.escaped(Fix.merged(fixes).text), style: .dim),
      TextRow(label: "sessions", text: seen(item.sessions, item.example), style: .dim),
    ]
    write(rows, &writer)
  }

  private func mayHelpBlock(_ item: ExceptionPlan.MayHelp, _ writer: inout TextWriter) {
    writeHost(item.host, item.example, &writer)
    var rows = item.options.enumerated().map { index, option in
      TextRow(label: index == 0 ? "try" : "or", text: Wording.exception(option), style: .yellow)
    }
    rows += [
      TextRow(label: "fails", text: Wording.rules(item.rules), style: .dim),
      TextRow(label: "because", text: DisplayText.escaped(item.reason), style: .dim),
      TextRow(label: "to settle", text: "record a device with the key set", style: .dim),
      TextRow(label: "sessions", text: seen(item.sessions, item.example), style: .dim),
    ]
    write(rows, &writer)
  }

  private func upgradableBlock(_ item: ExceptionPlan.UpgradableURL, _ writer: inout TextWriter) {
    writeHost(item.host, item.example, &writer)
    let passing = item.passing
    let rows = [
      TextRow(
        label: "because", text: "the host passes over HTTPS at frame \(passing.firstFrame) of \(DisplayText.escaped(passing.file))",
        style: .dim), TextRow(label: "sessions", text: seen(item.sessions, item.example), style: .dim),
    ]
    write(rows, &writer)
  }

  private func writeWebContent(_ hosts: [String], _ writer: inout TextWriter) {
    let shown = hosts.prefix(8).map(DisplayText.escaped).joined(separator: ", ")
    let rest = hosts.count > 8 ? " and \(Wording.grouped(hosts.count - 8)) more" : ""
    let rows = [
      TextRow(label: "saves", text: "\(Wording.count(hosts.count, "{entry|entries}")): \(shown)\(rest)", style: .dim),
      TextRow(label: "also", text: "list the app's own hosts as entries without keys, so that they stay strict in web views", style: .dim),
    ]
    writer.writeFields([("\(ATSKeys.arbitraryLoadsInWebContent) instead of entries, as browsers use it", .bold)], indent: 2)
    write(rows, &writer)
  }

  private func findingBlock(_ finding: LintFinding, _ writer: inout TextWriter) {
    var fields: [(text: String, style: TextStyle)] = [(finding.rule.rawValue, .bold)]
    if let line = finding.line { fields.append(("line \(line)", .unstyled)) }
    writer.writeFields(fields, indent: 2)
    write(LintText.rows(of: finding), &writer)
  }

  private func alternativeBlock(_ item: ExceptionPlan.Alternative, _ writer: inout TextWriter) {
    let hosts = item.hosts.map(DisplayText.escaped).joined(first: 8)
    writer.writeFields([(DisplayText.escaped(item.domain), .bold)], indent: 2)
    let row = TextRow(
      label: "instead of",
      text: "\(hosts), which need the same keys: one entry with NSIncludesSubdomains; "
        + "broader, since it covers every host of the domain; only if the domain is not a public suffix", style: .dim)
    write([row], &writer)
  }

  /// Writes the rows of a block, except those without a text.
  private func write(_ rows: [TextRow], _ writer: inout TextWriter) {
    writer.writeRows(rows.filter { !$0.text.isEmpty }, indent: 4, labelWidth: 10)
  }

  private func seen(_ sessions: Int, _ example: ObservedSession?) -> String {
    let count = Wording.count(sessions, "session{s}")
    guard let example else { return count }
    let location = example.location(of: example.firstFrame)
    return "\(count), the first at frame \(location.frame) of \(DisplayText.escaped(location.file))"
  }

  private static func name(_ key: String, _ entry: String?) -> String {
    entry.map { "\(DisplayText.escaped($0)): \(key)" } ?? key
  }

  /// Returns the name of a key, as `name(_:_:)`, or of the whole entry if `key` is nil.
  private static func location(_ key: String?, _ entry: String?) -> String {
    key.map { name($0, entry) } ?? "entry \(DisplayText.escaped(entry ?? ""))"
  }
}
