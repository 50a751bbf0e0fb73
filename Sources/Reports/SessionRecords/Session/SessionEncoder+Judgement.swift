import ATSEvaluation
import ByteParsing
import SessionModel

extension SessionEncoder {
  /// Appends the `ats` object.
  mutating func append(_ judgement: Shared<Judgement>, evidence: borrowing Evidence, to output: inout Bytes) {
    let rendered = judgements.value(for: judgement.identity, cost: \.byteCount) {
      RenderedJudgement(judgement)
    }
    frameTexts.begin()
    let text = rendered.text
    var start = 0
    for piece in rendered.pieces {
      output.append(copying: text.span.extracting(start..<piece.end))
      frameTexts.append(piece.parts, of: evidence, to: &output)
      start = piece.end
    }
    output.append(copying: text.span.extracting(start..<text.count))
  }
}
