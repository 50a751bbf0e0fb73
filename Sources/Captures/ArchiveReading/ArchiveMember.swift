package import ByteParsing
import Values

/// A member of an archive, as its header describes it.
package struct ArchiveMember: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case regular
    case directory
    /// A link of either sort; what it leads to is never followed.
    case link
    /// A device, a FIFO or a socket.
    case special
  }

  /// The name as it is stored, `..` and all: to be shown and compared, never to be joined to a path.
  package let name: Bytes

  package let kind: Kind

  /// Bytes of its content; nil if the header does not have the size.
  package let size: UInt64?

  /// Its index in the archive, from 0.
  package let index: Int
}

extension ArchiveMember {
  /// The name as text; bytes that are not UTF-8 are replaced.
  package var displayName: String { InputText.string(decoding: name) }
}
