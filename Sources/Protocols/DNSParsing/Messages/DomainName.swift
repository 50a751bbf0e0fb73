package import ByteParsing

/// A domain name (RFC 1035 §3.1), in lower case and without the final dot; the root is empty.
///
/// Dots and backslashes within a label are escaped with a backslash, and control characters are written as `\DDD` (RFC 1035 §5.1). Bytes
/// above 0x7F are kept: names on a local link are UTF-8 (RFC 6762 §16).
package struct DomainName: Hashable, Sendable {
  package var text: Bytes

  /// Creates a name from its text.
  package init(text: Bytes) { self.text = text }

  /// The maximum length of an encoded name in bytes, including lengths and the final zero (RFC 1035 §2.3.4).
  package static let maximumWireLength = 255

  /// The maximum number of pointers in one name; more than its maximum number of labels have no use.
  package static let maximumPointerCount = 128

  /// Reads a name and advances the reader past it. A pointer refers to an offset in `message`, which starts at the reader's offset 0 (RFC
  /// 1035 §4.1.4).
  ///
  /// A pointer must refer to an offset before everything that the name has used so far, so that a name cannot loop.
  package init(from reader: inout ByteReader, in message: Span<UInt8>) throws(ParseError) {
    text = []
    var wireLength = 1
    var start = reader.offset
    guard var target = try append(from: &reader, &wireLength) else { return }
    for _ in 0..<Self.maximumPointerCount {
      guard target < start, target < message.count else { throw ParseError(.unexpectedValue(UInt64(target)), in: "pointer", at: start) }
      start = target
      var labels = ByteReader(message.extracting(target..<message.count), base: target)
      guard let next = try append(from: &labels, &wireLength) else { return }
      target = next
    }
    throw ParseError(.limitReached(Self.maximumPointerCount), in: "pointer", at: start)
  }

  /// Appends labels up to the end of the name, or up to a pointer, whose target it returns.
  private mutating func append(from reader: inout ByteReader, _ wireLength: inout Int) throws(ParseError) -> Int? {
    while true {
      let length = try reader.readUInt8("label")
      switch length >> 6 {
      case 0:
        if length == 0 { return nil }
        wireLength += 1 + Int(length)
        guard wireLength <= Self.maximumWireLength else {
          throw ParseError(.limitReached(Self.maximumWireLength), in: "name", at: reader.offset)
        }
        let label = try reader.readBody(byteCount: Int(length), "label")
        if !text.isEmpty { text.append(0x2E) }
        append(label: label.rest)
      case 3:
        return Int(length & 0x3F) << 8 | Int(try reader.readUInt8("pointer"))
      default:
        throw ParseError(.unexpectedValue(UInt64(length)), in: "label", at: reader.offset)
      }
    }
  }

  private mutating func append(label: Span<UInt8>) {
    for index in label.indices {
      let byte = label[index]
      switch byte {
      case 0x2E, 0x5C:
        text.append(0x5C)
        text.append(byte)
      case 0x41...0x5A:
        text.append(byte | 0x20)
      case 0...0x20, 0x7F:
        text.append(0x5C)
        for digit in [byte / 100, byte / 10 % 10, byte % 10] { text.append(0x30 + digit) }
      default:
        text.append(byte)
      }
    }
  }
}

extension DomainName: CustomStringConvertible {
  /// The text; invalid UTF-8 is replaced.
  package var description: String { String(decoding: text, as: UTF8.self) }
}
