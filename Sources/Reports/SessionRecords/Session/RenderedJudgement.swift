package import ATSEvaluation
import ATSRules
import ByteParsing
import SessionModel
import TrustEvaluation

/// The rendered `ats` object of a judgement, with gaps for the frames of rules, which differ by session.
final class RenderedJudgement {
  /// A listed finding and the parts whose frames go between its members.
  struct Rule {
    let parts: [Evidence.Part]
    let beforeFrames: Bytes
    let afterFrames: Bytes
  }

  /// Retained so that its identity is not reused.
  private let judgement: Shared<Judgement>

  /// The members before `rules`.
  let head: Bytes

  let rules: [Rule]

  /// The members after `rules`.
  let tail: Bytes

  var byteCount: Int {
    rules.reduce(head.count + tail.count) { $0 + $1.beforeFrames.count + $1.afterFrames.count }
  }

  init(_ judgement: Shared<Judgement>) {
    self.judgement = judgement
    head = JSONObject.members { RenderedJudgement.writeHead(judgement.value, to: &$0) }
    rules = judgement.findings.filter(\.isListed).map { finding in
      Rule(
        parts: finding.parts, beforeFrames: JSONObject.members { finding.writeUntilFrames(to: &$0) },
        afterFrames: JSONObject.members { finding.writeFromFrames(to: &$0) })
    }
    tail = JSONObject.members { RenderedJudgement.writeTail(judgement.value, to: &$0) }
  }

  private static func writeHead(_ judgement: Judgement, to json: inout JSONObject) {
    json.string("verdict", judgement.verdict.rawValue)
    if let exemption = judgement.exemption { json.text("exemption", exemption) }
    json.string("primaryRule", judgement.primaryRule?.rawValue)
    json.number("score", judgement.score)
    json.member("confidence") { $0.appendJSONHundredths(judgement.confidencePercent) }
    json.string("grade", judgement.grade)
    json.object("policy") { judgement.policy.writeDecision(to: &$0) }
    json.object("trust", judgement.trust)
    if !judgement.otherCaptures.isEmpty { json.texts("otherCaptures", judgement.otherCaptures) }
  }

  private static func writeTail(_ judgement: Judgement, to json: inout JSONObject) {
    func identifiers(_ outcome: Finding.Outcome) -> [String] { judgement.findings.filtered(by: outcome).map(\.id) }
    json.strings("passed", identifiers(.pass))
    json.strings("notApplicable", identifiers(.notApplicable))
    if let error = judgement.predictedError {
      json.object("predictedError") { write(error, to: &$0) }
    } else {
      json.null("predictedError")
    }
    // Empty if no setting is required or none helps.
    json.objects("narrowestException", judgement.narrowestException?.settings ?? []) { $0.setting($1) }
    if case .impossible(let obstacle)? = judgement.narrowestException {
      json.text("noExceptionReason", obstacle.reason)
    } else {
      json.null("noExceptionReason")
    }
  }

  private static func write(_ error: PredictedError, to json: inout JSONObject) {
    error.writeMembers(to: &json)
    if let code = error.trustCode {
      json.object("trust") { json in
        json.string("domain", PredictedError.trustDomain)
        json.number("code", code)
      }
    }
    if !error.alternativeCodes.isEmpty { json.numbers("alternatives", error.alternativeCodes) }
  }
}

extension ContiguousArray where Element == UInt8 {
  /// Appends hundredths as a decimal fraction without trailing zeros after the first digit: `1.0`, `0.55`, `0.5`.
  fileprivate mutating func appendJSONHundredths(_ hundredths: Int) {
    let bounded = Swift.min(Swift.max(hundredths, 0), 100)
    append(0x30 + UInt8(truncatingIfNeeded: bounded / 100))
    append(0x2E)
    append(0x30 + UInt8(truncatingIfNeeded: bounded / 10 % 10))
    if bounded % 10 != 0 { append(0x30 + UInt8(truncatingIfNeeded: bounded % 10)) }
  }
}

extension JSONObject {
  /// Writes a key to set and its value.
  package mutating func setting(_ setting: (entry: String?, key: String, value: NarrowestException.Value)) {
    text("entry", setting.entry)
    text("key", setting.key)
    value(setting.value)
  }

  package mutating func value(_ value: NarrowestException.Value) {
    switch value {
    case .boolean(let value): boolean("value", value)
    case .string(let text): self.text("value", text)
    }
  }
}

extension JudgedTrust: JSONRecord {
  package func writeMembers(to json: inout JSONObject) {
    json.strings("path", path.map(\.sha256))
    json.string("anchorClass", anchorClass.rawValue)
    json.boolean("sctsVerified", sctsVerified)
  }
}
