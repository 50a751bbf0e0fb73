import ByteParsing
import Values

/// The elements that contain text, with the parsing of it.
enum XMLScalar: String {
  case string
  case integer
  case real
  case date
  case data
  case yes = "true"
  case no = "false"

  /// The value of an element. Throws if the text does not match its type.
  func value(of text: Bytes, line: Int) throws(PropertyListError) -> PropertyListValue {
    let value: PropertyListValue? =
      switch self {
      case .string: .string(String(decoding: text, as: UTF8.self))
      case .integer: XMLScalar.integer(text[...].trimmed).map { .integer($0) }
      case .real: Double(String(decoding: text[...].trimmed, as: UTF8.self)).map { .real($0) }
      case .date: XMLScalar.date(text[...].trimmed).map { .date($0) }
      case .data: .data(XMLScalar.data(text))
      case .yes: text.isEmpty ? .boolean(true) : nil
      case .no: text.isEmpty ? .boolean(false) : nil
      }
    guard let value else {
      let shown = XMLPropertyListReader.quoted(String(decoding: text, as: UTF8.self))
      throw PropertyListError(.malformed("\(shown) is not a value for the element \(rawValue)"), at: .line(line))
    }
    return value
  }

  /// Decimal or `0x` digits with an optional sign, from −2⁶³ to 2⁶⁴ − 1, which is the range that Foundation accepts.
  private static func integer(_ text: Bytes.SubSequence) -> PropertyListInteger? {
    var rest = text
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    while let first = rest.first, isWSPOrLineEnd(first) { rest.removeFirst() }
    var radix = 10
    if rest.first == 0x30, let letter = rest.dropFirst().first, letter | 0x20 == UInt8(ascii: "x") {
      rest.removeFirst(2)
      radix = 16
    }
    // `UInt64` would accept a second sign.
    guard let first = rest.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-"),
      let magnitude = UInt64(String(decoding: rest, as: UTF8.self), radix: radix)
    else { return nil }
    if !isNegative { return PropertyListInteger(magnitude) }
    guard magnitude <= 1 << 63 else { return nil }
    return PropertyListInteger(Int64(bitPattern: 0 &- magnitude))
  }

  /// The seconds from 1970 to 2001, the epoch of property list dates.
  private static let epoch: Int64 = 978_307_200

  private static func date(_ text: Bytes.SubSequence) -> Double? {
    guard text.count == 20, text.last == UInt8(ascii: "Z"),
      let date = Timestamp(iso8601: String(decoding: text, as: UTF8.self))
    else { return nil }
    return Double(date.seconds - epoch)
  }

  /// Decodes Base64; like Foundation, it skips other characters.
  private static func data(_ text: Bytes) -> Bytes {
    var bytes = Bytes()
    var bits: UInt32 = 0
    var bitCount = 0
    for byte in text {
      guard let value = Base64.value(of: byte) else { continue }
      bits = bits << 6 & 0xFFFF | UInt32(value)
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    return bytes
  }
}
