/// A dictionary of a property list, in the order of the file.
///
/// Keys are compared byte for byte: `String`'s own equality takes some characters for others.
package struct PropertyListDictionary: Sendable {
  package struct Entry: Sendable {
    package var key: String
    package var value: PropertyListValue
    /// The line of the key, from 1; nil in the binary format.
    package var keyLine: Int?
    /// The line where the value begins, from 1; nil in the binary format.
    package var valueLine: Int?
  }

  /// Whether of entries with the same key the last one counts, as CoreFoundation reads XML; of the binary format it takes the first.
  package let lastCounts: Bool

  /// The entries that count; no two keys are the same.
  package private(set) var entries: [Entry] = []

  /// The entries that do not count, because their key is there twice.
  package private(set) var repeated: [Entry] = []

  /// Entries whose key is not a text, which only the binary format can have; they are left out.
  package internal(set) var nonTextKeyCount = 0

  private var index: [ExactText: Int] = [:]

  package init(lastCounts: Bool = false) { self.lastCounts = lastCounts }

  /// Creates a dictionary of the given entries, in their order.
  package init(_ entries: [(key: String, value: PropertyListValue)]) {
    lastCounts = false
    for (key, value) in entries { append(key, value) }
  }

  /// Adds an entry at the end; if its key is there already, the one of the two that does not count goes to
  /// ``repeated``.
  package mutating func append(
    _ key: String, _ value: PropertyListValue, keyLine: Int? = nil, valueLine: Int? = nil
  ) {
    let entry = Entry(key: key, value: value, keyLine: keyLine, valueLine: valueLine)
    if let known = index[ExactText(key)] {
      repeated.append(lastCounts ? entries[known] : entry)
      if lastCounts { entries[known] = entry }
    } else {
      index[ExactText(key)] = entries.count
      entries.append(entry)
    }
  }

  package func entry(_ key: String) -> Entry? {
    index[ExactText(key)].map { entries[$0] }
  }

  package subscript(key: String) -> PropertyListValue? { entry(key)?.value }
}

extension PropertyListDictionary: Hashable {
  /// Whether keys and values are the same, in the same order; lines do not matter.
  package static func == (a: PropertyListDictionary, b: PropertyListDictionary) -> Bool {
    func same(_ a: [Entry], _ b: [Entry]) -> Bool {
      a.count == b.count
        && zip(a, b).allSatisfy { ExactText($0.key) == ExactText($1.key) && $0.value == $1.value }
    }
    return same(a.entries, b.entries) && same(a.repeated, b.repeated)
      && a.nonTextKeyCount == b.nonTextKeyCount
  }

  /// Hashes what `==` compares.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(entries.count)
    for entry in entries {
      hasher.combine(entry.key)
      hasher.combine(entry.value)
    }
  }
}

/// A text that equals another only byte for byte.
private struct ExactText: Hashable, Sendable {
  var text: String

  init(_ text: String) {
    self.text = text
  }

  static func == (a: ExactText, b: ExactText) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  // Texts of the same bytes have the same hash in String's own sense too.
  func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
