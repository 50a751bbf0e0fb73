public import ByteParsing

/// A property list: its root value, and the form in which it was written.
public struct PropertyList: Hashable, Sendable {
  /// How a property list is written.
  public enum Form: String, Hashable, Sendable {
    /// The binary form, which begins with `bplist`.
    case binary
    /// XML.
    case xml
  }

  /// The form of the file.
  public var form: Form

  /// The value that the file holds.
  public var root: PropertyListValue

  /// Reads a whole file of either form; the form is told from the content.
  ///
  /// Always ends, whatever the bytes: see ``PropertyListLimits``.
  public init(reading bytes: Bytes) throws(PropertyListError) {
    guard bytes.count <= PropertyListLimits.byteCount else {
      throw PropertyListError(.limit(.bytes, PropertyListLimits.byteCount), at: .whole)
    }
    if bytes.starts(with: "bplist".utf8) {
      form = .binary
      root = try BinaryPropertyListReader.read(bytes)
      return
    }
    switch XMLEncoding(of: bytes) {
    case .found(let encoding):
      form = .xml
      root = try XMLPropertyListReader.read(bytes, encoding)
    case .empty: throw PropertyListError(.empty, at: .whole)
    case .oldStyle: throw PropertyListError(.oldStyle, at: .whole)
    case .other: throw PropertyListError(.unknownFormat, at: .whole)
    }
  }
}

/// The bounds on what is read. Info.plist files of large apps stay below a hundredth of each.
public enum PropertyListLimits {
  /// Bytes of a file.
  public static let byteCount = 16 << 20

  /// Containers within containers.
  public static let depth = 128

  /// Values and keys. In the binary form one that is referred to twice counts twice.
  public static let objectCount = 250_000

  /// Bytes of text and data in all, counted in the same way: repetition would multiply them.
  public static let contentByteCount = 16 << 20
}
