package import ByteParsing
import HTTPParsing

/// Takes out of the cleartext requests of one direction of a connection what a verdict does not rest on.
///
/// Of a head it keeps the request line without its query, the version and status of an answer, Host, the scheme and host of
/// Location, the fields that say where the message ends and what follows it, and the media types of certificates and
/// revocations; all else becomes zeros of the same length. Bytes come in the order of their sequence numbers; what comes
/// otherwise becomes zeros as a whole.
package struct HTTPReduction {
  private enum State {
    /// In a line of a head, the first or a later one.
    case head
    case length(Int64)
    case chunked(ChunkedScanner)
    /// What no audit looks at, up to the end.
    case untilClose
    /// The rest of the preface of HTTP/2, of which so many bytes have been.
    case preface(Int)
    /// Behind CONNECT, or an upgrade: TLS, or one more request.
    case tunnel
    /// TLS, which is left as it is.
    case opaque
  }

  private var state = State.head
  private var line = Bytes()
  private var isFirstLine = true
  private var isResponse = false
  private var length: Int64?
  private var isChunked = false
  private var isTunnel = false
  private var isPreface = false
  private var answersTunnel = false
  private var hasTunnelled = false
  private var nextSequence: UInt32?

  /// A line longer than this is no head.
  private static let lineLimit = 65_536

  /// What follows the head of HTTP/2's preface (RFC 9113 §3.4).
  private static let preface = Bytes("SM\r\n\r\n".utf8)

  private static let kept: Set<Bytes> = [
    "host", "content-length", "transfer-encoding", "connection", "upgrade",
  ].reduce(into: []) { $0.insert(Bytes($1.utf8)) }

  /// Creates a reduction of a direction of which nothing has been seen.
  package init() {}

  /// The payload of a segment with everything taken out that is not kept.
  package mutating func reduce(_ payload: Bytes, sequence: UInt32) -> Bytes {
    if let expected = nextSequence, expected != sequence {
      if case .opaque = state { return payload }
      return Bytes(repeating: 0, count: payload.count)
    }
    nextSequence = sequence &+ UInt32(truncatingIfNeeded: payload.count)
    isUnused = isUnused && payload.isEmpty
    var output = Bytes()
    output.reserveCapacity(payload.count)
    var index = 0
    while index < payload.count { consume(payload, &index, &output) }
    return output
  }

  /// Notes where the bytes of the direction begin.
  package mutating func begin(at sequence: UInt32) { nextSequence = sequence }

  /// Whether nothing has been reduced yet.
  package private(set) var isUnused = true

  private mutating func consume(_ payload: Bytes, _ index: inout Int, _ output: inout Bytes) {
    switch state {
    case .opaque:
      output.append(contentsOf: payload[index...])
      index = payload.count
    case .untilClose:
      output.append(contentsOf: repeatElement(0, count: payload.count - index))
      index = payload.count
    case .preface(let seen):
      let isKept = seen < HTTPReduction.preface.count && payload[index] == HTTPReduction.preface[seen]
      output.append(isKept ? payload[index] : 0)
      index += 1
      state = isKept && seen + 1 < HTTPReduction.preface.count ? .preface(seen + 1) : .untilClose
    case .tunnel:
      // A handshake record, or a hello in the form of SSL 2.0; a proxy that refused is asked once more.
      state = payload[index] == 0x16 || payload[index] == 0x80 ? .opaque : .head
      isTunnel = false
      answersTunnel = false
      hasTunnelled = true
    case .length(let left):
      let count = Int(min(left, Int64(payload.count - index)))
      output.append(contentsOf: repeatElement(0, count: count))
      index += count
      state = left - Int64(count) > 0 ? .length(left - Int64(count)) : .head
    case .chunked(var scanner):
      let rest = Bytes(payload[index...])
      var used = 0
      while used < rest.count, scanner.status == .unfinished {
        let data = Int(min(scanner.skippableByteCount, Int64(rest.count - used)))
        let count = max(data, 1)
        let piece = Bytes(rest[used..<(used + count)])
        // The sizes are kept: without them nobody finds the end.
        if data > 0 { output.append(contentsOf: repeatElement(0, count: count)) } else { output += piece }
        _ = scanner.consume(piece.span)
        used += count
      }
      index += max(used, 1)
      if used == 0 { output.append(0) }
      state =
        scanner.status == .unfinished ? .chunked(scanner) : scanner.status == .finished ? .head : .untilClose
    case .head:
      guard let end = payload[index...].firstIndex(of: 0x0A) else {
        // The line goes on in the next segment: what was seen of it is judged with what is known.
        let piece = Bytes(payload[index...])
        let from = line.count
        line += piece
        output += reduced(line, from: from)
        index = payload.count
        if line.count > HTTPReduction.lineLimit { state = .untilClose }
        return
      }
      let from = line.count
      line += payload[index...end]
      output += reduced(line, from: from)
      index = end + 1
      finishLine()
    }
  }

  /// The end of a line that has been seen up to here, from a byte on.
  private func reduced(_ line: Bytes, from: Int) -> Bytes {
    let isWhole = line.last == 0x0A
    var result =
      isFirstLine
      ? HTTPReduction.startLine(line, isWhole: isWhole) : HTTPReduction.field(line, isWhole: isWhole)
    if result.count != line.count { result = Bytes(repeating: 0x30, count: line.count) }
    return Bytes(result[from...])
  }

  private mutating func finishLine() {
    defer { line.removeAll(keepingCapacity: true) }
    while let last = line.last, last == 0x0A || last == 0x0D { line.removeLast() }
    if isFirstLine {
      if line.isEmpty { return }
      isFirstLine = false
      isResponse = line.starts(with: Bytes("HTTP/".utf8))
      isTunnel = line.starts(with: Bytes("CONNECT ".utf8))
      sawTunnel = sawTunnel || isTunnel
      isPreface = line.starts(with: Bytes("PRI * HTTP/2.".utf8))
      if !HTTPReduction.isStart(line, isWhole: true) { state = .untilClose }
      // 1xx, 204 and 304 have no body (RFC 9112 §6.3).
      let code = line.split(separator: 0x20).dropFirst().first.map { Bytes($0) } ?? []
      length =
        isResponse && (code.first == 0x31 || code == Bytes("204".utf8) || code == Bytes("304".utf8)) ? 0 : nil
      if isResponse, code == Bytes("101".utf8) || answersTunnel && code.first == 0x32 { isTunnel = true }
      isChunked = false
      return
    }
    if line.isEmpty {
      isFirstLine = true
      if isPreface {
        state = .preface(0)
      } else if isTunnel {
        state = .tunnel
      } else if isChunked {
        state = .chunked(ChunkedScanner())
      } else if let length {
        state = length > 0 ? .length(length) : .head
      } else {
        // A response that does not say its end may be one to CONNECT, behind which TLS begins.
        state = isResponse ? .untilClose : .head
      }
      return
    }
    let (name, value) = HTTPReduction.parts(of: line)
    if name == Bytes("content-length".utf8), length != 0 {
      length = Int64(String(decoding: HTTPReduction.trimmed(value), as: UTF8.self)).map { max($0, 0) }
    }
    if name == Bytes("transfer-encoding".utf8) { isChunked = true }
  }

  /// Tells a response's direction that the request was CONNECT, so that what follows its head is another protocol.
  package mutating func expectTunnel() { answersTunnel = !hasTunnelled }

  /// Whether a CONNECT was seen.
  package private(set) var sawTunnel = false

  // MARK: Lines

  private static let version = Bytes("HTTP/".utf8)

  /// Whether a line, or as much of one as is there, begins a message.
  private static func isStart(_ line: Bytes, isWhole: Bool) -> Bool {
    if line.starts(with: version) { return true }
    let method = line.prefix { $0 != 0x20 }
    guard !method.isEmpty, method.count <= 32,
      method.allSatisfy({ isTokenByte($0) || !isWhole && $0 == 0x2F })
    else { return false }
    if !isWhole { return true }
    guard let blank = line.lastIndex(of: 0x20), blank > method.count else { return false }
    return line[(blank + 1)...].starts(with: version)
  }

  /// Letters, digits and `-` are all that methods are made of.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
      || byte == 0x2D || byte == 0x5F
  }

  /// The start line: of a request without its query, from `?` to the blank before the version; of an answer version and
  /// status; of anything else nothing.
  private static func startLine(_ line: Bytes, isWhole: Bool) -> Bytes {
    if line.starts(with: version) {
      // Version, a blank, three digits, a blank; the reason may be anything.
      let blank = line.firstIndex(of: 0x20) ?? line.count
      return zeros(line, from: min(blank + 5, line.count), keepingColon: false)
    }
    guard isStart(line, isWhole: isWhole) else { return zeros(line, from: 0, keepingColon: false) }
    var result = line
    hideUser(&result, from: line.firstIndex(of: 0x20) ?? line.count, isWhole: isWhole)
    guard let question = line.firstIndex(of: UInt8(ascii: "?")) else { return result }
    // A version is the last word; a query with a blank in it is no reason to keep what stands behind.
    var end = line.count
    if let blank = line.lastIndex(of: 0x20), blank > question {
      let word = line[(blank + 1)...]
      if word.prefix(version.count).elementsEqual(version.prefix(word.count)), word.count <= 10 {
        end = blank
      }
    }
    for index in (question + 1)..<max(end, question + 1) where ![0x0D, 0x0A].contains(result[index]) {
      result[index] = 0x30
    }
    return result
  }

  /// A field. Of one that is not whole, what may become something to keep is kept: a name by its beginning.
  private static func field(_ line: Bytes, isWhole: Bool) -> Bytes {
    let (name, value) = parts(of: line)
    if kept.contains(name) { return line }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
      let begun = Bytes(line.map(asciiLowercased))
      return !isWhole && known.contains { $0.starts(with: begun) } ? line : zeros(line, from: 0)
    }
    // Fetches of revocations and issuers are a device's own, and exempt: their media types say so.
    if name == contentType {
      let begun = Bytes(trimmed(value).map(asciiLowercased))
      return certificateTypes.contains { begun.starts(with: $0) || !isWhole && $0.starts(with: begun) }
        ? line : zeros(line, from: 0)
    }
    if name == location { return redirection(line, after: colon, isWhole: isWhole) }
    return zeros(line, from: 0)
  }

  private static let contentType = Bytes("content-type".utf8)
  private static let location = Bytes("location".utf8)
  private static let known = kept.union([contentType, location])

  private static let certificateTypes = [
    "application/ocsp-", "application/pkix-", "application/pkcs7-", "application/x-pkcs7-",
    "application/x-x509-",
  ].map { Bytes($0.utf8) }

  /// Scheme and host stay, path and query become zeros.
  private static func redirection(_ line: Bytes, after colon: Int, isWhole: Bool) -> Bytes {
    guard let authority = authority(in: line, from: colon + 1) else {
      let begun = Bytes(trimmed(line[(colon + 1)...]).map(asciiLowercased))
      let mayBeScheme = !isWhole && ["http://", "https://"].contains { Bytes($0.utf8).starts(with: begun) }
      return mayBeScheme ? line : zeros(line, from: colon + 1)
    }
    var result = line
    hideUser(&result, from: colon + 1, isWhole: isWhole)
    return zeros(result, from: authority.upperBound)
  }

  /// Where the first URL of a line has its host; nil where there is none.
  private static func authority(in line: Bytes, from start: Int) -> Range<Int>? {
    let sign = Bytes("://".utf8)
    var index = start
    while index + sign.count <= line.count {
      if line[index..<(index + sign.count)].elementsEqual(sign) {
        let begin = index + sign.count
        let end = line[begin...].firstIndex { [0x2F, 0x3F, 0x23, 0x20, 0x0D, 0x0A].contains($0) }
        return begin..<(end ?? line.count)
      }
      index += 1
    }
    return nil
  }

  /// Makes zeros of who logs in at the host of a URL, and where that is still open, of what is no port.
  private static func hideUser(_ line: inout Bytes, from start: Int, isWhole: Bool) {
    guard let authority = authority(in: line, from: start) else { return }
    if let sign = line[authority].lastIndex(of: UInt8(ascii: "@")) {
      for index in authority.lowerBound..<sign { line[index] = 0x30 }
    } else if !isWhole, authority.upperBound == line.count,
      let colon = line[authority].firstIndex(of: UInt8(ascii: ":")), line[authority.lowerBound] != 0x5B,
      !line[(colon + 1)..<line.count].allSatisfy({ (0x30...0x39).contains($0) })
    {
      for index in authority { line[index] = 0x30 }
    }
  }

  /// The line with zeros from a byte on; its end, the colon and the blank behind that stay, so that it is a field still.
  private static func zeros(_ line: Bytes, from: Int, keepingColon: Bool = true) -> Bytes {
    var result = line
    var hasColon = from > 0 || !keepingColon
    for index in result.indices where index >= from {
      switch result[index] {
      case 0x0D, 0x0A: break
      case UInt8(ascii: ":") where !hasColon: hasColon = true
      default: result[index] = 0x30
      }
    }
    return result
  }

  private static func parts(of line: Bytes) -> (name: Bytes, value: Bytes.SubSequence) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return ([], line[line.endIndex...]) }
    let name = Bytes(line[..<colon].map(asciiLowercased))
    return (name, line[(colon + 1)...])
  }

  private static func trimmed(_ value: Bytes.SubSequence) -> Bytes {
    Bytes(value.filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D && $0 != 0x0A })
  }
}
