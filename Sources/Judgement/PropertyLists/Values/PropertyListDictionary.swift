/// A dictionary of a property list, in the order of the file.
///
/// Keys are compared byte by byte, because `String` equality also equates canonically equivalent characters.
package struct PropertyListDictionary: Sendable {
  package struct Entry: Sendable {
    package var key: String
    package var value: PropertyListValue
    /// The line of the key, from 1; nil in the binary format.
    package var keyLine: Int?
  }

  /// Whether the last of several entries with the same key counts, as CoreFoundation reads XML. In the binary format it reads the first.
  package let lastCounts: Bool

  /// The entries that count, with distinct keys.
  package private(set) var entries: [Entry] = []

  /// The entries that do not count, because their key is repeated.
  package private(set) var repeated: [Entry] = []

  /// The number of entries whose key is not a string; they are left out, and only the binary format can contain them.
  package internal(set) var nonTextKeyCount = 0

  private var index: [ExactText: Int] = [:]

  package init(lastCounts: Bool = false) { self.lastCounts = lastCounts }

  /// Creates a dictionary of entries in their order.
  package init(_ entries: [(key: String, value: PropertyListValue)]) {
    lastCounts = false
    for (key, value) in entries { append(key, value) }
  }

  /// Appends an entry. If its key already exists, the one of the two that does not count is moved to ``repeated``.
  package mutating func append(_ key: String, _ value: PropertyListValue, keyLine: Int? = nil) {
    let entry = Entry(key: key, value: value, keyLine: keyLine)
    if let known = index[ExactText(text: key)] {
      repeated.append(lastCounts ? entries[known] : entry)
      if lastCounts { entries[known] = entry }
    } else {
      index[ExactText(text: key)] = entries.count
      entries.append(entry)
    }
  }

  package func entry(_ key: String) -> Entry? {
    index[ExactText(text: key)].map { entries[$0] }
  }

  package subscript(key: String) -> PropertyListValue? { entry(key)?.value }
}

extension PropertyListDictionary: Hashable {
  /// Whether keys and values are the same, in the same order; lines are ignored.
  package static func == (a: PropertyListDictionary, b: PropertyListDictionary) -> Bool {
    func same(_ a: [Entry], _ b: [Entry]) -> Bool {
      a.count == b.count
        && zip(a, b).allSatisfy { $0.key.utf8.elementsEqual($1.key.utf8) && $0.value == $1.value }
    }
    return same(a.entries, b.entries) && same(a.repeated, b.repeated) && a.nonTextKeyCount == b.nonTextKeyCount
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(entries.map(\.key)) }
}

/// A string that is compared byte by byte.
private struct ExactText: Hashable, Sendable {
  var text: String

  static func == (a: ExactText, b: ExactText) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  // Equal bytes imply equal hashes of `String` too.
  func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
