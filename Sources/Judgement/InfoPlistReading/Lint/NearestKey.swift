import PolicyResolution

/// Finds the key that a misspelt one was meant to be.
package enum NearestKey {
  /// The maximum length of a key: longer texts are not misspelt keys, and the work grows with the product of the lengths.
  private static let maximumByteCount = 100

  /// The nearest candidate; nil if none is near enough to be meant.
  package static func nearest(to key: String, among candidates: [String]) -> String? {
    var best: (key: String, distance: Int)?
    for candidate in candidates {
      // Up to a third of the letters may differ: `NSMinimumTLSVersion` lacks the nine of `Exception`.
      let limit = min(max(3, candidate.utf8.count / 3), best.map { $0.distance - 1 } ?? .max)
      if let distance = distance(key, candidate, limit: limit) { best = (candidate, distance) }
    }
    return best?.key
  }

  /// Whether a key was meant to be NSAppTransportSecurity: a misspelling of it, or of the title that Xcode shows instead of it.
  static func isMeantAsRoot(_ key: String) -> Bool {
    guard key.utf8.count <= maximumByteCount else { return false }
    return ["nsapptransportsecurity", "app transport security settings"].contains { distance(key.lowercased(), $0, limit: 3) != nil }
  }

  /// The number of letters to insert, delete or replace; nil if it exceeds `limit`.
  package static func distance(_ a: String, _ b: String, limit: Int) -> Int? {
    let a = Array(a.utf8)
    let b = Array(b.utf8)
    guard a.count <= maximumByteCount, b.count <= maximumByteCount, abs(a.count - b.count) <= limit else { return nil }
    var row = Array(0...b.count)
    for (index, letter) in a.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in b.indices {
        let changed = diagonal + (letter == b[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(changed, row[column] + 1, diagonal + 1)
      }
    }
    return row[b.count] <= limit ? row[b.count] : nil
  }
}
