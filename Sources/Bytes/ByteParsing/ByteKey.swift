/// Bytes as the key of a `Dictionary`, hashed as a whole and once.
package struct ByteKey: Hashable, Sendable {
  /// The bytes.
  package let bytes: Bytes

  private let hash: UInt64

  /// Differs from run to run, so that a file cannot aim at a table.
  private static let seed = UInt64.random(in: .min ... .max)

  /// A key of these bytes.
  package init(_ bytes: Bytes) {
    self.bytes = bytes
    hash = seededHash(of: bytes.span, seed: ByteKey.seed)
  }

  /// A key of a copy of borrowed bytes.
  package init(copying bytes: Span<UInt8>) { self.init(Bytes(copying: bytes)) }

  /// Equal bytes.
  package static func == (a: ByteKey, b: ByteKey) -> Bool {
    a.hash == b.hash && isEqual(a.bytes.span, b.bytes.span)
  }

  /// Hashes the bytes.
  package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
