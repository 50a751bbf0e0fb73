package import ATSEvaluation
import ATSRules
package import Reporting
package import SessionModel
package import SessionRecords
import Values

/// The comments of a judged session on packets: the verdict at the ClientHello or the first request, and each finding at the frames
/// of its evidence. A further comment has the settings of the run.
///
/// A comment begins with `atscope` and a word: the verdict, the outcome of the rule, or `RUN`. Text from inputs is escaped.
package enum PacketComments {
  package struct Comment: Sendable {
    package let frame: UInt64
    package let text: String
  }

  /// Returns the comments of a session; those of one packet are in reading order. `steps` are for undecided rules.
  package static func comments(
    of session: ObservedSession, _ judgement: Shared<Judgement>, _ steps: NextSteps = NextSteps()
  ) -> [Comment] {
    let host = DisplayText.escaped(session.host)
    let first = session.evidence.frames[.clientHello].numbers.first ?? session.firstFrame
    var comments = [Comment(frame: first, text: verdict(of: session, judgement, host, steps))]
    for finding in judgement.findings {
      guard let word = word(for: finding, of: judgement) else { continue }
      let text = "atscope \(word) \(host): \(finding.id): \(self.text(of: finding))"
      // The evidence may be in an earlier session.
      comments += PacketComments.comments(text, at: session.evidence.frames(of: finding.parts), orElse: first)
    }
    if let ending = session.ending, ending.isFailure {
      let text = "atscope OUTCOME \(host): \(Wording.ending(ending))"
      comments += PacketComments.comments(text, at: session.evidence.frames[.outcome], orElse: first)
    }
    for part in Evidence.Part.allCases {
      guard let frames = session.evidence.contested?[part] else { continue }
      let text = "atscope UNKNOWN \(host): contested bytes: copies of \(part.rawValue) disagree"
      comments += frames.map { Comment(frame: $0, text: text) }
    }
    return comments
  }

  /// Returns a comment with the settings of a run, such as
  /// `atscope RUN 0.2.0: judged as iOS 26.5, ATS defaults (no Info.plist), requests by app code; Roots: Apple, iOS 26.5`. Key logs that
  /// `summary` reports as unusable are not named.
  package static func comment(on run: RunRecord, _ summary: SummaryRecord? = nil, at frame: UInt64) -> Comment {
    let parts = [Wording.policy(of: run), Wording.roots(of: run)].compactMap { $0 } + Wording.assumptions(of: run, summary)
    return Comment(frame: frame, text: "atscope RUN \(run.toolVersion): judged as \(parts.joined(separator: "; "))")
  }

  /// Whether a text has the form of one of these comments, so that an earlier run wrote it.
  package static func isComment(_ text: String) -> Bool {
    // A person may have added lines to a comment.
    guard !text.contains(where: \.isNewline), text.hasPrefix("atscope "),
      let word = words.first(where: { text.dropFirst(8).hasPrefix("\($0) ") })
    else { return false }
    let clauses = text.dropFirst(8 + word.count).split(separator: ": ", maxSplits: .max, omittingEmptySubsequences: false)
    guard clauses.count > 1 else { return false }
    if word == "RUN" { return clauses[1].hasPrefix("judged as ") }
    // The host comes first; hostile names contain anything, even colons.
    if word == "OUTCOME" { return endings.contains { clauses.last?.hasPrefix($0) == true } }
    if clauses.dropFirst().dropLast().contains(where: isRule) { return true }
    if clauses.contains("contested bytes"), text.hasSuffix(" disagree") { return true }
    let last = text.split(separator: " ").suffix(2)
    return last.first == "session" && last.last.map { $0.count == 16 && $0.allSatisfy(\.isHexDigit) } ?? false
  }

  /// The words that comments begin with after `atscope`.
  private static let words =
    ["RUN", "REFUSED", "RELAXED", "ADVICE", "OUTCOME"] + Verdict.allCases.map { Wording.word($0, isRelaxed: false) }

  /// The beginnings of `Wording.ending`, for endings that are failures.
  private static let endings = [
    "closed ", "refused by the ", "reset", "the client ended the connection after ", "the proxy refused the CONNECT", "the server ",
  ]

  /// Whether a clause is the identifier of a rule or an advisory.
  private static func isRule(_ clause: Substring) -> Bool { RuleCatalogue.rule(withID: String(clause)) != nil }

  /// Returns a comment such as `atscope FAIL api.example.com: ATS-TLS-VERSION, ATS-CIPHER; score 12 F; session 5f0c1a2b3c4d5e6f`.
  private static func verdict(
    of session: ObservedSession, _ judgement: Shared<Judgement>, _ host: String, _ steps: NextSteps
  ) -> String {
    var parts: [String] = []
    switch judgement.verdict {
    case .fail: parts.append(Wording.rules(judgement.failures.map(\.id)))
    case .exempt:
      // The exemption is a sentence; the comment is a list of clauses.
      let reason = DisplayText.escaped(judgement.exemption ?? "not governed by ATS")
      parts.append(reason.hasSuffix(".") ? String(reason.dropLast()) : reason)
      let rejections = judgement.rejections.map(\.id)
      if !rejections.isEmpty { parts.append("\(Wording.rejected): \(Wording.rules(rejections))") }
    case .unknown: parts += undecided(judgement.findings, steps)
    case .pass: break
    }
    let score = Wording.score(judgement)
    if !score.isEmpty { parts.append(score) }
    parts.append("session \(session.identifier)")
    let word = Wording.word(judgement.verdict, isRelaxed: judgement.isRelaxed)
    return "atscope \(word) \(host): \(parts.joined(separator: "; "))"
  }

  /// Returns the undecided rules with the missing evidence, and the inputs that settle them.
  private static func undecided(_ findings: [Finding], _ steps: NextSteps) -> [String] {
    let open = findings.filter(\.isUndecided)
    let ways = steps.possible(open.flatMap(\.settledBy).distinct())
    var parts = open.grouped(by: Wording.reason).map { reason, findings in
      "undecided \(shortRules(findings.map(\.id))): \(reason)"
    }
    if !ways.isEmpty { parts.append("to settle: \(Wording.ways(ways))") }
    return parts
  }

  /// Returns the identifiers of rules; more than three certificate rules become one item.
  private static func shortRules(_ ids: [String]) -> String {
    let others = ids.filter { !$0.hasPrefix("ATS-CERT-") }
    let certificateRules = ids.count - others.count
    guard certificateRules > 3 else { return Wording.rules(ids) }
    return (["ATS-CERT-* (\(certificateRules) rules)"] + others).joined(separator: ", ")
  }

  /// Returns the word of a finding; nil if the finding has no comment.
  private static func word(for finding: Finding, of judgement: Shared<Judgement>) -> String? {
    switch finding.outcome {
    case .fail: finding.isRequired ? "FAIL" : judgement.value.isRejected(for: finding) ? "REFUSED" : "ADVICE"
    case .relaxed: "RELAXED"
    case .pass, .unknown, .notApplicable: nil
    }
  }

  private static func text(of finding: Finding) -> String {
    var text = DisplayText.escaped(Wording.comparison(finding))
    if let key = finding.decidingKey {
      text += "; \(finding.outcome == .relaxed ? "allowed by" : "required by") \(Wording.key(key))"
    }
    if let fix = finding.fix { text += ". Fix: \(DisplayText.escaped(fix.text))" }
    return text
  }

  /// Returns comments at frames; if there are none, at the first frame of the session.
  private static func comments(_ text: String, at frames: FrameList, orElse first: UInt64) -> [Comment] {
    (frames.isEmpty ? [first] : frames.numbers).map { Comment(frame: $0, text: text) }
  }
}
