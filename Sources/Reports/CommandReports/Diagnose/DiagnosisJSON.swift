package import ByteParsing
package import ExceptionPlanning
import InfoPlistReading
package import PolicyResolution
package import SessionRecords

/// The matrices of hosts as an object of the schema `atscope.diagnosis/1`.
package enum DiagnosisJSON {
  /// Returns the object, with each host on a line and a line feed at the end.
  package static func rendered(_ hosts: [HostDiagnosis], release: SystemRelease, context: LoadContext, run: RunRecord) -> Bytes {
    Bytes.jsonDocument { json in
      json.string("schema", "atscope.diagnosis/1")
      json.string("os", release.name)
      json.string("context", context.rawValue)
      json.object("run", run)
      json.objects("hosts", hosts, onLines: true)
    }
  }
}

extension HostDiagnosis: JSONRecord {
  package func writeMembers(to json: inout JSONObject) {
    json.text("host", host.text)
    json.number("port", port)
    json.string("scheme", scheme)
    json.number("sessions", sessions)
    json.number("otherSessions", otherSessions)
    json.number("leftOut", leftOut)
    json.number("narrowestRow", narrowestRow)
    json.array("rows") { json in
      for row in rows {
        json.newLine(indent: 1)
        json.object { HostDiagnosis.write(row, key: key, to: &$0) }
      }
    }
  }

  private static func write(_ row: Row, key: String?, to json: inout JSONObject) {
    json.number("row", row.configuration.row)
    json.string("group", row.configuration.group)
    json.string("configuration", row.configuration.title)
    json.boolean("ours", row.configuration.isOurs)
    json.settings("settings", row.configuration.dictionary(forKey: key).propertyList)
    json.string("result", row.result.rawValue)
    json.number("passing", row.passing)
    json.number("failing", row.failing)
    json.number("undecided", row.undecided)
    json.boolean("causeIsATS", row.failing > 0 ? !row.isCauseElsewhere : nil)
    json.objects("errors", row.errors)
    json.objects("reasons", row.reasons) { json, reason in
      json.texts("rules", reason.rules)
      json.text("text", reason.text)
      json.boolean("failure", reason.isFailure)
      json.number("sessions", reason.sessions)
      json.packet("first", file: reason.file, frame: reason.frame)
    }
  }
}
