package import ByteParsing

/// The common part of requests and responses: limits, and the end of a head.
package enum MessageHead {
  /// The maximum length of a head in bytes. Servers reject heads half as long.
  package static let maximumByteCount = 65_536

  /// The length of the head with which `bytes` begins, including its empty line and leading empty lines; nil if it does not end yet.
  ///
  /// A search that continues with more bytes may begin at the end of the previous one. Throws once the head exceeds the limit.
  package static func byteCount(of bytes: Span<UInt8>, searchingFrom start: Int = 0) throws(ParseError) -> Int? {
    var index = 0
    while index < bytes.count, isLineEnd(bytes[index]) { index += 1 }
    // The end may begin three bytes earlier: CR LF CR of CR LF CR LF.
    index = max(index, min(start, bytes.count) - 3)
    while index < bytes.count {
      if bytes[index] == 0x0A {
        if index + 1 < bytes.count, bytes[index + 1] == 0x0A { return try checked(index + 2) }
        if index + 2 < bytes.count, bytes[index + 1] == 0x0D, bytes[index + 2] == 0x0A { return try checked(index + 3) }
      }
      index += 1
    }
    return bytes.count > maximumByteCount ? try checked(bytes.count) : nil
  }

  private static func checked(_ count: Int) throws(ParseError) -> Int {
    guard count <= maximumByteCount else { throw ParseError(.limitReached(maximumByteCount), in: "head", at: maximumByteCount) }
    return count
  }
}

/// The version of a message: 1.0 to 1.9 in a start line, and 2.0 for HTTP/2, which has no start line.
package struct HTTPVersion: Hashable, Sendable {
  /// The major version, 1 or 2.
  package var major: UInt8

  /// The minor version, 0 to 9.
  package var minor: UInt8
}
