package import ByteParsing
package import Values

/// How far the SCTs of a certificate meet the requirements of Apple's systems at a time (policy text D.16).
package struct TransparencyAssessment: Hashable, Sendable {
  package var passes: Bool

  /// Whether they would, were every SCT valid whose log is not in the list or that cannot be verified.
  package var couldPass: Bool

  /// Logs that are not retired and validated an SCT.
  package var currentLogs: Set<Bytes>

  /// Logs that count towards the number of embedded SCTs.
  package var countedLogs: Set<Bytes>

  /// Whether a valid SCT came in the TLS extension or the OCSP response, of a log that is not retired.
  package var hasDelivered: Bool

  /// SCTs of logs that the list does not contain.
  package var unknownCount: Int

  /// SCTs of logs that the list rejects from a later time on.
  package var rejectedLaterCount: Int

  /// SCTs that could not be verified.
  package var notVerifiableCount: Int

  /// SCTs that count for nothing, by reason.
  package var faults: [VerifiedTimestamp.Fault: Int]

  /// Names of the operators of the logs that count, each with the number of its logs.
  package var operators: [String: Int]

  /// Whether a log that counts is one of RFC 6962, and not of the static-ct-api.
  package var hasRFC6962Log: Bool

  /// Judges SCTs of one certificate. `needed` is the number of embedded SCTs that its lifetime requires; `isAtOrAfter`
  /// says whether the time of the judgement is that of its argument or later, nil where the time is not known.
  package init(
    _ timestamps: [VerifiedTimestamp], in list: TransparencyLogList, needed: Int,
    isAtOrAfter: (Timestamp) -> Bool?
  ) {
    var sure = Tally()
    var hopeful = Tally()
    (unknownCount, rejectedLaterCount, notVerifiableCount, faults) = (0, 0, 0, [:])
    // Where the time is not known, every SCT is taken to be of before, and every log to be in its latest state.
    for timestamp in timestamps where isAtOrAfter(timestamp.time) != false {
      switch timestamp.result {
      case .invalid(let fault): faults[fault, default: 0] += 1
      case .unknownLog:
        unknownCount += 1
        hopeful.add(timestamp, retirement: nil, isRetired: false)
      case .notVerifiable, .valid:
        let state = list.logs[timestamp.logID]?.state ?? .notTrusted
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
        if timestamp.result == .valid {
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

  /// Whether enough logs remain that count if each operator stands for so many at most.
  package func isDiverse(needed: Int, atMost limit: Int) -> Bool {
    operators.values.reduce(0) { $0 + min($1, limit) } >= needed
  }
}

/// Logs by what they stand for. Several SCTs of one log count once, with the earliest time.
private struct Tally {
  /// Logs that are not retired, with their earliest SCT of any source.
  var current: [Bytes: Timestamp] = [:]

  /// Logs with an embedded SCT: its earliest time, and the log's retirement.
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

  /// Embedded logs that are current, or that were when the certificate and the SCT were issued.
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
