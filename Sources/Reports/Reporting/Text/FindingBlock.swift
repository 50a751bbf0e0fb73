import ATSEvaluation
import ATSRules
import SessionModel
import SessionRecords
import Values

/// Failing or relaxed hosts with equal outcomes of the same rules, equal fixes and an equal exception.
struct FindingBlock {
  /// A host with its failing and relaxed rules.
  struct Member {
    let host: HostReport
    let results: [RuleResult]
  }

  private(set) var members: [Member]

  private(set) var fixes: [Fix]

  /// The errors that an app receives, each with its condition if it has one.
  private(set) var errors: [String]

  /// The exceptions, escaped for display; several only if no keys allow all sessions of a host.
  private(set) var exceptions: [String]

  private init(_ member: Member) {
    members = [member]
    fixes = FindingBlock.fixes(of: member)
    exceptions = FindingBlock.exceptions(of: member.host)
    errors = FindingBlock.errors(of: member.host)
  }

  private mutating func append(_ member: Member) {
    members.append(member)
    errors = (errors + FindingBlock.errors(of: member.host)).distinct()
    // Texts that contain the host differ only in the host.
    if fixes != FindingBlock.fixes(of: member) {
      fixes = fixes.map { $0.mapInstructions { Wording.generalized($0, host: members[0].host, isEscaped: false) } }
    }
    if exceptions != FindingBlock.exceptions(of: member.host) {
      exceptions = exceptions.map { Wording.generalized($0, host: members[0].host) }
    }
  }

  /// Returns the blocks in the order of their first hosts.
  static func blocks(of hosts: [HostReport]) -> [FindingBlock] {
    let members = hosts.map { host in
      Member(host: host, results: host.ruleResults.filter { $0.isFailure || $0.finding.outcome == .relaxed })
    }
    return members.grouped(by: likeness).map { _, members in
      members.dropFirst().reduce(into: FindingBlock(members[0])) { $0.append($1) }
    }
  }

  /// Returns what the hosts of a block have in common.
  private static func likeness(of member: Member) -> [String?] {
    let host = member.host
    var key: [String?] = exceptions(of: host).map { Wording.generalized($0, host: host) }
    for result in member.results {
      let finding = result.finding
      key += [finding.id, finding.outcome.rawValue]
      key += [finding.expected, host.fix(of: result)?.text, finding.decidingKey.map(Wording.key)].map { text in
        text.map { Wording.generalized(DisplayText.escaped($0), host: host) }
      }
    }
    return key
  }

  private static func fixes(of member: Member) -> [Fix] {
    member.results.filter(\.isFailure).compactMap { member.host.fix(of: $0) }.distinct()
  }

  private static func exceptions(of host: HostReport) -> [String] {
    Wording.exceptions(of: host, Wording.shortException)
  }

  static func errors(of host: HostReport) -> [String] {
    guard host.verdict == .fail else { return [] }
    return host.predictedErrors.map(Wording.deviceError).distinct()
  }

  /// The negotiated parameters that the failing sessions of all hosts share.
  var facts: [String] {
    let facts = members.flatMap(\.host.worstGroups).map { group in
      [Wording.protocolName(of: group), group.application == .http ? "" : group.cipherSuite.map(Wording.suite) ?? ""]
    }
    guard let first = facts.first else { return [] }
    return first.enumerated().map { index, text in
      facts.allSatisfy { $0[index] == text } ? text : ""
    }
  }

  /// The required rules that are undecided in failing sessions and fail in none, with the reasons: `7 rules: no certificate in the
  /// capture`; nil if there are none. If the reason is not in the capture, `ways` are the inputs that settle the first rule.
  var undecided: (text: String, ways: String)? {
    var gap = HostSections.Gap(ways: [], notes: [], isRestMet: false, isLabeled: true)
    for member in members { gap.add(member.host, without: Set(member.results.map(\.id))) }
    guard !gap.rules.isEmpty else { return nil }
    let sessions = gap.hosts.reduce(0) { $0 + $1.sessions }
    let all = members.reduce(0) { $0 + $1.host.worstGroups.reduce(0) { $0 + $1.sessions } }
    let part = sessions < all ? ", in \(Wording.count(sessions, of: all, "session{s}"))" : ""
    let first = gap.rules.contains { $0.missing != nil } ? nil : gap.rules.first?.ids.first
    let finding = gap.hosts.first?.host.worstGroups.flatMap(\.kept.findings).first { $0.id == first && $0.isUndecided }
    let reasons = gap.rules.map { rule in
      let reason = gap.reason(rule.missing, rule.ids)
      if rule.missing == nil { return reason }
      let isNamed = rule.ids.count <= 3
      let names = isNamed ? rule.ids.map(Wording.titleInSentence).joined(separator: ", ") : Wording.count(rule.ids.count, "rule{s}")
      return "\(names): \(reason)"
    }
    return (reasons.joined(separator: "; ") + part, finding.map { Wording.ways($0.settledBy) } ?? "")
  }

  /// The number of remarks of the findings that the block omits.
  var remarks: Int {
    members.flatMap(\.results).reduce(0) { count, result in
      count + result.finding.notes.count - (result.finding.offerRemark == .serverChose ? 1 : 0)
    }
  }
}

extension Wording {
  /// Returns the steps of several fixes, one for each actor, escaped for display.
  static func steps(of fixes: [Fix]) -> [String] { Fix.merged(fixes).steps.map { DisplayText.escaped($0.text) } }

  /// Returns text in which `words` replace the host's name where the name is a whole word. `isEscaped` is whether the text is escaped for
  /// display.
  package static func generalized(
    _ text: String, host: HostReport, as words: String = "the host", isEscaped: Bool = true
  ) -> String {
    guard let name = isEscaped ? host.name.map(DisplayText.escaped) : host.name, text.contains(name) else { return text }
    return text.split(separator: " ", omittingEmptySubsequences: false).map { word in
      guard let range = word.firstRange(of: name) else { return String(word) }
      let (start, end) = (word[..<range.lowerBound], word[range.upperBound...])
      let isWhole = (start + end).allSatisfy { "()[],;:.".contains($0) }
      return isWhole ? start + words + end : String(word)
    }.joined(separator: " ")
  }
}
