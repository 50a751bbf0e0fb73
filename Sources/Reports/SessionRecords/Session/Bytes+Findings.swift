import ATSEvaluation
import ByteParsing
import Values

extension Finding {
  /// Whether records show the finding itself; of the others they list the rule's identifier.
  var isListed: Bool { self.outcome != .pass && self.outcome != .notApplicable }
}

extension ContiguousArray where Element == UInt8 {
  /// Appends a finding without frames.
  mutating func appendJSON(_ finding: Finding) {
    appendUntilFrames(finding)
    appendFromFrames(finding)
  }

  /// Appends `rules`, `passed` and `notApplicable`, beginning with a comma, and returns where the frames of each listed rule belong.
  mutating func appendRules(_ findings: [Finding]) -> [RenderedJudgement.Piece] {
    var pieces: [RenderedJudgement.Piece] = []
    appendRaw(",\"rules\":[")
    for finding in findings where finding.isListed {
      appendJSONComma()
      appendUntilFrames(finding)
      pieces.append(RenderedJudgement.Piece(end: count, parts: FrameTexts.Parts(finding.parts)))
      appendFromFrames(finding)
    }
    append(0x5D)
    appendIdentifiers("passed", of: findings, .pass)
    appendIdentifiers("notApplicable", of: findings, .notApplicable)
    return pieces
  }

  private mutating func appendIdentifiers(_ key: String, of findings: [Finding], _ outcome: Outcome) {
    appendJSONKey(key)
    append(0x5B)
    for finding in findings where finding.outcome == outcome {
      appendJSONComma()
      appendJSONString(finding.id)
    }
    append(0x5D)
  }

  private mutating func appendUntilFrames(_ finding: Finding) {
    appendRaw("{\"id\":")
    appendJSONString(finding.id)
    appendRaw(",\"outcome\":\"")
    appendRaw(finding.outcome.rawValue)
    appendRaw(finding.required ? "\",\"required\":true" : "\",\"required\":false")
    appendText("observed", finding.observed)
    appendText("expected", finding.expected)
  }

  private mutating func appendFromFrames(_ finding: Finding) {
    if let certificate = finding.certificate {
      appendJSONKey("certificate")
      appendJSON(certificate)
    }
    if let key = finding.relaxedBy {
      appendRaw(",\"relaxedBy\":{\"key\":")
      appendJSONText(key.key)
      appendRaw(",\"entry\":")
      appendJSONText(key.entry)
      append(0x7D)
    }
    if let missing = finding.missing {
      appendJSONKey("missing")
      appendJSONString(missing.rawValue)
    }
    appendTexts("settledBy", finding.settledBy)
    appendTexts("notes", finding.notes)
    appendText("fix", finding.fix)
    append(0x7D)
  }

  private mutating func appendText(_ key: String, _ text: String?) {
    guard let text else { return }
    appendJSONKey(key)
    appendJSONText(text)
  }

  private mutating func appendTexts(_ key: String, _ texts: [String]) {
    guard !texts.isEmpty else { return }
    appendJSONKey(key)
    appendJSONTexts(texts)
  }
}
