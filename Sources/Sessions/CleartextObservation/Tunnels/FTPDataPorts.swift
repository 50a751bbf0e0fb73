import ByteParsing

/// Finds the ports that one direction of an FTP control connection announces for data connections.
package struct FTPDataPorts {
  /// An announced port, on which the announcing endpoint listens.
  package struct Announcement: Hashable {
    package var port: UInt16
    /// Whether the server announced it (passive mode) or the client (active mode).
    package var isByServer: Bool
  }

  /// An incomplete line; empty if it is too long to announce a port.
  private var line = Bytes()

  /// Whether to skip the rest of the current line.
  private var isLineTooLong = false

  /// Whether a line may begin in the middle of other bytes, such as those of the last TLS records.
  private let followsTLS: Bool

  init(followsTLS: Bool = false) { self.followsTLS = followsTLS }

  /// The maximum length of a line; commands and replies with a port are far shorter, whatever text a server adds.
  private static let maximumLineLength = 512

  /// Reads on; returns the announcements in lines that end in the piece.
  mutating func consume(_ piece: Span<UInt8>) -> [Announcement] {
    var found: [Announcement] = []
    var start = 0
    for index in 0..<piece.count where piece[index] == 0x0A {
      append(piece.extracting(start..<index))
      if !isLineTooLong, let announcement = announcementAtEnd() { found.append(announcement) }
      skip()
      start = index + 1
    }
    append(piece.extracting(start..<piece.count))
    return found
  }

  /// Discards the current line, because it is complete or bytes of it are missing.
  mutating func skip() {
    line.removeAll(keepingCapacity: true)
    isLineTooLong = false
  }

  /// The announcement in the current line, or at its end if the dialogue follows TLS.
  private func announcementAtEnd() -> Announcement? {
    for start in 0..<(followsTLS ? line.count : min(1, line.count)) {
      if let found = FTPDataPorts.announcement(in: line.span.extracting(start..<line.count)) { return found }
    }
    return nil
  }

  private mutating func append(_ part: Span<UInt8>) {
    if followsTLS {
      line.append(copying: part.extracting(last: FTPDataPorts.maximumLineLength))
      line.removeFirst(max(0, line.count - FTPDataPorts.maximumLineLength))
      return
    }
    guard !isLineTooLong, line.count + part.count <= FTPDataPorts.maximumLineLength else {
      line.removeAll(keepingCapacity: true)
      isLineTooLong = true
      return
    }
    line.append(copying: part)
  }

  /// The announcements in the whole lines of `bytes`.
  package static func announcements(in bytes: Span<UInt8>) -> [Announcement] {
    var ports = FTPDataPorts()
    return ports.consume(bytes)
  }

  /// Whether the bytes are a whole command that leads to a data connection. After the client has ended TLS with CCC, a control connection
  /// continues with such a command (RFC 4217 §6).
  package static func isCommand(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count <= maximumLineLength, bytes.count > 5, bytes[bytes.count - 1] == 0x0A else { return false }
    let text = BeginningText(bytes)
    switch asciiLowercased(bytes[1]) {
    case 0x61: return text.begins("PASV\r\n")
    case 0x70, 0x6F:
      if text.begins("EPSV\r\n") || text.begins("EPSV 1\r\n") || text.begins("EPSV 2\r\n") { return true }
      if text.begins("EPSV ALL\r\n") { return true }
      return announcement(in: bytes).map { !$0.isByServer } ?? false
    default: return false
    }
  }

  /// The announcement in a line; nil if there is none.
  private static func announcement(in line: Span<UInt8>) -> Announcement? {
    guard line.count > 4 else { return nil }
    let text = BeginningText(line)
    let rest = line.extracting(4..<line.count)
    if text.begins("227 ") { return fields(in: rest).map { Announcement(port: $0, isByServer: true) } }
    if text.begins("229 ") {
      return extendedReply(rest).map { Announcement(port: $0, isByServer: true) }
    }
    guard line.count > 5, line[4] == 0x20 else { return nil }
    let argument = line.extracting(5..<line.count)
    if text.begins("PORT ") {
      return fields(in: argument).map { Announcement(port: $0, isByServer: false) }
    }
    if text.begins("EPRT ") {
      return extendedCommand(argument).map { Announcement(port: $0, isByServer: false) }
    }
    return nil
  }

  /// The port in `h1,h2,h3,h4,p1,p2`, at any offset: not all servers put it in parentheses (RFC 1123 §4.1.2.6).
  private static func fields(in text: Span<UInt8>) -> UInt16? {
    var numbers: [Int] = []
    var index = 0
    while index < text.count {
      guard let number = number(in: text, at: &index), number <= 255 else {
        numbers = []
        index += 1
        continue
      }
      numbers.append(number)
      if numbers.count == 6 { return port(numbers[4] * 256 + numbers[5]) }
      if index < text.count, text[index] == UInt8(ascii: ",") { index += 1 } else { numbers = [] }
    }
    return nil
  }

  /// The port in `(|||port|)`, whose delimiter is any character (RFC 2428 §3).
  private static func extendedReply(_ text: Span<UInt8>) -> UInt16? {
    guard let open = (0..<text.count).first(where: { text[$0] == UInt8(ascii: "(") }), open + 4 < text.count else { return nil }
    let delimiter = text[open + 1]
    guard (33...126).contains(delimiter), text[open + 2] == delimiter, text[open + 3] == delimiter else { return nil }
    var index = open + 4
    guard let number = number(in: text, at: &index), index + 1 < text.count, text[index] == delimiter, text[index + 1] == UInt8(ascii: ")")
    else { return nil }
    return port(number)
  }

  /// The port in `|1|address|port|` (RFC 2428 §2).
  private static func extendedCommand(_ text: Span<UInt8>) -> UInt16? {
    guard let delimiter = text.count > 0 ? text[0] : nil, (33...126).contains(delimiter) else { return nil }
    let delimiterIndices = (0..<text.count).filter { text[$0] == delimiter }
    guard delimiterIndices.count == 4 else { return nil }
    var index = delimiterIndices[2] + 1
    guard let number = number(in: text, at: &index), index == delimiterIndices[3] else { return nil }
    return port(number)
  }

  /// The number at an index, of at most five digits; moves the index past it.
  private static func number(in text: Span<UInt8>, at index: inout Int) -> Int? {
    let start = index
    var value = 0
    while index < text.count, isDigit(text[index]), index - start < 5 {
      value = value * 10 + Int(text[index] - 0x30)
      index += 1
    }
    guard index > start else { return nil }
    return value
  }

  private static func port(_ number: Int) -> UInt16? { number == 0 ? nil : UInt16(exactly: number) }
}
