import ATSEvaluation
import SessionRecords

/// What many hosts come to in a few lines, for the last screen of a long report.
struct HostOverview {
  let hosts: [HostReport]
  let sessions: Int

  /// With so many hosts, the blocks above are no longer on the screen.
  private static let threshold = 8

  /// How many hosts and rules are named one by one.
  private static let hostLimit = 6
  private static let ruleLimit = 6

  var rows: [TextRow] {
    guard hosts.count > HostOverview.threshold else { return [] }
    var rows = [TextRow(label: "sessions", text: HostBlock.tally(sessionCounts))]
    let failing = hosts.filter { $0.verdict == .fail }
    for (index, host) in failing.prefix(HostOverview.hostLimit).enumerated() {
      rows.append(
        TextRow(label: index == 0 ? "worst" : "", text: HostOverview.line(of: host), style: .red))
    }
    if failing.count > HostOverview.hostLimit {
      let rest = failing.count - HostOverview.hostLimit
      rows.append(
        TextRow(
          label: "", text: "and \(Wording.count(rest, "more host")) that \(rest == 1 ? "fails" : "fail")"))
    }
    var counts: [[String: Int]] = [[:], [:], [:]]
    for host in hosts {
      // The first three ranks: a required rule fails, is undecided, is relaxed.
      for rule in host.worstRanks where rule.rank < counts.count {
        counts[rule.rank][rule.id, default: 0] += 1
      }
    }
    rows += row("rules broken", .red, counts[0])
    rows += row("not decided", .yellow, counts[1])
    rows += row("relaxed", .yellow, counts[2])
    return rows
  }

  private var sessionCounts: VerdictCounts {
    var counts = VerdictCounts()
    for host in hosts {
      counts.fail += host.verdicts.fail
      counts.unknown += host.verdicts.unknown
      counts.exempt += host.verdicts.exempt
      counts.pass += host.verdicts.pass
      counts.relaxed += host.verdicts.relaxed
    }
    return counts
  }

  private static func line(of host: HostReport) -> String {
    let rules = host.failingRules
    var text = "\(DisplayText.escaped(host.label)): \(Wording.rules(Array(rules.prefix(4))))"
    if rules.count > 4 { text += " and \(rules.count - 4) more" }
    return text + " (\(Wording.count(host.verdicts.fail, "session")))"
  }

  /// The rules that come to something, those of the most hosts first.
  private func row(_ label: String, _ style: TextStyle, _ counts: [String: Int]) -> [TextRow] {
    if counts.isEmpty { return [] }
    let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    var parts = sorted.prefix(HostOverview.ruleLimit).enumerated().map { index, item in
      "\(item.key) \(index == 0 ? Wording.count(item.value, "host") : Wording.grouped(item.value))"
    }
    if sorted.count > HostOverview.ruleLimit {
      parts.append("and \(Wording.count(sorted.count - HostOverview.ruleLimit, "more rule"))")
    }
    return [TextRow(label: label, text: parts.joined(separator: ", "), style: style)]
  }
}
