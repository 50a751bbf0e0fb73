import ATSEvidence
import SessionModel
import TrustEvaluation
import Values

/// Judgements, by everything they depend on: the evidence of a session, the evaluation of its chain, the evaluations under another release
/// and of the chains that its server may have sent instead, and the time.
///
/// Similar sessions may have several judgements, each valid in a span of time. A full cache is emptied: a capture that fills it has too few
/// similar sessions to benefit from a better eviction.
struct JudgementCache {
  /// The default limit of the number of judgements; each takes about 10 KB with its findings.
  static let maximumCount = 1024

  private let limit: Int
  /// By the hashes of their keys: a dictionary copies keys that it compares (a fifteenth of the instructions of a session).
  private var judgements: [Int: [Entry]] = [:]
  private var count = 0

  /// The number of judgements that were inserted.
  private(set) var insertions = 0

  private final class Entry: Sendable {
    let evidence: SessionEvidence
    let trust: Identity<ChainTrust>?
    let otherTrusts: [Identity<ChainTrust>?]
    /// Whether the judgement was made at a known time, and the half-open span in which it is valid.
    let hasTime: Bool
    let start: Timestamp?
    let end: Timestamp?
    let judgement: Shared<Judgement>

    init(
      _ judgement: Shared<Judgement>, _ evidence: SessionEvidence, _ trust: Identity<ChainTrust>?,
      _ otherTrusts: [ChainTrust?], _ clock: JudgingClock
    ) {
      self.evidence = evidence
      self.trust = trust
      self.otherTrusts = otherTrusts.map { $0.map { Identity($0) } }
      hasTime = clock.isKnown
      start = clock.start
      end = clock.end
      self.judgement = judgement
    }

    func holds(at time: Timestamp?) -> Bool {
      guard let time else { return !hasTime }
      return hasTime && start.map { time >= $0 } ?? true && end.map { time < $0 } ?? true
    }
  }

  /// Creates an empty cache with this limit, which is at least 1.
  init(limit: Int = maximumCount) { self.limit = max(limit, 1) }

  /// The judgement of a similar session that is valid at this time; nil if there is none.
  func find(
    _ evidence: borrowing SessionEvidence, _ trust: ChainTrust?, _ otherTrusts: [ChainTrust?], at time: Timestamp?
  ) -> Shared<Judgement>? {
    let trust = trust.map { Identity($0) }
    let others = otherTrusts.map { $0.map { Identity($0) } }
    for entry in judgements[JudgementCache.hash(evidence, trust)] ?? []
    where entry.trust == trust && entry.otherTrusts == others && entry.holds(at: time) && entry.evidence == evidence {
      return entry.judgement
    }
    return nil
  }

  /// Inserts a judgement, which depends on nothing but the evidence of a session, the evaluation of its chains, and the time. It is valid
  /// in the span that its clock determined.
  mutating func insert(
    _ judgement: Shared<Judgement>, for evidence: SessionEvidence, _ trust: ChainTrust?, _ otherTrusts: [ChainTrust?], _ clock: JudgingClock
  ) {
    if count >= limit {
      judgements.removeAll(keepingCapacity: true)
      count = 0
    }
    count += 1
    insertions += 1
    let trust = trust.map { Identity($0) }
    judgements[JudgementCache.hash(evidence, trust), default: []].append(Entry(judgement, evidence, trust, otherTrusts, clock))
  }

  private static func hash(_ evidence: borrowing SessionEvidence, _ trust: Identity<ChainTrust>?) -> Int {
    var hasher = Hasher()
    evidence.hash(into: &hasher)
    hasher.combine(trust)
    return hasher.finalize()
  }
}
