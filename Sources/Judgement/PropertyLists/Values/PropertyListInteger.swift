/// An integer of a property list: 128 bits, two's complement, which is the maximum of the binary format.
///
/// `Int128` is not used because it requires macOS 15.
package struct PropertyListInteger: Hashable, Sendable {
  /// The upper 64 bits, with the sign.
  package var high: Int64

  /// The lower 64 bits.
  package var low: UInt64

  package init(high: Int64, low: UInt64) {
    self.high = high
    self.low = low
  }

  package init(_ value: Int64) {
    high = value < 0 ? -1 : 0
    low = UInt64(bitPattern: value)
  }

  package init(_ value: UInt64) {
    high = 0
    low = value
  }
}

extension PropertyListInteger: ExpressibleByIntegerLiteral {
  package init(integerLiteral value: Int64) {
    self.init(value)
  }
}

extension PropertyListInteger: CustomStringConvertible {
  /// Decimal digits, with a minus sign if negative.
  package var description: String {
    var upper = UInt64(bitPattern: high)
    var lower = low
    if high < 0 {
      lower = ~lower &+ 1
      upper = ~upper &+ (lower == 0 ? 1 : 0)
    }
    var digits: [UInt8] = []
    repeat {
      let (quotient, remainder) = upper.quotientAndRemainder(dividingBy: 10)
      let (lowQuotient, digit) = (10 as UInt64).dividingFullWidth((remainder, lower))
      upper = quotient
      lower = lowQuotient
      digits.append(0x30 + UInt8(truncatingIfNeeded: digit))
    } while upper != 0 || lower != 0
    return (high < 0 ? "-" : "") + String(decoding: digits.reversed(), as: UTF8.self)
  }
}
