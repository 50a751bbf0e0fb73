import ATSEvaluation
import ExceptionPlanning
import PolicyResolution
import SeededRandom
import SessionModel
import Testing

/// Properties of every plan, for random settings and sessions.
@Suite struct ExceptionPlanPropertiesTests {
  private struct Case {
    let engine: Engine
    let sessions: [ObservedSession]
    let plan: ExceptionPlan
    /// The seed and the number of the case, for messages.
    let label: String

    init(_ random: inout SeededGenerator, withSettings: Bool, label: String) {
      engine = random.engine()
      var sessions: [ObservedSession] = []
      for frame in 1...UInt64(1 + random.next() % 24) { sessions.append(random.session(frame: frame)) }
      self.sessions = sessions
      plan = engine.plan(sessions, present: withSettings ? random.dictionary() : nil)
      self.label = "\(label): \(engine.os) \(engine.context)"
    }
  }

  /// One test for all properties, because most of its time goes into making the plans.
  @Test(arguments: TestEffort.seeds(1...6), [false, true])
  func `a plan has exactly the keys that its sessions need`(seed: UInt64, withSettings: Bool) {
    var random = SeededGenerator(seed: seed)
    for number in 0..<(TestEffort.isLong ? 20 : 8) {
      let item = Case(&random, withSettings: withSettings, label: "seed \(seed), case \(number)")
      expectWhatStillFailsIsImpossible(item)
      expectEveryKeyIsNeeded(item)
      expectNoChangeForAnAppWithThePlan(item)
      let counts = item.plan.counts
      #expect(
        counts.withoutKeys + counts.byKeys + counts.undecided + counts.impossible == item.sessions.count,
        "\(item.label): every session is counted once")
    }
  }

  private func expectWhatStillFailsIsImpossible(_ item: Case) {
    for session in item.sessions {
      let content = item.engine.content(session, item.plan.dictionary)
      guard content.verdict == .fail else { continue }
      #expect(content.isImpossible, "\(item.label) \(session.serverName ?? "-")")
    }
  }

  private func expectEveryKeyIsNeeded(_ item: Case) {
    for key in item.plan.keys {
      let without = item.plan.dictionary.without(key.key, of: key.entry)
      let isNeeded = item.sessions.contains { session in
        item.engine.content(session, item.plan.dictionary).verdict != .fail
          && item.engine.content(session, without).verdict == .fail
      }
      // Several entries of the app may each be for a host that is not known.
      let mayBeNeeded = item.sessions.contains {
        $0.serverName == nil && item.engine.content($0, item.plan.dictionary).verdict == .unknown
      }
      #expect(isNeeded || mayBeNeeded, "\(item.label) \(key.entry ?? "-") \(key.key)")
      #expect(key.sessions > 0)
      #expect(!key.rules.isEmpty)
    }
  }

  private func expectNoChangeForAnAppWithThePlan(_ item: Case) {
    let again = item.engine.plan(item.sessions, present: item.plan.dictionary)
    let isSame = Set(again.dictionary.exceptionDomains) == Set(item.plan.dictionary.exceptionDomains)
    #expect(isSame, "\(item.label) \(item.plan.dictionary) \(again.dictionary)")
    #expect(again.unneeded.isEmpty, "\(item.label)")
    #expect(again.abandoned.isEmpty, "\(item.label)")
    // Requirements that the plan removed do not count the second time.
    if item.plan.abandoned.isEmpty {
      // With the plan, a session with an unknown host may be undecided.
      #expect(again.counts.impossible + again.counts.undecided == item.plan.counts.impossible + item.plan.counts.undecided)
      #expect(again.counts.impossible <= item.plan.counts.impossible)
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
