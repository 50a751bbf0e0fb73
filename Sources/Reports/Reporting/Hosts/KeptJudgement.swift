import ATSEvaluation
import SessionModel

/// A judgement as reports by host keep it: findings that are equal in several judgements are one object. A judgement has a finding for
/// each rule, and of thousands of hosts nearly all are equal but for what settles them, which names the host.
struct KeptJudgement: Sendable {
  /// The findings, in the order of the rules' table, without what settles them.
  let unsettled: [Shared<Finding>]

  /// The distinct lists of what settles findings, and for each finding the index of its own.
  private let ways: [[DecidingInput]]
  private let wayIndices: [UInt8]

  /// Whether a required rule holds only because a key of the dictionary allows what it would refuse.
  let isRelaxed: Bool

  /// The judgement with no findings.
  private let rest: Shared<Judgement>

  /// Keeps a judgement; its findings are those of `pool` where it has equal ones, and are added to it where it has none.
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
    var rest = judgement.value
    rest.findings = []
    self.rest = Shared(rest)
  }

  /// The findings, in the order of the rules' table.
  var findings: [Finding] {
    zip(unsettled, wayIndices).map { shared, index in
      var finding = shared.value
      finding.settledBy = ways[Int(index)]
      return finding
    }
  }

  /// The whole judgement, put together again.
  var whole: Shared<Judgement> {
    var judgement = rest.value
    judgement.findings = findings
    return Shared(judgement)
  }

  var verdict: Verdict { rest.verdict }

  /// The score and the grade; nil where nothing is decided.
  var score: (points: Int, grade: String?)? { rest.score.map { ($0, rest.grade) } }

  /// Whether the judgements are equal but for their policies, whose effect is in the findings, and the paths of certificates.
  func isLike(_ other: KeptJudgement) -> Bool {
    let others = other.rest
    return rest.verdict == others.verdict && rest.exemption == others.exemption && rest.score == others.score
      && rest.confidencePercent == others.confidencePercent && unsettled == other.unsettled
      && ways == other.ways && wayIndices == other.wayIndices
      && rest.predictedError == others.predictedError && rest.otherCaptures == others.otherCaptures
      && rest.narrowestException == others.narrowestException
  }
}
