import ATSEvaluation
import ATSEvidence
package import ByteParsing
import PolicyResolution
package import SessionModel
package import SessionRecords
import Values

extension Wording {
  /// Returns `71 sessions, 43 hosts`; if sessions are not chosen, `12 of 71 sessions, 3 hosts`.
  package static func total(of summary: SummaryRecord, hosts: Int) -> String {
    let all = count(summary.sessions + summary.notShown, "session{s}")
    return "\(summary.notShown > 0 ? "\(grouped(summary.sessions)) of " : "")\(all), \(count(hosts, "host{s}"))"
  }

  /// Returns `1,284 packets, 71 sessions, 43 hosts`, for example; `total` replaces the sessions of the input.
  static func counts(of input: InputSummary, total: String?) -> String {
    var parts: [String] = []
    if input.packets > 0 || input.kind == .capture { parts.append(count(input.packets, "packet{s}")) }
    parts.append(total ?? count(input.sessions, "session{s}"))
    return parts.joined(separator: ", ")
  }

  /// Returns the time of the recording and the system in it: `2026-05-01 10:11 to 10:14 UTC`, `recorded on iPhone10,2, iOS 17.4`. If that
  /// is not the judged release, the text names the option that judges as that release.
  static func origin(of input: InputSummary, in run: RunRecord?) -> [String] {
    var parts: [String] = []
    if let first = input.firstTime, let last = input.lastTime {
      parts.append(span(first, last))
    }
    let machine = [input.hardware, input.os].compactMap { $0 }.map(DisplayText.escaped)
    if !machine.isEmpty {
      // Some writers add the build: `iOS 17.4 (21E219)`.
      let system = input.os.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
      let release = system.flatMap { try? SystemRelease(named: $0) }
      let isOther = run?.releaseName != nil && release?.displayName != run?.releaseName
      let remark = isOther ? release.map { " (--os \($0.name) judges as that release)" } : nil
      parts.append("recorded on \(machine.joined(separator: ", "))" + (remark ?? ""))
    }
    return parts
  }

  /// Returns `the capture is from 2020, but judged as iOS 26.5; --os at-session judges each session as the release of its time (iOS 13.3)`;
  /// nil if no capture is years older than the judged release. Captures are known by their first and last packets.
  package static func ageNote(of summary: SummaryRecord, in run: RunRecord) -> String? {
    guard let judged = run.releaseName.flatMap({ try? SystemRelease(named: $0) }), judged.rootStore == SystemRelease.newest.rootStore
    else { return nil }
    let spans = spans(of: summary)
    let older = oldSpans(of: summary)
    guard let first = older.map(\.first).min(), let last = older.map(\.last).max() else { return nil }
    let releases = [first, last].map { time in SystemRelease.current { time >= $0 } }
    let captures =
      older.count < spans.count ? count(older.count, of: spans.count, "capture{s}") : older.count.form(of: "the capture{s}")
    let years = Set([first, last].map { String($0.date.prefix(4)) }).sorted().joined(separator: " to ")
    let isBeforeATS = last < SystemRelease.firstWithATS.since
    let isOne = releases[0] == releases[1]
    let range = releases[0].displayName + (isOne ? "" : " to \(releases[1].version)")
    let age = "\(older.count.form(of: "{is|are}")) from \(years)\(isBeforeATS ? ", before ATS," : ",")"
    return "\(captures) \(age) but judged as \(judged.displayName); --os at-session judges each session "
      + "as \(isBeforeATS ? "the first release with ATS" : "the release of its time") (\(range))"
  }

  private static func spans(of summary: SummaryRecord) -> [(first: Timestamp, last: Timestamp)] {
    summary.inputs.compactMap { input in input.firstTime.flatMap { first in input.lastTime.map { (first: first, last: $0) } } }
  }

  /// Returns the spans of captures that are years older than the newest root store. If no packet has a plausible time, as from a router
  /// without a clock, the age is not known.
  private static func oldSpans(of summary: SummaryRecord) -> [(first: Timestamp, last: Timestamp)] {
    guard let limit = Judge.twoYearsBeforeNewestStore else { return [] }
    var dated = summary
    dated.inputs.removeAll { input in
      let implausible = input.health.filter { $0.name == "implausibleTimes" }.map(\.count).clampedSum
      return implausible > 0 && implausible >= input.packets
    }
    return spans(of: dated).filter { $0.last < limit }
  }

  /// Whether all captures are years older than the newest root store, and certificates are judged at the times of their sessions.
  package static func isOld(_ summary: SummaryRecord, in run: RunRecord) -> Bool {
    let old = oldSpans(of: summary).count
    return old > 0 && old == spans(of: summary).count && !isTimeStated(in: run)
  }

  /// Whether a session is years older than the newest root store.
  package static func isOld(_ session: ObservedSession) -> Bool {
    guard session.evidence.isClockPlausible, let start = session.start, let limit = Judge.twoYearsBeforeNewestStore else { return false }
    return start < limit
  }

  /// Whether certificates are judged at a time from an option.
  package static func isTimeStated(in run: RunRecord) -> Bool {
    (run.options + run.assumptions).contains { $0.name == "at" && $0.value != .null }
  }

  /// Returns what a reader has to know before the verdicts: settings that the system ignores, and old captures.
  package static func notes(on summary: SummaryRecord?, in run: RunRecord) -> [String] {
    let ignored = run.infoPlists.flatMap { source in
      source.ignored.map { "\(DisplayText.name(source.file)), \(DisplayText.escaped($0))" }
    }
    let more = ignored.count - TextReport.maximumListed
    return ignored.prefix(TextReport.maximumListed) + (more > 0 ? ["\(count(more, "more setting{s}")) ignored: atscope lint"] : [])
      + [summary.flatMap { ageNote(of: $0, in: run) }].compactMap { $0 }
  }

  /// Returns `1,284 packets, 71 sessions, 43 hosts, 2026-05-01 10:11 to 10:14 UTC`, for example.
  package static func facts(of input: InputSummary, total: String? = nil, in run: RunRecord? = nil) -> String {
    ([counts(of: input, total: total)] + origin(of: input, in: run)).joined(separator: ", ")
  }

  /// Returns `iOS 26.5, ATS defaults (no Info.plist), requests by app code`, for example. `summary` adds the sessions whose process implies
  /// another context: `, or as the process name indicates (9 sessions by web views)`.
  package static func policy(of run: RunRecord, _ summary: SummaryRecord? = nil) -> String {
    var parts = [run.releaseName].compactMap { $0 }
    let files = run.infoPlists.filter { $0.sha256 != nil }.map(name)
    let unusable = run.infoPlists.filter { $0.sha256 == nil }.map(name).joined(separator: " and ")
    let defaults = unusable.isEmpty ? "ATS defaults (no Info.plist)" : "ATS defaults, because \(unusable) could not be used"
    parts.append(files.isEmpty ? defaults : files.joined(separator: " and "))
    for setting in run.options + run.assumptions where setting.name == "context" {
      guard case .text(let context) = setting.value else { continue }
      parts.append(loads(LoadContext(rawValue: context) ?? .app))
    }
    let implied = LoadContext.allCases.compactMap { context in
      summary?.sessionsByProcessContext[context].map { "\(count($0, "session{s}")) by \(loader(context))" }
    }
    if !implied.isEmpty { parts.append("or as the process name indicates (\(implied.joined(separator: ", ")))") }
    return parts.joined(separator: ", ")
  }

  /// Returns the name of a file and the process or host to which it applies.
  private static func name(_ source: RunRecord.Source) -> String {
    DisplayText.name(source.file) + (source.appliesTo.map { " for \(DisplayText.escaped($0))" } ?? "")
  }

  /// Returns `Roots: Apple, iOS 26.5 (store 2025072000)`, for example; nil if trust is not judged.
  package static func roots(of run: RunRecord) -> String? {
    run.rootsName.map { "Roots: \(DisplayText.escaped($0))" }
  }

  /// Returns the inputs to list: captures, and others with packets, sessions or a fault; but no files of options that cannot be used.
  package static func inputs(of summary: SummaryRecord) -> [InputSummary] {
    let unusable = Set(unusable(in: summary))
    return summary.inputs.filter {
      $0.kind == .capture || $0.packets > 0 || $0.sessions > 0 || $0.error != nil && !unusable.contains($0)
    }
  }

  /// Returns the files of options that cannot be used. Without them, the verdicts do not mean what the user expects.
  static func unusable(in summary: SummaryRecord) -> [InputSummary] {
    summary.inputs.filter { $0.error != nil && [.keyLog, .option].contains($0.kind) }
  }

  /// Returns the other inputs and assumptions of the verdicts and the omissions, as clauses; without key logs that the summary reports as
  /// unusable.
  package static func assumptions(of run: RunRecord, _ summary: SummaryRecord? = nil) -> [String] {
    let unusable = Set(summary.map(unusable)?.map(\.file) ?? [])
    var parts: [String] = []
    func add(_ words: String, _ sources: [RunRecord.Source]) {
      guard !sources.isEmpty else { return }
      parts.append("\(words) \(sources.map(name).joined(separator: ", "))")
    }
    add("project file", [run.project].compactMap { $0 })
    add("added anchors", run.anchors)
    add("added intermediates", run.intermediates)
    add("supplied chains", run.chains.filter { $0 != RunRecord.Source.captured })
    if run.chains.contains(.captured) {
      parts.append("chains of other sessions in the inputs (--chain captured)")
    }
    add("revocations", run.revocations)
    parts.append(
      run.logList.map { list in
        let name = list.file == "apple" ? "Apple" : DisplayText.escaped(list.file)
        return "Certificate Transparency logs: \(name)" + (list.date.map { ", \($0)" } ?? "")
      } ?? "SCTs counted, not verified")
    for setting in run.options + run.assumptions {
      if let words = assumptionWords[setting.name] {
        switch setting.value {
        // An empty filter matches every packet.
        case .text(let text) where !text.isEmpty: parts.append("\(words) \(DisplayText.escaped(text))")
        case .texts(let texts):
          let shown = texts.filter { setting.name != "keylog" || !unusable.contains($0) }.map(DisplayText.escaped)
          if !shown.isEmpty { parts.append("\(words) \(shown.joined(separator: ", "))") }
        default: break
        }
      } else if setting == RunRecord.Setting("takesShownIntermediates", .boolean(false)) {
        parts.append("no intermediates of other sessions")
      } else if setting == RunRecord.Setting("appOverridesTrust", .boolean(true)) {
        parts.append("the app accepts chains that the system rejects (--assume app-overrides-trust)")
      }
    }
    return parts
  }

  /// Returns the roots and the assumptions, as clauses.
  package static func basis(of run: RunRecord, _ summary: SummaryRecord? = nil) -> [String] {
    [roots(of: run)].compactMap { $0 } + assumptions(of: run, summary)
  }

  /// Returns the policy and the other inputs of the verdicts, one line each. `files` has the files that were read, if the summary is not
  /// to be described.
  package static func judging(_ run: RunRecord, _ summary: SummaryRecord? = nil, files: SummaryRecord? = nil) -> [String] {
    ["judged as: \(policy(of: run, summary))", "judged with: \(basis(of: run, files ?? summary).joined(separator: "; "))"]
      + notes(on: summary, in: run).map { "note: \($0)" }
  }

  /// The words for options that affect verdicts or exclude sessions.
  private static let assumptionWords = [
    "at": "certificates judged at", "host": "only hosts", "process": "only processes",
    "filter": "only packets that match", "from": "only packets from", "to": "only packets up to",
    "keylog": "key log",
  ]

  /// Returns `10 hosts: 2 fail, 1 unknown, 7 pass (3 relaxed)`, or that there are no sessions; `notShown` is the number of sessions that
  /// were excluded, and `further` are hosts that are counted but not listed.
  package static func tally(_ hosts: [HostReport], further: VerdictCounts = VerdictCounts(), notShown: Int) -> String {
    var counts = further
    for host in hosts { counts.addWorst(of: host.verdicts) }
    if hosts.isEmpty { return SummaryRecord.absence(notShown: notShown) }
    return "\(count(counts.total, "host{s}")): \(Wording.tally(counts))"
  }

  /// Returns the omissions and anomalies of a run, with labels.
  package static func health(of summary: SummaryRecord) -> [(label: String, text: String)] {
    let health = summary.inputs.flatMap(\.health)
    let rows: [(label: String, text: String?)] = [
      ("too few", summary.shortfall),
      ("not chosen", summary.notShown > 0 ? count(summary.notShown, "session{s}") : nil),
      ("not read", counts(health.filter { $0.meaning == .notRead })),
      ("also noted", counts(health.filter { $0.meaning == .remark })),
      ("limits reached", counts(summary.inputs.flatMap(\.limits) + summary.limits)),
      ("not judged", silent(summary.withoutHandshake)),
    ]
    let faults = summary.inputs.map { (label: kind(of: $0.error), text: fault(of: $0)) }
    return (rows + faults).compactMap { row in row.text.map { (row.label, $0) } }
  }

  package static func kind(of error: InputSummary.Fault?) -> String {
    if error?.isTruncated == true { return "truncated" }
    if error?.isIncomplete == true { return "incomplete" }
    return error?.offset == nil ? "unusable" : "damaged"
  }

  /// Returns the fault that ended the reading of an input: `2.pcap at byte 12,345: a record of 99 bytes where 4 are left`.
  package static func fault(of input: InputSummary) -> String? {
    guard let error = input.error else { return nil }
    // Some texts contain the offset already: a byte in captures, a line in saved sessions.
    let offset = input.kind == .sessions || error.text.contains(" at byte ") ? nil : error.offset
    let location = offset.map { " at byte \(grouped($0))" } ?? ""
    return "\(DisplayText.name(input.file))\(location): \(error.text)"
  }

  /// The maximum number of counts in a sentence.
  private static let maximumCounts = 30

  /// Returns counts as a sentence, with those of the same name added; nil if there are none.
  package static func counts(_ counts: [NamedCount]) -> String? {
    let sums = NamedCount.sums(of: counts)
    if sums.isEmpty { return nil }
    var parts = sums.prefix(maximumCounts).map { "\(grouped($0.count)) \($0.text)" }
    if sums.count > maximumCounts {
      let rest = sums.dropFirst(maximumCounts).map(\.count).clampedSum
      parts.append("and \(grouped(rest)) of \(count(sums.count - maximumCounts, "more kind{s}")): --format json lists them")
    }
    return parts.joined(separator: ", ")
  }

  /// Returns texts that are escaped for display, at most `limit` of them, and the number of the others: `a, b, and 3 more rules`.
  package static func joined(_ texts: [String], first limit: Int, _ words: String) -> String {
    let rest = texts.count > limit ? ["and \(count(texts.count - limit, words))"] : []
    return (texts.prefix(limit) + rest).joined(separator: ", ")
  }

  /// Returns the connections without a handshake, by server; nil if there are none.
  package static func silent(_ servers: [SummaryRecord.SilentServer]) -> String? {
    guard !servers.isEmpty else { return nil }
    let connections = servers.map(\.connections).clampedSum
    let names = servers.map { "\($0.server) (\(grouped($0.connections)))" }
    return "\(count(connections, "connection{s} show{s|}")) no handshake: "
      + joined(names, first: TextReport.maximumListed, "more server{s}")
  }

  /// Returns a span of time in short form: `2026-05-01 10:11 to 10:14 UTC`.
  static func span(_ first: Timestamp, _ last: Timestamp) -> String {
    let start = "\(first.date) \(time(first))"
    if first.date == last.date {
      return time(first) == time(last) ? "\(start) UTC" : "\(start) to \(time(last)) UTC"
    }
    return "\(start) to \(last.date) \(time(last)) UTC"
  }

  private static func time(_ time: Timestamp) -> String {
    let parts = time.components
    return (parts.hour < 10 ? "0" : "") + "\(parts.hour):" + (parts.minute < 10 ? "0" : "") + "\(parts.minute)"
  }
}

extension TextWriter {
  /// Returns the policy of a run and the other inputs of its verdicts as UTF-8.
  package static func basis(of run: RunRecord, _ summary: SummaryRecord, _ options: TextOptions) -> Bytes {
    var writer = TextWriter(options)
    writer.writeBasis(of: run, summary)
    return writer.output
  }

  /// Writes the policy of a run and the other inputs of its verdicts.
  package mutating func writeBasis(of run: RunRecord, _ summary: SummaryRecord) {
    for line in [Wording.policy(of: run), Wording.basis(of: run, summary).joined(separator: "; ")] {
      writeFields([(line, .dim)], indent: 0)
    }
  }
}
