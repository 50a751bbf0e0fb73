public import ByteParsing
import Values

/// A member of an archive, as its header describes it.
public struct ArchiveMember: Hashable, Sendable {
  /// What a member is.
  public enum Kind: Hashable, Sendable {
    /// A file with content.
    case regular
    /// A folder.
    case directory
    /// A link of either sort; what it leads to is never followed.
    case link
    /// A device, a FIFO or a socket.
    case special
  }

  /// The name as it is stored, `..` and all: to be shown and compared, never to be joined to a path.
  public let name: Bytes

  /// What it is.
  public let kind: Kind

  /// Bytes of its content; nil if the header does not have the size.
  public let size: UInt64?

  /// Its index in the archive, from 0.
  public let index: Int
}

extension ArchiveMember {
  /// The name as text; bytes that are not UTF-8 are replaced.
  public var displayName: String { InputText.string(decoding: name) }
}
