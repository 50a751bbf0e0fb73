import ByteParsing
import SessionModel
import TLSParsing
import TrustEvaluation
import Values

/// Judgements by what they depend on.
///
/// A table of our own and not a Dictionary: a session is compared where it lies, and several judgements of
/// like sessions stand beside each other, each for its span of time. Full, it is emptied: a capture that
/// fills it has too few like sessions to gain by more.
struct JudgementCache {
  /// Judgements held at most, unless a caller says otherwise; each with its findings takes some ten
  /// kilobytes.
  static let usualLimit = 4096

  private let limit: Int

  /// How many judgements were put in.
  private(set) var insertions = 0

  private struct Entry {
    var hash: Int
    var next: Int32
    /// Whether the judgement was made at a known time, and the span in which it holds, its end excluded.
    var hasTime: Bool
    var firstMoment: Timestamp
    var end: Timestamp
    var features: SessionFeatures
    /// The offer, answer, chain and findings whose identities the features hold: kept alive, so that nothing
    /// takes their place.
    var kept: (ClientOffer?, ServerAnswer?, CertificateChain?, ChainTrust?)
    var serverName: String?
    var sctList: Bytes?
    var ocspResponse: Bytes?
    var startTLS: String?
    var judgement: Judgement

    func holds(at time: Timestamp?) -> Bool {
      guard let time else { return !hasTime }
      return hasTime && time >= firstMoment && time < end
    }
  }

  private var heads: [Int32] = []
  private var entries: [Entry] = []
  private let seed: UInt64

  /// Creates an empty cache for so many judgements, one at least.
  init(limit: Int = usualLimit) {
    self.limit = min(max(limit, 1), Int(Int32.max))
    seed = UInt64.random(in: .min ... .max)
  }

  /// The judgement of a session like this one, made at a time like this; nil where there is none.
  func find(
    _ session: borrowing ObservedSession, _ features: SessionFeatures, at time: Timestamp?
  ) -> Judgement? {
    guard !heads.isEmpty else { return nil }
    let hash = hash(session, features)
    var index = Int(heads[hash & (heads.count - 1)])
    while index >= 0 {
      if entries[index].hash == hash, entries[index].holds(at: time), matches(index, session, features) {
        return entries[index].judgement
      }
      index = Int(entries[index].next)
    }
    return nil
  }

  /// Adds the judgement of a session; it holds in the span that its clock has found.
  mutating func insert(
    _ judgement: Judgement, for session: ObservedSession, _ features: SessionFeatures, _ trust: ChainTrust?,
    _ clock: JudgingClock
  ) {
    if entries.count >= limit {
      entries.removeAll(keepingCapacity: true)
      heads.removeAll(keepingCapacity: true)
    }
    if entries.count >= heads.count { grow() }
    insertions += 1
    let hash = hash(session, features)
    let slot = hash & (heads.count - 1)
    entries.append(
      Entry(
        hash: hash, next: heads[slot], hasTime: clock.isKnown,
        firstMoment: clock.firstMoment ?? Timestamp(seconds: .min),
        end: clock.end ?? Timestamp(seconds: .max, nanoseconds: 999_999_999), features: features,
        kept: (session.tls?.offer, session.tls?.answer, session.tls?.chain, trust),
        serverName: session.serverName, sctList: session.tls?.sctList,
        ocspResponse: session.tls?.ocspResponse,
        startTLS: features.hasStartTLS ? Exemption.startTLS(session) : nil, judgement: judgement))
    heads[slot] = Int32(truncatingIfNeeded: entries.count - 1)
  }

  private func matches(
    _ index: Int, _ session: borrowing ObservedSession, _ features: SessionFeatures
  ) -> Bool {
    entries[index].features == features && entries[index].serverName == session.serverName
      && (features.sctByteCount <= 0 || entries[index].sctList == session.tls?.sctList)
      && (features.ocspByteCount <= 0 || entries[index].ocspResponse == session.tls?.ocspResponse)
      && (!features.hasStartTLS || entries[index].startTLS == Exemption.startTLS(session))
  }

  private func hash(_ session: borrowing ObservedSession, _ features: SessionFeatures) -> Int {
    let hash = mixed(features.hash(seed: seed), session.serverNameDigest)
    return Int(truncatingIfNeeded: hash ^ hash >> 32)
  }

  private mutating func grow() {
    heads = [Int32](repeating: -1, count: max(64, heads.count * 2))
    for index in entries.indices {
      let slot = entries[index].hash & (heads.count - 1)
      entries[index].next = heads[slot]
      heads[slot] = Int32(truncatingIfNeeded: index)
    }
  }
}
