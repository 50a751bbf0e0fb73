import ATSEvaluation
import PolicyResolution
import SeededRandom
import SessionModel
import Testing

/// A relaxing key does not turn a pass into a fail, except where the policy text says so.
@Suite struct JudgeMonotonicityTests {
  /// The number of dictionaries and sessions for each seed.
  static let rounds = 400

  private func expectNoNewFailure(
    seed: UInt64, _ relax: (inout ATSDictionary, inout SeededGenerator) -> Bool
  ) {
    var random = SeededGenerator(seed: seed)
    var tried = 0
    for round in 0..<JudgeMonotonicityTests.rounds {
      let engine = random.engine()
      let before = random.dictionary()
      let session = random.session(frame: 1)
      var after = before
      guard relax(&after, &random), after != before else { continue }
      tried += 1
      let failsBefore = engine.content(session, before).verdict == .fail
      let failsAfter = engine.content(session, after).verdict == .fail
      let isKept = failsBefore || !failsAfter
      #expect(isKept, "seed \(seed), round \(round): \(engine.os) \(session.serverName ?? "-")")
    }
    #expect(tried > JudgeMonotonicityTests.rounds / 10)
  }

  @Test(arguments: TestEffort.seeds(1...4))
  func `a relaxing key in an existing entry never makes a load fail`(seed: UInt64) {
    expectNoNewFailure(seed: seed) { dictionary, random in
      guard let index = dictionary.exceptionDomains.indices.randomElement(using: &random) else {
        return false
      }
      switch random.next() % 3 {
      case 0: dictionary.exceptionDomains[index].settings.allowsInsecureHTTPLoads = true
      case 1: dictionary.exceptionDomains[index].settings.requiresForwardSecrecy = false
      default: dictionary.exceptionDomains[index].settings.minimumTLSVersion = "TLSv1.0"
      }
      return true
    }
  }

  @Test(arguments: TestEffort.seeds(11...14))
  func `NSAllowsArbitraryLoads never makes a load fail`(seed: UInt64) {
    expectNoNewFailure(seed: seed) { dictionary, _ in
      dictionary.allowsArbitraryLoads = true
      return true
    }
  }

  @Test(arguments: TestEffort.seeds(21...24))
  func `narrower global keys make a load fail only by canceling NSAllowsArbitraryLoads`(seed: UInt64) {
    expectNoNewFailure(seed: seed) { dictionary, random in
      if dictionary.allowsArbitraryLoads == true { return false }
      switch random.next() % 3 {
      case 0: dictionary.allowsLocalNetworking = true
      case 1: dictionary.allowsArbitraryLoadsForMedia = true
      default: dictionary.allowsArbitraryLoadsInWebContent = true
      }
      return true
    }
  }

  @Test func `a narrower global key cancels NSAllowsArbitraryLoads`() {
    let engine = Engine()
    let session = Sessions.cleartext("example.com")
    let all = ATSDictionary(allowsArbitraryLoads: true)
    var both = all
    both.allowsLocalNetworking = true
    #expect(engine.content(session, all).verdict == .exempt)
    #expect(engine.content(session, both).verdict == .fail)
  }

  @Test(arguments: TestEffort.seeds(31...34))
  func `a new entry makes a load fail only if a less strict setting applied to its host`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var tried = 0
    for round in 0..<JudgeMonotonicityTests.rounds {
      let engine = random.engine()
      let before = random.dictionary()
      let session = random.session(frame: 1)
      guard let key = session.serverName, !before.exceptionDomains.contains(where: { $0.key == key }) else {
        continue
      }
      let content = engine.content(session, before)
      // Entries take precedence over keys that turn ATS off, and over parent and built-in entries.
      guard !content.policy.isATSOff, content.policy.matchedEntry == nil else { continue }
      tried += 1
      var after = before
      after.exceptionDomains.append(
        ExceptionEntry(key: key, settings: ExceptionSettings(allowsInsecureHTTPLoads: true)))
      let isKept = content.verdict == .fail || engine.content(session, after).verdict != .fail
      #expect(isKept, "seed \(seed), round \(round): \(engine.os) \(key)")
    }
    #expect(tried > JudgeMonotonicityTests.rounds / 20)
  }

  @Test func `a new entry takes precedence over a global key that turns ATS off`() {
    let engine = Engine()
    let session = Sessions.tls("example.com", version: 0x0303, suite: 0x009C)
    var dictionary = ATSDictionary(allowsArbitraryLoads: true)
    #expect(engine.content(session, dictionary).verdict == .exempt)
    dictionary.exceptionDomains = [
      ExceptionEntry(key: "example.com", settings: ExceptionSettings(allowsInsecureHTTPLoads: true))
    ]
    #expect(engine.content(session, dictionary).verdict == .fail)
  }
}
