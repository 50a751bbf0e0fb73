package import ByteParsing
import Values

/// A member of an archive, as its header describes it.
package struct ArchiveMember: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case regular
    case directory
    /// A link of either kind, which is never followed.
    case link
    /// A device, a FIFO or a socket.
    case special
  }

  /// The name as stored, including any `..`: for display and comparison, never as part of a path.
  package let name: Bytes

  package let kind: Kind

  /// The size of its content in bytes; nil if the header does not contain it.
  package let size: UInt64?

  /// The index in the archive, from 0.
  package let index: Int
}

extension ArchiveMember {
  /// The name as text; bytes that are not UTF-8 are replaced.
  package var displayName: String { InputText.string(decoding: name) }
}
