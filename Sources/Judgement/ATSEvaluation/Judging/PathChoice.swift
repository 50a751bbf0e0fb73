import PolicyResolution

/// The choice among several paths: a device continues from one that its rules refuse to the next.
enum PathChoice {
  /// The context of the first path that no rule refuses, else of the one that is refused least.
  static func best(
    of contexts: some Collection<JudgingContext>, _ session: SessionEvidence, _ policy: EffectivePolicy
  ) -> JudgingContext {
    var best: (context: JudgingContext, cost: Int)?
    for context in contexts {
      if contexts.count == 1 { return context }
      let cost = cost(of: context, session, policy)
      if cost == 0 { return context }
      if best.map({ cost < $0.cost }) ?? true { best = (context, cost) }
    }
    return best?.context ?? JudgingContext(session, clock: JudgingClock(nil))
  }

  /// What speaks against a path: each rule about certificates that it breaks, then each that it leaves open.
  private static func cost(
    of context: JudgingContext, _ session: SessionEvidence, _ policy: EffectivePolicy
  ) -> Int {
    rules.reduce(0) { sum, rule in
      let finding = rule.judge(session, under: policy, in: context)
      return switch finding.outcome {
      case .fail: sum + 1000
      case .unknown where finding.required: sum + 1
      default: sum
      }
    }
  }

  private static let rules = RuleTable.mandatory.filter { type(of: $0).isTrustEvaluation || $0 is PinRule }
}
