import ByteParsing

/// The result of recognizing HTTP in the first bytes of a stream.
package enum HTTPRecognition: Hashable, Sendable {
  /// The bytes are a beginning of HTTP.
  case yes
  /// The bytes are not HTTP.
  case no
  /// The bytes may be HTTP, but are too few to decide.
  case needMore

  /// The maximum length of a request line within which the version is awaited; a longer one is recognized by method and target.
  package static let maximumRequestLineLength = 16_384

  /// Recognizes an HTTP/1.x request at the start of a stream: a known method, a target, and the version. With an unknown method, or with
  /// blanks or control characters in the target, the whole request line must be valid.
  ///
  /// Leading empty lines are skipped, as servers do (RFC 9112 §2.2).
  package static func request(_ prefix: Span<UInt8>) -> HTTPRecognition {
    let start = methodStart(prefix)
    guard start <= maximumEmptyLineBytes else { return .no }
    guard start < prefix.count else { return .needMore }
    let method = knownMethod(prefix, at: start)
    if case .no = method { return requestOfAnyMethod(prefix, at: start) }
    guard case .yes(let methodEnd) = method else { return .needMore }
    var index = methodEnd + 1
    guard index < prefix.count else { return .needMore }
    index = targetEnd(prefix, at: index, ofMethodAt: start)
    guard index - start < maximumRequestLineLength else { return isTarget(prefix, after: methodEnd, ofMethodAt: start) ? .yes : .no }
    guard index < prefix.count else { return .needMore }
    if index > methodEnd + 1, prefix[index] == 0x20 {
      let version = begins(prefix, at: index + 1, with: versionPrefix)
      if version != .no { return version }
    }
    let isEndless = prefix.count - start >= maximumRequestLineLength && isTarget(prefix, after: methodEnd, ofMethodAt: start)
    return requestOfAnyMethod(prefix, at: start, isEndless: isEndless)
  }

  /// Whether a request line has a known method. After missing bytes, only known methods are reliable, because the rest of a truncated
  /// method is also a token.
  package static func hasKnownMethod(_ prefix: Span<UInt8>) -> Bool {
    let start = methodStart(prefix)
    guard start < prefix.count, case .yes = knownMethod(prefix, at: start) else { return false }
    return true
  }

  private static func methodStart(_ prefix: Span<UInt8>) -> Int {
    var start = 0
    while start < prefix.count, isLineEnd(prefix[start]) { start += 1 }
    return start
  }

  /// Recognizes a request line with any method (RFC 9110 §9.1), which may be any token.
  ///
  /// Many protocols begin with words and blanks, so the end of the line decides, and the target must begin like one. As tolerant servers
  /// do (RFC 9112 §3), any white space separates, and the target may contain white space and control characters. A line longer than the
  /// limit is recognized only if its beginning suffices.
  private static func requestOfAnyMethod(_ prefix: Span<UInt8>, at start: Int, isEndless: Bool = false) -> HTTPRecognition {
    var index = start
    while index < prefix.count, isTokenCharacter(prefix[index]) {
      index += 1
      guard index - start <= RequestHead.maximumMethodLength else { return .no }
    }
    guard index < prefix.count else { return .needMore }
    guard index > start, isWSP(prefix[index]) else { return .no }
    while index < prefix.count, isWSP(prefix[index]) { index += 1 }
    let target = targetStart(prefix, at: index)
    guard target == .yes else { return target }
    let limit = min(prefix.count, start + maximumRequestLineLength)
    var end = index
    while end < limit, prefix[end] != 0x0A { end += 1 }
    guard end - start < maximumRequestLineLength else { return isEndless ? .yes : .no }
    guard end < prefix.count else { return .needMore }
    while isWSPOrLineEnd(prefix[end - 1]) { end -= 1 }
    let version = end - versionPrefix.count - 1
    guard version - 1 > index, isWSPOrLineEnd(prefix[version - 1]), isDigit(prefix[end - 1]) else { return .no }
    return begins(prefix, at: version, with: versionPrefix)
  }

  /// The end of a target without blanks and control characters. It is at most at the limit of a line, so that the result for a long one
  /// does not depend on the division into pieces.
  private static func targetEnd(_ prefix: Span<UInt8>, at target: Int, ofMethodAt start: Int) -> Int {
    let limit = min(prefix.count, start + maximumRequestLineLength)
    var index = target
    while index < limit, prefix[index] > 0x20, prefix[index] != 0x7F { index += 1 }
    return index
  }

  /// Recognizes the start of a target: a path, `*` or the scheme of a URL.
  private static func targetStart(_ prefix: Span<UInt8>, at start: Int) -> HTTPRecognition {
    guard start < prefix.count else { return .needMore }
    if prefix[start] == 0x2F || prefix[start] == 0x2A { return .yes }
    var index = start
    while index < prefix.count, RedirectTarget.isSchemeCharacter(prefix[index]) {
      index += 1
      guard index - start <= maximumSchemeLength else { return .no }
    }
    guard index > start || index == prefix.count else { return .no }
    return begins(prefix, at: index, with: schemeEnd)
  }

  /// The maximum length of a scheme, longer than any registered one.
  private static let maximumSchemeLength = 32

  /// Recognizes an HTTP/1.x response at the start of a stream.
  package static func response(_ prefix: Span<UInt8>) -> HTTPRecognition {
    let version = begins(prefix, at: 0, with: versionPrefix)
    guard version == .yes else { return version }
    let rest: [ClosedRange<UInt8>] = [0x30...0x39, 0x20...0x20, 0x31...0x39, 0x30...0x39, 0x30...0x39]
    for (offset, allowed) in rest.enumerated() {
      let index = versionPrefix.count + offset
      guard index < prefix.count else { return .needMore }
      guard allowed.contains(prefix[index]) else { return .no }
    }
    let end = versionPrefix.count + rest.count
    guard end < prefix.count else { return .needMore }
    return [0x20, 0x0D, 0x0A].contains(prefix[end]) ? .yes : .no
  }

  /// Recognizes the connection preface of an HTTP/2 client (RFC 9113 §3.4).
  package static func http2Preface(_ prefix: Span<UInt8>) -> HTTPRecognition {
    begins(prefix, at: 0, with: http2ClientPreface)
  }

  /// The length of that preface in bytes.
  package static var http2PrefaceLength: Int { http2ClientPreface.count }

  /// Whether the stream begins with an incomplete request: a known method, a blank, and, if there are more bytes, the start of a target
  /// that is a path or a URL.
  package static func isBegunRequest(_ prefix: Span<UInt8>) -> Bool {
    let start = methodStart(prefix)
    guard start < prefix.count, case .yes(let methodEnd) = knownMethod(prefix, at: start),
      request(prefix) == .needMore
    else { return false }
    return isTarget(prefix, after: methodEnd, ofMethodAt: start)
  }

  /// Whether bytes that do not suffice to recognize a request may begin one with a known method, which may be incomplete.
  package static func mayBeginRequest(_ prefix: Span<UInt8>) -> Bool {
    let start = methodStart(prefix)
    guard start < prefix.count, request(prefix) == .needMore else { return false }
    if case .needMore = knownMethod(prefix, at: start) { return true }
    return isBegunRequest(prefix)
  }

  /// The beginning of a request line whose end is missing: a known method, and a path or a URL of HTTP, or the start of one.
  struct BegunLine {
    var method: Range<Int>
    var target: Range<Int>
    /// Whether a blank shows where the target ends.
    var isTargetComplete: Bool
  }

  /// Finds the beginning of a request line; nil if the bytes begin something else, or do not suffice.
  static func begunLine(_ prefix: Span<UInt8>) -> BegunLine? {
    let start = methodStart(prefix)
    guard start <= maximumEmptyLineBytes, start < prefix.count, case .yes(let methodEnd) = knownMethod(prefix, at: start) else {
      return nil
    }
    let target = methodEnd + 1
    guard target < prefix.count,
      prefix[target] == 0x2F || urlBeginnings.contains(where: { begins(prefix, at: target, with: $0) == .yes })
    else { return nil }
    var end = target
    while end < prefix.count, prefix[end] > 0x20, prefix[end] != 0x7F { end += 1 }
    guard end == prefix.count || prefix[end] == 0x20 && begins(prefix, at: end + 1, with: versionPrefix) != .no else { return nil }
    return BegunLine(method: start..<methodEnd, target: target..<end, isTargetComplete: end < prefix.count)
  }

  /// Whether the bytes suffice to show that a client began to send HTTP in cleartext: the start of a request line, or of the HTTP/2 preface
  /// up to its version.
  package static func isBegunClient(_ prefix: Span<UInt8>) -> Bool {
    begunLine(prefix) != nil || prefix.count >= 14 && http2Preface(prefix) == .needMore
  }

  /// Whether the target after a method begins like a path, a URL, or a CONNECT target.
  private static func isTarget(_ prefix: Span<UInt8>, after methodEnd: Int, ofMethodAt start: Int) -> Bool {
    let target = methodEnd + 1
    guard target < prefix.count else { return target == prefix.count }
    if prefix[target] == 0x2F || begins(prefix, at: start, with: connectMethod) == .yes { return true }
    let end = max(target, min(prefix.count, start + maximumRequestLineLength))
    return (target..<end).contains { begins(prefix, at: $0, with: schemeEnd) == .yes }
  }

  /// The URLs that clients request from HTTP proxies; other protocols with the same methods, such as RTSP, have others.
  private static let urlBeginnings = ["http://", "https://", "ws://", "wss://", "ftp://"].map { ContiguousArray($0.utf8) }
  private static let connectMethod = ContiguousArray("CONNECT ".utf8)
  private static let schemeEnd = ContiguousArray("://".utf8)

  /// The connection preface of an HTTP/2 client.
  static let http2ClientPreface = ContiguousArray("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  /// The beginning of the version, the end of a request line.
  package static let versionPrefix = ContiguousArray("HTTP/1.".utf8)

  /// The maximum length of leading empty lines, more than any client sends.
  private static let maximumEmptyLineBytes = 16

  /// Methods of HTTP, of WebDAV and its extensions, of UPnP, and a few that are specific to certain servers.
  static let methods: [ContiguousArray<UInt8>] = [
    "ACL", "BASELINE-CONTROL", "BIND", "CHECKIN", "CHECKOUT", "CONNECT", "COPY", "DELETE", "GET", "HEAD", "LABEL", "LINK", "LOCK",
    "M-SEARCH", "MERGE", "MKACTIVITY", "MKCALENDAR", "MKCOL", "MKREDIRECTREF", "MKWORKSPACE", "MOVE", "NOTIFY", "OPTIONS", "ORDERPATCH",
    "PATCH", "POST", "PROPFIND", "PROPPATCH", "PURGE", "PUT", "QUERY", "REBIND", "REPORT", "SEARCH", "SOURCE", "SUBSCRIBE", "TRACE",
    "UNBIND", "UNCHECKOUT", "UNLINK", "UNLOCK", "UNSUBSCRIBE", "UPDATE", "UPDATEREDIRECTREF", "VERSION-CONTROL",
  ].map { ContiguousArray($0.utf8) }

  /// The end of a known method, at which its blank is.
  private static func knownMethod(_ prefix: Span<UInt8>, at start: Int) -> Recognized<Int> {
    // Nearly everything that is not HTTP is rejected here.
    guard (0x41...0x5A).contains(prefix[start]) else { return .no }
    var mayGrow = false
    for method in methods where method[0] == prefix[start] {
      switch begins(prefix, at: start, with: method) {
      case .no:
        continue
      case .needMore:
        mayGrow = true
      case .yes:
        let end = start + method.count
        if end == prefix.count { mayGrow = true } else if prefix[end] == 0x20 { return .yes(end) }
      }
    }
    return mayGrow ? .needMore : .no
  }

  private static func begins(_ prefix: Span<UInt8>, at start: Int, with text: ContiguousArray<UInt8>) -> HTTPRecognition {
    for offset in text.indices {
      guard start + offset < prefix.count else { return .needMore }
      guard prefix[start + offset] == text[offset] else { return .no }
    }
    return .yes
  }
}
