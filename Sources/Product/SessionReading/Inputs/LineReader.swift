import ByteParsing
import CaptureFormats
import SessionRecords

/// Splits an input into lines of limited length.
struct LineReader {
  /// The number of the last line, counted from 1.
  private(set) var number = 0

  private var source: any ByteSource
  private var buffer = Bytes(repeating: 0, count: 256 * 1024)
  private var start = 0
  private var end = 0
  private var searched = 0

  /// Whether the last line ended with the input, without a separator.
  private(set) var isUnterminated = false

  private let separator: UInt8
  private var isClosed = false

  /// Creates a reader of lines that end with a line feed or another separator.
  init(_ source: any ByteSource, separator: UInt8 = 0x0A) {
    self.source = source
    self.separator = separator
  }

  /// Ends the reading: there are no further lines.
  mutating func close() { isClosed = true }

  /// Returns the next line without its separator; nil at the end. A line that is too long is truncated to one that still is, so that the
  /// decoder rejects it.
  mutating func next() throws(CaptureError) -> Bytes? {
    if isClosed { return nil }
    while true {
      if let feed = buffer[searched..<end].firstIndex(of: separator) {
        defer {
          start = feed + 1
          searched = start
        }
        number += 1
        return Bytes(buffer[start..<feed])
      }
      searched = end
      if SessionDecoder.isTooLong(buffer.span.extracting(start..<end)) {
        number += 1
        return Bytes(buffer[start..<end])
      }
      if start > 0 {
        buffer.replaceSubrange(0..<(end - start), with: Bytes(buffer[start..<end]))
        (end, searched) = (end - start, end - start)
        start = 0
      }
      if end == buffer.count { buffer.append(contentsOf: repeatElement(0, count: buffer.count)) }
      let count = try source.read(into: &buffer, from: end)
      if count == 0 {
        guard end > start else { return nil }
        defer { start = end }
        isUnterminated = true
        number += 1
        return Bytes(buffer[start..<end])
      }
      end += count
    }
  }
}
