package import ByteParsing

/// Text from inputs: usually UTF-8, but possibly any bytes.
///
/// A `String` cannot contain invalid UTF-8, so byte 0xNN is represented by the private-use character U+10FFNN. Nothing is lost, and reports
/// can write it as `\xNN`.
@usableFromInline package enum InputText {
  /// Decodes UTF-8; nil if it is invalid.
  @inlinable
  package static func string(validating bytes: some Collection<UInt8>) -> String? {
    let repaired = String(decoding: bytes, as: UTF8.self)
    // Only invalid UTF-8 is changed by decoding. `String(validating:as:)` would detect it, but requires macOS 15.
    return repaired.utf8.elementsEqual(bytes) ? repaired : nil
  }

  /// Decodes bytes, with each invalid one represented by a private-use character. Such characters in the input are represented byte by
  /// byte, so that ``bytes(of:)`` returns exactly the input.
  @inlinable
  package static func string(decoding bytes: some Collection<UInt8>) -> String {
    guard let text = string(validating: bytes), !text.utf8.contains(0xF4) else { return string(carrying: bytes) }
    return text
  }

  /// The bytes that a text was decoded from.
  package static func bytes(of text: String) -> Bytes {
    var result = Bytes()
    for scalar in text.unicodeScalars {
      if isCarrier(scalar) {
        result.append(UInt8(truncatingIfNeeded: scalar.value))
      } else {
        result.append(contentsOf: Unicode.UTF8.encode(scalar) ?? Unicode.UTF8.encodedReplacementCharacter)
      }
    }
    return result
  }

  /// Whether a character represents an invalid byte.
  package static func isCarrier(_ scalar: Unicode.Scalar) -> Bool {
    (0x10FF80...0x10FFFF).contains(scalar.value)
  }

  @usableFromInline static func string(carrying bytes: some Collection<UInt8>) -> String {
    var text = String.UnicodeScalarView()
    var parser = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    // The parser drops a sequence once it turns out to be invalid, so its bytes are kept separately.
    var pending = Bytes()
    var source = AnyIterator<UInt8> {
      let byte = iterator.next()
      if let byte { pending.append(byte) }
      return byte
    }
    while true {
      switch parser.parseScalar(from: &source) {
      case .valid(let encoded):
        let scalar = Unicode.UTF8.decode(encoded)
        if isCarrier(scalar) {
          for byte in pending.prefix(encoded.count) { text.append(carrier(of: byte)) }
        } else {
          text.append(scalar)
        }
        pending.removeFirst(encoded.count)
      case .error(let count):
        for byte in pending.prefix(count) { text.append(carrier(of: byte)) }
        pending.removeFirst(count)
      case .emptyInput:
        return String(text)
      }
    }
  }

  /// The character that represents an invalid byte of 0x80 and above.
  package static func carrier(of byte: UInt8) -> Unicode.Scalar {
    Unicode.Scalar(0x10FF00 + UInt32(byte)) ?? "\u{FFFD}"
  }

  /// Whether a character above U+007E is invisible, or moves, hides or reorders text.
  ///
  /// A table instead of the general category, which depends on the Unicode version of the standard library, as output must not.
  package static func isHidden(_ value: UInt32) -> Bool {
    switch value {
    case 0x80...0x9F, 0xAD, 0x061C, 0x115F...0x1160, 0x17B4...0x17B5, 0x180B...0x180F, 0x200B...0x200F,
      0x2028...0x202E, 0x2060...0x206F, 0x3164, 0xFE00...0xFE0F, 0xFEFF, 0xFFA0, 0xFFF0...0xFFFB,
      0xFFFE...0xFFFF, 0x1D173...0x1D17A, 0xE0000...0xE0FFF:
      true
    default: false
    }
  }
}

extension String {
  /// The text with A to Z in lower case, as URL loaders pass host names to the policy.
  package var asciiLowercase: String {
    utf8.contains { $0 != asciiLowercased($0) } ? String(decoding: utf8.asciiLowercase, as: UTF8.self) : self
  }
}
