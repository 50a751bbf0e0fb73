import ByteParsing

/// Finds the end of a chunked body (RFC 9112 §7.1) in pieces of any size, without keeping any of it.
package struct ChunkedScanner: Hashable, Sendable {
  /// The maximum length of a chunk line in bytes.
  package static let maximumLineLength = 16_384

  /// The maximum length of the trailer in bytes.
  package static let maximumTrailerLength = 65_536

  /// The progress of the scan.
  package enum Status: Hashable, Sendable {
    /// The body continues.
    case unfinished
    /// The body has ended.
    case finished
    /// The bytes are not a chunked body.
    case failed
  }

  private enum State: Hashable {
    /// In the digits of a chunk size; `hasDigits` once there is one.
    case size(hasDigits: Bool)
    /// After the digits, up to the end of the line.
    case sizeLine
    case data
    /// After the data: CR LF, or LF alone.
    case dataEnd
    /// In the trailer; `lineIsEmpty` if the line contains nothing but CR so far.
    case trailer(lineIsEmpty: Bool)
    case finished
    case failed
  }

  private var state = State.size(hasDigits: false)

  /// The size so far while digits are read, and then the remaining length of the data.
  private var remaining: Int64 = 0

  /// The length of the current chunk line, or of the trailer, so far.
  private var overhead = 0

  /// Creates a scanner before the first chunk size.
  package init() {}

  package var status: Status {
    switch state {
    case .finished: .finished
    case .failed: .failed
    case .size, .sizeLine, .data, .dataEnd, .trailer: .unfinished
    }
  }

  /// The number of following bytes that are data in any case, and may be missing.
  package var skippableByteCount: Int64 { state == .data ? remaining : 0 }

  /// Whether the next byte belongs to a chunk extension or the trailer, in which only line ends matter.
  package var isWithinText: Bool {
    switch state {
    case .sizeLine, .trailer: true
    case .size, .data, .dataEnd, .finished, .failed: false
    }
  }

  /// Continues with `bytes`; returns how many of them belong to the body. That is fewer than all only if the body ends or the scan fails.
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

  /// Skips missing data. Returns false, and the scan fails, if more than data is missing.
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
    guard let digit = hexadecimalValue(byte) else {
      // Surrounding blanks are not allowed, but occur.
      if !hasDigits {
        overhead += 1
        if !isWSP(byte) || overhead > Self.maximumLineLength { state = .failed }
      } else {
        state = .sizeLine
        consumeSizeLine(byte)
      }
      return
    }
    if !hasDigits { remaining = 0 }
    overhead += 1
    // Fifteen digits are less than 2⁶³; leading zeros are accepted up to the maximum length of a line.
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
