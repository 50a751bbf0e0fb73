import ATSEvaluation
import SessionRecords

extension Wording {
  /// `1,284 packets, 31 sessions with 9 hosts, 2026-05-01 10:11 to 10:14 UTC`; without `hosts` these are left out.
  static func facts(of input: InputSummary, hosts: Int?) -> String {
    var parts: [String] = []
    if input.packets > 0 || input.kind == "capture" { parts.append(count(input.packets, "packet")) }
    let with = hosts.map { " with \(count($0, "host"))" } ?? ""
    parts.append(count(input.sessions, "session") + with)
    if let first = input.firstTime, let last = input.lastTime { parts.append(span(first, last)) }
    // The system that the capture names is shown and never used.
    let machine = [input.hardware, input.os].compactMap { $0 }.map(DisplayText.escaped)
    if !machine.isEmpty { parts.append("recorded on \(machine.joined(separator: ", "))") }
    return parts.joined(separator: ", ")
  }

  /// `ATS defaults, iOS 26.5, loads by the app`.
  static func policy(of run: RunRecord) -> String {
    var parts: [String] = []
    let files = run.infoPlists.filter { $0.sha256 != nil }.map(name)
    parts.append(files.isEmpty ? "ATS defaults" : files.joined(separator: " and "))
    let unusable = run.infoPlists.filter { $0.sha256 == nil }.map(name)
    if !unusable.isEmpty {
      parts.append("without \(unusable.joined(separator: " and ")), which cannot be used")
    }
    if let release = run.releaseName { parts.append(release) }
    for setting in run.options + run.assumptions where setting.name == "context" {
      switch setting.value {
      case .text("web"): parts.append("loads by web views")
      case .text("media"): parts.append("loads by AVFoundation")
      default: parts.append("loads by the app")
      }
    }
    return parts.joined(separator: ", ")
  }

  /// A file, and the process or host that it stands for.
  private static func name(_ source: RunRecord.Source) -> String {
    DisplayText.escaped(source.file) + (source.appliesTo.map { " for \(DisplayText.escaped($0))" } ?? "")
  }

  /// What else the verdicts of a run rest on, and what was left out, a clause each.
  static func basis(of run: RunRecord) -> [String] {
    var parts: [String] = []
    if let roots = run.rootsName { parts.append("Roots: \(DisplayText.escaped(roots))") }
    func add(_ words: String, _ sources: [RunRecord.Source]) {
      guard !sources.isEmpty else { return }
      parts.append("\(words) \(sources.map(name).joined(separator: ", "))")
    }
    add("project file", [run.project].compactMap { $0 })
    add("added anchors", run.anchors)
    add("known intermediates", run.intermediates)
    add("supplied chains", run.chains.filter { $0 != RunRecord.Source.captured })
    if run.chains.contains(.captured) {
      parts.append("chains of other sessions in the inputs (--chain captured)")
    }
    add("revocations", run.revocations)
    parts.append(
      run.logList.map { list in
        let name = list.file == "apple" ? "Apple" : DisplayText.escaped(list.file)
        return "CT logs: \(name)" + (list.date.map { ", \($0)" } ?? "")
      } ?? "SCTs counted, not verified")
    for setting in run.options + run.assumptions {
      if let words = basisWords[setting.name] {
        switch setting.value {
        case .text(let text): parts.append("\(words) \(DisplayText.escaped(text))")
        case .texts(let texts) where !texts.isEmpty:
          parts.append("\(words) \(texts.map(DisplayText.escaped).joined(separator: ", "))")
        default: break
        }
      } else if setting == RunRecord.Setting("takesShownIntermediates", .boolean(false)) {
        parts.append("no intermediates of other sessions")
      } else if setting == RunRecord.Setting("appOverridesTrust", .boolean(true)) {
        parts.append("assumes that the app accepts chains that the system rejects")
      }
    }
    return parts
  }

  /// How options are said that decide verdicts or leave sessions out.
  private static let basisWords = [
    "at": "certificates judged at", "host": "only hosts", "process": "only processes",
    "filter": "only packets that match", "from": "only packets from", "to": "only packets up to",
    "keylog": "secrets of",
  ]

  /// `2 hosts fail, 1 unknown, 7 pass (3 relaxed)`, or that there is nothing; `notShown` sessions were found and not chosen.
  /// `further` are hosts that are counted and not listed.
  static func tally(_ hosts: [HostReport], further: VerdictCounts = VerdictCounts(), notShown: Int) -> String
  {
    var counts = further
    for host in hosts { counts.add(host.verdict, isRelaxed: host.isRelaxed) }
    if hosts.isEmpty { return SummaryRecord.absence(notShown: notShown) }
    return HostBlock.tally(counts, noun: "host")
  }

  /// What kind of fault stopped the reading of an input.
  static func kind(of error: InputSummary.Fault?) -> String {
    if error?.isCutOff == true { return "cut off" }
    return error?.offset == nil ? "cannot be used" : "damaged"
  }

  /// What stopped the reading of an input: `2.pcap at byte 12,345: a record of 99 bytes where 4 are left`.
  static func fault(of input: InputSummary) -> String? {
    guard let error = input.error else { return nil }
    // Many a text says the place itself: of captures the byte, of saved sessions the line.
    let offset = input.kind == "sessions" || error.text.contains(" at byte ") ? nil : error.offset
    let place = offset.map { " at byte \(grouped($0))" } ?? ""
    return "\(DisplayText.escaped(input.file))\(place): \(DisplayText.escaped(error.text))"
  }

  /// A count's text for one of them: `packets that are not IP` becomes `packet that is not IP`.
  static func singular(_ text: String) -> String {
    var words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    for (index, word) in words.enumerated() {
      guard let one = singulars[word] else { continue }
      words[index] = one
      // The verb of the clause that follows.
      if index + 2 < words.count, words[index + 1] == "that", let verb = verbs[words[index + 2]] {
        words[index + 2] = verb
        if words.count == index + 5, words[index + 3] == "no" {
          words[index + 4] = String(words[index + 4].dropLast())
        }
      }
      break
    }
    return words.joined(separator: " ")
  }

  private static let singulars = Dictionary(
    uniqueKeysWithValues: [
      "packets", "bytes", "files", "fragments", "frames", "connections", "messages", "blocks", "sections",
      "lists",
      "gaps", "descriptions", "datagrams", "sessions", "servers", "secrets",
    ].map { ($0, String($0.dropLast())) } + [("addresses", "address")])

  private static let verbs = ["are": "is", "name": "names", "contradict": "contradicts"]

  /// How many counts a sentence has.
  private static let countLimit = 30

  /// Counts in a sentence, those of one name added up; nil where there are none.
  static func counts(_ counts: [NamedCount]) -> String? {
    let sums = NamedCount.sums(of: counts)
    if sums.isEmpty { return nil }
    var parts = sums.prefix(countLimit).map { item in
      let text = DisplayText.escaped(item.text)
      return "\(grouped(item.count)) \(item.count == 1 ? singular(text) : text)"
    }
    if sums.count > countLimit {
      let rest = sums.dropFirst(countLimit).reduce(UInt64(0)) {
        $0.addingReportingOverflow($1.count).partialValue
      }
      parts.append(
        "and \(grouped(rest)) of \(count(sums.count - countLimit, "more kind")): --format json lists them")
    }
    return parts.joined(separator: ", ")
  }

  /// The connections without a handshake, by server; nil where there are none.
  static func silent(_ servers: [SummaryRecord.SilentServer], limit: Int) -> String? {
    guard !servers.isEmpty else { return nil }
    let connections = servers.reduce(UInt64(0)) { $0 &+ $1.connections }
    var names = servers.prefix(limit).map { "\($0.server) (\(grouped($0.connections)))" }
    if servers.count > limit { names.append("and \(count(servers.count - limit, "more server"))") }
    return "\(count(connections, "connection")) without one: \(names.joined(separator: ", "))"
  }
}

extension TextWriter {
  /// Writes by what settings a run judges, and what else its verdicts rest on.
  mutating func writeBasis(of run: RunRecord) {
    for line in [Wording.policy(of: run), Wording.basis(of: run).joined(separator: "; ")] {
      writeFields([(line, .dim)], indent: 0)
    }
  }
}
