package import ByteParsing

/// A time in UTC with nanosecond resolution, without leap seconds.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Seconds since 1970-01-01T00:00:00Z; negative for earlier times.
  public let seconds: Int64

  /// Nanoseconds within the second, 0 to 999,999,999.
  public let nanoseconds: UInt32

  /// Creates a timestamp; `nanoseconds` of a second or more become 999,999,999.
  @inlinable
  public init(seconds: Int64, nanoseconds: UInt32 = 0) {
    self.seconds = seconds
    self.nanoseconds = min(nanoseconds, 999_999_999)
  }

  /// Returns whether the first time is earlier.
  @inlinable
  public static func < (a: Timestamp, b: Timestamp) -> Bool {
    a.seconds != b.seconds ? a.seconds < b.seconds : a.nanoseconds < b.nanoseconds
  }
}

extension Timestamp {
  /// Creates a time from components in the proleptic Gregorian calendar; nil if one is out of range.
  ///
  /// Years 0 to 9999. Second 60 is not accepted.
  package init?(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, nanoseconds: UInt32 = 0) {
    guard (0...9999).contains(year), (1...12).contains(month), (0...23).contains(hour), (0...59).contains(minute),
      (0...59).contains(second), nanoseconds < 1_000_000_000, day >= 1, day <= Timestamp.days(inMonth: month, of: year)
    else { return nil }
    let days = Timestamp.days(toYear: year, month: month, day: day)
    self.init(seconds: Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second), nanoseconds: nanoseconds)
  }

  /// Creates the beginning of a day from a number such as 20250720; nil if there is no such day.
  package init?(day number: Int) {
    self.init(year: number / 10_000, month: number / 100 % 100, day: number % 100)
  }

  package static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  /// The number of days from 1970-01-01 to the date.
  static func days(toYear year: Int, month: Int, day: Int) -> Int {
    // Counted from March, so that the leap day is the last of its year.
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// The calendar date and time of day in UTC.
  package var components: (year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
    // A time from a hostile file can be any 64-bit number, so it is limited to four-digit years.
    let bounded = min(max(seconds, -62_167_219_200), 253_402_300_799)
    let days = Int((bounded >= 0 ? bounded : bounded - 86_399) / 86_400)
    let inDay = Int(bounded - Int64(days) * 86_400)
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthIndex = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthIndex + 2) / 5 + 1
    let month = monthIndex + (monthIndex < 10 ? 3 : -9)
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day, inDay / 3600, inDay / 60 % 60, inDay % 60)
  }
}

extension Timestamp: CustomStringConvertible {
  /// ISO 8601 with `Z`: without a fraction for a whole second, otherwise with six digits, or nine if necessary.
  ///
  /// The text is exact: parsing it returns the same value.
  public var description: String {
    var text = Bytes()
    append(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// The date, such as `2026-05-01`.
  package var date: String { String(description.prefix(10)) }

  /// Appends `description`.
  package func append(to text: inout Bytes) {
    let date = components
    let microseconds = nanoseconds / 1000
    text.append(addingCapacity: 30) { text in
      text.appendDecimal(date.year, width: 4)
      text.append(0x2D)
      text.appendDecimal(date.month, width: 2)
      text.append(0x2D)
      text.appendDecimal(date.day, width: 2)
      text.append(0x54)
      text.appendDecimal(date.hour, width: 2)
      text.append(0x3A)
      text.appendDecimal(date.minute, width: 2)
      text.append(0x3A)
      text.appendDecimal(date.second, width: 2)
      if nanoseconds != 0 {
        text.append(0x2E)
        let isMicro = nanoseconds == microseconds * 1000
        text.appendDecimal(Int(isMicro ? microseconds : nanoseconds), width: isMicro ? 6 : 9)
      }
      text.append(0x5A)
    }
  }
}

extension OutputSpan<UInt8> {
  /// Appends the lowest `width` decimal digits of a number that is not negative.
  fileprivate mutating func appendDecimal(_ value: Int, width: Int) {
    var power = 1
    for _ in 1..<width { power *= 10 }
    var rest = value
    while power > 0 {
      append(0x30 + UInt8(truncatingIfNeeded: rest / power % 10))
      rest %= power
      power /= 10
    }
  }
}

extension Timestamp {
  /// Parses ISO 8601: `YYYY-MM-DDThh:mm:ss`, an optional fraction of up to nine digits, then `Z` or `±hh:mm`.
  ///
  /// A text without a zone is rejected, because it would be a different time on each machine.
  public init?(iso8601 text: String) {
    let bytes = Array(text.utf8)
    func number(_ range: Range<Int>) -> Int? {
      guard range.upperBound <= bytes.count else { return nil }
      var value = 0
      for byte in bytes[range] {
        guard isDigit(byte) else { return nil }
        value = value * 10 + Int(byte - 0x30)
      }
      return value
    }
    func has(_ character: Character, at index: Int) -> Bool {
      index < bytes.count && bytes[index] == character.asciiValue
    }
    guard let year = number(0..<4), has("-", at: 4), let month = number(5..<7), has("-", at: 7),
      let day = number(8..<10), has("T", at: 10) || has("t", at: 10), let hour = number(11..<13),
      has(":", at: 13), let minute = number(14..<16), has(":", at: 16), let second = number(17..<19)
    else { return nil }
    var index = 19
    var nanoseconds = 0
    if has(".", at: index) {
      let start = index + 1
      index = start
      while index < bytes.count, isDigit(bytes[index]) { index += 1 }
      guard index > start, index - start <= 9, let digits = number(start..<index) else { return nil }
      nanoseconds = digits
      for _ in (index - start)..<9 { nanoseconds *= 10 }
    }
    var offset = 0
    if has("Z", at: index) || has("z", at: index) {
      index += 1
    } else if has("+", at: index) || has("-", at: index) {
      guard let hours = number((index + 1)..<(index + 3)), has(":", at: index + 3),
        let minutes = number((index + 4)..<(index + 6)), hours <= 23, minutes <= 59
      else { return nil }
      offset = (hours * 3600 + minutes * 60) * (has("-", at: index) ? -1 : 1)
      index += 6
    } else {
      return nil
    }
    guard index == bytes.count,
      let local = Timestamp(
        year: year, month: month, day: day, hour: hour, minute: minute, second: second, nanoseconds: UInt32(nanoseconds))
    else { return nil }
    self.init(seconds: local.seconds - Int64(offset), nanoseconds: local.nanoseconds)
  }
}

extension Timestamp {
  /// Midnight in UTC of a day such as `2027-01-31`; nil for any other text.
  package init?(day text: String) {
    guard text.utf8.count == 10, let midnight = Timestamp(iso8601: text + "T00:00:00Z") else { return nil }
    self = midnight
  }

  /// Midnight of the day in UTC.
  package var startOfDay: Timestamp {
    let intoDay = (seconds % 86_400 + 86_400) % 86_400
    let (start, overflow) = seconds.subtractingReportingOverflow(intoDay)
    return Timestamp(seconds: overflow ? seconds : start)
  }

  /// Returns the time `count` seconds later, or earlier if negative; nil on overflow.
  package func advanced(bySeconds count: Int64) -> Timestamp? {
    let (sum, overflow) = seconds.addingReportingOverflow(count)
    return overflow ? nil : Timestamp(seconds: sum, nanoseconds: nanoseconds)
  }

  /// The time one nanosecond later; nil on overflow.
  package var successor: Timestamp? {
    nanoseconds < 999_999_999
      ? Timestamp(seconds: seconds, nanoseconds: nanoseconds + 1) : Timestamp(seconds: seconds).advanced(bySeconds: 1)
  }
}
