import Values

/// The resolution of a capture's clock: `if_tsresol` in pcapng.
package enum TimestampUnit: Hashable, Sendable {
  /// 10⁻ⁿ seconds, with n from 0 to 127.
  case decimal(UInt8)

  /// 2⁻ⁿ seconds, with n from 0 to 127.
  case binary(UInt8)

  /// Microseconds, the default, and the resolution of the classic format.
  package static let microseconds = TimestampUnit.decimal(6)

  /// Nanoseconds.
  package static let nanoseconds = TimestampUnit.decimal(9)

  /// Decodes the option's one byte, every value of which is valid.
  init(option: UInt8) {
    self = option & 0x80 == 0 ? .decimal(option) : .binary(option & 0x7F)
  }

  /// The time `ticks` and `offset` seconds after 1970, truncated to nanoseconds.
  @inline(__always)
  func timestamp(ticks: UInt64, offset: Int64) -> Timestamp {
    if self == .microseconds, offset == 0 {
      let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: 1_000_000)
      return Timestamp(seconds: Int64(truncatingIfNeeded: seconds), nanoseconds: UInt32(truncatingIfNeeded: rest &* 1000))
    }
    return uncommonTimestamp(ticks: ticks, offset: offset)
  }

  @inline(never)
  private func uncommonTimestamp(ticks: UInt64, offset: Int64) -> Timestamp {
    let (seconds, nanoseconds) = split(ticks)
    // Only ticks of about a second exceed 2⁶³, which no real clock reaches.
    let (sum, overflow) = Int64(clamping: seconds).addingReportingOverflow(offset)
    return Timestamp(seconds: overflow ? (offset < 0 ? .min : .max) : sum, nanoseconds: UInt32(truncatingIfNeeded: nanoseconds))
  }

  private func split(_ ticks: UInt64) -> (seconds: UInt64, nanoseconds: UInt64) {
    switch self {
    case .decimal(let exponent) where exponent <= 9:
      let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: TimestampUnit.power(exponent))
      return (seconds, rest * TimestampUnit.power(9 - exponent))
    case .decimal(let exponent) where exponent <= 19:
      let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: TimestampUnit.power(exponent))
      return (seconds, rest / TimestampUnit.power(exponent - 9))
    case .decimal(let exponent):
      // 64 bits cannot represent a second of these.
      return (0, exponent <= 28 ? ticks / TimestampUnit.power(exponent - 9) : 0)
    case .binary(let exponent) where exponent < 64:
      let fraction = ticks & ((1 << UInt64(exponent)) - 1)
      let product = fraction.multipliedFullWidth(by: 1_000_000_000)
      // The fraction is below 2^exponent, so the shifted product is below 10⁹ and fits in one word.
      let nanoseconds = exponent == 0 ? 0 : product.high << (64 - UInt64(exponent)) | product.low >> UInt64(exponent)
      return (ticks >> UInt64(exponent), nanoseconds)
    case .binary(let exponent):
      return (0, ticks.multipliedFullWidth(by: 1_000_000_000).high >> UInt64(exponent - 64))
    }
  }

  /// 10 to a power from 0 to 19, the largest in 64 bits.
  private static func power(_ exponent: UInt8) -> UInt64 {
    var power: UInt64 = 1
    for _ in 0..<exponent { power *= 10 }
    return power
  }
}
