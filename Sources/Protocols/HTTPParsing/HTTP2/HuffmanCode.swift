package import ByteParsing

/// The Huffman code of HPACK (RFC 7541 appendix B).
///
/// The code is canonical: symbols sorted by code length, then by value, have consecutive codes, so that the lengths alone define it.
package enum HuffmanCode {
  /// One decoded symbol.
  struct Symbol {
    var value: UInt16
    /// The code, in the lowest bits.
    var code: UInt32
    /// The length of the code in bits.
    var length: Int
  }

  /// The symbol that marks the end of a string; only its first bits occur, as padding.
  private static let endOfString: UInt16 = 256

  private static let maximumLength = 30

  /// Decodes a string; throws if it contains the end-of-string symbol, or does not end with a prefix of it (RFC 7541 §5.2).
  static func decode(_ bytes: Span<UInt8>, at offset: Int) throws(ParseError) -> Bytes {
    var decoded = Bytes()
    decoded.reserveCapacity(bytes.count * 8 / 5)
    _ = try readSymbols(bytes, at: offset) { decoded.append(UInt8(truncatingIfNeeded: $0.value)) }
    return decoded
  }

  /// The string with the symbols in `range` replaced by the first symbol with the same code length; nil if it is invalid.
  package static func neutralized(_ bytes: Span<UInt8>, symbols range: Range<Int>) -> Bytes? {
    var writer = BitWriter()
    var index = 0
    let padding = try? readSymbols(bytes, at: 0) { symbol in
      let code = range.contains(index) ? firstCode[symbol.length] : symbol.code
      writer.append(code, bits: symbol.length)
      index += 1
    }
    guard let padding else { return nil }
    writer.append((1 << UInt32(padding)) - 1, bits: padding)
    return writer.bytes
  }

  /// Calls `body` with each symbol; returns the number of padding bits.
  private static func readSymbols(_ bytes: Span<UInt8>, at offset: Int, _ body: (Symbol) -> Void) throws(ParseError) -> Int {
    var code: UInt32 = 0
    var length = 0
    for index in 0..<bytes.count {
      for bit in 0..<8 {
        code = code << 1 | UInt32(bytes[index] >> UInt8(7 - bit) & 1)
        length += 1
        let relativeIndex = Int(code) - Int(firstCode[length])
        guard relativeIndex >= 0, relativeIndex < symbolCount[length] else {
          guard length < maximumLength else { throw ParseError(.unexpectedValue(UInt64(code)), in: "Huffman code", at: offset + index) }
          continue
        }
        let value = sortedSymbols[firstIndex[length] + relativeIndex]
        guard value != endOfString else { throw ParseError(.unexpectedValue(UInt64(value)), in: "EOS", at: offset + index) }
        body(Symbol(value: value, code: code, length: length))
        (code, length) = (0, 0)
      }
    }
    guard length < 8, code == (1 << UInt32(length)) - 1 else {
      throw ParseError(.unexpectedValue(UInt64(code)), in: "padding", at: offset + bytes.count)
    }
    return length
  }

  /// Symbols sorted by code length, then by value.
  private static let sortedSymbols: [UInt16] = (0...maximumLength).flatMap { length in
    lengths.indices.lazy.filter { lengths[$0] == length }.map { UInt16($0) }
  }

  /// The number of symbols by code length.
  private static let symbolCount: [Int] = (0...maximumLength).map { length in lengths.count { $0 == length } }

  /// The index of the first symbol in `sortedSymbols` by code length.
  private static let firstIndex: [Int] = symbolCount.indices.map { symbolCount[..<$0].reduce(0, +) }

  /// The code of the first symbol by code length.
  private static let firstCode: [UInt32] = {
    var codes: [UInt32] = [0]
    for length in 1...maximumLength {
      codes.append((codes[length - 1] + UInt32(symbolCount[length - 1])) << 1)
    }
    return codes
  }()

  /// The code length of each symbol in bits, the end of a string last.
  private static let lengths: [Int] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
    28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
    5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
    13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
    6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
    21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
    19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
    30,
  ]
}

/// Writes bits, most significant first.
private struct BitWriter {
  private(set) var bytes = Bytes()
  private var free = 0

  mutating func append(_ code: UInt32, bits: Int) {
    for bit in stride(from: bits - 1, through: 0, by: -1) {
      if free == 0 {
        bytes.append(0)
        free = 8
      }
      free -= 1
      bytes[bytes.count - 1] |= UInt8(code >> UInt32(bit) & 1) << UInt8(free)
    }
  }
}
