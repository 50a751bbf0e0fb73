/// Finds the end of a chunked body (RFC 9112 §7.1), whatever pieces it comes in, without keeping any of it.
package struct ChunkedScanner: Hashable, Sendable {
  /// Longer chunk lines are refused.
  package static let maximumLineLength = 16_384

  /// Longer trailers are refused.
  package static let maximumTrailerLength = 65_536

  /// How far the body is.
  package enum Status: Hashable, Sendable {
    /// More is to come.
    case unfinished
    /// The body is at its end.
    case finished
    /// The bytes are no chunked body.
    case failed
  }

  private enum State: Hashable {
    /// In the digits of a chunk size; whether there was one yet.
    case size(hasDigits: Bool)
    /// After the digits, up to the end of the line.
    case sizeLine
    case data
    /// After the data: CR LF, or LF alone.
    case dataEnd
    /// In the trailer; whether the line has shown anything but CR so far.
    case trailer(lineIsEmpty: Bool)
    case finished
    case failed
  }

  private var state = State.size(hasDigits: false)

  /// While digits are read, the size so far; then what is left of the data.
  private var remaining: Int64 = 0

  /// Bytes of the chunk line or of the trailer so far.
  private var overhead = 0

  /// Begins before the first chunk size.
  package init() {}

  /// How far the body is.
  package var status: Status {
    switch state {
    case .finished: .finished
    case .failed: .failed
    case .size, .sizeLine, .data, .dataEnd, .trailer: .unfinished
    }
  }

  /// How many bytes from here on are data whatever their values, and may be missing.
  package var skippableByteCount: Int64 { state == .data ? remaining : 0 }

  /// Whether the next byte is of a chunk extension or of the trailer, of which only the line ends matter.
  package var isWithinText: Bool {
    switch state {
    case .sizeLine, .trailer: true
    case .size, .data, .dataEnd, .finished, .failed: false
    }
  }

  /// Continues with `bytes`; returns how many of them belong to the body. Fewer than all only when it ends or fails.
  package mutating func consume(_ bytes: Span<UInt8>) -> Int {
    var index = 0
    while index < bytes.count, status == .unfinished {
      if state == .data {
        let count = min(remaining, Int64(bytes.count - index))
        remaining -= count
        index += Int(count)
        if remaining == 0 { state = .dataEnd }
      } else {
        consume(bytes[index])
        index += 1
      }
    }
    return index
  }

  /// Passes over data that is missing; `false`, and a failed scanner, if more than data would be missing.
  package mutating func skip(byteCount: Int64) -> Bool {
    guard byteCount >= 0, byteCount <= skippableByteCount else {
      if byteCount != 0 { state = .failed }
      return byteCount == 0
    }
    remaining -= byteCount
    if state == .data, remaining == 0 { state = .dataEnd }
    return true
  }

  private mutating func consume(_ byte: UInt8) {
    switch state {
    case .size(let hasDigits):
      consumeSize(byte, hasDigits)
    case .sizeLine:
      consumeSizeLine(byte)
    case .dataEnd:
      switch byte {
      case 0x0D: break
      case 0x0A:
        state = .size(hasDigits: false)
        overhead = 0
      default: state = .failed
      }
    case .trailer(let lineIsEmpty):
      overhead += 1
      if byte == 0x0A {
        state = lineIsEmpty ? .finished : .trailer(lineIsEmpty: true)
      } else if overhead > Self.maximumTrailerLength {
        state = .failed
      } else if byte != 0x0D {
        state = .trailer(lineIsEmpty: false)
      }
    case .data, .finished, .failed:
      break
    }
  }

  private mutating func consumeSize(_ byte: UInt8, _ hasDigits: Bool) {
    let digit: UInt8
    switch byte {
    case 0x30...0x39: digit = byte - 0x30
    case 0x41...0x46: digit = byte - 0x41 + 10
    case 0x61...0x66: digit = byte - 0x61 + 10
    default:
      // Blanks in front and after are not allowed, but sent.
      if !hasDigits {
        overhead += 1
        if byte != 0x20 && byte != 0x09 || overhead > Self.maximumLineLength { state = .failed }
      } else {
        state = .sizeLine
        consumeSizeLine(byte)
      }
      return
    }
    if !hasDigits { remaining = 0 }
    overhead += 1
    // Fifteen digits stay below 2⁶³; zeros in front are taken up to the length of a line.
    guard remaining < 1 << 56, overhead <= Self.maximumLineLength else {
      state = .failed
      return
    }
    remaining = remaining << 4 | Int64(digit)
    state = .size(hasDigits: true)
  }

  private mutating func consumeSizeLine(_ byte: UInt8) {
    overhead += 1
    if byte == 0x0A {
      overhead = 0
      state = remaining == 0 ? .trailer(lineIsEmpty: true) : .data
    } else if overhead > Self.maximumLineLength {
      state = .failed
    }
  }
}
