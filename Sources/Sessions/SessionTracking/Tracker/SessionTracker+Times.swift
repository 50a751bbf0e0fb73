import SessionModel
import Values

/// Packet times, and their plausibility.
extension SessionTracker {
  /// 1995-01-01 to 2100-01-01: no TLS capture is older, or from a later time.
  static var plausibleSeconds: Range<Int64> { 788_918_400..<4_102_444_800 }

  /// Records a packet's time.
  @inline(__always)
  mutating func note(_ time: Timestamp) {
    // The usual case: a packet is not earlier than the previous one, and not much later.
    let seconds = UInt64(bitPattern: time.seconds)
    let stamp = seconds &<< 30 | UInt64(time.nanoseconds)
    if seconds >> 32 == 0, stamp &- latest < SessionTracker.usualStep, stamp < SessionTracker.latestPlausible {
      latest = stamp
    } else {
      noteUnusual(time)
    }
  }

  /// A minute, and the end of `plausibleSeconds`, in the format of `latest`.
  static var usualStep: UInt64 { 60 &<< 30 }
  static var latestPlausible: UInt64 { 4_102_444_800 &<< 30 }

  /// The value of `latest` if there is no plausible time; every time is outside the usual step from it.
  static var unknown: UInt64 { 1 &<< 63 }

  /// The latest packet time; nil if no packet has one.
  var lastTime: Timestamp? {
    latest == SessionTracker.unknown
      ? counts.lastTime
      : Timestamp(
        seconds: Int64(truncatingIfNeeded: latest >> 30),
        nanoseconds: UInt32(truncatingIfNeeded: latest & 0x3FFF_FFFF))
  }

  @inline(never)
  mutating func noteUnusual(_ time: Timestamp) {
    counts.lastTime = lastTime
    defer {
      latest = SessionTracker.unknown
      if let last = counts.lastTime, SessionTracker.plausibleSeconds.contains(last.seconds) {
        latest = UInt64(bitPattern: last.seconds) << 30 | UInt64(last.nanoseconds)
      }
    }
    if !SessionTracker.plausibleSeconds.contains(time.seconds) || noteJumpBack(to: time) {
      counts.implausibleTimes += 1
    }
    if let first = counts.firstTime {
      if time < first { counts.firstTime = time }
      if let last = counts.lastTime, time > last { counts.lastTime = time }
    } else {
      counts.firstTime = time
      counts.lastTime = time
    }
  }

  /// Whether the clock went back by more than a day; true only once for packets that continue from there.
  private mutating func noteJumpBack(to time: Timestamp) -> Bool {
    guard let last = counts.lastTime, time < last else { return false }
    defer { secondsAfterJump = time.seconds }
    func isFar(_ seconds: Int64) -> Bool {
      let (distance, overflow) = seconds.subtractingReportingOverflow(time.seconds)
      return overflow || distance.magnitude > SessionTracker.secondsOfDay
    }
    return isFar(last.seconds) && secondsAfterJump.map(isFar) ?? true
  }

  private static let secondsOfDay: UInt64 = 86_400
}
