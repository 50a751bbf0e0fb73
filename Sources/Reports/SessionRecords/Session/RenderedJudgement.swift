import ATSEvaluation
import ByteParsing
import TrustEvaluation
import Values

/// The `ats` object of a judgement, open at the places of the rules' frames: those are the session's.
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

  /// The places of the frames, in their order.
  let pieces: [Piece]

  var byteCount: Int { text.count }

  init(_ judgement: Judgement) {
    self.judgement = judgement
    let content = judgement.content
    var text = Bytes()
    var pieces: [Piece] = []
    text.appendHead(content)
    for finding in content.findings {
      text.appendJSONComma()
      text.appendUntilFrames(finding)
      pieces.append(Piece(end: text.count, parts: FrameTexts.Parts(finding.parts)))
      text.appendFromFrames(finding)
    }
    text.appendRaw("],\"predictedError\":")
    text.append(content.predictedError)
    text.appendRaw(",\"narrowestException\":")
    text.append(content.narrowestException)
    text.append(0x7D)
    self.text = text
    self.pieces = pieces
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
    appendJSON(content.policy)
    appendRaw(",\"trust\":")
    append(content.trust)
    if !content.otherCaptures.isEmpty {
      appendRaw(",\"otherCaptures\":")
      appendJSONTexts(content.otherCaptures)
    }
    appendRaw(",\"rules\":[")
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

  mutating func appendUntilFrames(_ finding: Finding) {
    appendRaw("{\"id\":")
    appendJSONString(finding.id)
    appendRaw(",\"outcome\":\"")
    appendRaw(finding.outcome.rawValue)
    appendRaw(finding.required ? "\",\"required\":true,\"observed\":" : "\",\"required\":false,\"observed\":")
    appendJSONText(finding.observed)
    appendRaw(",\"expected\":")
    appendJSONText(finding.expected)
    appendRaw(",\"frames\":")
  }

  mutating func appendFromFrames(_ finding: Finding) {
    appendRaw(",\"certificate\":")
    appendJSON(finding.certificate)
    appendRaw(",\"relaxedBy\":")
    if let key = finding.relaxedBy {
      appendRaw("{\"key\":")
      appendJSONText(key.key)
      appendRaw(",\"entry\":")
      appendJSONText(key.entry)
      append(0x7D)
    } else {
      appendRaw("null")
    }
    appendRaw(",\"missing\":")
    appendJSONString(finding.missing?.rawValue)
    appendRaw(",\"settledBy\":")
    appendJSONTexts(finding.settledBy)
    appendRaw(",\"notes\":")
    appendJSONTexts(finding.notes)
    appendRaw(",\"remedy\":")
    appendJSONText(finding.remedy)
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

  /// Appends the dictionary as it would stand in Info.plist, or `{"impossible": reason}`.
  fileprivate mutating func append(_ exception: NarrowestException?) {
    switch exception {
    case nil: appendRaw("null")
    case .entry(let host, let keys):
      appendRaw("{\"NSExceptionDomains\":{")
      appendJSONText(host)
      appendRaw(":{")
      for (key, value) in keys.sorted(by: { $0.key < $1.key }) {
        appendJSONComma()
        appendJSONText(key)
        append(0x3A)
        switch value {
        case .boolean(let boolean): appendJSON(boolean)
        case .string(let text): appendJSONText(text)
        }
      }
      appendRaw("}}}")
    case .global(let key, let value):
      append(0x7B)
      appendJSONText(key)
      append(0x3A)
      appendJSON(value)
      append(0x7D)
    case .impossible(let reason, _, _):
      appendRaw("{\"impossible\":")
      appendJSONText(reason)
      append(0x7D)
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
