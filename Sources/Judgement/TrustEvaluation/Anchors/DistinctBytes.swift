import ByteParsing

/// Byte strings, each once, and their places.
///
/// A set of `Bytes` hashes them byte by byte with a function made for short keys: of a store of roots that was the larger
/// part of the cost.
struct DistinctBytes {
  private var places: [UInt64: [Int]] = [:]
  private(set) var elements: [Bytes] = []

  /// Differs from run to run, so that no file can aim at the table.
  private let seed = UInt64.random(in: .min ... .max)

  /// Adds the bytes; the place at which they are already, where they are.
  mutating func insert(_ bytes: Bytes) -> Int? {
    let hash = seededHash(of: bytes.span, seed: seed)
    if let known = place(bytes, hash) { return known }
    places[hash, default: []].append(elements.count)
    elements.append(bytes)
    return nil
  }

  /// The place of the bytes; nil where they are not here.
  func place(of bytes: Bytes) -> Int? { place(bytes, seededHash(of: bytes.span, seed: seed)) }

  private func place(_ bytes: Bytes, _ hash: UInt64) -> Int? {
    for place in places[hash] ?? [] {
      let element = elements[place]
      if isEqual(element.span, bytes.span) { return place }
    }
    return nil
  }
}
