import ByteParsing

/// What has been made before, by what it was made from: texts of objects that sessions share, or shared objects.
///
/// Two generations: when the younger is full it becomes the older, and what is asked for again moves to the younger.
/// So it keeps what is in use, and its size stays below twice the limit. Where the key is an identity, the entry must
/// hold the object, so that no other can take that identity meanwhile.
struct GenerationCache<Key: Hashable, Entry> {
  /// How many bytes a generation may hold.
  private let byteLimit: Int

  /// How many entries a generation may hold.
  private let countLimit: Int

  private var younger: [Key: Entry] = [:]
  private var older: [Key: Entry] = [:]
  private var byteCount = 0

  init(byteLimit: Int, countLimit: Int = 1024) {
    self.byteLimit = byteLimit
    self.countLimit = countLimit
  }

  /// The entry of a key, made by `render` where it is not there; `size` tells how many bytes an entry holds.
  @inline(__always)
  mutating func entry(_ key: Key, size: (Entry) -> Int, render: () -> Entry) -> Entry {
    if let entry = younger[key] { return entry }
    let entry = older.removeValue(forKey: key) ?? render()
    let added = size(entry)
    // One giant among ordinary entries would throw all of them out.
    if added > byteLimit / 4 { return entry }
    if byteCount + added > byteLimit || younger.count >= countLimit {
      older = younger
      younger = [:]
      byteCount = 0
    }
    younger[key] = entry
    byteCount += added
    return entry
  }
}
