import SessionModel
import Values

/// When packets were captured, and whether that can be.
extension SessionTracker {
  /// 1995-01-01 and 2100-01-01: no capture of TLS is older, and none is from later yet.
  static var plausibleSeconds: Range<Int64> { 788_918_400..<4_102_444_800 }

  /// Records a packet's time.
  @inline(__always)
  mutating func note(_ time: Timestamp) {
    // Nearly always a packet is no earlier than the one before, and not much later.
    let seconds = UInt64(bitPattern: time.seconds)
    let stamp = seconds &<< 30 | UInt64(time.nanoseconds)
    if seconds >> 32 == 0, stamp &- latest < SessionTracker.usualStep, stamp < SessionTracker.latestPlausible {
      latest = stamp
    } else {
      noteUnusual(time)
    }
  }

  /// A minute, and the end of `plausibleSeconds`, as numbers like `latest`.
  static var usualStep: UInt64 { 60 &<< 30 }
  static var latestPlausible: UInt64 { 4_102_444_800 &<< 30 }

  /// Stands for no such time: nothing is little more than it.
  static var unknown: UInt64 { 1 &<< 63 }

  /// The latest time of a packet; nil where none had one.
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

  /// Whether a clock went back by more than a day; told once for packets that continue from there.
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
