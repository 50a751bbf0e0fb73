package import CaptureFormats

/// An archive or compressed stream cannot be unpacked, or not beyond an offset.
package struct ArchiveError: Error, Hashable, Sendable {
  /// What is truncated or damaged.
  package enum Subject: String, Hashable, Sendable {
    case stream = "the compressed data"
    case archive = "the archive"
  }

  package enum Reason: Hashable, Sendable {
    /// The data is truncated.
    case truncated

    /// The content contradicts the format or a checksum; the library's message.
    case damaged(String)

    case encrypted

    /// Decompression requires more memory than is allowed; what it requires, such as `a window of more than 128 MiB`.
    case exceedsMemory(String)

    case expandsTooFar(ArchiveLimits)

    case tooManyMembers(limit: Int)

    /// The member exceeds the caller's limit, in bytes.
    case tooLong(limit: Int)

    /// A ZIP from a pipe exceeds the memory limit, in bytes.
    case tooLongToHold(limit: Int)

    /// The compression method is unknown.
    case unknownMethod(UInt16)

    /// The compressed bytes could not be read.
    case unreadable(CaptureError)
  }

  package var reason: Reason

  /// The archive for every error of an `ArchiveReader`.
  package var subject = Subject.stream

  /// The number of packed bytes read, including those read ahead.
  package var offset: Int

  /// Whether nothing after the fault can be read; otherwise a later member may be readable.
  package var isFatal: Bool

  package init(_ reason: Reason, at offset: Int, isFatal: Bool = true) {
    self.reason = reason
    self.offset = offset
    self.isFatal = isFatal
  }
}

extension ArchiveError: CustomStringConvertible {
  /// A clause, such as `the compressed data is truncated`.
  package var description: String {
    switch reason {
    case .truncated: "\(subject.rawValue) is truncated within the first \(offset) bytes"
    case .damaged(let words): "\(subject.rawValue) is damaged within the first \(offset) bytes: \(words)"
    case .exceedsMemory(let words): "\(subject.rawValue) requires \(words), which is the limit: unpack the file first"
    case .encrypted: "is encrypted"
    case .expandsTooFar(let limits):
      "would unpack to more than \(limits.ratio) times its size"
    case .tooManyMembers(let limit): "has more than \(limit) members"
    case .tooLong(let limit): "is longer than \(limit) bytes"
    case .tooLongToHold(let limit):
      "a ZIP from a pipe is kept in memory, up to \(limit >> 20) MiB; save it to a file and read that"
    case .unknownMethod(let method):
      "is compressed with ZIP method \(method), which is not supported; unpack it"
    case .unreadable(let error): CaptureError(error.reason, at: max(error.offset, offset)).description
    }
  }
}
