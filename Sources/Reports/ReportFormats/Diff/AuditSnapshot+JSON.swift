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
    json.texts("versions", entry.versions.sorted)
    json.texts("cipherSuites", entry.cipherSuites.sorted)
    json.texts("groups", entry.groups.sorted)
    json.texts("chains", entry.chains.sorted)
    json.texts("pins", entry.pins.sorted)
    json.texts("issuers", entry.issuers.sorted)
    json.texts("trust", entry.trust.sorted)
    json.texts("outcomes", entry.outcomes.sorted)
  }

  /// Reads the output of ``json(_:)``.
  package init(reading bytes: Span<UInt8>) throws(JSONError) {
    self.init(keepsNotes: false)
    var reader = JSONReader(bytes, line: 1)
    try reader.readMembers(["hosts"]) { (key, reader) throws(JSONError) in
      switch key {
      case "run": run = try RunRecord(reading: &reader)
      case "hosts": try reader.readArray { (reader) throws(JSONError) in try readHost(&reader) }
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
      case "host": key.host = try AuditSnapshot.text(&reader)
      case "port": key.port = UInt16(truncatingIfNeeded: try reader.readInteger(upTo: 0xFFFF))
      case "process": if try !reader.readNull() { key.process = try AuditSnapshot.text(&reader) }
      case "verdicts": entry.verdicts = try AuditSnapshot.verdicts(&reader)
      case "rules":
        try reader.readObject { (id, reader) throws(JSONError) in
          guard let state = RuleState(rawValue: try reader.readString()) else {
            throw reader.error(.unknownValue)
          }
          entry.rules[id] = state
        }
      case "versions": entry.versions = try AuditSnapshot.values(&reader)
      case "cipherSuites": entry.cipherSuites = try AuditSnapshot.values(&reader)
      case "groups": entry.groups = try AuditSnapshot.values(&reader)
      case "chains": entry.chains = try AuditSnapshot.values(&reader)
      case "pins": entry.pins = try AuditSnapshot.values(&reader)
      case "issuers": entry.issuers = try AuditSnapshot.values(&reader)
      case "trust": entry.trust = try AuditSnapshot.values(&reader)
      case "outcomes": entry.outcomes = try AuditSnapshot.values(&reader)
      default: try reader.skipValue()
      }
    }
    insert(key, entry)
  }

  private static let hostMembers = [
    "host", "port", "process", "verdicts", "rules", "versions", "cipherSuites", "groups", "chains", "pins", "issuers",
    "trust", "outcomes",
  ]

  private static func text(_ reader: inout JSONReader) throws(JSONError) -> String {
    guard let text = DisplayText.unescaped(try reader.readString()) else { throw reader.error(.invalidText) }
    return text
  }

  private static func values(_ reader: inout JSONReader) throws(JSONError) -> Values {
    var values = Values()
    try reader.readArray { (reader) throws(JSONError) in values.insert(try text(&reader)) }
    return values
  }

  private static func verdicts(_ reader: inout JSONReader) throws(JSONError) -> VerdictCounts {
    var counts = VerdictCounts()
    try reader.readMembers(["fail", "unknown", "exempt", "pass", "relaxed"]) { (key, reader) throws(JSONError) in
      let count = Int(try reader.readInteger(upTo: UInt64(Int32.max)))
      switch key {
      case "fail": counts.fail = count
      case "unknown": counts.unknown = count
      case "exempt": counts.exempt = count
      case "pass": counts.pass = count
      case "relaxed": counts.relaxed = count
      default: break
      }
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
