import Testing
import Values

@Suite struct TimestampTests {
  @Test(
    arguments: [
      (0, 0, "1970-01-01T00:00:00Z"),
      (951_782_400, 0, "2000-02-29T00:00:00Z"),
      (1_777_630_272, 123_456_000, "2026-05-01T10:11:12.123456Z"),
      (1_777_630_272, 123_456_789, "2026-05-01T10:11:12.123456789Z"),
      (-1, 0, "1969-12-31T23:59:59Z"),
      (253_402_300_799, 0, "9999-12-31T23:59:59Z"),
      (-62_167_219_200, 0, "0000-01-01T00:00:00Z"),
    ] as [(Int64, UInt32, String)])
  func `a timestamp and its ISO 8601 text convert to each other`(seconds: Int64, nanoseconds: UInt32, text: String) {
    let moment = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    #expect(moment.description == text)
    #expect(Timestamp(iso8601: text) == moment)
  }

  @Test func `a UTC offset is subtracted from the time`() {
    #expect(Timestamp(iso8601: "2026-05-01T12:11:12+02:00") == Timestamp(iso8601: "2026-05-01T10:11:12Z"))
    #expect(Timestamp(iso8601: "2026-05-01T00:30:00-01:00") == Timestamp(iso8601: "2026-05-01T01:30:00Z"))
  }

  @Test(arguments: [
    "", "2026-05-01", "2026-05-01T10:11:12", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z",
    "2026-05-01T24:00:00Z", "2026-05-01T10:11:12.Z", "2026-05-01T10:11:12.1234567890Z",
    "2026-05-01T10:11:12Zx",
    "2026-05-01T10:11:12+2:00",
  ])
  func `a malformed time, one without a time zone or out of range is rejected`(text: String) {
    #expect(Timestamp(iso8601: text) == nil)
  }

  @Test func `a time outside the years 0 to 9999 is written as the nearest one inside`() {
    #expect(Timestamp(seconds: .max).description == "9999-12-31T23:59:59Z")
    #expect(Timestamp(seconds: .min).description == "0000-01-01T00:00:00Z")
  }

  @Test(arguments: ["2027-1-5", "2027-01-05 ", "2027-02-29", "2027-01-5", "20270105", "2027-01-05T00:00:00Z", "soon", ""])
  func `only an existing day written as YYYY-MM-DD is accepted`(text: String) {
    #expect(Timestamp(day: text) == nil)
    #expect(Timestamp(day: "2027-01-05") == Timestamp(iso8601: "2027-01-05T00:00:00Z"))
  }

  @Test func `the successor of a time is one nanosecond later, and the last time has none`() {
    #expect(Timestamp(seconds: 5, nanoseconds: 7).successor == Timestamp(seconds: 5, nanoseconds: 8))
    #expect(Timestamp(seconds: 5, nanoseconds: 999_999_999).successor == Timestamp(seconds: 6))
    #expect(Timestamp(seconds: -1, nanoseconds: 999_999_999).successor == Timestamp(seconds: 0))
    #expect(Timestamp(seconds: .max, nanoseconds: 999_999_999).successor == nil)
  }

  @Test func `adding seconds and rounding to the day do not overflow`() {
    let time = Timestamp(seconds: 5, nanoseconds: 7)
    #expect(time.advanced(bySeconds: -6) == Timestamp(seconds: -1, nanoseconds: 7))
    #expect(time.advanced(bySeconds: .max) == nil)
    #expect(Timestamp(seconds: -1).startOfDay == Timestamp(seconds: -86_400))
    #expect(Timestamp(seconds: 86_400, nanoseconds: 1).startOfDay == Timestamp(seconds: 86_400))
    #expect(Timestamp(seconds: .min).startOfDay == Timestamp(seconds: .min))
  }
}
