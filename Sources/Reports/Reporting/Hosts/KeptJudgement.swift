import ATSEvaluation
import ATSEvidence
import ATSRules
import PolicyResolution
import SessionModel

/// A judgement that shares equal findings with other judgements, for reports by host. A judgement has a finding for each rule, and the
/// findings of thousands of hosts differ only in the inputs that settle them, which name the host.
struct KeptJudgement: Sendable {
  /// The findings in the order of the rule table, without the inputs that settle them.
  let unsettled: [Shared<Finding>]

  /// The distinct lists of inputs that settle findings, and for each finding the index of its list.
  private let ways: [[DecidingInput]]
  private let wayIndices: [UInt8]

  /// Whether a required rule passes only because an ATS key allows the session.
  let isRelaxed: Bool

  /// Whether the system rejects the session although ATS is off.
  let isRejected: Bool

  /// The judgement without findings.
  private let rest: Shared<Judgement>

  /// Creates the shared form of a judgement; findings that `pool` does not contain are added to it.
  init(_ judgement: Shared<Judgement>, _ pool: inout Set<Shared<Finding>>) {
    var ways: [[DecidingInput]] = []
    var wayIndices: [UInt8] = []
    unsettled = judgement.findings.map { finding in
      let index = ways.firstIndex(of: finding.settledBy) ?? ways.count
      if index == ways.count { ways.append(finding.settledBy) }
      wayIndices.append(UInt8(clamping: index))
      var finding = finding
      finding.settledBy = []
      return pool.insert(Shared(finding)).memberAfterInsert
    }
    self.ways = ways
    self.wayIndices = wayIndices
    isRelaxed = judgement.isRelaxed
    isRejected = judgement.isRejected
    var rest = judgement.value
    rest.findings = []
    self.rest = Shared(rest)
  }

  /// The findings in the order of the rule table.
  var findings: [Finding] {
    zip(unsettled, wayIndices).map { shared, index in
      var finding = shared.value
      finding.settledBy = ways[Int(index)]
      return finding
    }
  }

  /// The whole judgement, reassembled.
  var whole: Shared<Judgement> {
    var judgement = rest.value
    judgement.findings = findings
    return Shared(judgement)
  }

  var verdict: Verdict { rest.verdict }

  /// Whether the system rejects the session for a finding although ATS is off.
  func isRejected(for finding: Finding) -> Bool { rest.value.isRejected(for: finding) }

  var policy: EffectivePolicy { rest.policy }

  var predictedError: PredictedError? { rest.predictedError }

  var narrowestException: NarrowestException? { rest.narrowestException }

  /// The same as for the whole judgement.
  var isLimitedByOffer: Bool { verdict == .fail && unsettled.allSatisfy { !$0.isFailure || $0.isLimitedByOffer } }

  /// The score and the grade; nil if nothing is decided.
  var score: (points: Int, grade: String?)? { rest.score.map { ($0, rest.grade) } }

  /// Whether the judgements are equal, apart from their policies, whose effect is in the findings, and the certificate paths.
  func isLike(_ other: KeptJudgement) -> Bool {
    let others = other.rest
    return rest.verdict == others.verdict && rest.exemption == others.exemption && rest.score == others.score
      && rest.confidencePercent == others.confidencePercent && unsettled == other.unsettled && ways == other.ways
      && wayIndices == other.wayIndices && rest.predictedError == others.predictedError && rest.otherCaptures == others.otherCaptures
      && rest.narrowestException == others.narrowestException
  }
}
