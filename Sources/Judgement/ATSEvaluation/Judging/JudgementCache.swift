import ATSEvidence
import SessionModel
import TrustEvaluation
import Values

/// Judgements, by everything they depend on: the evidence of a session, the evaluation of its chain, and the time.
///
/// Similar sessions may have several judgements, each valid in a span of time. A full cache is emptied: a capture that fills it has too few
/// similar sessions to benefit from a better eviction.
struct JudgementCache {
  /// The facts besides the time on which a judgement depends.
  struct Key: Hashable {
    let evidence: SessionEvidence
    let trust: Identity<ChainTrust>?
  }

  /// The default limit of the number of judgements; each takes about 10 KB with its findings.
  static let maximumCount = 1024

  private let limit: Int
  private var judgements: [Key: [Entry]] = [:]
  private var count = 0

  /// The number of judgements that were inserted.
  private(set) var insertions = 0

  private struct Entry {
    /// Whether the judgement was made at a known time, and the half-open span in which it is valid.
    var hasTime: Bool
    var start: Timestamp?
    var end: Timestamp?
    var judgement: Shared<Judgement>

    func holds(at time: Timestamp?) -> Bool {
      guard let time else { return !hasTime }
      return hasTime && start.map { time >= $0 } ?? true && end.map { time < $0 } ?? true
    }
  }

  /// Creates an empty cache with this limit, which is at least 1.
  init(limit: Int = maximumCount) { self.limit = max(limit, 1) }

  /// The judgement of a similar session that is valid at this time; nil if there is none.
  func find(_ key: Key, at time: Timestamp?) -> Shared<Judgement>? {
    judgements[key]?.first { $0.holds(at: time) }?.judgement
  }

  /// Inserts a judgement, which is valid in the span that its clock determined.
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
