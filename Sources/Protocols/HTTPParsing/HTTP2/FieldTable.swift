import ByteParsing

/// The static and the dynamic table of HPACK (RFC 7541 §2.3).
struct FieldTable {
  struct Entry: Hashable {
    var name: Bytes
    var value: Bytes

    /// The size of the entry, as HPACK counts it (RFC 7541 §4.1).
    var size: Int { name.count + value.count + 32 }
  }

  /// The maximum size of the dynamic table. HTTP/2's default is 4096; a peer has to request more.
  static let maximumSize = 65_536

  /// The size of the dynamic table, as HPACK counts it.
  private(set) var size = 0

  private var capacity = 4096

  /// The dynamic entries, oldest first; those before `first` are evicted.
  private var entries: [Entry] = []
  private var first = 0

  /// The number of dynamic entries.
  var dynamicCount: Int { entries.count - first }

  /// The entry with an index as in RFC 7541 §2.3.3; nil if there is none.
  subscript(index: Int) -> Entry? {
    guard index > 0 else { return nil }
    if index <= FieldTable.fixed.count { return FieldTable.fixed[index - 1] }
    let age = index - FieldTable.fixed.count
    return age <= dynamicCount ? entries[entries.count - age] : nil
  }

  /// Changes the capacity of the dynamic table (RFC 7541 §6.3).
  mutating func resize(to capacity: Int) {
    self.capacity = capacity
    evict(until: capacity)
  }

  /// Adds an entry as the newest; one that is larger than the table empties it (RFC 7541 §4.4).
  mutating func insert(_ entry: Entry) {
    evict(until: capacity - entry.size)
    guard entry.size <= capacity else { return }
    entries.append(entry)
    size += entry.size
  }

  private mutating func evict(until limit: Int) {
    while size > max(0, limit), first < entries.count {
      size -= entries[first].size
      entries[first] = Entry(name: [], value: [])
      first += 1
    }
    guard first > 64, first * 2 > entries.count else { return }
    entries.removeFirst(first)
    first = 0
  }

  /// The static table (RFC 7541 appendix A).
  private static let fixed: [Entry] = texts.map { Entry(name: Bytes($0.utf8), value: Bytes($1.utf8)) }

  private static let texts: [(String, String)] = [
    (":authority", ""),
    (":method", "GET"),
    (":method", "POST"),
    (":path", "/"),
    (":path", "/index.html"),
    (":scheme", "http"),
    (":scheme", "https"),
    (":status", "200"),
    (":status", "204"),
    (":status", "206"),
    (":status", "304"),
    (":status", "400"),
    (":status", "404"),
    (":status", "500"),
    ("accept-charset", ""),
    ("accept-encoding", "gzip, deflate"),
    ("accept-language", ""),
    ("accept-ranges", ""),
    ("accept", ""),
    ("access-control-allow-origin", ""),
    ("age", ""),
    ("allow", ""),
    ("authorization", ""),
    ("cache-control", ""),
    ("content-disposition", ""),
    ("content-encoding", ""),
    ("content-language", ""),
    ("content-length", ""),
    ("content-location", ""),
    ("content-range", ""),
    ("content-type", ""),
    ("cookie", ""),
    ("date", ""),
    ("etag", ""),
    ("expect", ""),
    ("expires", ""),
    ("from", ""),
    ("host", ""),
    ("if-match", ""),
    ("if-modified-since", ""),
    ("if-none-match", ""),
    ("if-range", ""),
    ("if-unmodified-since", ""),
    ("last-modified", ""),
    ("link", ""),
    ("location", ""),
    ("max-forwards", ""),
    ("proxy-authenticate", ""),
    ("proxy-authorization", ""),
    ("range", ""),
    ("referer", ""),
    ("refresh", ""),
    ("retry-after", ""),
    ("server", ""),
    ("set-cookie", ""),
    ("strict-transport-security", ""),
    ("transfer-encoding", ""),
    ("user-agent", ""),
    ("vary", ""),
    ("via", ""),
    ("www-authenticate", ""),
  ]
}
