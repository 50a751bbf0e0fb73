import ByteParsing
import CaptureFormats
import Decompression

/// Reads the members of a ZIP according to its central directory.
final class ZIPArchive {
  private let file: ZIPFile
  private let directory: ZIPDirectory
  private let limits: ArchiveLimits

  /// The current member: its index, its decompressor, and the bytes so far.
  private var present: Int?
  private var content: Content?
  private var produced = 0
  private var checksum: UInt32 = 0
  private var memberFailure: ArchiveError?

  /// The index of the member that `next()` returns.
  private var following = 0

  /// The members whose faults have been reported.
  private var toldFaults: Set<Int> = []

  private var unpackedInAll = 0
  private var packedInAll = 0

  private enum Content {
    case stored(ZIPRange)
    case deflated(StreamUnpacker)
    case other(DecompressingSource)
  }

  init(_ source: any ByteSource, limits: ArchiveLimits) throws(ArchiveError) {
    self.limits = limits
    var file = try ZIPFile(source, limits: limits)
    directory = try ZIPDirectory(&file, limits: limits)
    self.file = file
  }

  /// The size of the archive in bytes.
  var byteCount: Int { file.byteCount }

  /// Moves to the member with this index.
  func seek(to index: Int) { following = max(0, index) }

  /// The next member; nil after the last one. A fault of the archive itself is thrown at the end.
  func next() throws(ArchiveError) -> ArchiveMember? {
    (present, content, memberFailure) = (nil, nil, nil)
    guard following < directory.entries.count else {
      let untold = directory.entries.indices.first {
        directory.entries[$0].fault != nil && !toldFaults.contains($0)
      }
      let fault = untold.flatMap { directory.entries[$0].fault }
      if let reason = directory.fault ?? (fault == .encrypted ? nil : fault) { throw ArchiveError(reason, at: file.byteCount) }
      return nil
    }
    guard following < limits.members else { throw ArchiveError(.tooManyMembers(limit: limits.members), at: file.byteCount) }
    let entry = directory.entries[following]
    present = following
    following += 1
    (produced, checksum) = (0, 0)
    return ArchiveMember(name: entry.name, kind: entry.kind, size: UInt64(entry.size), index: following - 1)
  }

  /// Unpacks the next bytes of the current member; returns 0 at its end. A fault leaves the other members readable.
  func read(into buffer: inout Bytes, from start: Int) throws(ArchiveError) -> Int {
    guard let present, start >= 0, start < buffer.count else { return 0 }
    if let memberFailure { throw memberFailure }
    do throws(ArchiveError) {
      let entry = directory.entries[present]
      if content == nil { try begin(entry, present) }
      let count = try unpack(into: &buffer, from: start)
      try check(buffer, start..<(start + count), of: entry)
      return count
    } catch {
      var error = error
      error.isFatal = false
      memberFailure = error
      throw error
    }
  }

  private func begin(_ entry: ZIPEntry, _ index: Int) throws(ArchiveError) {
    if let fault = entry.fault {
      toldFaults.insert(index)
      throw ArchiveError(fault, at: entry.headerOffset)
    }
    let packed = ZIPRange(source: file.source, range: entry.dataOffset..<(entry.dataOffset + entry.packedSize))
    switch entry.method {
    case 0: content = .stored(packed)
    case 8:
      content = .deflated(StreamUnpacker(packed, decoder: GzipDecoder(hasWrapper: false), limits: limits))
    case 12: content = .other(DecompressingSource(packed, format: .bzip2, limits: limits))
    case 93: content = .other(DecompressingSource(packed, format: .zstd, limits: limits))
    case 95: content = .other(DecompressingSource(packed, format: .xz, limits: limits))
    default: throw ArchiveError(.unknownMethod(entry.method), at: entry.headerOffset)
    }
    packedInAll += entry.packedSize
  }

  private func unpack(into buffer: inout Bytes, from start: Int) throws(ArchiveError) -> Int {
    switch content {
    case .stored(var range)?:
      defer { content = .stored(range) }
      do throws(CaptureError) {
        return try range.read(into: &buffer, from: start)
      } catch {
        throw ArchiveError(.unreadable(error), at: range.range.lowerBound)
      }
    case .deflated(let unpacker)?: return try unpacker.read(into: &buffer, from: start)
    case .other(let source)?: return try source.unpack(into: &buffer, from: start)
    case nil: return 0
    }
  }

  /// Counts the unpacked bytes, and compares size and checksum with the directory.
  private func check(_ buffer: borrowing Bytes, _ range: Range<Int>, of entry: ZIPEntry) throws(ArchiveError) {
    let end = entry.dataOffset + entry.packedSize
    produced += range.count
    unpackedInAll += range.count
    if range.isEmpty {
      guard produced == entry.size else { throw ArchiveError(.damaged("a member of \(entry.size) bytes unpacks to \(produced)"), at: end) }
      guard checksum == entry.checksum else { throw ArchiveError(.damaged("the checksum of this member is wrong"), at: end) }
      return
    }
    guard produced <= entry.size else { throw ArchiveError(.damaged("a member unpacks to more than its \(entry.size) bytes"), at: end) }
    checksum = GzipDecoder.checksum(buffer, range, after: checksum)
    guard limits.allow(unpackedInAll, from: packedInAll) else { throw ArchiveError(.expandsTooFar(limits), at: end) }
  }
}
