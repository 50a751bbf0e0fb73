import ATSEvaluation
import ByteParsing
import SessionRecords

/// The tool and its rules, as a SARIF run begins.
struct SARIFDriver {
  let version: String
  let policyVersion: String
  /// The command that the results are of.
  let command: String

  /// What results may be about besides the rules.
  struct Subject {
    let id: String
    let title: String
  }

  /// Such subjects; their places follow those of the rules.
  var subjects: [Subject] = []

  /// The place of a rule or a subject.
  func index(of id: String) -> Int? {
    if let index = SARIFDriver.ruleIndices[id] { return index }
    return subjects.firstIndex { $0.id == id }.map { RuleCatalogue.all.count + $0 }
  }

  static let ruleIndices = Dictionary(
    RuleCatalogue.all.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { first, _ in first }
  )

  func write(to bytes: inout Bytes) {
    bytes.appendRaw("{\"driver\":{\"name\":\"atscope\",\"semanticVersion\":")
    bytes.appendJSONString(version)
    bytes.appendRaw(",\"version\":")
    bytes.appendJSONString("\(version) (policy \(policyVersion))")
    bytes.appendRaw(",\"informationUri\":\"\(SARIFClassification.documentation)\"")
    bytes.appendRaw(
      ",\"shortDescription\":{\"text\":\"Judges recorded TLS sessions against App Transport Security.\"},\"rules\":["
    )
    for rule in RuleCatalogue.all {
      bytes.appendJSONComma()
      bytes.append(0x0A)
      SARIFDriver.write(rule, to: &bytes)
    }
    for subject in subjects {
      bytes.appendRaw(",\n{\"id\":")
      bytes.appendJSONString(subject.id)
      bytes.appendRaw(",\"shortDescription\":")
      bytes.appendSARIFMessage(subject.title)
      bytes.append(0x7D)
    }
    bytes.appendRaw("\n]}}")
    bytes.appendSARIFAutomation(command)
  }

  private static func write(_ rule: RuleDescription, to bytes: inout Bytes) {
    bytes.appendRaw("{\"id\":")
    bytes.appendJSONString(rule.id)
    bytes.appendRaw(",\"shortDescription\":")
    bytes.appendSARIFMessage(rule.title)
    bytes.appendRaw(",\"fullDescription\":")
    bytes.appendSARIFMessage(rule.demand)
    bytes.appendRaw(",\"help\":{\"text\":")
    bytes.appendJSONString(help(rule, isMarkdown: false))
    bytes.appendRaw(",\"markdown\":")
    bytes.appendJSONString(help(rule, isMarkdown: true))
    bytes.appendRaw("},\"helpUri\":\"\(SARIFClassification.documentation)\"")
    bytes.appendRaw(",\"defaultConfiguration\":{\"level\":")
    bytes.appendJSONString(rule.isAdvisory ? "note" : "error")
    bytes.appendRaw("},\"properties\":{\"policySection\":")
    bytes.appendJSONString(rule.section)
    bytes.appendRaw(",\"weight\":")
    bytes.appendJSON(rule.weight)
    bytes.append(0x2C)
    bytes.appendSARIFProperties(SARIFClassification(rule: rule.id), tag: rule.isAdvisory ? "advice" : "ats")
    bytes.appendRaw("}}")
  }

  private static func help(_ rule: RuleDescription, isMarkdown: Bool) -> String {
    func label(_ text: String) -> String { isMarkdown ? "**\(text)**" : text }
    func plain(_ text: String) -> String { isMarkdown ? MarkdownWriter.markup(text) : text }
    var lines = [
      plain(rule.demand), "\(label("Why:")) \(plain(rule.reason))",
      "\(label("Put right by:")) \(plain(rule.fix))", "\(label("Since:")) \(plain(rule.since))",
    ]
    if !rule.relaxedBy.isEmpty {
      lines.append("\(label("Relaxed by:")) \(plain(rule.relaxedBy.joined(separator: ", ")))")
    }
    lines.append("\(label("Sources:")) \(plain(rule.sources.joined(separator: "; ")))")
    return lines.joined(separator: "\n\n")
  }
}
