package import ATSRules
package import SessionModel
import Values

extension Finding: JSONRecord {
  /// Writes a finding without frames.
  package func writeMembers(to json: inout JSONObject) {
    writeUntilFrames(to: &json)
    writeFromFrames(to: &json)
  }

  /// Whether records contain the whole finding; for the others they contain the rule's identifier.
  var isListed: Bool { outcome != .pass && outcome != .notApplicable }

  func writeUntilFrames(to json: inout JSONObject) {
    json.string("id", id)
    json.string("outcome", outcome.rawValue)
    json.boolean("required", isRequired)
    if let observed { json.text("observed", observed) }
    if let expected { json.text("expected", expected) }
  }

  func writeFromFrames(to json: inout JSONObject) {
    if let certificateIndex { json.number("certificate", certificateIndex) }
    if let decidingKey {
      json.object("relaxedBy") { json in
        json.text("key", decidingKey.key)
        json.text("entry", decidingKey.entry)
      }
    }
    if let missing { json.string("missing", missing.rawValue) }
    if !settledBy.isEmpty { json.texts("settledBy", settledBy.map(\.text)) }
    if !notes.isEmpty { json.texts("notes", notes) }
    if let fix { json.text("fix", fix.text) }
  }
}

extension Evidence {
  /// The frames of the parts in ascending order, each once.
  package func frames(of parts: [Part]) -> FrameList {
    var frames = FrameList()
    for part in Part.allCases where parts.contains(part) {
      for frame in self.frames[part].numbers { frames.insert(frame) }
    }
    return frames
  }
}
