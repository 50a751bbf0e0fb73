import ATSEvaluation
import ByteParsing
import SessionObservation

extension SessionEncoder {
  /// Appends the `ats` object.
  mutating func append(_ judgement: Judgement, evidence: Evidence, to output: inout Bytes) {
    let rendered = judgements.entry(ObjectIdentifier(judgement), size: \.byteCount) {
      RenderedJudgement(judgement)
    }
    frameTexts.begin()
    for piece in rendered.pieces {
      output.append(contentsOf: piece.text)
      frameTexts.append(piece.parts, of: evidence, to: &output)
    }
    output.append(contentsOf: rendered.tail)
  }
}
