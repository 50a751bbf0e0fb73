import ATSEvaluation
import SessionModel

/// A judgement as reports by host keep it: findings that are equal in several judgements are one object. A judgement has a finding for
/// each rule, and of thousands of hosts nearly all are equal.
struct KeptJudgement: Sendable {
  /// The findings, in the order of the rules' table.
  let findings: [Shared<Finding>]

  /// Whether a required rule holds only because a key of the dictionary allows what it would refuse.
  let isRelaxed: Bool

  /// The judgement with no findings.
  private let rest: Shared<Judgement>

  /// Keeps a judgement; its findings are those of `pool` where it has equal ones, and are added to it where it has none.
  init(_ judgement: Shared<Judgement>, _ pool: inout FindingPool) {
    findings = judgement.findings.map { pool.shared($0) }
    isRelaxed = judgement.isRelaxed
    var rest = judgement.value
    rest.findings = []
    self.rest = Shared(rest)
  }

  /// The whole judgement, put together again.
  var whole: Shared<Judgement> {
    var judgement = rest.value
    judgement.findings = findings.map(\.value)
    return Shared(judgement)
  }

  var verdict: Verdict { rest.verdict }

  /// The score and the grade; nil where nothing is decided.
  var score: (points: Int, grade: String?)? { rest.score.map { ($0, rest.grade) } }

  /// Whether the judgements are equal but for their policies, whose effect is in the findings, and the paths of certificates.
  func isLike(_ other: KeptJudgement) -> Bool {
    let others = other.rest
    return rest.verdict == others.verdict && rest.exemption == others.exemption && rest.score == others.score
      && rest.confidencePercent == others.confidencePercent && findings == other.findings
      && rest.predictedError == others.predictedError && rest.otherCaptures == others.otherCaptures
      && rest.narrowestException == others.narrowestException
  }
}

/// The distinct findings of judgements that are kept, and the distinct lists of what settles them: one list serves many rules.
struct FindingPool {
  private var findings: Set<Shared<Finding>> = []
  private var ways: Set<[String]> = []

  /// The object that holds a finding: the one that was added first.
  mutating func shared(_ finding: Finding) -> Shared<Finding> {
    var finding = finding
    finding.settledBy = ways.insert(finding.settledBy).memberAfterInsert
    return findings.insert(Shared(finding)).memberAfterInsert
  }
}
