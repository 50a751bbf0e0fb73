import SessionModel
import TrustEvaluation
import Values

/// Judgements by what they depend on: the evidence of a session, what was found of its chain, and the time.
///
/// Similar sessions may have several judgements, each for a span of time. A full cache is emptied: a capture that fills it has too few
/// similar sessions to benefit from a better eviction.
struct JudgementCache {
  /// What a judgement depends on besides the time.
  struct Key: Hashable {
    let evidence: SessionEvidence
    let trust: Identity<ChainTrust>?
  }

  /// The greatest number of judgements held, unless a caller says otherwise; each takes some ten kilobytes with its findings.
  static let maximumCount = 1024

  private let limit: Int
  private var judgements: [Key: [Entry]] = [:]
  private var count = 0

  /// The number of judgements that were added.
  private(set) var insertions = 0

  private struct Entry {
    /// Whether the judgement was made at a known time, and the span in which it holds, its end excluded.
    var hasTime: Bool
    var start: Timestamp?
    var end: Timestamp?
    var judgement: Shared<Judgement>

    func holds(at time: Timestamp?) -> Bool {
      guard let time else { return !hasTime }
      return hasTime && start.map { time >= $0 } ?? true && end.map { time < $0 } ?? true
    }
  }

  /// Creates an empty cache for this many judgements, at least one.
  init(limit: Int = maximumCount) { self.limit = max(limit, 1) }

  /// The judgement of a session like this one at a time like this; nil where there is none.
  func find(_ key: Key, at time: Timestamp?) -> Shared<Judgement>? {
    judgements[key]?.first { $0.holds(at: time) }?.judgement
  }

  /// Adds a judgement, which holds in the span that its clock has found.
  mutating func insert(_ judgement: Shared<Judgement>, for key: Key, _ clock: JudgingClock) {
    if count >= limit {
      judgements.removeAll(keepingCapacity: true)
      count = 0
    }
    count += 1
    insertions += 1
    judgements[key, default: []].append(
      Entry(hasTime: clock.isKnown, start: clock.start, end: clock.end, judgement: judgement))
  }
}
