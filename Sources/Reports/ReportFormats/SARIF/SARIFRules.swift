import ATSRules
import SessionRecords

/// The rules of a log, and the other subjects of its results.
struct SARIFRules {
  /// A subject of results that is not a rule.
  struct Subject {
    let id: String
    let title: String
  }

  /// The other subjects; their indices follow those of the rules.
  var subjects: [Subject] = []

  /// Returns the index of a rule or of another subject.
  func index(of id: String) -> Int? {
    let index = RuleCatalogue.index(of: id)
    if index < RuleCatalogue.all.count { return index }
    return subjects.firstIndex { $0.id == id }.map { index + $0 }
  }

  func write(to json: inout JSONArray) {
    json.objects(RuleCatalogue.all, onLines: true) { SARIFRules.write($1, to: &$0) }
    json.objects(subjects, onLines: true) { json, subject in
      json.string("id", subject.id)
      json.message("shortDescription", subject.title)
    }
  }

  private static func write(_ rule: RuleDescription, to json: inout JSONObject) {
    json.string("id", rule.id)
    json.message("shortDescription", rule.title)
    json.message("fullDescription", rule.demand)
    json.object("help") { json in
      json.string("text", help(rule, isMarkdown: false))
      json.string("markdown", help(rule, isMarkdown: true))
    }
    json.string("helpUri", SARIFClassification.documentation)
    json.object("defaultConfiguration") { $0.string("level", rule.isAdvisory ? "note" : "error") }
    json.object("properties") { json in
      json.string("policySection", rule.section)
      json.number("weight", rule.weight)
      json.properties(of: SARIFClassification(rule), tag: rule.isAdvisory ? "advice" : "ats")
    }
  }

  private static func help(_ rule: RuleDescription, isMarkdown: Bool) -> String {
    func label(_ text: String) -> String { isMarkdown ? "**\(text)**" : text }
    func markup(_ text: String) -> String { isMarkdown ? MarkdownWriter.markup(text) : text }
    var lines = [
      markup(rule.demand), "\(label("Why:")) \(markup(rule.reason))",
      "\(label("Fix:")) \(markup(rule.fix.sentence))", "\(label("Since:")) \(markup(rule.since))",
    ]
    if !rule.relaxedBy.isEmpty {
      lines.append("\(label("Relaxed by:")) \(markup(rule.relaxedBy.joined(separator: ", ")))")
    }
    lines.append("\(label("Sources:")) \(markup(rule.sources.joined(separator: "; ")))")
    return lines.joined(separator: "\n\n")
  }
}
