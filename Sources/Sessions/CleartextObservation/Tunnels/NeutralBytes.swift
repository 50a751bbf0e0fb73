package import ByteParsing

/// What may be in for bytes said in the clear: as many, and read as the same protocol, but with none of what was said.
///
/// Which bytes a protocol is recognized by is found out by leaving them out, so that recognition alone has to know them.
package enum NeutralBytes {
  /// What protocols are recognized by stands within so many bytes.
  private static let searched = 1024

  /// Each part's end is held against what was read up to there; of finer cuts the last ones count.
  private static let maximumPartCount = 16

  /// Bytes that read as `reads` wants them to, as those up to `end` do; of text the ends of lines stay.
  package static func filling(
    _ bytes: Span<UInt8>, isText: Bool, upTo end: Int, reads: (Span<UInt8>) -> Bool
  ) -> Bytes {
    var filled = Bytes(copying: bytes)
    let end = min(end, filled.count)
    let first = min(end, searched)
    _ = fill(&filled, first..<end, isText, with: isText ? 0x30 : 0)
    empty(&filled, 0..<first, isText, reads)
    return Bytes(filled[..<end])
  }

  /// The first bytes of a direction up to `end`, where the parts that came in one packet each end at `ends`.
  package static func beginning(_ bytes: Bytes, _ ends: [Int], isText: Bool, upTo end: Int) -> Bytes {
    let ends = Array(ends.suffix(maximumPartCount))
    let wanted = Reading(bytes.span, ends)
    return filling(bytes.span, isText: isText, upTo: end) { Reading($0, ends) == wanted }
  }

  /// So many bytes of text, at whose end a line ends.
  package static func line(_ count: Int) -> Bytes {
    guard count > 0 else { return [] }
    return Bytes(repeating: 0x30, count: count - 1) + [0x0A]
  }

  /// What the first bytes of a direction are taken for as they come.
  private struct Reading: Equatable {
    var kinds: [StreamBeginning.Kind]
    var form: ForeignProtocol?
    var dataPorts: [FTPDataPorts.Announcement]
    var isOfDNS: Bool
    var mayBeginNames: Bool

    init(_ bytes: Span<UInt8>, _ ends: [Int]) {
      kinds = []
      for end in ends { kinds.append(StreamBeginning.kind(of: bytes.extracting(first: end))) }
      form = ForeignProtocol(beginningWith: bytes)
      dataPorts = FTPDataPorts.announcements(in: bytes)
      isOfDNS = NameStreams.beginLikeDNS([], followedBy: bytes)
      mayBeginNames = bytes.count == 0 || NameStreams.mayBegin(with: bytes[0])
    }
  }

  /// Fills what reading can do without.
  private static func empty(
    _ bytes: inout Bytes, _ range: Range<Int>, _ isText: Bool, _ reads: (Span<UInt8>) -> Bool
  ) {
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

  /// False where nothing changes by it.
  private static func fill(
    _ bytes: inout Bytes, _ range: Range<Int>, _ isText: Bool, with filler: UInt8
  ) -> Bool {
    var isChanged = false
    for index in range {
      let isLineEnd = bytes[index] == 0x0D || bytes[index] == 0x0A
      let filling = isText && isLineEnd ? bytes[index] : filler
      if bytes[index] != filling { isChanged = true }
      bytes[index] = filling
    }
    return isChanged
  }
}
