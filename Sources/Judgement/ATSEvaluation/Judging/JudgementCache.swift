import ByteParsing
import SessionObservation
import Values

/// Judgements by what they depend on.
///
/// A table of our own and not a Dictionary, so that a session is compared where it lies: no key is made for
/// it, and nothing is retained. Full, it is emptied: a capture that fills it has too few like sessions to
/// gain by more.
struct JudgementCache {
  /// Judgements held at most; each with its findings takes some ten kilobytes.
  static let limit = 65_536

  /// How many judgements were put in.
  private(set) var insertions = 0

  private struct Entry {
    var hash: Int
    var next: Int32
    var features: SessionFeatures
    // Strong references: what they point to keeps its identity as long as it is compared.
    var offer: ClientOffer?
    var answer: ServerAnswer?
    var chain: CertificateChain?
    var serverName: String?
    var sctList: Bytes?
    /// Whether the judgement was made at a known time, and the span in which it holds, its end excluded.
    var hasTime: Bool
    var firstMoment: Timestamp
    var end: Timestamp
    var judgement: Judgement
  }

  private var heads: [Int32] = []
  private var entries: [Entry] = []

  /// The judgement of a session like this one, made at a time like this; nil where there is none.
  func find(_ session: borrowing ObservedSession, _ features: SessionFeatures, at time: Timestamp?)
    -> Judgement?
  {
    guard !heads.isEmpty else { return nil }
    let hash = JudgementCache.hash(session, features)
    var index = Int(heads[hash & (heads.count - 1)])
    while index >= 0 {
      if entries[index].hash == hash, holds(index, at: time), matches(index, session, features) {
        return entries[index].judgement
      }
      index = Int(entries[index].next)
    }
    return nil
  }

  /// Adds the judgement of a session; it holds in the span that its clock has found.
  mutating func insert(
    _ judgement: Judgement, for session: ObservedSession, _ features: SessionFeatures, _ clock: JudgingClock
  ) {
    if entries.count >= JudgementCache.limit {
      entries.removeAll(keepingCapacity: true)
      heads.removeAll(keepingCapacity: true)
    }
    if entries.count >= heads.count { grow() }
    insertions += 1
    let hash = JudgementCache.hash(session, features)
    let slot = hash & (heads.count - 1)
    entries.append(
      Entry(
        hash: hash, next: heads[slot], features: features, offer: session.tls?.offer,
        answer: session.tls?.answer, chain: session.tls?.chain, serverName: session.serverName,
        sctList: session.tls?.sctList, hasTime: clock.isKnown,
        firstMoment: clock.firstMoment ?? Timestamp(seconds: .min),
        end: clock.end ?? Timestamp(seconds: .max, nanoseconds: 999_999_999), judgement: judgement))
    heads[slot] = Int32(truncatingIfNeeded: entries.count - 1)
  }

  private func holds(_ index: Int, at time: Timestamp?) -> Bool {
    guard let time else { return !entries[index].hasTime }
    return entries[index].hasTime && time >= entries[index].firstMoment && time < entries[index].end
  }

  private func matches(
    _ index: Int, _ session: borrowing ObservedSession, _ features: SessionFeatures
  ) -> Bool {
    entries[index].features == features && entries[index].offer === session.tls?.offer
      && entries[index].answer === session.tls?.answer && entries[index].chain === session.tls?.chain
      && entries[index].serverName == session.serverName && entries[index].sctList == session.tls?.sctList
  }

  private mutating func grow() {
    heads = [Int32](repeating: -1, count: max(64, heads.count * 2))
    for index in entries.indices {
      let slot = entries[index].hash & (heads.count - 1)
      entries[index].next = heads[slot]
      heads[slot] = Int32(truncatingIfNeeded: index)
    }
  }

  private static func hash(_ session: borrowing ObservedSession, _ features: SessionFeatures) -> Int {
    var hasher = Hasher()
    hasher.combine(features)
    if let offer = session.tls?.offer { hasher.combine(ObjectIdentifier(offer)) }
    if let answer = session.tls?.answer { hasher.combine(ObjectIdentifier(answer)) }
    if let chain = session.tls?.chain { hasher.combine(ObjectIdentifier(chain)) }
    if let name = session.serverName { hasher.combine(name) }
    if let list = session.tls?.sctList { hasher.combine(list.count) }
    return hasher.finalize()
  }
}
