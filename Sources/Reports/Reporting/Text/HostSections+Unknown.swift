import ATSEvaluation
import SessionModel
import SessionRecords

/// The hosts whose verdict is unknown, and what settles it.
extension HostSections {
  /// What is missing in the same way for some hosts, and what settles it.
  struct Gap {
    let ways: [String]
    var rules: [(reason: String, ids: [String])] = []
    var hosts: [(host: HostReport, sessions: Int)] = []
    /// The remarks that all of its sessions have.
    var notes: [String]
    var sessions = 0
    /// Whether nothing else is undecided in any of them.
    var isRestMet = true

    /// `certificate encrypted`, `host encrypted`, `ServerHello not in the capture`.
    var reasons: String {
      rules.map { rule in
        if rule.reason == Wording.reason(nil) { return rule.reason }
        if rule.ids == ["ATS-CERT-HOST"] { return "host \(rule.reason)" }
        let handshake: Set = ["ATS-TLS-VERSION", "ATS-CIPHER", "ATS-PFS", "ATS-NIAP"]
        if handshake.isSuperset(of: rule.ids) { return "ServerHello \(rule.reason)" }
        return (handshake.isDisjoint(with: rule.ids) ? "certificate " : "") + rule.reason
      }.joined(separator: "; ")
    }
  }

  mutating func writeUnknown(_ hosts: [HostReport], to writer: inout TextWriter) {
    for gap in gaps(of: hosts).sorted(by: { $0.hosts.count > $1.hosts.count }) {
      HostSections.writeVerdict(.unknown, to: &writer)
      let isSingle = gap.hosts.count == 1
      let name = gap.hosts.first.map { HostSections.name(of: $0.host) } ?? ""
      writer.writeFields(
        [
          (isSingle ? name : Wording.count(gap.hosts.count, "host"), .bold),
          (Wording.count(gap.sessions, "session"), .plain), (gap.reasons, .plain),
          (gap.isRestMet ? "all else meets ATS" : "", .plain),
        ], indent: HostSections.verdictWidth)
      if !isSingle {
        HostSections.writeList(
          "hosts", gap.hosts.map { (HostSections.name(of: $0.host), [HostSections.times($0.sessions)]) },
          to: &writer)
      }
      // A later block with the same rules differs in what its heading says is missing, and in what settles it.
      var rows = gap.rules.map { rule in
        Wording.shortRules(rule.ids) + (gap.rules.count > 1 ? ": \(rule.reason)" : "")
      }.filter { given.insert($0).inserted }.map { TextRow(label: "undecided", text: $0, style: .yellow) }
      rows += gap.notes.filter { given.insert($0).inserted }.map {
        TextRow(label: "", text: DisplayText.escaped($0))
      }
      for row in rows {
        writer.writeRow(row, indent: HostSections.indent, labelWidth: HostSections.labelWidth)
      }
      writeWays(gap, to: &writer)
    }
  }

  /// Writes what settles a gap: chains that other sessions show first, and once how the others are collected.
  private mutating func writeWays(_ gap: Gap, to writer: inout TextWriter) {
    let indent = HostSections.indent + HostSections.labelWidth + 2
    let shown = gap.hosts.map(\.host).filter { $0.groups.contains(where: \.showsChain) }
    var ways = gap.ways
    let takesChain = ways.contains(HostSections.chainWay)
    if takesChain {
      ways.removeAll { $0 == HostSections.chainWay }
      if !shown.isEmpty {
        let hosts =
          gap.hosts.count == 1
          ? "" : shown.count == 1 ? " for \(HostSections.name(of: shown[0]))" : " for \(shown.count) hosts"
        ways.insert("--chain captured\(hosts) (another session shows the chain)", at: 0)
      }
      ways.append(given.contains(HostSections.chainWay) ? "--chain chains" : "collect the chains:")
    }
    guard !ways.isEmpty else { return }
    writer.writeRow(
      TextRow(label: "to settle", text: ways.joined(separator: ", or "), style: .green),
      indent: HostSections.indent, labelWidth: HostSections.labelWidth)
    guard takesChain, given.insert(HostSections.chainWay).inserted else { return }
    for command in ShellText.collectingCommands(inputs) { writer.writeCommand(command, indent: indent) }
  }

  /// The way of a chain that is supplied, with the host taken out.
  private static let chainWay = "--chain HOST=FILE"

  private mutating func gaps(of hosts: [HostReport]) -> [Gap] {
    var gaps: [Gap] = []
    var places: [[String]: Int] = [:]
    for host in hosts {
      for group in host.groups where group.judgement.content.verdict == .unknown {
        let open = group.judgement.content.findings.filter { $0.required && $0.outcome == .unknown }
        var met: Set<[String]> = []
        for finding in open where !met.contains(HostSections.ways(of: finding)) {
          let ways = HostSections.ways(of: finding)
          met.insert(ways)
          let alike = open.filter { HostSections.ways(of: $0) == ways }
          // Where no reason is recorded, the remarks have it.
          let notes = alike.filter { $0.missing == nil }.flatMap(\.notes)
          remarks += alike.reduce(0) { $0 + $1.notes.count } - notes.count
          let place = places[ways] ?? gaps.count
          if place == gaps.count {
            places[ways] = place
            gaps.append(Gap(ways: ways, notes: notes))
          }
          remarks +=
            gaps[place].notes.count { !notes.contains($0) } + notes.count { !gaps[place].notes.contains($0) }
          gaps[place].notes.removeAll { !notes.contains($0) }
          if alike.count < open.count { gaps[place].isRestMet = false }
          gaps[place].add(alike, of: host, sessions: group.sessions)
        }
      }
    }
    return gaps
  }

  /// What settles a finding, with the names of hosts taken out.
  static func ways(of finding: Finding) -> [String] {
    finding.settledBy.map {
      $0.hasPrefix("--chain ") && $0.hasSuffix("FILE") ? chainWay : DisplayText.escaped($0)
    }
  }
}

extension HostSections.Gap {
  mutating func add(_ findings: [Finding], of host: HostReport, sessions count: Int) {
    sessions += count
    if let last = hosts.indices.last, hosts[last].host.label == host.label,
      hosts[last].host.process == host.process
    {
      hosts[last].sessions += count
    } else {
      hosts.append((host, count))
    }
    for finding in findings {
      let reason = Wording.reason(finding.missing)
      if let place = rules.firstIndex(where: { $0.reason == reason }) {
        if !rules[place].ids.contains(finding.id) { rules[place].ids.append(finding.id) }
      } else {
        rules.append((reason, [finding.id]))
      }
    }
  }
}
