import ATSEvaluation
import SessionRecords

/// What to do first: each fix once with the hosts that need it, the worst first; then what settles undecided hosts.
struct FixList {
  /// One thing to do.
  struct Item {
    /// What to do, made safe to show; with `HOST` for the name where several hosts need it.
    var text: String
    /// The rules that it concerns.
    var rules: [String]
    /// The indices of the hosts that need it.
    var hosts: [Int]
  }

  /// The fixes of required rules that fail.
  private(set) var fixes: [Item] = []

  /// The inputs that settle required rules that are undecided.
  private(set) var settlements: [Item] = []

  /// Collects from hosts that are sorted by severity.
  init(_ hosts: [HostReport]) {
    var (placesOfFixes, placesOfSettlements): ([String: Int], [String: Int]) = ([:], [:])
    for (index, host) in hosts.enumerated() {
      switch host.verdict {
      case .fail:
        for result in host.ruleResults where result.isFailure {
          let fix = result.finding.fix ?? Wording.comparison(result.finding)
          FixList.add(DisplayText.escaped(fix), of: host, result.id, index, to: &fixes, &placesOfFixes)
        }
      case .unknown:
        for result in host.ruleResults where result.finding.required && result.finding.outcome == .unknown {
          let ways = HostSections.ways(of: result.finding)
          guard !ways.isEmpty else { continue }
          let text = ways.joined(separator: ", or ")
          FixList.add(text, of: host, result.id, index, to: &settlements, &placesOfSettlements)
        }
      default: break
      }
    }
    fixes = FixList.sorted(fixes)
    settlements.sort { $0.hosts.count > $1.hosts.count }
  }

  /// Adds a host to the item with a text, ignoring the host's own name in it.
  private static func add(
    _ text: String, of host: HostReport, _ rule: String, _ index: Int, to items: inout [Item],
    _ places: inout [String: Int]
  ) {
    let key = Wording.generalized(text, host: host, as: "HOST")
    let place = places[key] ?? items.count
    if place == items.count {
      places[key] = place
      items.append(Item(text: text, rules: [], hosts: []))
    }
    if !items[place].rules.contains(rule) { items[place].rules.append(rule) }
    guard items[place].hosts.last != index else { return }
    items[place].hosts.append(index)
    if items[place].hosts.count > 1 { items[place].text = key }
  }

  private static func sorted(_ items: [Item]) -> [Item] {
    items.enumerated().sorted { one, other in
      let (first, second) = (Severity(one.element.rules), Severity(other.element.rules))
      if first != second { return first < second }
      return (-one.element.hosts.count, one.offset) < (-other.element.hosts.count, other.offset)
    }.map(\.element)
  }
}
