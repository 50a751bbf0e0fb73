import ByteParsing
import Values

/// The text of a single-byte string type: UTF-8 if it is valid, otherwise Latin-1.
///
/// The declared type is unreliable: PrintableString may contain UTF-8, TeletexString Latin-1. Decoding anything but UTF-8 as Latin-1
/// preserves every byte. Control characters, including NUL, remain in the text.
func text(ofBytes bytes: Span<UInt8>) -> String {
  let bytes = Bytes(copying: bytes)
  if let text = InputText.string(validating: bytes) { return text }
  var scalars = String.UnicodeScalarView()
  for byte in bytes { scalars.append(Unicode.Scalar(byte)) }
  return String(scalars)
}

/// The text of UTF-16 or UTF-32 in network byte order; unpaired surrogates become U+FFFD. Nil if the length is not a multiple of the unit.
func text(ofBytes bytes: Span<UInt8>, unitByteCount: Int) -> String? {
  guard bytes.count % unitByteCount == 0 else { return nil }
  var units = [UInt32](repeating: 0, count: bytes.count / unitByteCount)
  for index in bytes.indices {
    units[index / unitByteCount] = units[index / unitByteCount] << 8 | UInt32(bytes[index])
  }
  if unitByteCount == 2 {
    return String(decoding: units.map { UInt16(truncatingIfNeeded: $0) }, as: UTF16.self)
  }
  var scalars = String.UnicodeScalarView()
  for unit in units { scalars.append(Unicode.Scalar(unit) ?? "\u{FFFD}") }
  return String(scalars)
}

func isUTF8(_ bytes: Span<UInt8>) -> Bool { InputText.string(validating: Bytes(copying: bytes)) != nil }

func contains(_ byte: UInt8, in bytes: Span<UInt8>) -> Bool {
  for index in bytes.indices where bytes[index] == byte { return true }
  return false
}
