import SessionModel
import Values

/// Packet times, and their plausibility.
extension SessionTracker {
  /// 1995-01-01 to 2100-01-01: no TLS capture is older, or from a later time.
  static var plausibleSeconds: Range<Int64> { 788_918_400..<4_102_444_800 }

  /// Records a packet's time.
  @inline(__always)
  mutating func note(_ time: Timestamp) {
    if !SessionTracker.plausibleSeconds.contains(time.seconds) || noteJumpBack(to: time) {
      health.implausibleTimes += 1
    }
    guard let first = health.firstTime, let last = health.lastTime else {
      (health.firstTime, health.lastTime) = (time, time)
      return
    }
    if time < first { health.firstTime = time }
    if last < time { health.lastTime = time }
  }

  /// Whether the clock went back by more than a day; true only once for packets that continue from there.
  private mutating func noteJumpBack(to time: Timestamp) -> Bool {
    guard let last = health.lastTime, time < last else { return false }
    defer { secondsAfterJump = time.seconds }
    func isFar(_ seconds: Int64) -> Bool {
      let (distance, overflow) = seconds.subtractingReportingOverflow(time.seconds)
      return overflow || distance.magnitude > SessionTracker.secondsOfDay
    }
    return isFar(last.seconds) && secondsAfterJump.map(isFar) ?? true
  }

  private static let secondsOfDay: UInt64 = 86_400
}
