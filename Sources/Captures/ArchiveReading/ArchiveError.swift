package import CaptureFormats

/// An archive or compressed stream cannot be unpacked, or not beyond this offset.
package struct ArchiveError: Error, Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    /// It ends before its time.
    case cutOff

    /// Its content contradicts its format or its checksums; the library's message.
    case damaged(String)

    case encrypted

    case expandsTooFar(ArchiveLimits)

    case tooManyMembers(limit: Int)

    /// The member is longer than the caller takes.
    case tooLong(limit: Int)

    /// It is a ZIP from a pipe that is longer than is held in memory. In bytes.
    case tooLongToHold(limit: Int)

    /// It is packed by a method that is not known.
    case unknownMethod(UInt16)

    /// What is packed could not be read.
    case unreadable(CaptureError)
  }

  package var reason: Reason

  /// How many bytes of what is packed had been taken in, read ahead and all.
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
  /// A clause for messages, such as `the compressed data is truncated`.
  package var description: String {
    switch reason {
    case .cutOff: "the compressed data is truncated within the first \(offset) bytes"
    case .damaged(let words): "the compressed data is damaged within the first \(offset) bytes: \(words)"
    case .encrypted: "is encrypted"
    case .expandsTooFar(let limits):
      "would unpack to more than \(limits.ratio) times its size"
    case .tooManyMembers(let limit): "has more than \(limit) members"
    case .tooLong(let limit): "is longer than \(limit) bytes"
    case .tooLongToHold(let limit):
      "a ZIP from a pipe is kept in memory, up to \(limit >> 20) MiB; save it to a file and read that"
    case .unknownMethod(let method):
      "is compressed with ZIP method \(method), which is not supported; unpack it"
    case .unreadable(let error): error.description
    }
  }
}
