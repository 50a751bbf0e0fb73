import ATSEvidence
import ATSRules
import PolicyResolution

/// Chooses among several paths: if its rules refuse one, a device tries the next.
enum PathChoice {
  /// The context of the first path that no rule refuses, otherwise of the one with the lowest cost.
  static func best(of contexts: some Collection<JudgingContext>, _ session: SessionEvidence, _ policy: EffectivePolicy) -> JudgingContext {
    var best: (context: JudgingContext, cost: Int)?
    for context in contexts {
      if contexts.count == 1 { return context }
      let cost = cost(of: context, session, policy)
      if cost == 0 { return context }
      if best.map({ cost < $0.cost }) ?? true { best = (context, cost) }
    }
    return best?.context ?? JudgingContext(session, clock: JudgingClock(nil))
  }

  /// The cost of a path: 1000 for each rule that it violates, 1 for each required rule that it leaves undecided.
  private static func cost(of context: JudgingContext, _ session: SessionEvidence, _ policy: EffectivePolicy) -> Int {
    rules.reduce(0) { sum, rule in
      let finding = rule.judge(session, under: policy, in: context)
      return switch finding.outcome {
      case .fail: sum + 1000
      case .unknown where finding.isRequired: sum + 1
      default: sum
      }
    }
  }

  private static let rules = RuleTable.mandatory.filter { type(of: $0).isTrustEvaluation || type(of: $0).id == RuleID.pin.rawValue }
}
