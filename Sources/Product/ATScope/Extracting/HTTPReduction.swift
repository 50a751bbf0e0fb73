import ByteParsing
import HTTPParsing

/// Takes out of the cleartext requests of one direction of a connection what a verdict does not rest on.
///
/// Of a head it keeps the start line without its query, Host, the scheme and host of Location, the fields that say where
/// the message ends and what follows it, and the media types of certificates and revocations; all else becomes zeros of the same length. Bytes come in the order of their
/// sequence numbers; what comes otherwise becomes zeros as a whole.
struct HTTPReduction {
  private enum State {
    /// In a line of a head, the first or a later one.
    case head
    case length(Int64)
    case chunked(ChunkedScanner)
    case untilClose
    /// Behind CONNECT, or an upgrade: another protocol, which is left as it is.
    case opaque
  }

  private var state = State.head
  private var line = Bytes()
  private var isFirstLine = true
  private var isResponse = false
  private var length: Int64?
  private var isChunked = false
  private var isTunnel = false
  private var answersTunnel = false
  private var nextSequence: UInt32?

  /// A line longer than this is no head.
  private static let lineLimit = 65_536

  private static let kept: Set<Bytes> = [
    "host", "content-length", "transfer-encoding", "connection", "upgrade",
  ].reduce(into: []) { $0.insert(Bytes($1.utf8)) }

  /// The payload of a segment with everything taken out that is not kept.
  mutating func reduce(_ payload: Bytes, sequence: UInt32) -> Bytes {
    if let expected = nextSequence, expected != sequence {
      if case .opaque = state { return payload }
      return Bytes(repeating: 0, count: payload.count)
    }
    nextSequence = sequence &+ UInt32(truncatingIfNeeded: payload.count)
    var output = Bytes()
    output.reserveCapacity(payload.count)
    var index = 0
    while index < payload.count { consume(payload, &index, &output) }
    return output
  }

  /// Notes where the bytes of the direction begin.
  mutating func begin(at sequence: UInt32) { nextSequence = sequence }

  private mutating func consume(_ payload: Bytes, _ index: inout Int, _ output: inout Bytes) {
    switch state {
    case .opaque:
      output.append(contentsOf: payload[index...])
      index = payload.count
    case .untilClose:
      output.append(contentsOf: repeatElement(0, count: payload.count - index))
      index = payload.count
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
    var result = isFirstLine ? HTTPReduction.startLine(line) : HTTPReduction.field(line)
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
      if isTunnel {
        state = .opaque
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
  mutating func expectTunnel() { answersTunnel = true }

  /// Whether a CONNECT was seen.
  var sawTunnel: Bool { isTunnel && !isResponse }

  // MARK: Lines

  /// The start line with the query as zeros, from `?` to the blank before the version.
  private static func startLine(_ line: Bytes) -> Bytes {
    guard let question = line.firstIndex(of: UInt8(ascii: "?")) else { return line }
    var result = line
    var index = question + 1
    while index < result.count, result[index] != 0x20, result[index] != 0x0D, result[index] != 0x0A {
      result[index] = 0x30
      index += 1
    }
    return result
  }

  private static func field(_ line: Bytes) -> Bytes {
    let (name, _) = parts(of: line)
    if kept.contains(name) { return line }
    // Fetches of revocations and issuers are a device's own, and exempt: their media types say so.
    if name == Bytes("content-type".utf8), isOfCertificates(line) { return line }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return zeros(line, from: 0) }
    if name == Bytes("location".utf8) { return location(line, after: colon) }
    return zeros(line, from: 0)
  }

  private static func isOfCertificates(_ line: Bytes) -> Bool {
    let text = String(decoding: line, as: UTF8.self).lowercased()
    return [
      "application/ocsp-", "application/pkix-", "application/pkcs7-", "application/x-pkcs7-",
      "application/x-x509-",
    ]
    .contains { text.contains($0) }
  }

  /// Scheme and host stay, path and query become zeros.
  private static func location(_ line: Bytes, after colon: Int) -> Bytes {
    let scheme = Bytes("://".utf8)
    var index = colon + 1
    while index + 3 <= line.count, Bytes(line[index..<(index + 3)]) != scheme { index += 1 }
    guard index + 3 <= line.count else { return zeros(line, from: colon + 1) }
    index += 3
    while index < line.count,
      ![UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), 0x0D, 0x0A].contains(line[index])
    {
      index += 1
    }
    return zeros(line, from: index)
  }

  /// The line with zeros from a byte on; its end, the colon and the blank behind that stay, so that it is a field still.
  private static func zeros(_ line: Bytes, from: Int) -> Bytes {
    var result = line
    var hasColon = from > 0
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
    let name = Bytes(line[..<colon].map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 })
    return (name, line[(colon + 1)...])
  }

  private static func trimmed(_ value: Bytes.SubSequence) -> Bytes {
    Bytes(value.filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D && $0 != 0x0A })
  }
}
