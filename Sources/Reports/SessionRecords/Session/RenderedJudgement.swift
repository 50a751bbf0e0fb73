import ATSEvaluation
import ByteParsing
import SessionModel
import TrustEvaluation

/// The `ats` object of a judgement, open where the frames of rules belong: those are the session's.
final class RenderedJudgement {
  /// Where text ends, and the parts whose frames follow it.
  struct Piece {
    var end: Int
    var parts: FrameTexts.Parts
  }

  /// Held so that no other object takes its identity.
  private let judgement: Shared<Judgement>

  /// The text without any frames.
  let text: Bytes

  /// Where the frames of rules belong, in their order.
  let pieces: [Piece]

  var byteCount: Int { text.count }

  init(_ judgement: Shared<Judgement>) {
    self.judgement = judgement
    var text = Bytes()
    text.appendHead(judgement.value)
    pieces = text.appendRules(judgement.findings)
    text.appendJSONKey("predictedError")
    if let error = judgement.predictedError {
      text.appendObject { RenderedJudgement.write(error, to: &$0) }
    } else {
      text.appendRaw("null")
    }
    text.append(judgement.narrowestException)
    text.append(0x7D)
    self.text = text
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
  fileprivate mutating func appendHead(_ judgement: Judgement) {
    appendRaw("{\"verdict\":\"")
    appendRaw(judgement.verdict.rawValue)
    append(0x22)
    if let exemption = judgement.exemption {
      appendRaw(",\"exemption\":")
      appendJSONText(exemption)
    }
    appendRaw(",\"primaryRule\":")
    appendJSONString(judgement.primaryRule)
    appendRaw(",\"score\":")
    appendJSON(judgement.score)
    appendRaw(",\"confidence\":")
    appendJSONHundredths(judgement.confidencePercent)
    appendRaw(",\"grade\":")
    appendJSONString(judgement.grade)
    appendJSONKey("policy")
    appendObject { judgement.policy.writeDecision(to: &$0) }
    appendJSONKey("trust")
    if let trust = judgement.trust { appendJSON(trust) } else { appendRaw("null") }
    if !judgement.otherCaptures.isEmpty {
      appendRaw(",\"otherCaptures\":")
      appendJSONTexts(judgement.otherCaptures)
    }
  }

  /// Appends `narrowestException`, a list of settings that is empty where none is needed or none helps, and `noExceptionReason`.
  fileprivate mutating func append(_ exception: NarrowestException?) {
    appendRaw(",\"narrowestException\":[")
    for setting in exception?.settings ?? [] {
      appendJSONComma()
      appendRaw("{\"entry\":")
      appendJSONText(setting.entry)
      appendRaw(",\"key\":")
      appendJSONText(setting.key)
      appendRaw(",\"value\":")
      switch setting.value {
      case .boolean(let boolean): appendJSON(boolean)
      case .string(let text): appendJSONText(text)
      }
      append(0x7D)
    }
    appendRaw("],\"noExceptionReason\":")
    if case .impossible(let reason, _, _)? = exception {
      appendJSONText(reason)
    } else {
      appendRaw("null")
    }
  }

  /// Appends hundredths as a decimal fraction with the digits it needs: `1.0`, `0.55`, `0.5`.
  mutating func appendJSONHundredths(_ hundredths: Int) {
    let bounded = Swift.min(Swift.max(hundredths, 0), 100)
    append(0x30 + UInt8(truncatingIfNeeded: bounded / 100))
    append(0x2E)
    append(0x30 + UInt8(truncatingIfNeeded: bounded / 10 % 10))
    if bounded % 10 != 0 { append(0x30 + UInt8(truncatingIfNeeded: bounded % 10)) }
  }
}

extension JudgedTrust: JSONRecord {
  package func writeMembers(to json: inout JSONObject) {
    json.strings("path", path)
    json.string("anchorClass", anchorClass.rawValue)
    json.boolean("sctsVerified", sctsVerified)
  }
}
