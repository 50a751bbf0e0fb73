import ATSEvaluation
import ATSRules
import Reporting
import SessionRecords

/// The fixes, each once with the hosts that require it, the worst first; and the inputs that settle undecided hosts.
struct FixList {
  struct Item {
    /// The instruction, escaped for display; if it is for several hosts, `HOST` replaces the name.
    var text: String
    var rules: [String]
    /// The indices of the hosts that require it.
    var hosts: [Int]
  }

  /// The fixes of required rules that fail.
  private(set) var fixes: [Item] = []

  /// The inputs that settle undecided required rules.
  private(set) var settlements: [Item] = []

  /// Collects the fixes of hosts that are sorted by severity.
  init(_ hosts: [HostReport]) {
    var (slotsOfFixes, slotsOfSettlements): ([String: Int], [String: Int]) = ([:], [:])
    for (index, host) in hosts.enumerated() {
      switch host.verdict {
      case .fail:
        for result in host.ruleResults where result.isFailure {
          let fix = host.fix(of: result.finding) ?? Wording.comparison(result.finding)
          FixList.add(DisplayText.escaped(fix), of: host, result.id, index, to: &fixes, &slotsOfFixes)
        }
      case .unknown:
        for result in host.ruleResults where result.finding.isUndecided {
          let ways = HostSections.ways(of: result.finding, in: result.group)
          guard !ways.isEmpty else { continue }
          FixList.add(Wording.instruction(ways), of: host, result.id, index, to: &settlements, &slotsOfSettlements)
        }
      default: break
      }
    }
    fixes = FixList.sorted(fixes)
    settlements.sort { $0.hosts.count > $1.hosts.count }
  }

  /// Adds a host to the item with this text; the host's own name in the text is ignored in the comparison.
  private static func add(
    _ text: String, of host: HostReport, _ rule: String, _ index: Int, to items: inout [Item],
    _ slots: inout [String: Int]
  ) {
    let key = Wording.generalized(text, host: host, as: "HOST")
    let slot = slots[key] ?? items.count
    if slot == items.count {
      slots[key] = slot
      items.append(Item(text: text, rules: [], hosts: []))
    }
    if !items[slot].rules.contains(rule) { items[slot].rules.append(rule) }
    guard items[slot].hosts.last != index else { return }
    items[slot].hosts.append(index)
    if items[slot].hosts.count > 1 { items[slot].text = key }
  }

  private static func sorted(_ items: [Item]) -> [Item] {
    items.enumerated().sorted { one, other in
      let (first, second) = (Severity(one.element.rules), Severity(other.element.rules))
      if first != second { return first < second }
      return (-one.element.hosts.count, one.offset) < (-other.element.hosts.count, other.offset)
    }.map(\.element)
  }
}
