import Values

/// A UTCTime or GeneralizedTime, read leniently.
struct CertificateTime {
  /// The moment; nil where the text names none.
  var moment: Timestamp?

  /// Whether the text is as RFC 5280 §4.1.2.5 asks: seconds, `Z`, no fraction, UTCTime through 2049.
  var isProfileForm = false

  /// Reads the content bytes of an element.
  ///
  /// Seconds may be missing, a fraction may follow (of the smallest unit given), and the zone may be `Z`, `±hhmm`, or
  /// nothing at all, which is taken for UTC. A UTCTime of fourteen digits has a year of four.
  init(tag: UInt8, contents: ArraySlice<UInt8>) {
    guard contents.count <= 64 else { return }
    var scanner = TimeScanner(contents)
    let digits = scanner.digits()
    let yearDigits = tag == Tag.generalizedTime || digits.count >= 14 ? 4 : 2
    guard digits.count % 2 == 0, digits.count >= yearDigits + (tag == Tag.generalizedTime ? 6 : 8),
      digits.count <= yearDigits + 10
    else { return }
    func pair(_ position: Int) -> Int? {
      let index = yearDigits + 2 * position
      return index + 1 < digits.count ? digits[index] * 10 + digits[index + 1] : nil
    }
    var year = digits[..<yearDigits].reduce(0) { $0 * 10 + $1 }
    // RFC 5280 §4.1.2.5.1: 50 to 99 are of the 20th century.
    if yearDigits == 2 { year += year >= 50 ? 1900 : 2000 }
    let minute = pair(3)
    let second = pair(4)
    let unit: Int64 = second != nil ? 1 : minute != nil ? 60 : 3600
    guard let fraction = scanner.fraction(ofSeconds: unit), let zone = scanner.zone(), scanner.isAtEnd,
      let month = pair(0), let day = pair(1), let hour = pair(2),
      // A leap second is the first moment of the next minute.
      let start = Timestamp(
        year: year, month: month, day: day, hour: hour, minute: minute ?? 0, second: min(second ?? 0, 59)),
      second ?? 0 <= 60
    else { return }
    let leap: Int64 = second == 60 ? 1 : 0
    moment = Timestamp(
      seconds: start.seconds + leap + fraction.seconds - Int64(zone.seconds),
      nanoseconds: fraction.nanoseconds)
    isProfileForm =
      second != nil && !fraction.isPresent && zone.isZ && leap == 0
      && (tag == Tag.generalizedTime ? year >= 2050 : yearDigits == 2)
  }
}

/// Reads the parts of a time's text.
private struct TimeScanner {
  private var rest: ArraySlice<UInt8>

  init(_ text: ArraySlice<UInt8>) { rest = text }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func digits() -> [Int] {
    let run = rest.prefix { (0x30...0x39).contains($0) }
    rest = rest[run.endIndex...]
    return run.map { Int($0 - 0x30) }
  }

  /// What follows a point or comma, as a part of a unit of so many seconds; nil if no digit follows it.
  mutating func fraction(
    ofSeconds unit: Int64
  ) -> (seconds: Int64, nanoseconds: UInt32, isPresent: Bool)? {
    guard rest.first == 0x2E || rest.first == 0x2C else { return (0, 0, false) }
    rest = rest.dropFirst()
    let digits = digits()
    guard !digits.isEmpty else { return nil }
    var billionths: Int64 = 0
    for position in 0..<9 {
      billionths = billionths * 10 + Int64(position < digits.count ? digits[position] : 0)
    }
    let nanoseconds = billionths * unit
    return (nanoseconds / 1_000_000_000, UInt32(nanoseconds % 1_000_000_000), true)
  }

  /// The zone in seconds east of UTC; nil if there is something else.
  mutating func zone() -> (seconds: Int, isZ: Bool)? {
    guard let first = rest.first else { return (0, false) }
    rest = rest.dropFirst()
    switch first {
    case 0x5A: return (0, true)
    case 0x7A: return (0, false)
    case 0x2B, 0x2D:
      let digits = digits()
      guard digits.count == 4 else { return nil }
      let hours = digits[0] * 10 + digits[1]
      let minutes = digits[2] * 10 + digits[3]
      guard hours < 24, minutes < 60 else { return nil }
      return ((hours * 60 + minutes) * (first == 0x2D ? -60 : 60), false)
    default: return nil
    }
  }
}
