import JSONReading
import SessionModel

extension JSONReader {
  mutating func readQUIC() throws(JSONError) -> QUICFacts {
    var version: UInt32?
    var close: QUICFacts.Close?
    try readObject { (key, reader) throws(JSONError) in
      switch key {
      case "version": version = UInt32(exactly: try reader.readPrefixedNumber())
      case "close": close = try reader.readNull() ? nil : reader.readClose()
      default: try reader.skipValue()
      }
    }
    guard let version else { throw error(.missingField, in: "version") }
    return QUICFacts(version: version, close: close)
  }

  private mutating func readClose() throws(JSONError) -> QUICFacts.Close {
    var close = QUICFacts.Close(code: 0, frame: 0)
    try readObject { (key, reader) throws(JSONError) in
      switch key {
      case "code": close.code = try reader.readPrefixedNumber()
      case "frame": close.frame = try reader.readInteger()
      default: try reader.skipValue()
      }
    }
    return close
  }

  /// Reads a hexadecimal number with a prefix, such as `0x0128`.
  private mutating func readPrefixedNumber() throws(JSONError) -> UInt64 {
    let text = try readString()
    guard text.hasPrefix("0x"), let number = UInt64(text.dropFirst(2), radix: 16) else { throw error(.unknownValue) }
    return number
  }
}
