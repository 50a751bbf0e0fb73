package import ByteParsing
import SessionRecords

/// The comparison as an object of the schema `atscope.diff/1`.
extension DiffReports {
  /// Returns the object and a line feed; on one line for NDJSON.
  package func json(onOneLine: Bool = false) -> Bytes {
    let document = Bytes.jsonDocument { json in
      json.string("schema", "atscope.diff/1")
      json.object("baseline", runs.baseline)
      json.newLine()
      json.object("current", runs.current)
      json.newLine()
      json.string("today", runs.today)
      json.boolean("isEmpty", diff.isEmpty && runs.areCompared)
      json.line("regressions", diff.open(.regression))
      json.line("noLongerVisible", diff.open(.noLongerVisible))
      json.line("improvements", diff.open(.improvement))
      json.line("moved", diff.open(.moved))
      json.line("accepted", diff.accepted)
      json.newLine()
      json.objects("lastingFailures", diff.lastingFailures) { json, failure in
        json.string("host", failure.host)
        json.texts("rules", failure.rules)
        if !failure.expired.isEmpty { json.strings("expired", failure.expired) }
      }
      json.line("newHosts", diff.newHosts)
      json.line("vanishedHosts", diff.vanishedHosts)
      json.number("commonHosts", diff.commonHosts)
      let faults = runs.faults.map { "\($0.kind): \($0.text)" }
      if !faults.isEmpty { json.strings("faults", faults) }
      if !runs.remarks.isEmpty { json.strings("notes", runs.remarks) }
    }
    return onOneLine ? document.onOneLine() : document
  }
}

extension JSONObject {
  /// Writes changes on a separate line; their texts are escaped for display already.
  fileprivate mutating func line(_ key: String, _ changes: [AuditDiff.Change]) {
    newLine()
    objects(key, changes) { json, change in
      json.string("kind", change.kind.rawValue)
      json.string("host", change.host)
      json.string("subject", change.subject.description)
      json.string("before", change.before)
      json.string("after", change.after)
      json.string("details", change.details)
      if let accepted = change.accepted { json.string("accepted", accepted) }
    }
  }

  fileprivate mutating func line(_ key: String, _ hosts: [(host: String, verdicts: VerdictCounts)]) {
    newLine()
    objects(key, hosts) { json, item in
      json.string("host", item.host)
      json.string("verdict", item.verdicts.word)
    }
  }
}
