import ByteParsing
import Values

/// A UTCTime or GeneralizedTime, decoded leniently.
struct CertificateTime {
  /// The time; nil if the text is invalid.
  var timestamp: Timestamp?

  /// Whether the text has the format that RFC 5280 §4.1.2.5 requires: seconds, `Z`, no fraction, UTCTime through 2049.
  var isProfileForm = false

  /// Whether Apple's parser reads the format: those of RFC 5280, a UTCTime without seconds and with `Z`, and either type with seconds and
  /// an offset.
  var isKnownForm = false

  /// Decodes a time whose tag has been checked.
  ///
  /// Seconds may be missing, a fraction (of the smallest unit given) may follow, and the zone may be `Z`, `±hhmm`, or absent, which means
  /// UTC. A UTCTime of fourteen digits has a four-digit year.
  init(_ element: borrowing DERElement) {
    let isGeneralized = element.tag == Tag.generalizedTime
    var scanner = TimeScanner(element.bytes)
    let digitCount = scanner.digitCount
    let yearDigits = isGeneralized || digitCount == 14 ? 4 : 2
    let pairCount = (digitCount - yearDigits) / 2
    // GeneralizedTime may end with the hour, UTCTime with the minute (X.680).
    guard digitCount % 2 == 0, pairCount >= (isGeneralized ? 3 : 4), pairCount <= 5 else { return }
    var year = scanner.number(ofDigits: yearDigits)
    // RFC 5280 §4.1.2.5.1: 50 to 99 are in the 20th century.
    if yearDigits == 2 { year += year >= 50 ? 1900 : 2000 }
    let month = scanner.number(ofDigits: 2)
    let day = scanner.number(ofDigits: 2)
    let hour = scanner.number(ofDigits: 2)
    let minute = pairCount > 3 ? scanner.number(ofDigits: 2) : 0
    let second = pairCount > 4 ? scanner.number(ofDigits: 2) : 0
    let unit: Int64 = pairCount > 4 ? 1 : pairCount > 3 ? 60 : 3600
    guard let fraction = scanner.fraction(ofSeconds: unit), let zone = scanner.zone(), scanner.isAtEnd, second <= 60,
      let start = Timestamp(year: year, month: month, day: day, hour: hour, minute: minute, second: min(second, 59))
    else { return }
    // A leap second counts as the first second of the next minute.
    let leap: Int64 = second == 60 ? 1 : 0
    timestamp = Timestamp(seconds: start.seconds + leap + fraction.seconds - zone.seconds, nanoseconds: fraction.nanoseconds)
    isKnownForm =
      !fraction.isPresent && yearDigits == (isGeneralized ? 4 : 2)
      && (zone.isZ ? pairCount == 5 || !isGeneralized : zone.isOffset && pairCount == 5)
    isProfileForm = pairCount == 5 && !fraction.isPresent && zone.isZ && leap == 0 && (isGeneralized ? year >= 2050 : yearDigits == 2)
  }
}

extension DERReader {
  /// Reads a GeneralizedTime as in OCSP responses, in a format that Apple's parser reads.
  mutating func nextGeneralizedTime(_ field: StaticString) throws(ParseError) -> Timestamp {
    let element = try next(field, Tag.generalizedTime)
    let time = CertificateTime(element)
    guard time.isKnownForm, let timestamp = time.timestamp else { throw element.unexpected(field) }
    return timestamp
  }

  /// Reads a UTCTime or GeneralizedTime.
  mutating func nextTime(_ field: StaticString) throws(ParseError) -> CertificateTime {
    let element = try next(field)
    guard element.tag == Tag.utcTime || element.tag == Tag.generalizedTime else { throw element.unexpected(field) }
    return CertificateTime(element)
  }
}

/// Scans the text of a time.
private struct TimeScanner: ~Escapable {
  private let text: Span<UInt8>
  private var index = 0

  @_lifetime(copy text)
  init(_ text: Span<UInt8>) { self.text = text }

  var isAtEnd: Bool { index == text.count }

  private var digit: Int? {
    guard index < text.count, isDigit(text[index]) else { return nil }
    return Int(text[index]) - 0x30
  }

  /// The number of digits that follow; more than fourteen, the maximum of any time, count as fifteen.
  var digitCount: Int {
    var count = 0
    while index + count < text.count, count < 15, isDigit(text[index + count]) { count += 1 }
    return count
  }

  /// Reads a number of `count` digits, which must be present.
  mutating func number(ofDigits count: Int) -> Int {
    var value = 0
    for _ in 0..<count {
      value = value * 10 + (digit ?? 0)
      index += 1
    }
    return value
  }

  /// Reads a fraction after a period or comma, of a unit of this many seconds; nil if no digit follows.
  mutating func fraction(ofSeconds unit: Int64) -> (seconds: Int64, nanoseconds: UInt32, isPresent: Bool)? {
    guard index < text.count, text[index] == 0x2E || text[index] == 0x2C else { return (0, 0, false) }
    index += 1
    guard digit != nil else { return nil }
    var billionths: Int64 = 0
    var weight: Int64 = 100_000_000
    while let digit {
      billionths += Int64(digit) * weight
      weight /= 10
      index += 1
    }
    let nanoseconds = billionths * unit
    return (nanoseconds / 1_000_000_000, UInt32(nanoseconds % 1_000_000_000), true)
  }

  /// Reads the zone in seconds east of UTC; nil if there is something else.
  mutating func zone() -> (seconds: Int64, isZ: Bool, isOffset: Bool)? {
    guard index < text.count else { return (0, false, false) }
    let sign = text[index]
    index += 1
    switch sign {
    case 0x5A: return (0, true, false)
    case 0x7A: return (0, false, false)
    case 0x2B, 0x2D:
      guard digitCount == 4 else { return nil }
      let hours = number(ofDigits: 2)
      let minutes = number(ofDigits: 2)
      guard hours < 24, minutes < 60 else { return nil }
      return (Int64((hours * 60 + minutes) * (sign == 0x2D ? -60 : 60)), false, true)
    default: return nil
    }
  }
}
