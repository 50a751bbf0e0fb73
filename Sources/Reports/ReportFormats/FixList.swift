import ATSEvaluation
import ATSRules
import Reporting
import SessionRecords
import Values

/// The fixes, each once with the hosts that require it, the worst first; and the inputs that settle undecided hosts.
struct FixList {
  struct Item {
    /// The verdict of the hosts: exempt for those that the system rejects although ATS is off.
    var verdict: Verdict
    /// The steps, escaped for display; if they are for several hosts, `HOST` replaces the name.
    var steps: [String]
    var rules: [String]
    /// The indices of the hosts that require it.
    var hosts: [Int]
  }

  /// The fixes of required rules that fail, then those of rules for which the system rejects hosts although ATS is off.
  let fixes: [Item]

  /// The inputs that settle undecided required rules.
  let settlements: [Item]

  /// The commands that fetch certificates; empty if they settle nothing.
  let commands: [String]

  /// Collects the fixes of the hosts of a run, which are sorted by severity.
  init(_ hosts: [HostReport], of run: RunRecord, _ possible: NextSteps) {
    fixes = FixList.sorted(
      FixList.items(of: hosts) { result, host in
        let isNeeded =
          host.verdict == .fail
          ? result.isFailure : host.verdict == .exempt && host.systemRejections.contains { $0.finding.id == result.id }
        guard isNeeded else { return nil }
        return host.fix(of: result)?.steps.map { DisplayText.escaped($0.text) } ?? [
          DisplayText.escaped(Wording.comparison(result.finding))
        ]
      })
    var takesChain = false
    let settlements = FixList.items(of: hosts) { result, host in
      guard host.verdict == .unknown, result.finding.isUndecided else { return nil }
      let ways = HostSections.ways(of: result.finding, in: result.group, possible)
      if ways.contains(HostSections.anyChain) { takesChain = true }
      return ways.isEmpty ? nil : [Wording.instruction(ways)]
    }
    commands = takesChain ? ShellText.collectingCommands(of: run, without: possible.unusableFiles) : []
    self.settlements = settlements.sorted { $0.hosts.count > $1.hosts.count }
  }

  /// What the hosts of an item have in common.
  private struct Likeness: Hashable {
    let verdict: Verdict
    /// The steps with `HOST` instead of the host's name.
    let steps: [String]
  }

  /// Returns the instructions for the rules of hosts; a host's own name in them is ignored in the comparison.
  private static func items(of hosts: [HostReport], _ instruction: (RuleResult, HostReport) -> [String]?) -> [Item] {
    let uses = hosts.enumerated().flatMap { index, host in
      host.ruleResults.compactMap { result in
        instruction(result, host).map { steps in
          (
            steps: steps,
            likeness: Likeness(verdict: host.verdict, steps: steps.map { Wording.generalized($0, host: host, as: "HOST") }),
            rule: result.id, host: index
          )
        }
      }
    }
    return uses.grouped(by: \.likeness).map { likeness, uses in
      let hosts = uses.map(\.host).distinct()
      return Item(
        verdict: likeness.verdict, steps: hosts.count > 1 ? likeness.steps : uses[0].steps, rules: uses.map(\.rule).distinct(),
        hosts: hosts)
    }
  }

  private static func sorted(_ items: [Item]) -> [Item] {
    items.sorted { one, other in
      if one.verdict != other.verdict { return one.verdict == .fail }
      let (first, second) = (Severity(one.rules), Severity(other.rules))
      return first == second ? one.hosts.count > other.hosts.count : first < second
    }
  }
}
