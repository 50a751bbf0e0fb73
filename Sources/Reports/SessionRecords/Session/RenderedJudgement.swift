import ATSEvaluation
import ByteParsing
import TrustEvaluation
import Values

/// The `ats` object of a judgement, open where the frames of rules belong: those are the session's.
final class RenderedJudgement {
  /// Where text ends, and the parts whose frames follow it.
  struct Piece {
    var end: Int
    var parts: FrameTexts.Parts
  }

  /// Held so that no other object takes its identity.
  let judgement: Judgement

  /// The text without any frames.
  let text: Bytes

  /// Where the frames of rules belong, in their order.
  let pieces: [Piece]

  var byteCount: Int { text.count }

  init(_ judgement: Judgement) {
    self.judgement = judgement
    let content = judgement.content
    var text = Bytes()
    text.appendHead(content)
    pieces = text.appendRules(content.findings)
    text.appendRaw(",\"predictedError\":")
    text.append(content.predictedError)
    text.append(content.narrowestException)
    text.append(0x7D)
    self.text = text
  }
}

extension ContiguousArray where Element == UInt8 {
  fileprivate mutating func appendHead(_ content: Judgement.Content) {
    appendRaw("{\"verdict\":\"")
    appendRaw(content.verdict.rawValue)
    append(0x22)
    if let exemption = content.exemption {
      appendRaw(",\"exemption\":")
      appendJSONText(exemption)
    }
    appendRaw(",\"primaryRule\":")
    appendJSONString(content.primaryRule)
    appendRaw(",\"score\":")
    appendJSON(content.score)
    appendRaw(",\"confidence\":")
    appendJSONHundredths(content.confidencePercent)
    appendRaw(",\"grade\":")
    appendJSONString(content.grade)
    appendRaw(",\"policy\":")
    appendJSON(content.policy, withReasons: false)
    appendRaw(",\"trust\":")
    append(content.trust)
    if !content.otherCaptures.isEmpty {
      appendRaw(",\"otherCaptures\":")
      appendJSONTexts(content.otherCaptures)
    }
  }

  mutating func append(_ trust: JudgedTrust?) {
    guard let trust else {
      appendRaw("null")
      return
    }
    appendRaw("{\"path\":[")
    for digest in trust.path {
      appendJSONComma()
      appendJSONString(digest)
    }
    appendRaw("],\"anchorClass\":")
    appendJSONString(trust.anchorClass.rawValue)
    appendRaw(",\"sctsVerified\":")
    appendJSON(trust.sctsVerified)
    append(0x7D)
  }

  fileprivate mutating func append(_ error: PredictedError?) {
    guard let error else {
      appendRaw("null")
      return
    }
    append(0x7B)
    appendJSONMembers(of: error)
    if let code = error.trustCode {
      appendRaw(",\"trust\":{\"domain\":")
      appendJSONString(PredictedError.trustDomain)
      appendRaw(",\"code\":")
      appendJSON(code)
      append(0x7D)
    }
    if !error.alternativeCodes.isEmpty {
      appendRaw(",\"alternatives\":[")
      for code in error.alternativeCodes {
        appendJSONComma()
        appendJSON(code)
      }
      append(0x5D)
    }
    append(0x7D)
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
