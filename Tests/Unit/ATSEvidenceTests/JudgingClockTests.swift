import ATSEvidence
import CertificateIssuing
import Testing
import Values

@Suite struct JudgingClockTests {
  @Test
  func `start and end bound the times with the same comparison results`() {
    let clock = JudgingClock(Timestamp("2026-02-01T12:00:00Z"))
    #expect(clock.isAtOrAfter(Timestamp("2026-01-01T00:00:00Z")) == true)
    #expect(clock.isAtOrAfter(Timestamp("2026-03-01T00:00:00Z")) == false)
    #expect(clock.isAfter(Timestamp("2026-02-01T12:00:00Z")) == false)
    #expect(clock.start == Timestamp("2026-01-01T00:00:00Z"))
    #expect(clock.end == Timestamp(seconds: Timestamp("2026-02-01T12:00:00Z").seconds, nanoseconds: 1))
    #expect(clock.date == "2026-02-01")
    #expect(clock.start == Timestamp("2026-02-01T00:00:00Z"))
  }

  @Test
  func `an unknown time makes every comparison nil`() {
    let clock = JudgingClock(nil)
    #expect(clock.isAtOrAfter(Timestamp(seconds: 0)) == nil)
    #expect(clock.isAfter(Timestamp(seconds: .max, nanoseconds: 999_999_999)) == nil)
    #expect(clock.date == nil)
  }

  @Test(arguments: [Int64.min, .max, -1, 0, 253_402_300_800])
  func `times are compared correctly up to the limits of Int64`(seconds: Int64) {
    let clock = JudgingClock(Timestamp(seconds: seconds, nanoseconds: 999_999_999))
    _ = clock.date
    for other in [Int64.min, .max, 0] {
      let moment = Timestamp(seconds: other, nanoseconds: 999_999_999)
      #expect(clock.isAtOrAfter(moment) == (seconds >= other))
      #expect(clock.isAfter(moment) == (seconds > other))
    }
  }
}
