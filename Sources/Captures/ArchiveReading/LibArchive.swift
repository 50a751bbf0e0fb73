import ByteParsing
import CArchive
import CaptureFormats

/// The only file that calls libarchive; `StreamUnpacker` handles the formats that atscope unpacks without it.
///
/// libarchive is a C library: it keeps the address of this object for requesting more bytes, and that of the block in which they are
/// passed. Each `unsafe` below is safe because the block and the object outlive the archive, which is freed first and exactly once, and
/// because the library's pointers are used only before the next call to it.
@safe
final class LibArchive {
  /// The format to read. Never raw and tar together: a row of zeros would be an empty tar, and disappear without an error.
  enum Format {
    case singleStream
    case tar
  }

  private let archive: OpaquePointer?
  private let block: UnsafeMutableRawBufferPointer
  private var staging = Bytes(repeating: 0, count: LibArchive.blockSize)
  private var source: any ByteSource
  private var sourceError: CaptureError?
  private var isOpen = false
  private let limits: ArchiveLimits
  private var unpacked = 0

  /// The number of zeros returned for the holes of sparse members. They count alone: the next member may have none.
  private var zerosOfHoles = 0

  /// The block that the library unpacked last, which is valid until the next call.
  private var unpackedBlock = unsafe UnsafeRawBufferPointer(start: nil, count: 0)

  /// The offset of that block in the current member, and the number of bytes read from it.
  private var unpackedOffset: Int64 = 0
  private var readCount: Int64 = 0

  /// Detects a truncated archive; nil for a single stream.
  private var ending: ArchiveEnding?

  /// The fault of the first header that the library skipped, together with its member; nil if there is none.
  private var damagedHeader: ArchiveError?

  /// The size of the last block passed to the library, which is in `staging` until the next.
  private var lastBlockCount = 0

  /// Whether the current member's size is known, so that the rest of it can be skipped without unpacking.
  private var canSkip = true

  /// The number of bytes of the source passed to the library.
  private(set) var bytesTaken = 0

  private static let blockSize = 128 * 1024

  init(_ source: any ByteSource, format: Format, limits: ArchiveLimits) {
    self.source = source
    self.limits = limits
    unsafe block = .allocate(byteCount: LibArchive.blockSize, alignment: 16)
    unsafe archive = archive_read_new()
    if format != .singleStream { ending = ArchiveEnding() }
    switch format {
    case .singleStream:
      // Not archive_read_support_filter_all, which includes filters that run other programs.
      _ = unsafe archive_read_support_filter_lz4(archive)
      _ = unsafe archive_read_support_filter_bzip2(archive)
      _ = unsafe archive_read_support_format_raw(archive)
      _ = unsafe archive_read_support_format_empty(archive)
    case .tar:
      _ = unsafe archive_read_support_format_tar(archive)
    }
  }

  deinit {
    _ = unsafe archive_read_free(archive)
    unsafe block.deallocate()
  }

  /// Whether the source is compressed in a known format; meaningful after the first header.
  var isCompressed: Bool { unsafe archive_filter_count(archive) > 1 }

  /// The header of the next member; nil after the last one.
  func nextHeader() throws(ArchiveError) -> (name: Bytes, kind: ArchiveMember.Kind, size: UInt64?)? {
    guard unsafe archive != nil else { throw ArchiveError(.damaged("no memory"), at: 0) }
    if !isOpen { try open() }
    if !canSkip { try readRest() }
    unsafe unpackedBlock = UnsafeRawBufferPointer(start: nil, count: 0)
    (unpackedOffset, readCount) = (0, 0)
    var entry: OpaquePointer?
    var status: CInt = 0
    var idleRetries = 0
    var consumed = bytesConsumed
    repeat {
      status = unsafe archive_read_next_header(archive, &entry)
      guard status == ARCHIVE_RETRY else { break }
      // The library searches for the next header, block by block.
      if damagedHeader == nil {
        damagedHeader = ArchiveError(.damaged("a header is damaged, so that at least one member was not read"), at: bytesTaken)
      }
      idleRetries = bytesConsumed > consumed ? 0 : idleRetries + 1
      consumed = bytesConsumed
    } while idleRetries < LibArchive.maximumRetries
    if status == ARCHIVE_EOF { return nil }
    // A warning concerns minor parts of a header, such as a name in another character set.
    guard status == ARCHIVE_OK || status == ARCHIVE_WARN, let entry = unsafe entry else {
      // After an unreadable header, the offset of the next one is unknown.
      var error = error(status)
      error.isFatal = true
      throw error
    }
    let size = unsafe archive_entry_size_is_set(entry) != 0 ? UInt64(clamping: archive_entry_size(entry)) : nil
    canSkip = size != nil
    return unsafe (name(of: entry), kind(of: entry), size)
  }

  /// Unpacks the next bytes of the current member; returns 0 at its end.
  ///
  /// Reads block by block, because a larger read fails without returning the bytes before the fault.
  func read(into buffer: inout Bytes, from start: Int) throws(ArchiveError) -> Int {
    guard start >= 0, start < buffer.count else { return 0 }
    guard try hasUnpacked() else {
      canSkip = true
      return 0
    }
    // A hole before the block means zeros.
    let hole = Int(clamping: unpackedOffset - readCount)
    let count = unsafe min(buffer.count - start, hole > 0 ? hole : unpackedBlock.count)
    unsafe buffer.withUnsafeMutableBytes { bytes in
      let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start..<(start + count)])
      if hole > 0 {
        unsafe room.initializeMemory(as: UInt8.self, repeating: 0)
      } else {
        unsafe room.copyMemory(from: UnsafeRawBufferPointer(rebasing: unpackedBlock[..<count]))
      }
    }
    if hole <= 0 {
      unsafe unpackedBlock = UnsafeRawBufferPointer(rebasing: unpackedBlock[count...])
      unpackedOffset += Int64(count)
    }
    readCount += Int64(count)
    let isHole = hole > 0
    if isHole { zerosOfHoles += count } else { unpacked += count }
    guard limits.allow(isHole ? zerosOfHoles : unpacked, from: bytesTaken) else {
      throw ArchiveError(.expandsTooFar(limits), at: bytesTaken, isFatal: !isHole)
    }
    return count
  }

  /// Whether the current member has unread bytes; unpacks the next block if necessary.
  private func hasUnpacked() throws(ArchiveError) -> Bool {
    var retries = 0
    if unpackedOffset > readCount { return true }
    while unsafe unpackedBlock.isEmpty {
      var address: UnsafeRawPointer?
      var size = 0
      var offset: Int64 = 0
      let status = unsafe archive_read_data_block(archive, &address, &size, &offset)
      if status == ARCHIVE_EOF {
        // A sparse file may end in a hole, whose end is then that of the file.
        unpackedOffset = max(offset, readCount)
        return unpackedOffset > readCount
      }
      retries += 1
      if status == ARCHIVE_RETRY, retries < LibArchive.maximumRetries { continue }
      guard status == ARCHIVE_OK else { throw error(status) }
      // A block may be empty; it never precedes bytes that were read.
      guard offset >= readCount, retries < LibArchive.maximumBlocks else {
        throw ArchiveError(.damaged("blocks out of order"), at: bytesTaken)
      }
      unpackedOffset = offset
      unsafe unpackedBlock = UnsafeRawBufferPointer(start: address, count: unsafe address == nil ? 0 : size)
      if unsafe unpackedBlock.isEmpty, offset > readCount { return true }
    }
    return true
  }

  /// The maximum number of consecutive empty blocks.
  private static let maximumBlocks = 65_536

  /// The maximum number of retries that the library may request for a call without reading on.
  private static let maximumRetries = 16

  private func open() throws(ArchiveError) {
    isOpen = true
    let me = unsafe Unmanaged.passUnretained(self).toOpaque()
    let status = unsafe archive_read_open(
      archive, me, nil,
      { _, context, address in
        guard let context = unsafe context, let address = unsafe address else { return -1 }
        return unsafe Unmanaged<LibArchive>.fromOpaque(context).takeUnretainedValue().supply(address)
      }, nil)
    guard status == ARCHIVE_OK || status == ARCHIVE_WARN else { throw error(status) }
  }

  /// Reads the next block for the library; returns 0 at the end, and a negative value after an error.
  private func supply(_ address: UnsafeMutablePointer<UnsafeRawPointer?>) -> Int {
    do throws(CaptureError) {
      let count = try source.read(into: &staging, from: 0)
      guard count > 0, count <= staging.count else { return 0 }
      unsafe staging.withUnsafeBytes { bytes in
        unsafe block.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      }
      unsafe address.pointee = UnsafeRawPointer(block.baseAddress)
      noteTaken(count)
      return count
    } catch {
      sourceError = error
      return -1
    }
  }

  private func noteTaken(_ count: Int) {
    bytesTaken += count
    lastBlockCount = count
    ending?.append(staging, count: count)
  }

  /// Reads the bytes after the last member of a tar, and throws unless they are zeros and all headers were intact.
  func checkEnd() throws(ArchiveError) {
    guard ending != nil else { return }
    if let damagedHeader { throw damagedHeader }
    if let reason = ending?.fault(consumed: bytesConsumed) { throw ArchiveError(reason, at: bytesTaken) }
    var isFollowed = false
    do throws(CaptureError) {
      while case let count = try source.read(into: &staging, from: 0), count > 0 {
        noteTaken(min(count, staging.count))
        if !isFollowed { isFollowed = !staging.prefix(lastBlockCount).allSatisfy { $0 == 0 } }
      }
    } catch {
      throw ArchiveError(.unreadable(error), at: bytesTaken)
    }
    if isFollowed { throw ArchiveError(ArchiveEnding.followed, at: bytesTaken) }
  }

  /// The number of bytes that the library has read, not only received.
  private var bytesConsumed: Int { Int(clamping: unsafe archive_filter_bytes(archive, -1)) }

  /// Throws if anything but zeros, which may fill a block, follows a compressed stream. The library ignores it.
  func checkNothingFollows() throws(ArchiveError) {
    let unread = bytesTaken - bytesConsumed
    var isFollowed = unread > lastBlockCount
    if !isFollowed, unread > 0 {
      isFollowed = !staging[(lastBlockCount - unread)..<lastBlockCount].allSatisfy { $0 == 0 }
    }
    do throws(CaptureError) {
      while !isFollowed, case let count = try source.read(into: &staging, from: 0), count > 0 {
        bytesTaken += count
        isFollowed = !staging.prefix(count).allSatisfy { $0 == 0 }
      }
    } catch {
      throw ArchiveError(.unreadable(error), at: bytesTaken)
    }
    if isFollowed { throw ArchiveError(.damaged("trailing data after the compressed data"), at: bytesTaken) }
  }

  /// Unpacks the rest of a member of unknown size, so that it counts toward the limits.
  private func readRest() throws(ArchiveError) {
    var scratch = Bytes(repeating: 0, count: LibArchive.blockSize)
    do throws(ArchiveError) {
      while try read(into: &scratch, from: 0) > 0 {}
    } catch {
      if error.isFatal { throw error }
    }
    canSkip = true
  }

  private func error(_ status: CInt) -> ArchiveError {
    if let sourceError { return ArchiveError(.unreadable(sourceError), at: bytesTaken) }
    let words = unsafe archive_error_string(archive).map { unsafe String(cString: $0) } ?? "error \(status)"
    let isFatal = status == ARCHIVE_FATAL
    let lowercase = words.lowercased()
    // Only the library's message distinguishes these kinds.
    if lowercase.hasPrefix("truncated") || lowercase.contains("no progress is possible") {
      return ArchiveError(.truncated, at: bytesTaken, isFatal: isFatal)
    }
    if lowercase.hasPrefix("encrypt") || lowercase.hasPrefix("passphrase") {
      return ArchiveError(.encrypted, at: bytesTaken, isFatal: isFatal)
    }
    return ArchiveError(.damaged(words), at: bytesTaken, isFatal: isFatal)
  }

  private func name(of entry: OpaquePointer) -> Bytes {
    guard let text = unsafe archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry) else { return [] }
    var name = Bytes()
    var next = unsafe text
    while unsafe next.pointee != 0 {
      unsafe name.append(UInt8(bitPattern: next.pointee))
      unsafe next += 1
    }
    return name
  }

  private func kind(of entry: OpaquePointer) -> ArchiveMember.Kind {
    if unsafe archive_entry_hardlink(entry) != nil { return .link }
    // The types in <archive_entry.h>, which are macros that Swift does not import.
    switch unsafe archive_entry_filetype(entry) & 0o170000 {
    case 0o100000: return .regular
    case 0o040000: return .directory
    case 0o120000: return .link
    default: return .special
    }
  }
}
