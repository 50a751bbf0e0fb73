package import ByteParsing
package import Values

/// How the SCTs of a certificate meet the requirements of Apple's systems at a time (policy text D.16).
package struct TransparencyAssessment: Hashable, Sendable {
  package var passes: Bool

  /// Whether they would meet the requirements if every SCT were valid that cannot be verified, or whose log is unknown or may have become
  /// trusted since the list was made.
  package var couldPass: Bool

  /// Logs with a valid SCT that are not retired.
  package var currentLogs: Set<Bytes>

  /// Logs that count towards the number of embedded SCTs.
  package var countedLogs: Set<Bytes>

  /// Whether the TLS extension or the OCSP response delivered a valid SCT of a log that is not retired.
  package var hasDelivered: Bool

  /// The number of SCTs whose log is not in the list.
  package var unknownCount: Int

  /// The number of SCTs of logs that were pending when the list was made, and may have become trusted since.
  package var pendingCount: Int

  /// The number of SCTs of logs that the list rejects only from a later time.
  package var rejectedLaterCount: Int

  /// The number of SCTs that could not be verified.
  package var notVerifiableCount: Int

  /// The number of SCTs that do not count, by reason.
  package var faults: [VerifiedTimestamp.Fault: Int]

  /// The number of counted logs, by the name of the operator.
  package var operators: [String: Int]

  /// Whether a counted log is an RFC 6962 log, rather than one of the static-ct-api.
  package var hasRFC6962Log: Bool

  /// Assesses the SCTs of one certificate. `needed` is the number of embedded SCTs that its lifetime requires. `isAtOrAfter` states whether
  /// the judgement is made at its argument or later; nil means that the time is unknown.
  package init(_ timestamps: [VerifiedTimestamp], in list: TransparencyLogList, needed: Int, isAtOrAfter: (Timestamp) -> Bool?) {
    var sure = Tally()
    var hopeful = Tally()
    (unknownCount, pendingCount, rejectedLaterCount, notVerifiableCount, faults) = (0, 0, 0, 0, [:])
    // If the time is unknown, every SCT is assumed to be in the past and every log to be in its latest state.
    for timestamp in timestamps where isAtOrAfter(timestamp.time) != false {
      switch timestamp.validity {
      case .invalid(let fault): faults[fault, default: 0] += 1
      case .unknownLog:
        unknownCount += 1
        hopeful.add(timestamp, retirement: nil, isRetired: false)
      case .notVerifiable, .valid:
        let state = list.logs[timestamp.logID]?.state ?? .notTrusted
        if state == .pending {
          if list.timestamp.map({ isAtOrAfter($0) != false }) ?? true {
            pendingCount += 1
            hopeful.add(timestamp, retirement: nil, isRetired: false)
          } else {
            faults[.notTrusted, default: 0] += 1
          }
          continue
        }
        var retirement: Timestamp?
        if case .retired(let since) = state { retirement = since }
        if case .rejected(let since) = state {
          guard isAtOrAfter(since) == false else {
            faults[.notTrusted, default: 0] += 1
            continue
          }
          // Before its rejection the log was accepted, as shards are until they end.
          rejectedLaterCount += 1
        }
        let isRetired = retirement.map { isAtOrAfter($0) != false } ?? false
        hopeful.add(timestamp, retirement: retirement, isRetired: isRetired)
        if timestamp.validity == .valid {
          sure.add(timestamp, retirement: retirement, isRetired: isRetired)
        } else {
          notVerifiableCount += 1
        }
      }
    }
    passes = sure.passes(needed: needed)
    couldPass = passes || hopeful.passes(needed: needed)
    currentLogs = Set(sure.current.keys)
    countedLogs = sure.counted
    hasDelivered = sure.hasDelivered
    operators = [:]
    hasRFC6962Log = false
    for identifier in countedLogs.union(hasDelivered ? currentLogs : []) {
      guard let log = list.logs[identifier] else { continue }
      let time = sure.embedded[identifier]?.time ?? sure.current[identifier]
      operators[time.map { log.operatorName(at: $0) } ?? log.operatorName, default: 0] += 1
      if !log.isStatic { hasRFC6962Log = true }
    }
  }

  /// Whether enough counted logs remain if at most `limit` of them count per operator.
  package func isDiverse(needed: Int, atMost limit: Int) -> Bool {
    operators.values.reduce(0) { $0 + min($1, limit) } >= needed
  }
}

/// Logs by the way they count. Several SCTs of one log count once, with the earliest time.
private struct Tally {
  /// Logs that are not retired, with the time of their earliest SCT of any source.
  var current: [Bytes: Timestamp] = [:]

  /// Logs with an embedded SCT, with its earliest time and the log's retirement.
  var embedded: [Bytes: (time: Timestamp, retirement: Timestamp?)] = [:]

  var hasDelivered = false

  mutating func add(_ timestamp: VerifiedTimestamp, retirement: Timestamp?, isRetired: Bool) {
    let (log, time) = (timestamp.logID, timestamp.time)
    let isEmbedded = timestamp.source == .certificate
    // A retired log counts for embedded SCTs only.
    guard isEmbedded || !isRetired else { return }
    if !isRetired { current[log] = min(current[log] ?? time, time) }
    if isEmbedded {
      embedded[log] = (min(embedded[log]?.time ?? time, time), retirement)
    } else {
      hasDelivered = true
    }
  }

  /// Logs of embedded SCTs that are current, or were when the certificate and the SCT were issued.
  var counted: Set<Bytes> {
    let issued = current.values.min()
    return Set(
      embedded.filter { log, entry in
        if current[log] != nil { return true }
        guard let retirement = entry.retirement, let issued else { return false }
        return entry.time < retirement && issued < retirement
      }.keys)
  }

  func passes(needed: Int) -> Bool {
    if current.count >= 2 && hasDelivered { return true }
    return embedded.keys.contains { current[$0] != nil } && counted.count >= needed
  }
}
