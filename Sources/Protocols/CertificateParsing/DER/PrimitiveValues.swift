import ByteParsing

/// Content bytes of an OBJECT IDENTIFIER beyond this many are refused; the longest in use are half as long.
private let objectIdentifierByteCountLimit = 128

/// The dotted text of an OBJECT IDENTIFIER's content bytes (X.690 §8.19); arcs may be of any size.
func dottedObjectIdentifier(_ contents: ArraySlice<UInt8>, _ field: StaticString) throws(ParseError) -> String
{
  guard contents.count <= objectIdentifierByteCountLimit else {
    throw ParseError(.limitReached(objectIdentifierByteCountLimit), in: field, at: contents.startIndex)
  }
  guard let last = contents.last, last & 0x80 == 0 else {
    throw ParseError(.truncated(needed: 1, available: 0), in: field, at: contents.endIndex)
  }
  var text = [UInt8]()
  text.reserveCapacity(contents.count * 3 + 2)
  var arc = DecimalNumber()
  for byte in contents {
    arc.shiftIn(sevenBits: byte & 0x7F)
    guard byte & 0x80 == 0 else { continue }
    if text.isEmpty {
      // The first two arcs share one number: 40 times the first, which is 0, 1 or 2, plus the second.
      let first: UInt32 = arc.isLess(than: 40) ? 0 : arc.isLess(than: 80) ? 1 : 2
      text.append(0x30 + UInt8(first))
      arc.subtract(40 * first)
    }
    text.append(0x2E)
    arc.appendDigits(to: &text)
    arc = DecimalNumber()
  }
  return String(decoding: text, as: UTF8.self)
}

/// A whole number of any size that can be written in decimal.
private struct DecimalNumber {
  /// The number while it is below 2⁵⁶.
  private var low: UInt64 = 0

  /// Groups of nine digits, the least significant first, once the number is greater.
  private var groups: [UInt32] = []

  mutating func shiftIn(sevenBits: UInt8) {
    if groups.isEmpty {
      low = low << 7 | UInt64(sevenBits)
      if low >> 56 != 0 {
        groups = [
          UInt32(low % 1_000_000_000), UInt32(low / 1_000_000_000 % 1_000_000_000),
          UInt32(low / 1_000_000_000_000_000_000),
        ]
      }
      return
    }
    var carry = UInt64(sevenBits)
    for index in groups.indices {
      let value = UInt64(groups[index]) * 128 + carry
      groups[index] = UInt32(value % 1_000_000_000)
      carry = value / 1_000_000_000
    }
    if carry > 0 { groups.append(UInt32(carry)) }
  }

  func isLess(than limit: UInt64) -> Bool { groups.isEmpty && low < limit }

  /// Subtracts a number that is not greater.
  mutating func subtract(_ value: UInt32) {
    if groups.isEmpty {
      low -= min(low, UInt64(value))
      return
    }
    var borrow = Int64(value)
    for index in groups.indices where borrow > 0 {
      let difference = Int64(groups[index]) - borrow
      groups[index] = UInt32(difference < 0 ? difference + 1_000_000_000 : difference)
      borrow = difference < 0 ? 1 : 0
    }
  }

  func appendDigits(to text: inout [UInt8]) {
    if groups.isEmpty {
      text.append(contentsOf: String(low).utf8)
      return
    }
    let significant = groups.prefix(through: groups.lastIndex { $0 != 0 } ?? 0)
    for (position, group) in significant.reversed().enumerated() {
      let digits = String(group)
      if position > 0 { text.append(contentsOf: repeatElement(0x30, count: 9 - digits.utf8.count)) }
      text.append(contentsOf: digits.utf8)
    }
  }
}

/// The bytes of a BIT STRING's contents; throws if the number of unused bits is more than 7.
///
/// Unused bits are zero in keys and signatures; where they are not, they are passed over all the same.
func wholeBytes(
  ofBitString contents: ArraySlice<UInt8>, _ field: StaticString
) throws(ParseError) -> ArraySlice<UInt8> {
  guard let unused = contents.first else {
    throw ParseError(.truncated(needed: 1, available: 0), in: field, at: contents.startIndex)
  }
  guard unused < 8, unused == 0 || contents.count > 1 else {
    throw ParseError(.unexpectedValue(UInt64(unused)), in: field, at: contents.startIndex)
  }
  return contents.dropFirst()
}

/// An INTEGER that counts something; nil if it is negative, empty or beyond 2³¹.
func smallNumber(_ contents: ArraySlice<UInt8>) -> Int? {
  guard let first = contents.first, first & 0x80 == 0 else { return nil }
  let significant = contents.drop { $0 == 0 }
  guard significant.count <= 4 else { return nil }
  let value = significant.reduce(0) { $0 << 8 | Int($1) }
  return value <= Int(Int32.max) ? value : nil
}

/// The bits of an INTEGER taken as unsigned, leading zeros not counted.
func bitCount(ofUnsigned contents: ArraySlice<UInt8>) -> Int {
  let significant = contents.drop { $0 == 0 }
  guard let first = significant.first else { return 0 }
  return significant.count * 8 - first.leadingZeroBitCount
}
