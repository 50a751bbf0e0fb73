import ByteParsing
import HTTPParsing

/// Redacts what no verdict depends on from a head of cleartext HTTP.
///
/// It keeps the request line without its query, the version and status of a response, Host, the scheme and host of Location, the fields
/// that delimit the message or change the protocol, and the media types of certificates and revocation data. All else becomes ASCII zeros
/// of the same length.
enum HTTPReduction {
  private static let kept: Set<Bytes> = [
    "host", "content-length", "transfer-encoding", "connection", "upgrade", "expect",
  ].reduce(into: []) { $0.insert(Bytes($1.utf8)) }

  /// The redacted head, of the same length.
  static func reduced(_ head: Bytes) -> Bytes {
    var output = Bytes()
    output.reserveCapacity(head.count)
    var isStart = true
    var rest = head[...]
    while !rest.isEmpty {
      var end = endOfLine(rest)
      // Empty lines may precede a head.
      let isEmpty = rest[..<end].allSatisfy(isLineEnd)
      if !isStart, !isEmpty {
        // A value may continue on the next line, which then begins with a space or tab.
        while end < rest.endIndex, isWSP(rest[end]) { end = endOfLine(rest[end...]) }
      }
      let line = Bytes(rest[..<end])
      rest = rest[end...]
      if isEmpty { output += line } else { output += isStart ? startLine(line) : field(line) }
      if !isEmpty { isStart = false }
    }
    return output.count == head.count ? output : Bytes(repeating: 0x30, count: head.count)
  }

  private static func endOfLine(_ rest: Bytes.SubSequence) -> Int {
    rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
  }

  // MARK: Lines

  private static let version = Bytes("HTTP/".utf8)

  /// The redacted start line: a request line without its query, from `?` to the space before the version; of a status line, version and
  /// status.
  private static func startLine(_ line: Bytes) -> Bytes {
    let text = line[..<(line.lastIndex { !isWSPOrLineEnd($0) }.map { $0 + 1 } ?? 0)]
    guard let blank = text.firstIndex(where: isWSPOrLineEnd) else { return zeros(line, line.indices) }
    if line.starts(with: version) {
      // The reason phrase may contain anything.
      let digits = text[blank...].firstIndex { $0 != 0x20 } ?? text.endIndex
      let end = text[digits...].firstIndex(where: isWSPOrLineEnd) ?? text.endIndex
      return zeros(line, min(end + 1, line.endIndex)..<line.endIndex)
    }
    // In a truncated line, the target may come last, and it may contain blanks.
    let end = text.lastIndex(where: isWSPOrLineEnd) ?? blank
    let isVersion = version.starts(with: text[(end + 1)...].prefix(version.count))
    let last = end == blank || !isVersion ? text.endIndex : end
    guard let target = text[blank..<last].firstIndex(where: { !isWSPOrLineEnd($0) }) else { return line }
    var result = line
    if line[target] != 0x2F {
      let authority = authority(of: line[target..<last])
      // Of a truncated authority, all may be user information.
      result = authority.upperBound == line.endIndex ? zeros(result, authority) : hidingUser(result, in: authority)
    }
    let query = line[target..<last].firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    return query.map { zeros(result, ($0 + 1)..<last) } ?? result
  }

  private static func field(_ line: Bytes) -> Bytes {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return zeros(line, line.indices) }
    let name = trimmed(line[..<colon]).asciiLowercase
    let value = colon + 1
    if name == host { return hidingUser(line, in: value..<line.endIndex) }
    if kept.contains(name) { return line }
    if name == contentType { return keepsMediaType(line[value...]) ? line : zeros(line, value..<line.endIndex) }
    if name == location { return redirection(line, from: value) }
    return zeros(zeros(line, 0..<colon), value..<line.endIndex)
  }

  private static let host = Bytes("host".utf8)
  private static let contentType = Bytes("content-type".utf8)
  private static let location = Bytes("location".utf8)

  /// Whether a value of `Content-Type` is kept: fetches of revocations and issuers are a device's own, and exempt, and their media types
  /// say so.
  static func keepsMediaType(_ value: Bytes.SubSequence) -> Bool {
    let type = trimmed(value).asciiLowercase
    return certificateTypes.contains { type.starts(with: $0) }
  }

  private static let certificateTypes = [
    "application/ocsp-", "application/pkix-", "application/pkcs7-", "application/x-pkcs7-", "application/x-x509-",
  ].map { Bytes($0.utf8) }

  /// Keeps scheme and host; path and query become zeros.
  private static func redirection(_ line: Bytes, from start: Int) -> Bytes {
    let value = line[start...].firstIndex { !isWSPOrLineEnd($0) } ?? line.endIndex
    let scheme = line[value...].firstIndex { !RedirectTarget.isSchemeCharacter($0) } ?? line.endIndex
    let hasScheme = scheme < line.endIndex && line[scheme] == UInt8(ascii: ":") && scheme > value
    let authority = authority(of: line[value...])
    // The character after the authority is kept, as otherwise the authority would continue.
    let end = authority.isEmpty ? hasScheme ? scheme + 1 : value : authority.upperBound + 1
    return zeros(hidingUser(line, in: authority), min(end, line.endIndex)..<line.endIndex)
  }

  /// The range of the authority in a URL or a reference without a scheme (RFC 3986 §3); empty if there is none.
  private static func authority(of reference: Bytes.SubSequence) -> Range<Int> {
    let none = reference.startIndex..<reference.startIndex
    var rest = reference
    let scheme = rest.prefix(while: RedirectTarget.isSchemeCharacter)
    if !scheme.isEmpty {
      rest = rest[scheme.endIndex...]
      guard rest.first == UInt8(ascii: ":") else { return none }
      rest = rest.dropFirst()
    }
    guard rest.starts(with: [0x2F, 0x2F]) else { return none }
    rest = rest.dropFirst(2)
    return rest.startIndex..<rest.prefix { ![0x2F, 0x3F, 0x23, 0x20, 0x0D, 0x0A].contains($0) }.endIndex
  }

  /// Zeros the user information of an authority.
  private static func hidingUser(_ line: Bytes, in authority: Range<Int>) -> Bytes {
    guard let sign = line[authority].lastIndex(of: UInt8(ascii: "@")) else { return line }
    return zeros(line, authority.lowerBound..<sign)
  }

  /// The line with zeros in a range; its line end is kept.
  private static func zeros(_ line: Bytes, _ range: Range<Int>) -> Bytes {
    var result = line
    for index in range where index < result.count && !isLineEnd(result[index]) {
      result[index] = 0x30
    }
    return result
  }

  private static func trimmed(_ text: Bytes.SubSequence) -> Bytes {
    Bytes(text.filter { !isWSPOrLineEnd($0) })
  }
}
