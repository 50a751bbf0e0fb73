package import ByteParsing
package import CaptureFormats

/// Reads the members of a ZIP or tar archive in stored order.
///
/// A tar is read once as a stream; inside a `.tgz`, it comes from a `DecompressingSource`. A ZIP is read by the directory at its end; if
/// its source cannot be read at any offset, such as a pipe, it is held in memory up to a limit. Nothing is ever written to disk.
///
///     let archive = ArchiveReader(source, format: .zip)
///     while let member = try archive.next() {
///       if member.name == wanted { return try archive.contents(limit: 1 << 20) }
///     }
package final class ArchiveReader {
  package enum Format: Hashable, Sendable {
    /// ZIP, including app bundles (`.ipa`).
    case zip
    /// tar in its POSIX, GNU and older variants, uncompressed.
    case tar
  }

  private enum Archive {
    /// A ZIP that has not been opened.
    case unread(any ByteSource)
    case zip(ZIPArchive)
    case tar(LibArchive)
  }

  private var archive: Archive
  private let limits: ArchiveLimits
  private var memberCount = 0
  private var failure: ArchiveError?

  /// Creates a reader of a source, without reading it yet.
  package init(_ source: any ByteSource, format: Format, limits: ArchiveLimits = ArchiveLimits()) {
    archive =
      switch format {
      case .zip: .unread(source)
      case .tar: .tar(LibArchive(source, format: .tar, limits: limits))
      }
    self.limits = limits
  }

  /// Whether a source ends like a ZIP; a self-extracting archive begins with a program.
  package static func isZIP(_ source: any SeekableSource) -> Bool { ZIPDirectory.isPresent(in: source) }

  /// The size of an opened ZIP in bytes; nil for other archives.
  package var byteCount: Int? {
    if case .zip(let zip) = archive { zip.byteCount } else { nil }
  }

  /// Moves to the member with this index; returns false if members can only be read in order.
  package func seek(to index: Int) throws(ArchiveError) -> Bool {
    try recordingFatalErrors { () throws(ArchiveError) in
      guard let zip = try begun() else { return false }
      zip.seek(to: index)
      return true
    }
  }

  /// The next member; nil after the last one. The rest of the current member is skipped.
  package func next() throws(ArchiveError) -> ArchiveMember? {
    try recordingFatalErrors { () throws(ArchiveError) in
      if let zip = try begun() { return try zip.next() }
      guard case .tar(let library) = archive else { return nil }
      guard let header = try library.nextHeader() else {
        try library.checkEnd()
        return nil
      }
      guard memberCount < limits.members else { throw ArchiveError(.tooManyMembers(limit: limits.members), at: library.bytesTaken) }
      defer { memberCount += 1 }
      return ArchiveMember(name: header.name, kind: header.kind, size: header.size, index: memberCount)
    }
  }

  /// Reads the next bytes of the current member into `buffer`, from index `start` on; returns 0 at the member's end.
  package func read(into buffer: inout Bytes, from start: Int) throws(ArchiveError) -> Int {
    try recordingFatalErrors { () throws(ArchiveError) in
      switch archive {
      case .unread: 0
      case .zip(let zip): try zip.read(into: &buffer, from: start)
      case .tar(let library): try library.read(into: &buffer, from: start)
      }
    }
  }

  /// The ZIP, opened on first use; nil for a tar.
  private func begun() throws(ArchiveError) -> ZIPArchive? {
    switch archive {
    case .unread(let source):
      let zip = try ZIPArchive(source, limits: limits)
      archive = .zip(zip)
      return zip
    case .zip(let zip): return zip
    case .tar: return nil
    }
  }

  /// Throws the errors of `body` as the archive's; one that ends reading is thrown by every later call.
  private func recordingFatalErrors<Result>(_ body: () throws(ArchiveError) -> Result) throws(ArchiveError) -> Result {
    if let failure { throw failure }
    do throws(ArchiveError) {
      return try body()
    } catch {
      var error = error
      error.subject = .archive
      if error.isFatal { failure = error }
      throw error
    }
  }

  /// The rest of the current member; throws if it exceeds `limit` bytes.
  package func contents(limit: Int) throws(ArchiveError) -> Bytes {
    let bytes = try Bytes.reading(upTo: limit) { (buffer, start) throws(ArchiveError) in
      try read(into: &buffer, from: start)
    }
    guard let bytes else { throw ArchiveError(.tooLong(limit: limit), at: limit, isFatal: false) }
    return bytes
  }

  /// The current member as a source, which is valid until the next call of `next()`.
  package var member: some ByteSource { MemberSource(archive: self) }
}

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
