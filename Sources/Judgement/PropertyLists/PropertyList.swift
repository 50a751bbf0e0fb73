package import ByteParsing

/// A property list: its root value, and the format in which it was written.
package struct PropertyList: Hashable, Sendable {
  package enum Format: String, Hashable, Sendable {
    /// The binary format, which begins with `bplist`.
    case binary
    case xml
  }

  package var format: Format
  package var root: PropertyListValue

  /// Reads a whole file of either format, which its content shows.
  ///
  /// Always ends, whatever the bytes: see ``PropertyListLimits``.
  package init(reading bytes: Bytes) throws(PropertyListError) {
    guard bytes.count <= PropertyListLimits.byteCount else {
      throw PropertyListError(.limit(.bytes, PropertyListLimits.byteCount), at: .whole)
    }
    if bytes.starts(with: "bplist".utf8) {
      format = .binary
      root = try BinaryPropertyListReader.read(bytes)
      return
    }
    switch XMLEncoding(of: bytes) {
    case .found(let encoding):
      format = .xml
      root = try XMLPropertyListReader.read(bytes, encoding)
    case .empty: throw PropertyListError(.empty, at: .whole)
    case .oldStyle: throw PropertyListError(.oldStyle, at: .whole)
    case .other: throw PropertyListError(.unknownFormat, at: .whole)
    }
  }
}

/// The bounds on what is read. Info.plist files of large apps stay below a hundredth of each.
package enum PropertyListLimits {
  /// Bytes of a file.
  package static let byteCount = 16 << 20

  /// Containers within containers.
  package static let depth = 128

  /// Values and keys. In the binary format one that is referred to twice counts twice.
  package static let objectCount = 250_000

  /// Bytes of text and data in all, counted in the same way: repetition would multiply them.
  package static let contentByteCount = 16 << 20
}
