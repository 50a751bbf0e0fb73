package import Values

/// The time at which a session is judged, and the span around it in which the judgement would be the same.
///
/// Rules can ask only this clock about the time, and each question narrows the span. Similar sessions can therefore share a judgement
/// without a separate list of relevant times.
package final class JudgingClock {
  /// The earliest time at which every result is the same as at `now`; nil if there is no bound.
  package private(set) var start: Timestamp?

  /// The earliest time after `now` at which a result may differ; nil if there is no bound.
  package private(set) var end: Timestamp?

  private let now: Timestamp?

  /// Creates a clock at `now`; nil if the time is unknown or implausible.
  package init(_ now: Timestamp?) { self.now = now }

  package var isKnown: Bool { now != nil }

  /// Whether `now` is `time` or later; nil if the time is unknown.
  package func isAtOrAfter(_ time: Timestamp) -> Bool? {
    guard let now else { return nil }
    if now >= time {
      start = start.map { max($0, time) } ?? time
      return true
    }
    end = end.map { min($0, time) } ?? time
    return false
  }

  /// Whether `now` is later than `time`; nil if the time is unknown.
  package func isAfter(_ time: Timestamp) -> Bool? {
    guard let next = time.advanced(byNanoseconds: 1) else { return isKnown ? false : nil }
    return isAtOrAfter(next)
  }

  /// The calendar day in UTC, for texts that state it; nil if the time is unknown.
  package var date: String? {
    guard let now else { return nil }
    let day = now.startOfDay
    _ = isAtOrAfter(day)
    if let next = day.advanced(bySeconds: 86_400) { _ = isAtOrAfter(next) }
    return now.date
  }
}

extension Timestamp {
  /// The time `count` seconds later, or earlier if negative; nil if that is out of range.
  package func advanced(bySeconds count: Int64) -> Timestamp? {
    let (sum, overflow) = seconds.addingReportingOverflow(count)
    return overflow ? nil : Timestamp(seconds: sum, nanoseconds: nanoseconds)
  }

  /// The time `count` nanoseconds later, at most a second; nil if that is out of range.
  func advanced(byNanoseconds count: UInt32) -> Timestamp? {
    if nanoseconds < 1_000_000_000 - count {
      return Timestamp(seconds: seconds, nanoseconds: nanoseconds + count)
    }
    return Timestamp(seconds: seconds, nanoseconds: nanoseconds - (1_000_000_000 - count)).advanced(
      bySeconds: 1)
  }

  /// Midnight at the start of the day in UTC.
  var startOfDay: Timestamp {
    let intoDay = (seconds % 86_400 + 86_400) % 86_400
    let (start, overflow) = seconds.subtractingReportingOverflow(intoDay)
    return Timestamp(seconds: overflow ? seconds : start)
  }
}
