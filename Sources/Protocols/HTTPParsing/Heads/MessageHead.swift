package import ByteParsing

/// What requests and responses have in common: their limits, and where a head ends.
package enum MessageHead {
  /// The longest head that is read, in bytes. Servers refuse heads of half that.
  package static let maximumByteCount = 65_536

  /// The length of the head that `bytes` begin with, its empty line and empty lines in front included.
  ///
  /// `nil` if it does not end yet. A search that continues with more bytes may begin where the last one ended.
  /// Throws once it is longer than the limit.
  package static func byteCount(
    of bytes: Span<UInt8>, searchingFrom start: Int = 0
  ) throws(ParseError) -> Int? {
    var index = 0
    while index < bytes.count, bytes[index] == 0x0D || bytes[index] == 0x0A { index += 1 }
    // An end may reach three bytes back: CR LF CR of CR LF CR LF.
    index = max(index, min(start, bytes.count) - 3)
    while index < bytes.count {
      if bytes[index] == 0x0A {
        if index + 1 < bytes.count, bytes[index + 1] == 0x0A { return try checked(index + 2) }
        if index + 2 < bytes.count, bytes[index + 1] == 0x0D, bytes[index + 2] == 0x0A {
          return try checked(index + 3)
        }
      }
      index += 1
    }
    return bytes.count > maximumByteCount ? try checked(bytes.count) : nil
  }

  private static func checked(_ count: Int) throws(ParseError) -> Int {
    guard count <= maximumByteCount else {
      throw ParseError(.limitReached(maximumByteCount), in: "head", at: maximumByteCount)
    }
    return count
  }
}

/// The version in a start line: 1.0 or 1.1, or what else a peer claims below 2.
package struct HTTPVersion: Hashable, Sendable {
  /// 1.
  package var major: UInt8

  /// 0 or 1.
  package var minor: UInt8
}
