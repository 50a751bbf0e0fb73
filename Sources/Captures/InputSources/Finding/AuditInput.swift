package import ByteParsing

/// An input: a capture, a directory, an archive or saved sessions.
public struct AuditInput: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The source of an input's bytes.
  package enum Source: Hashable, Sendable {
    /// A file, or the files below a directory; `-` is standard input.
    case path(String)
    /// Bytes in memory.
    case bytes(Bytes)
  }

  /// The source of the bytes.
  package var source: Source

  /// The name in results; nil to use the path.
  package var name: String?

  /// Creates an input from a file or directory.
  public init(path: String, name: String? = nil) {
    source = .path(path)
    self.name = name
  }

  /// Creates an input from bytes in memory, which may be compressed.
  public init(bytes: some Sequence<UInt8>, named name: String) {
    source = .bytes(Bytes(bytes))
    self.name = name
  }

  /// Creates an input from a file or directory.
  public init(stringLiteral path: String) { self.init(path: path) }

  /// The path; nil for an input in memory.
  package var path: String? {
    if case .path(let path) = source { path } else { nil }
  }

  /// The name in results.
  package var displayName: String { name ?? path ?? "(in memory)" }

  /// Whether a name in results is the input's own, or that of a file in its directory or archive.
  package func contains(_ file: String) -> Bool {
    let name = Bytes(displayName.utf8)
    // "folder/" and "folder" give the same file names.
    let folder = name.prefix(through: name.lastIndex { $0 != UInt8(ascii: "/") } ?? -1)
    return file.utf8.elementsEqual(name) || file.utf8.starts(with: folder + "/".utf8) || file.utf8.starts(with: name + "!".utf8)
  }

  package var canBeReadTwice: Bool { path.map(InputFile.canBeReadTwice) ?? true }
}
