package import ByteParsing

/// A connection ID, at most 20 bytes in the versions that are read (RFC 9000 §17.2).
package struct ConnectionID: Hashable, Sendable {
  /// The most bytes that version 1 and 2 allow.
  package static let maximumByteCount = 20

  /// The bytes.
  package var bytes: ShortBytes

  /// Whether it has no bytes.
  package var isEmpty: Bool { bytes.count == 0 }

  /// Copies at most 32 bytes.
  package init(_ bytes: Span<UInt8>) { self.bytes = ShortBytes(bytes) }

  /// Copies at most 32 bytes.
  package init(_ bytes: some Sequence<UInt8>) { self.bytes = ShortBytes(bytes) }
}
