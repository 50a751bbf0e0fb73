/// Text that comes from inputs: UTF-8 as a rule, and any bytes at all.
///
/// Bytes that are not UTF-8 cannot stand in a `String`: byte 0xNN is carried as the private character U+10FFNN, so that
/// nothing is lost and reports can write it `\xNN`.
public enum InputText {
  /// Bytes as text; nil unless they are UTF-8.
  @inlinable
  public static func string(validating bytes: some Collection<UInt8>) -> String? {
    let repaired = String(decoding: bytes, as: UTF8.self)
    // Only what is no UTF-8 is repaired. `String(validating:as:)` would say so itself, but asks for macOS 15.
    return repaired.utf8.elementsEqual(bytes) ? repaired : nil
  }

  /// Bytes as text, with each byte that is part of no character carried along.
  @inlinable
  public static func string(decoding bytes: some Collection<UInt8>) -> String {
    string(validating: bytes) ?? string(carrying: bytes)
  }

  @usableFromInline
  static func string(carrying bytes: some Collection<UInt8>) -> String {
    var text = String.UnicodeScalarView()
    var parser = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    // What the parser takes in and then finds wrong it drops, so the bytes are kept beside it.
    var pending = ContiguousArray<UInt8>()
    var source = AnyIterator<UInt8> {
      let byte = iterator.next()
      if let byte { pending.append(byte) }
      return byte
    }
    while true {
      switch parser.parseScalar(from: &source) {
      case .valid(let encoded):
        text.append(Unicode.UTF8.decode(encoded))
        pending.removeFirst(encoded.count)
      case .error(let count):
        for byte in pending.prefix(count) { text.append(carrier(of: byte)) }
        pending.removeFirst(count)
      case .emptyInput:
        return String(text)
      }
    }
  }

  /// The character that stands for a byte of 0x80 and above that is not UTF-8.
  public static func carrier(of byte: UInt8) -> Unicode.Scalar {
    Unicode.Scalar(0x10FF00 + UInt32(byte)) ?? "\u{FFFD}"
  }
}
