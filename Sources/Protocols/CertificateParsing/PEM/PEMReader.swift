import ByteParsing

extension PEMBlock {
  /// The maximum number of blocks in a file; root stores have about 150.
  package static let maximumCount = 16_384

  /// Reads a file of PEM, or of DER with one structure after another.
  ///
  /// Text around the blocks is ignored, as are blocks with other labels, including keys; text that may be a boundary is an error. The
  /// caller must limit the size of the file.
  package static func read(_ bytes: Span<UInt8>) throws(PEMError) -> [PEMBlock] {
    if isDER(bytes) { return try readDER(bytes) }
    var lines = PEMLines(bytes)
    var blocks: [PEMBlock] = []
    var other: PEMError?
    while let line = lines.next() {
      let start = lines.number
      guard let label = boundary(beginning, line) else {
        guard !mayBeBoundary(line) else { throw PEMError(.notABoundary, line: start) }
        continue
      }
      let text = try readText(&lines, label: label, start: start)
      guard let kind = kind(of: label) else {
        if other == nil, isPrintable(label) { other = PEMError(.otherLabel(name(of: label)), line: start) }
        continue
      }
      guard blocks.count < maximumCount else { throw PEMError(.tooManyBlocks(maximumCount), line: start) }
      guard let contents = Base64.decode(text.span) else { throw PEMError(.notBase64, line: start) }
      // The trust settings follow a trusted certificate.
      let der = kind == .trustedCertificate ? firstElement(of: contents) : contents
      guard der.first == Tag.sequence else { throw PEMError(.notDER, line: start) }
      blocks.append(PEMBlock(label: kind, der: der, line: start))
    }
    if blocks.isEmpty { throw other ?? PEMError(.nothingFound, line: 0) }
    return blocks
  }

  /// Reads the structures in a file of DER. If the first is truncated, it is the only one, and its parser finds the fault.
  private static func readDER(_ bytes: Span<UInt8>) throws(PEMError) -> [PEMBlock] {
    var reader = DERReader(bytes)
    var blocks: [PEMBlock] = []
    var end = 0
    while let element = try? reader.next("DER", Tag.sequence) {
      guard blocks.count < maximumCount else { throw PEMError(.tooManyBlocks(maximumCount), line: 0) }
      blocks.append(PEMBlock(label: nil, der: Bytes(copying: element.encoded.rest), line: 0))
      end = reader.offset
    }
    if blocks.isEmpty { return [PEMBlock(label: nil, der: Bytes(copying: bytes), line: 0)] }
    guard end == bytes.count else { throw PEMError(.leftOver(bytes.count - end), line: 0) }
    return blocks
  }

  /// Reads to the end of a block and returns its text without headers and white space.
  private static func readText(_ lines: inout PEMLines, label: Span<UInt8>, start: Int) throws(PEMError) -> Bytes {
    var text = Bytes()
    var isInHeaders = false
    while let line = lines.next() {
      if let end = boundary(ending, line) {
        guard isEqual(end, label) else { throw PEMError(.notEnded, line: start) }
        return text
      }
      if boundary(beginning, line) != nil { throw PEMError(.notEnded, line: start) }
      // An empty line follows headers such as `Proc-Type: …` (RFC 1421).
      if text.isEmpty, contains(0x3A, in: line) {
        isInHeaders = true
      } else if isInHeaders {
        isInHeaders = !isBlank(line)
      } else {
        for index in line.indices where line[index] > 0x20 { text.append(line[index]) }
      }
    }
    throw PEMError(.notEnded, line: start)
  }

  private static let beginning = Bytes("-----BEGIN ".utf8)
  private static let oldCertificate = "X509 CERTIFICATE"
  private static let boundaries = (Label.allCases.map(\.rawValue) + [oldCertificate]).map { Bytes("-BEGIN \($0)-".utf8) }
  private static let ending = Bytes("-----END ".utf8)

  /// Whether a line contains the beginning of a block that is read, such as `-BEGIN CERTIFICATE-`.
  private static func mayBeBoundary(_ line: Span<UInt8>) -> Bool {
    line.indices.contains { start in
      line[start] == 0x2D
        && boundaries.contains { boundary in
          start + boundary.count <= line.count && boundary.indices.allSatisfy { line[start + $0] == boundary[$0] }
        }
    }
  }

  /// The label between `prefix` and five dashes; nil for any other line.
  @_lifetime(copy line)
  private static func boundary(_ prefix: Bytes, _ line: Span<UInt8>) -> Span<UInt8>? {
    var end = line.count
    while end > 0, line[end - 1] <= 0x20 { end -= 1 }
    guard end >= prefix.count + 5, end < 200 else { return nil }
    for index in prefix.indices where line[index] != prefix[index] { return nil }
    for index in (end - 5)..<end where line[index] != 0x2D { return nil }
    return line.extracting(prefix.count..<(end - 5))
  }

  /// The type that a label identifies; nil for an unknown one.
  private static func kind(of label: Span<UInt8>) -> Label? {
    let text = name(of: label)
    return Label(rawValue: text == oldCertificate ? "CERTIFICATE" : text)
  }

  private static func name(of label: Span<UInt8>) -> String { String(decoding: Bytes(copying: label), as: UTF8.self) }

  /// Whether the label is printable ASCII, as a label must be (RFC 7468 §3); errors repeat it.
  private static func isPrintable(_ label: Span<UInt8>) -> Bool {
    label.indices.allSatisfy { (0x20...0x7E).contains(label[$0]) }
  }

  private static func isBlank(_ line: Span<UInt8>) -> Bool {
    for index in line.indices where line[index] > 0x20 { return false }
    return true
  }

  /// Whether the file begins with a SEQUENCE whose length cannot be text: `0` and a byte beyond ASCII.
  private static func isDER(_ bytes: Span<UInt8>) -> Bool {
    bytes.count > 2 && bytes[0] == Tag.sequence && (bytes[1] >= 0x80 || Int(bytes[1]) == bytes.count - 2)
  }

  /// The first of several elements; empty if it is not a SEQUENCE, or is truncated.
  private static func firstElement(of bytes: Bytes) -> Bytes {
    var reader = DERReader(bytes.span)
    guard let element = try? reader.next("PEM", Tag.sequence) else { return Bytes() }
    return Bytes(copying: element.encoded.rest)
  }
}

/// The lines of a text, with any line ends.
private struct PEMLines: ~Escapable {
  private let bytes: Span<UInt8>
  private var position = 0

  /// The number of the last line read, counted from 1.
  private(set) var number = 0

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) {
    self.bytes = bytes
  }

  /// Returns the next line without its end, and without a byte order mark, which joined files have within the text; nil after the last one.
  @_lifetime(copy self)
  mutating func next() -> Span<UInt8>? {
    guard position < bytes.count else { return nil }
    if position + 3 < bytes.count, bytes[position] == 0xEF, bytes[position + 1] == 0xBB, bytes[position + 2] == 0xBF { position += 3 }
    let start = position
    while position < bytes.count, !isLineEnd(bytes[position]) { position += 1 }
    let line = bytes.extracting(start..<position)
    if position + 1 < bytes.count, bytes[position] == 0x0D, bytes[position + 1] == 0x0A { position += 1 }
    position = min(position + 1, bytes.count)
    number += 1
    return line
  }
}
