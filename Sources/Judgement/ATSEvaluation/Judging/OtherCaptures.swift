import ATSEvidence
import ATSRules
import SessionModel
import TrustEvaluation

/// The other captures on whose contents a judgement rests.
struct OtherCaptures {
  private var sentences: [String] = []
  private var names: [String] = []

  init(_ session: SessionEvidence, _ context: JudgingContext) {
    if let capture = session.certificatesFromCapture {
      sentences.append("The certificates are from an earlier session in another capture: \(capture)")
      names.append(capture)
    }
    for (certificate, capture) in context.trust?.details?.completedByOthers ?? [] {
      sentences.append("The server did not send \(certificate.title ?? "an intermediate"), which is from another capture: \(capture)")
      if !names.contains(capture) { names.append(capture) }
    }
  }

  /// Adds the captures to the judgement, and to each decided finding about certificates.
  func name(in judgement: inout Judgement) {
    guard !names.isEmpty else { return }
    judgement.otherCaptures = names
    for index in judgement.findings.indices {
      let finding = judgement.findings[index]
      guard finding.parts.contains(.certificates), finding.outcome != .notApplicable,
        finding.outcome != .pass || finding.rule == .certificateTrust
      else { continue }
      judgement.findings[index].notes += sentences
    }
  }
}
