package import ByteParsing

/// A connection ID, at most 20 bytes in the supported versions (RFC 9000 §17.2).
package struct ConnectionID: Hashable, Sendable {
  /// The maximum length in versions 1 and 2.
  package static let maximumByteCount = 20

  package var bytes: ShortBytes

  package var isEmpty: Bool { bytes.count == 0 }

  /// Copies at most 32 bytes.
  package init(_ bytes: Span<UInt8>) { self.bytes = ShortBytes(bytes) }

  /// Copies at most 32 bytes.
  package init(_ bytes: some Sequence<UInt8>) { self.bytes = ShortBytes(bytes) }
}
