public import ByteParsing
public import CaptureFormats

/// Goes through the members of a ZIP or tar archive in the order in which they are stored.
///
/// The archive is read as a stream, once and forwards, so it may come from a pipe; a tar inside a `.tgz` comes from a
/// `DecompressingSource`. Nothing is ever written to disk.
///
///     let archive = ArchiveReader(source, form: .zip)
///     while let member = try archive.next() {
///       if member.name == wanted { return try archive.contents(limit: 1 << 20) }
///     }
public final class ArchiveReader {
  /// The forms of archive.
  public enum Form: Hashable, Sendable {
    /// ZIP, which app bundles (`.ipa`) travel in as well.
    case zip
    /// tar in its POSIX, GNU and older variants, not compressed.
    case tar
  }

  private let library: LibArchive
  private let limits: ArchiveLimits
  private var memberCount = 0
  private var failure: ArchiveError?

  /// Takes the source over; nothing is read yet.
  public init(_ source: any ByteSource, form: Form, limits: ArchiveLimits = ArchiveLimits()) {
    library = LibArchive(source, form: form == .zip ? .zip : .tar, limits: limits)
    self.limits = limits
  }

  /// The next member; nil behind the last one. What is left of the present member is skipped.
  public func next() throws(ArchiveError) -> ArchiveMember? {
    if let failure { throw failure }
    do throws(ArchiveError) {
      guard let header = try library.nextHeader() else {
        try library.checkEnd(members: memberCount)
        return nil
      }
      guard memberCount < limits.members else {
        throw ArchiveError(.tooManyMembers(limit: limits.members), at: library.bytesTaken)
      }
      defer { memberCount += 1 }
      return ArchiveMember(name: header.name, kind: header.kind, size: header.size, index: memberCount)
    } catch {
      if error.isFatal { failure = error }
      throw error
    }
  }

  /// Reads the next bytes of the present member into `buffer`, from index `start` on; 0 at the member's end.
  public func read(into buffer: inout Bytes, from start: Int) throws(ArchiveError) -> Int {
    if let failure { throw failure }
    do throws(ArchiveError) {
      return try library.read(into: &buffer, from: start)
    } catch {
      if error.isFatal { failure = error }
      throw error
    }
  }

  /// What is left of the present member, as a whole; throws if that is more than `limit` bytes.
  public func contents(limit: Int) throws(ArchiveError) -> Bytes {
    var buffer = Bytes(repeating: 0, count: 16 * 1024)
    var count = 0
    while true {
      if count == buffer.count { buffer.append(contentsOf: repeatElement(0, count: buffer.count)) }
      let read = try read(into: &buffer, from: count)
      count += read
      guard count <= limit else {
        throw ArchiveError(.tooLong(limit: limit), at: library.bytesTaken, isFatal: false)
      }
      if read == 0 {
        buffer.removeLast(buffer.count - count)
        return buffer
      }
    }
  }

  /// The present member as a source, of use until the next call of `next()`.
  public var member: some ByteSource { MemberSource(archive: self) }
}

/// The content of an archive's present member.
private struct MemberSource: ByteSource {
  let archive: ArchiveReader

  func read(into buffer: inout Bytes, from start: Int) throws(CaptureError) -> Int {
    do throws(ArchiveError) {
      return try archive.read(into: &buffer, from: start)
    } catch {
      throw error.captureError
    }
  }
}
