import ByteParsing

/// Byte strings, each once, and their places.
///
/// A set of `Bytes` hashes them byte by byte with a function made for short keys: of a store of roots that was the larger
/// part of the cost.
struct DistinctBytes {
  private var places = HashedPlaces()
  private(set) var elements: [Bytes] = []

  /// Differs from run to run, so that no file can aim at the table.
  private let seed = UInt64.random(in: .min ... .max)

  /// Adds the bytes; the place at which they are already, where they are.
  mutating func insert(_ bytes: Bytes) -> Int? {
    let hash = hash(of: bytes)
    if let known = place(of: bytes, hash) { return known }
    places.append(hash)
    elements.append(bytes)
    return nil
  }

  /// The place of the bytes; nil where they are not here.
  func place(of bytes: Bytes) -> Int? { place(of: bytes, hash(of: bytes)) }

  private func place(of bytes: Bytes, _ hash: Int) -> Int? {
    places.first(of: hash) { place in
      let element = elements[place]
      return isEqual(element.span, bytes.span)
    }
  }

  private func hash(of bytes: Bytes) -> Int {
    Int(truncatingIfNeeded: seededHash(of: bytes.span, seed: seed))
  }
}
