import ATSEvaluation
import ATSRules
package import ByteParsing
import InfoPlistReading
package import SessionRecords

/// The documentation of rules, errors and settings as an object of the schema `atscope.explain/1`.
package enum ExplainJSON {
  /// Returns the result of a query with a line feed at the end; all documentation for nil.
  package static func rendered(_ explained: Explained?) -> Bytes {
    Bytes.jsonDocument { json in
      json.string("schema", "atscope.explain/1")
      json.string("policyVersion", RuleCatalogue.policyVersion)
      json.objects("verdicts", explained?.verdicts ?? Verdict.allCases, onLines: true) { json, verdict in
        json.string("verdict", verdict.rawValue)
        json.string("meaning", verdict.meaning)
      }
      json.objects("rules", explained?.rules ?? RuleCatalogue.all, onLines: true)
      json.objects("findings", explained?.findings ?? LintRule.allCases, onLines: true)
      json.objects("settings", explained?.settings ?? SettingDescription.all, onLines: true)
      json.objects("errors", explained?.errors ?? ReportedError.all, onLines: true) { json, error in
        error.writeMembers(to: &json)
        json.texts("rules", error.rules)
      }
      let terms = explained.map { $0.term.map { [$0] } ?? [] } ?? Term.all + Term.alerts
      if !terms.isEmpty {
        json.objects("terms", terms, onLines: true) { json, term in
          json.string("term", term.name)
          json.string("meaning", term.meaning)
        }
      }
      if explained?.isAboutScore != false { writeScore(to: &json) }
      if explained == nil { writeAssumptions(to: &json) }
    }
  }

  private static func writeScore(to json: inout JSONObject) {
    json.objects("grades", ScoreTable.grades) { json, grade in
      json.string("grade", grade.grade)
      json.number("leastScore", grade.minimumScore)
    }
    json.number("greatestFailingScore", ScoreTable.greatestFailingScore)
  }

  private static func writeAssumptions(to json: inout JSONObject) {
    json.objects("assumptions", PolicyAssumption.all, onLines: true) { json, assumption in
      json.number("number", assumption.number)
      json.string("question", assumption.question)
      json.string("choice", assumption.choice)
      json.string("certainty", assumption.certainty)
    }
  }
}

extension RuleDescription: JSONRecord {
  package func writeMembers(to json: inout JSONObject) {
    json.string("id", id)
    json.string("title", title)
    json.string("section", section)
    json.boolean("advisory", isAdvisory)
    json.number("weight", weight)
    json.string("demand", self.demand)
    json.string("reason", self.reason)
    json.string("fix", self.fix.sentence)
    json.string("since", self.since)
    json.texts("relaxedBy", self.relaxedBy)
    json.objects("errors", errors)
    json.texts("sources", sources)
  }
}

extension LintRule: JSONRecord {
  /// Writes the documentation of a finding in an Info.plist.
  package func writeMembers(to json: inout JSONObject) {
    json.string("id", rawValue)
    json.string("severity", severity.rawValue)
    json.string("meaning", meaning)
    json.string("fix", fix)
    json.texts("sources", sources)
  }
}

extension SettingDescription: JSONRecord {
  package func writeMembers(to json: inout JSONObject) {
    json.string("key", key)
    json.string("parent", parent)
    json.string("value", value)
    json.string("since", since)
    json.string("meaning", meaning)
    json.texts("rules", relaxed.map(\.rule))
  }
}

extension ReportedError: JSONRecord {
  package func writeMembers(to json: inout JSONObject) {
    json.string("domain", domain)
    json.number("code", code)
    json.string("name", name)
    json.string("meaning", meaning)
  }
}
