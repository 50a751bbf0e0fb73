import ATSEvaluation
import ExceptionPlanning
import PolicyResolution
import SeededRandom
import SessionModel
import Testing

/// What holds of every plan, for random settings and sessions.
@Suite struct ExceptionPlanPropertiesTests {
  private struct Case {
    var engine: Engine
    var sessions: [ObservedSession]
    var present: ATSDictionary?
    var plan: ExceptionPlan
  }

  private func cases(seed: UInt64, withSettings: Bool) -> [Case] {
    var random = SeededGenerator(seed: seed)
    return (0..<20).map { _ in
      let engine = random.engine()
      var sessions: [ObservedSession] = []
      for frame in 1...UInt64(1 + random.next() % 24) { sessions.append(random.session(frame: frame)) }
      let present = withSettings ? random.dictionary() : nil
      return Case(
        engine: engine, sessions: sessions, present: present, plan: engine.plan(sessions, present: present))
    }
  }

  @Test(arguments: TestEffort.seeds(1...12), [false, true])
  func `what still fails under a plan no key can allow`(seed: UInt64, withSettings: Bool) {
    for (number, item) in cases(seed: seed, withSettings: withSettings).enumerated() {
      for session in item.sessions {
        let content = item.engine.content(session, item.plan.dictionary)
        guard content.verdict == .fail else { continue }
        #expect(
          content.isImpossible,
          "seed \(seed), case \(number): \(item.engine.os) \(item.engine.context) \(session.serverName ?? "-")"
        )
      }
    }
  }

  @Test(arguments: TestEffort.seeds(1...12), [false, true])
  func `no key of a plan can be dropped`(seed: UInt64, withSettings: Bool) {
    for (number, item) in cases(seed: seed, withSettings: withSettings).enumerated() {
      for key in item.plan.keys {
        let without = item.plan.dictionary.without(key.key, of: key.entry)
        let isNeeded = item.sessions.contains { session in
          item.engine.content(session, item.plan.dictionary).verdict != .fail
            && item.engine.content(session, without).verdict == .fail
        }
        #expect(isNeeded, "seed \(seed), case \(number): \(item.engine.os) \(key.entry ?? "-") \(key.key)")
        #expect(key.sessions > 0)
        #expect(!key.rules.isEmpty)
      }
    }
  }

  @Test(arguments: TestEffort.seeds(1...12), [false, true])
  func `a plan for an app that has the plan changes nothing`(seed: UInt64, withSettings: Bool) {
    for (number, item) in cases(seed: seed, withSettings: withSettings).enumerated() {
      let again = item.engine.plan(item.sessions, present: item.plan.dictionary)
      let isSame = Set(again.dictionary.exceptionDomains) == Set(item.plan.dictionary.exceptionDomains)
      #expect(
        isSame, "seed \(seed), case \(number): \(item.engine.os) \(item.plan.dictionary) \(again.dictionary)")
      #expect(again.unneeded.isEmpty, "seed \(seed), case \(number)")
      #expect(again.givenUp.isEmpty, "seed \(seed), case \(number)")
      // What an app demanded and gives up does not count the second time.
      if item.plan.givenUp.isEmpty { #expect(again.counts.impossible == item.plan.counts.impossible) }
    }
  }

  @Test(arguments: TestEffort.seeds(1...12))
  func `every session is counted once`(seed: UInt64) {
    for item in cases(seed: seed, withSettings: true) {
      let counts = item.plan.counts
      #expect(counts.withoutKeys + counts.byKeys + counts.undecided + counts.impossible == item.sessions.count)
    }
  }
}

extension ATSDictionary {
  /// The dictionary without a key.
  func without(_ key: String, of entry: String?) -> ATSDictionary {
    var changed = self
    switch key {
    case "NSAllowsArbitraryLoads": changed.allowsArbitraryLoads = nil
    case "NSAllowsArbitraryLoadsForMedia": changed.allowsArbitraryLoadsForMedia = nil
    case "NSAllowsArbitraryLoadsInWebContent": changed.allowsArbitraryLoadsInWebContent = nil
    case "NSAllowsLocalNetworking": changed.allowsLocalNetworking = nil
    default: break
    }
    for index in changed.exceptionDomains.indices where changed.exceptionDomains[index].key == entry {
      switch key {
      case "NSExceptionAllowsInsecureHTTPLoads":
        changed.exceptionDomains[index].settings.allowsInsecureHTTPLoads = nil
      case "NSExceptionMinimumTLSVersion": changed.exceptionDomains[index].settings.minimumTLSVersion = nil
      case "NSExceptionRequiresForwardSecrecy":
        changed.exceptionDomains[index].settings.requiresForwardSecrecy = nil
      case "NSExceptionRequiresNIAPTLSPackageVersion":
        changed.exceptionDomains[index].requiredNIAPPackage = nil
      default: break
      }
    }
    return changed
  }
}
