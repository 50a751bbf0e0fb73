/// Bytes as a `Dictionary` key; the hash is computed only once.
package struct ByteKey: Hashable, Sendable {
  package let bytes: Bytes

  private let hash: UInt64

  /// Differs in each run, so that an input cannot cause collisions in a table.
  private static let seed = UInt64.random(in: .min ... .max)

  package init(_ bytes: Bytes) {
    self.bytes = bytes
    hash = seededHash(of: bytes.span, seed: ByteKey.seed)
  }

  package init(copying bytes: Span<UInt8>) { self.init(Bytes(copying: bytes)) }

  package static func == (a: ByteKey, b: ByteKey) -> Bool {
    a.hash == b.hash && isEqual(a.bytes.span, b.bytes.span)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
