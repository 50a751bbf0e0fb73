package import ArchiveReading
package import ByteParsing
package import CaptureFormats

/// The kind of an input, detected from its first bytes and never from its name.
package enum InputKind: Hashable, Sendable {
  case capture(CaptureFormat)

  /// NDJSON results written by atscope.
  case savedSessions

  /// Compressed data, which may be a capture.
  case compressed(CompressionFormat)

  case archive(Archive)

  /// An empty input.
  case empty

  /// Any other content, with at most its first four bytes.
  case unknown(Bytes)

  package enum Archive: String, Hashable, Sendable, CaseIterable {
    /// ZIP, including app bundles.
    case zip
    case tar
  }
}

extension InputKind {
  /// The maximum number of bytes examined: the first line of saved sessions can be long.
  package static let maximumPrefix = 64 * 1024

  /// Whether the first bytes are those of no supported format.
  var isUnknown: Bool {
    if case .unknown = self { true } else { false }
  }

  /// Detects the kind from the first bytes; nil if more are needed, which is never the case `atEnd` of the input.
  package static func detect(_ prefix: Span<UInt8>, atEnd: Bool) -> InputKind? {
    let complete = atEnd || prefix.count >= maximumPrefix
    if prefix.isEmpty { return complete ? .empty : nil }
    // The longest signature at the start has six bytes.
    guard complete || prefix.count >= 8 else { return nil }
    if let kind = signature(of: prefix) {
      // Files of zstd and LZ4 may begin with frames that both skip.
      let start = kind == .compressed(.zstd) ? skippedByteCount(prefix) : 0
      guard start > 0 else { return kind }
      guard complete || start + 4 <= prefix.count else { return nil }
      let isLZ4 = start < prefix.count && signature(of: prefix.extracting(start..<prefix.count)) == .compressed(.lz4)
      return isLZ4 ? .compressed(.lz4) : kind
    }
    if let start = firstSolidByte(of: prefix) {
      if prefix[start] == UInt8(ascii: "{") {
        switch namesOurSchema(prefix, from: start) {
        case true?: return .savedSessions
        case nil where !complete: return nil
        default: break
        }
      }
    } else if !complete {
      return nil
    }
    // "ustar" is at the end of a tar file's first header.
    if has([0x75, 0x73, 0x74, 0x61, 0x72], at: 257, in: prefix) || isOldTar(prefix) { return .archive(.tar) }
    return complete || prefix.count >= 512 ? .unknown(Bytes(copying: prefix.extracting(first: 4))) : nil
  }

  /// Whether the first 512 bytes are the header of a tar from before POSIX, which has no magic: it contains their sum in octal digits, with
  /// the eight bytes of the sum counted as spaces.
  private static func isOldTar(_ prefix: Span<UInt8>) -> Bool {
    guard prefix.count >= 512 else { return false }
    var stated = 0
    var digits = 0
    var index = 148
    while index < 156, prefix[index] == 0x20 { index += 1 }
    while index < 156, case 0x30...0x37 = prefix[index] {
      stated = stated << 3 | Int(prefix[index] & 7)
      digits += 1
      index += 1
    }
    guard digits > 0 else { return false }
    return stated == (0..<512).reduce(0) { $0 + ((148..<156).contains($1) ? 0x20 : Int(prefix[$1])) }
  }

  /// The number of bytes of the skippable frames at the start of a compressed file (RFC 8878 §3.1.2), which may end after `prefix`.
  static func skippedByteCount(_ prefix: Span<UInt8>) -> Int {
    var offset = 0
    while offset + 8 <= prefix.count, prefix[offset] & 0xF0 == 0x50, has([0x2A, 0x4D, 0x18], at: offset + 1, in: prefix) {
      offset += 8 + (0..<4).reduce(0) { $0 | Int(prefix[offset + 4 + $1]) << (8 * $1) }
    }
    return offset
  }

  /// The kinds that can be detected from the first bytes.
  private static func signature(of prefix: Span<UInt8>) -> InputKind? {
    if prefix.count >= 4 {
      let magic = (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(prefix[$1]) }
      if let format = CaptureFormat(magic: magic) { return .capture(format) }
      switch magic {
      case 0x28B5_2FFD: return .compressed(.zstd)
      // A skippable frame, of which there are sixteen kinds.
      case _ where magic & 0xF0FF_FFFF == 0x502A_4D18: return .compressed(.zstd)
      case 0x0422_4D18, 0x0221_4C18: return .compressed(.lz4)
      case 0x504B_0304, 0x504B_0506, 0x504B_0708: return .archive(.zip)
      default: break
      }
    }
    if has([0x1F, 0x8B], at: 0, in: prefix) { return .compressed(.gzip) }
    if has([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], at: 0, in: prefix) { return .compressed(.xz) }
    if has([0x42, 0x5A, 0x68], at: 0, in: prefix) { return .compressed(.bzip2) }
    return nil
  }

  private static func has(_ bytes: [UInt8], at offset: Int, in prefix: Span<UInt8>) -> Bool {
    guard prefix.count >= offset + bytes.count else { return false }
    return bytes.indices.allSatisfy { prefix[offset + $0] == bytes[$0] }
  }

  /// The index of the first byte that is not a blank, after any byte order mark.
  private static func firstSolidByte(of prefix: Span<UInt8>) -> Int? {
    var index = has([0xEF, 0xBB, 0xBF], at: 0, in: prefix) ? 3 : 0
    while index < prefix.count, isWSPOrLineEnd(prefix[index]) { index += 1 }
    return index < prefix.count ? index : nil
  }

  /// Whether the line at `start` contains `"schema":"atscope.`; nil if neither that nor its end has been read.
  private static func namesOurSchema(_ prefix: Span<UInt8>, from start: Int) -> Bool? {
    let key = Array("\"schema\"".utf8)
    let value = Array("\"atscope.".utf8)
    for index in start..<prefix.count {
      if prefix[index] == 0x0A { return false }
      guard prefix[index] == key[0], has(key, at: index, in: prefix) else { continue }
      var next = index + key.count
      while next < prefix.count, prefix[next] == 0x20 || prefix[next] == 0x3A { next += 1 }
      if has(value, at: next, in: prefix) { return true }
    }
    return nil
  }
}
