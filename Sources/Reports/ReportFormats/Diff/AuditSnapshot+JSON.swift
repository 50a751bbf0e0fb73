package import ByteParsing
package import JSONReading
package import SessionRecords

// A saved baseline: the outcome of an audit by host, without the sessions. It is small enough for code review, and it
// contains the outcome under the policy of its date, so that a comparison shows a policy that was relaxed later.
extension AuditSnapshot {
  private static let schema = "atscope.baseline/1"

  /// Whether a text is a baseline, by its schema; nil if it ends before that.
  package static func isBaseline(_ text: Span<UInt8>) -> Bool? {
    var reader = JSONReader(text, line: 1)
    var found: Bool?
    do throws(JSONError) {
      try reader.readObject { (key, reader) throws(JSONError) in
        switch key {
        case "schema": found = try reader.readString() == schema
        // Other programs sort the keys.
        case "hosts", "run": return try reader.skipValue()
        default: break
        }
        throw reader.error(.notARecord)
      }
      return false
    } catch {
      return found ?? (error.reason == .truncated ? nil : false)
    }
  }

  /// Returns the snapshot as an object of the schema `atscope.baseline/1`, with each host on a line.
  package func json(_ run: RunRecord) -> Bytes {
    Bytes.jsonDocument { json in
      json.string("schema", AuditSnapshot.schema)
      json.object("run", run)
      let hosts = order.lazy.compactMap { key in entries[key].map { (key, $0) } }
      json.objects("hosts", hosts, onLines: true) { json, host in
        AuditSnapshot.write(host.0, host.1, to: &json)
      }
    }
  }

  private static func write(_ key: Key, _ entry: Entry, to json: inout JSONObject) {
    json.text("host", key.host)
    json.number("port", key.port)
    json.text("process", key.process)
    json.object("verdicts", entry.verdicts)
    json.object("rules") { json in
      for (id, state) in entry.rules.sorted(by: { $0.key < $1.key }) { json.string(id, state.rawValue) }
    }
    for fact in Fact.allCases { json.texts(fact.rawValue, entry[fact].sorted) }
  }

  /// Reads the output of ``json(_:)``.
  package init(reading bytes: Span<UInt8>) throws(JSONError) {
    self.init(keepsNotes: false)
    var reader = JSONReader(bytes, line: 1)
    try reader.readMembers(["hosts"]) { (key, reader) throws(JSONError) in
      switch key {
      case "run": run = try RunRecord(reading: &reader)
      case "hosts": try reader.readArray(limit: maximumHosts) { (reader) throws(JSONError) in try readHost(&reader) }
      default: try reader.skipValue()
      }
    }
    guard reader.readEnd() else { throw reader.error(.unexpectedByte(try reader.peek()), in: "") }
  }

  private mutating func readHost(_ reader: inout JSONReader) throws(JSONError) {
    var entry = Entry()
    var key = Key(host: "", port: 0, process: nil)
    try reader.readMembers(AuditSnapshot.hostMembers) { (field, reader) throws(JSONError) in
      switch field {
      case "host": key.host = try reader.readText()
      case "port": key.port = UInt16(truncatingIfNeeded: try reader.readInteger(upTo: 0xFFFF))
      case "process": key.process = try reader.readOptionalText()
      case "verdicts": entry.verdicts = try AuditSnapshot.verdicts(&reader)
      case "rules":
        try reader.readObject { (id, reader) throws(JSONError) in
          guard let state = RuleState(rawValue: try reader.readString()) else { throw reader.error(.unknownValue) }
          entry.rules[id] = state
        }
      default:
        guard let fact = Fact(rawValue: field) else { return try reader.skipValue() }
        for text in try reader.readTexts() { entry[fact].insert(text) }
      }
    }
    insert(key, entry)
  }

  private static let hostMembers = ["host", "port", "process", "verdicts", "rules"] + Fact.allCases.map(\.rawValue)

  private static func verdicts(_ reader: inout JSONReader) throws(JSONError) -> VerdictCounts {
    var counts = VerdictCounts()
    let members = VerdictCounts.members
    try reader.readMembers(members.map(\.name)) { (key, reader) throws(JSONError) in
      let count = Int(try reader.readInteger(upTo: UInt64(Int32.max)))
      if let member = members.first(where: { $0.name == key }) { counts[keyPath: member.count] = count }
    }
    return counts
  }
}

extension JSONReader {
  /// Reads an object, which must have these members.
  fileprivate mutating func readMembers(
    _ required: [String], _ read: (String, inout JSONReader) throws(JSONError) -> Void
  ) throws(JSONError) {
    var missing = Set(required)
    try readObject { (key, reader) throws(JSONError) in
      missing.remove(key)
      try read(key, &reader)
    }
    if let member = required.first(where: missing.contains) { throw error(.missingField, in: member) }
  }
}
