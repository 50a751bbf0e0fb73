package import Values

/// The time at which a session is judged, and the span around it in which the judgement would be the same.
///
/// Rules learn about the time by asking this clock only, and each question narrows the span. So like sessions
/// can share a judgement without any list of times that matter being kept elsewhere.
package final class JudgingClock {
  /// The earliest time at which every result is as it was given; nil for no bound.
  package private(set) var start: Timestamp?

  /// The earliest time after `now` at which a result may differ; nil for no bound.
  package private(set) var end: Timestamp?

  private let now: Timestamp?

  /// Creates a clock that is at `now`; nil where the time is not known or cannot be believed.
  package init(_ now: Timestamp?) { self.now = now }

  package var isKnown: Bool { now != nil }

  /// Whether it is `time` or later; nil where the time is not known.
  package func isAtOrAfter(_ time: Timestamp) -> Bool? {
    guard let now else { return nil }
    if now >= time {
      start = start.map { max($0, time) } ?? time
      return true
    }
    end = end.map { min($0, time) } ?? time
    return false
  }

  /// Whether it is later than `time`; nil where the time is not known.
  package func isAfter(_ time: Timestamp) -> Bool? {
    guard let next = time.successor else { return isKnown ? false : nil }
    return isAtOrAfter(next)
  }

  /// The calendar day in UTC, for texts that name it; nil where the time is not known.
  package var date: String? {
    guard let now else { return nil }
    let day = now.startOfDay
    _ = isAtOrAfter(day)
    if let next = day.advanced(bySeconds: 86_400) { _ = isAtOrAfter(next) }
    return now.date
  }
}
