package import ByteParsing

/// A property list.
package struct PropertyList: Hashable, Sendable {
  package var root: PropertyListValue

  /// Parses a complete file of either format, which is detected from its content.
  ///
  /// Parsing always terminates, whatever the bytes: see ``PropertyListLimits``.
  package init(reading bytes: Bytes) throws(PropertyListError) {
    guard bytes.count <= PropertyListLimits.byteCount else {
      throw PropertyListError(.limit(.bytes, PropertyListLimits.byteCount), at: .whole)
    }
    if bytes.starts(with: "bplist".utf8) {
      root = try BinaryPropertyListReader.read(bytes)
      return
    }
    switch XMLEncoding(of: bytes) {
    case .found(let encoding): root = try XMLPropertyListReader.read(bytes, encoding)
    case .empty: throw PropertyListError(.empty, at: .whole)
    case .oldStyle: throw PropertyListError(.oldStyle, at: .whole)
    case .other: throw PropertyListError(.unknownFormat, at: .whole)
    }
  }
}

/// Limits for parsing. Info.plist files of large apps stay below a hundredth of each.
package enum PropertyListLimits {
  /// Bytes of the file.
  package static let byteCount = 16 << 20

  /// Levels of nested containers.
  package static let depth = 128

  /// Values and keys. In the binary format, an object that is referenced twice counts twice.
  package static let objectCount = 250_000

  /// Total bytes of text and data. An object that is referenced twice counts twice, because repetition would multiply the memory.
  package static let contentByteCount = 16 << 20
}
