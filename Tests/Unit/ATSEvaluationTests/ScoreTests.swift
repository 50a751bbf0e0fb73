import ATSEvaluation
import ATSRules
import PolicyResolution
import SessionBuilding
import SessionModel
import Testing
import Values

@Suite struct ScoreTests {
  private func finding(_ id: String, _ outcome: Finding.Outcome, required: Bool = true) -> Finding {
    Finding(id: id, outcome: outcome, isRequired: required)
  }

  @Test
  func `in the score, pass counts fully, relaxed half and fail nothing`() {
    let score = Score(
      [
        finding("ATS-HTTPS", .pass), finding("ATS-PFS", .relaxed),
        finding("ATS-TLS-VERSION", .fail, required: false),
        finding("ATS-PIN", .notApplicable), finding("ATS-CERT-REVOKED", .unknown, required: false),
      ], .pass)
    // The weights are 20, 10 and 15 (docs/scoring.md): 100 × (20 + 10/2) / 45.
    #expect(score.points == 56)
    #expect(score.confidencePercent == 100)
  }

  @Test
  func `confidence is the decided share by weight`() {
    let score = Score([finding("ATS-HTTPS", .pass), finding("ATS-CERT-TRUST", .unknown)], .unknown)
    #expect(score.points == nil)
    #expect(score.grade == nil)
    // Both weigh 20.
    #expect(score.confidencePercent == 50)
  }

  @Test
  func `the score of a failing session falls with the weights of the failing rules`() {
    let findings = RuleTable.all.map { finding(type(of: $0).id, .pass) }
    #expect(Score(findings, .pass).points == 100)
    #expect(Score(findings, .pass).grade == "A+")
    func points(failing rules: String...) -> Int? {
      let score = Score(findings.map { rules.contains($0.id) ? finding($0.id, .fail) : $0 }, .fail)
      #expect(score.grade == "F")
      return score.points
    }
    #expect(points(failing: "ATS-CERT-SAN") == 45)
    #expect(points(failing: "ATS-CERT-TRUST") == 29)
    #expect(points(failing: "ATS-CERT-TRUST", "ATS-CERT-HOST") == 17)
    #expect(points(failing: "ATS-TLS-VERSION", "ATS-CIPHER", "ATS-PFS", "ATS-CERT-TRUST") == 0)
  }

  @Test
  func `unknown and exempt verdicts have no score`() {
    let findings = [finding("ATS-HTTPS", .relaxed), finding("ATS-CERT-TRUST", .unknown)]
    for verdict in [Verdict.unknown, .exempt] {
      let score = Score(findings, verdict, isCleartextToRemoteHost: true)
      #expect(score.points == nil)
      #expect(score.grade == nil)
      #expect(score.confidencePercent > 0)
    }
    #expect(Score(findings, .fail, isCleartextToRemoteHost: true).points == 0)
  }

  @Test
  func `without a decided rule there is no score`() {
    for score in [
      Score([], .pass), Score([finding("ATS-HTTPS", .unknown)], .unknown),
      Score([finding("ATS-HTTPS", .notApplicable)], .pass),
    ] {
      #expect(score == .none)
      #expect(score.points == nil)
      #expect(score.grade == nil)
    }
  }

  @Test
  func `every rule has a weight, and every ATS rule weighs more than any advisory`() {
    let ids = RuleTable.all.map { type(of: $0).id }
    #expect(ScoreTable.weights.map(\.rule) == ids)
    #expect(Set(ids).count == ids.count)
    let advice = ScoreTable.weights.filter { $0.rule.hasPrefix("ADV-") }.map(\.weight).max()
    let mandatory = ScoreTable.weights.filter { $0.rule.hasPrefix("ATS-") }.map(\.weight).min()
    #expect((advice ?? 0) < (mandatory ?? 0))
    #expect(ScoreTable.grades.map(\.minimumScore) == ScoreTable.grades.map(\.minimumScore).sorted(by: >))
    #expect(ScoreTable.grade(of: 0) == "F")
    #expect(ScoreTable.grade(of: 49) == "F")
    #expect(ScoreTable.grade(of: 97) == "A")
  }
}
