import ByteParsing
import CleartextObservation

/// Placeholder bytes for cleartext that are still recognized as the same protocol.
///
/// The bytes that matter are found by blanking ranges and re-running recognition, so that only recognition has to know them.
enum NeutralBytes {
  /// The number of bytes within which every protocol is recognized.
  private static let maximumSearchedByteCount = 1024

  /// The maximum number of packet boundaries at which recognition is compared; the last ones count.
  private static let maximumPartCount = 16

  /// The maximum length of the rest of a command.
  private static let maximumCommandByteCount = 4

  /// The bytes up to `end` with as many blanked as `reads` permits; text keeps its line ends. If the bytes alone do not read as wanted,
  /// because an earlier packet contains the beginning of a command, only the rest of the command remains.
  static func filling(_ bytes: Span<UInt8>, isText: Bool, upTo end: Int, reads: (Span<UInt8>) -> Bool) -> Bytes {
    var filled = Bytes(copying: bytes)
    let end = min(end, filled.count)
    let first = min(end, maximumSearchedByteCount)
    _ = fill(&filled, first..<end, isText, with: isText ? 0x30 : 0)
    guard reads(bytes) else {
      let command = filled.prefix { (0x61...0x7A).contains(asciiLowercased($0)) }.count
      _ = fill(&filled, (command <= maximumCommandByteCount ? min(command, first) : 0)..<first, isText, with: isText ? 0x30 : 0)
      return Bytes(filled[..<end])
    }
    empty(&filled, 0..<first, isText, reads)
    return Bytes(filled[..<end])
  }

  /// The placeholder for a direction's first bytes, up to `end`. `ends` are the ends of the packets' parts.
  static func beginning(_ bytes: Bytes, _ ends: [Int], isText: Bool, upTo end: Int) -> Bytes {
    let ends = Array(ends.suffix(maximumPartCount))
    let wanted = Reading(bytes.span, ends)
    return filling(bytes.span, isText: isText, upTo: end) { Reading($0, ends) == wanted }
  }

  /// A placeholder line of `count` bytes, with its line end.
  static func line(_ count: Int) -> Bytes {
    guard count > 0 else { return [] }
    return Bytes(repeating: 0x30, count: count - 1) + [0x0A]
  }

  /// How the first bytes of a direction are recognized as they arrive.
  private struct Reading: Equatable {
    var kinds: [StreamBeginning.Kind]
    var foreignProtocol: ForeignProtocol?
    var dataPorts: [FTPDataPorts.Announcement]
    var isDNS: Bool
    var mayBeginDNS: Bool

    init(_ bytes: Span<UInt8>, _ ends: [Int]) {
      kinds = []
      for end in ends { kinds.append(StreamBeginning.kind(of: bytes.extracting(first: end))) }
      foreignProtocol = ForeignProtocol(beginningWith: bytes)
      dataPorts = FTPDataPorts.announcements(in: bytes)
      isDNS = DNSStreams.beginLikeDNS([], followedBy: bytes)
      mayBeginDNS = bytes.count == 0 || DNSStreams.mayBegin(with: bytes[0])
    }
  }

  /// Blanks the bytes of a range that recognition does not need.
  private static func empty(_ bytes: inout Bytes, _ range: Range<Int>, _ isText: Bool, _ reads: (Span<UInt8>) -> Bool) {
    let before = Bytes(bytes[range])
    for filler in isText ? [0x30] : [0, 0x30] as Bytes {
      guard fill(&bytes, range, isText, with: filler), !reads(bytes.span) else { return }
      bytes.replaceSubrange(range, with: before)
    }
    guard range.count > 1 else { return }
    let middle = range.lowerBound + range.count / 2
    empty(&bytes, middle..<range.upperBound, isText, reads)
    empty(&bytes, range.lowerBound..<middle, isText, reads)
  }

  /// Blanks a range; returns whether that changed it.
  private static func fill(_ bytes: inout Bytes, _ range: Range<Int>, _ isText: Bool, with filler: UInt8) -> Bool {
    var isChanged = false
    for index in range {
      let filling = isText && isLineEnd(bytes[index]) ? bytes[index] : filler
      if bytes[index] != filling { isChanged = true }
      bytes[index] = filling
    }
    return isChanged
  }
}
