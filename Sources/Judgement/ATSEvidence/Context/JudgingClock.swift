package import Values

/// The time at which a session is judged, and the span around it in which the judgement would be the same.
///
/// Rules read the time only through this clock, and each comparison narrows the span. Similar sessions can therefore share a judgement
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
    guard let next = time.successor else { return isKnown ? false : nil }
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
