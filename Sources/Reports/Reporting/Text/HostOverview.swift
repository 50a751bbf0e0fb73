import ATSEvaluation
import SessionModel
import SessionRecords

/// What many hosts come to in a few lines.
struct HostOverview {
  let hosts: [HostReport]

  /// How many rules and hosts a row names.
  private static let ruleLimit = 6
  private static let hostLimit = 8

  /// How many remarks of one label are written.
  private static let listLimit = 20

  /// How many hosts each rule concerns. A single host's failures are in its block; its advice only if that has every finding.
  func rows(isBrief: Bool) -> [TextRow] {
    var counts: [[String: Int]] = [[:], [:], [:], [:]]
    for host in hosts {
      // The first four ranks: a required rule fails, is undecided, is relaxed; advice.
      for rule in host.worstRanks where rule.rank < counts.count {
        if rule.rank < 3 || rule.id.hasPrefix("ADV-") { counts[rule.rank][rule.id, default: 0] += 1 }
      }
    }
    let advice = row("advice", .dim, counts[3])
    if hosts.count <= 1 { return isBrief ? advice : [] }
    return row("rules that fail", .red, counts[0])
      + (isBrief ? [] : row("rules undecided", .yellow, counts[1]))
      + row("rules relaxed", .yellow, counts[2]) + advice
  }

  /// How handshakes failed, and what the verdicts of some hosts rest on.
  var remarks: [TextRow] {
    var lists: [(label: String, text: String, hosts: [(name: String, remarks: [String])])] = []
    var places: [[String]: Int] = [:]
    for host in hosts {
      for remark in host.remarks {
        let item = (name: HostSections.name(of: host), remarks: [remark.detail])
        if let place = places[[remark.label, remark.text]] {
          lists[place].hosts.append(item)
        } else {
          places[[remark.label, remark.text]] = lists.count
          lists.append((remark.label, remark.text, [item]))
        }
      }
    }
    return HostRemark.labels.flatMap { label in
      let all = lists.filter { $0.label == label }
      var rows = all.prefix(HostOverview.listLimit).enumerated().map { index, list in
        var names = list.hosts.prefix(HostOverview.hostLimit).map { host in
          host.name + (host.remarks.allSatisfy(\.isEmpty) ? "" : " (\(host.remarks.joined()))")
        }
        let rest = list.hosts.count - names.count
        if rest > 0 { names.append("and \(Wording.grouped(rest)) more: --details") }
        return TextRow(
          label: index == 0 ? label : "", text: "\(list.text): \(names.joined(separator: ", "))", style: .dim)
      }
      if all.count > rows.count {
        rows.append(
          TextRow(
            label: "", text: "and \(Wording.grouped(all.count - rows.count)) more: --details", style: .dim))
      }
      return rows
    }
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
