import ATSEvaluation
public import ATSRules
import Reporting
public import SessionRecords

/// The changes between two audits.
public struct AuditDiff: Sendable {
  /// The direction of a change.
  public enum Kind: String, Sendable, CaseIterable {
    /// A required rule fails that did not before, the system rejects loads for which ATS is off, or the policy was relaxed.
    case regression
    /// A rule that was decided is now undecided.
    case noLongerVisible
    /// A change for the better.
    case improvement
    /// A change that is neither better nor worse.
    case moved
  }

  /// What a change is about.
  public enum Subject: Hashable, Sendable, CustomStringConvertible {
    /// The state of a rule.
    case rule(RuleID)
    /// The verdict.
    case verdict
    /// The outcomes of the handshakes.
    case outcome
    /// The kinds of roots to which the chains lead.
    case trust
    /// The issuers of the leaf certificates.
    case issuers
    /// The protocol versions.
    case versions
    /// The cipher suites.
    case cipherSuites
    /// The groups of the key exchange.
    case groups
    /// The certificate chains.
    case chains
    /// The digests of the public keys in the chains.
    case pins

    /// The identifier of the rule, or the name of another subject, as in records.
    public var description: String {
      switch self {
      case .rule(let id): id.rawValue
      case .verdict: "verdict"
      case .outcome: "outcome"
      case .trust: "trust"
      case .issuers: "issuers"
      case .versions: "versions"
      case .cipherSuites: "cipherSuites"
      case .groups: "groups"
      case .chains: "chains"
      case .pins: "pins"
      }
    }
  }

  /// One change of one host.
  public struct Change: Sendable {
    /// The direction of the change: for the better, for the worse, or neither.
    public let kind: Kind
    /// The host and port, escaped for display.
    public let host: String
    /// The name of the host, as `ObservedSession.host`.
    public let hostName: String
    /// The port of the server.
    public let port: UInt16
    /// What changed.
    public let subject: Subject
    /// The state in the baseline, as reports show it; nil if there was none.
    public let before: String?
    /// The current state, as reports show it; nil if there is none.
    public let after: String?
    /// What the states do not say, in words; nil if there is nothing to add.
    public let details: String?
    /// The packets of the current evidence; nil if there are none.
    var sighting: AuditSnapshot.Sighting?
    /// The ATS key that allows the current state.
    var relaxedBy: KeyReference?
    /// A regression, or a rule that is no longer visible, counts as a failure if any of these concerns is counted.
    var concerns: Set<Concern> = []
    /// The reason that a project file gives for accepting the change; nil if the change is not accepted.
    public internal(set) var accepted: String?
  }

  /// A host that fails the same rules in both audits.
  package struct LastingFailure: Sendable {
    /// The host and port, escaped for display.
    let host: String
    let hostName: String
    let port: UInt16
    /// The identifiers of the rules, in the order of the rule table.
    let rules: [String]
    /// The acceptances of these failures that have expired, in words.
    var expired: [String] = []

    /// The rules and the expired acceptances in words.
    var words: String { ([rules.map(Wording.titleInSentence).joined(separator: ", ")] + expired).joined(separator: "; ") }
  }

  /// The kinds of changes that can count as regressions.
  public enum Concern: String, CaseIterable, Sendable {
    /// Any regression.
    case fail
    /// A rule that was decided and is no longer visible.
    case unknown
    /// A verdict that became exempt.
    case exempt
    /// A rule that became relaxed.
    case relaxed
    /// A host whose handshakes were established and now fail.
    case outcome
    /// A chain that led to a public root and leads to a private one or to none, or an issuer of another organization.
    case trust
    /// A host that no longer occurs.
    case vanished
  }

  /// The concerns whose changes count as failures.
  package let counted: Set<Concern>

  /// Whether a change counts as a failure and is not accepted.
  package var isWorse: Bool { changes.contains(where: counts) || countsVanished && !vanishedHosts.isEmpty }

  /// The number of regressions that are neither accepted nor counted as failures.
  package var uncountedRegressions: Int { open(.regression).count { !counts($0) } }

  /// Returns whether a change counts as a failure; false for an accepted one.
  func counts(_ change: Change) -> Bool {
    switch change.kind {
    case .regression, .noLongerVisible: change.accepted == nil && !change.concerns.isDisjoint(with: counted)
    case .improvement, .moved: false
    }
  }

  /// Whether a host that no longer occurs is a regression.
  var countsVanished: Bool { counted.contains(.vanished) }

  /// The number of regressions that are not accepted, including vanished hosts if they count.
  var regressionCount: Int { open(.regression).count + (countsVanished ? vanishedHosts.count : 0) }

  /// The changes: hosts in the order of the current audit, then those of the baseline.
  public internal(set) var changes: [Change] = []
  /// The hosts that are only in the current audit, escaped for display, with the verdicts of their sessions.
  public private(set) var newHosts: [(host: String, verdicts: VerdictCounts)] = []
  /// The hosts that are only in the baseline, escaped for display, with the verdicts of their sessions.
  public private(set) var vanishedHosts: [(host: String, verdicts: VerdictCounts)] = []
  /// The hosts that fail the same rules in both audits.
  package private(set) var lastingFailures: [LastingFailure] = []
  /// The number of hosts in both audits.
  package private(set) var commonHosts = 0

  package init(baseline: AuditSnapshot, current: AuditSnapshot, counting counted: Set<Concern> = [.fail]) {
    self.counted = counted
    var (before, after) = (baseline, current)
    if !before.namesProcesses || !after.namesProcesses {
      (before, after) = (before.withoutProcesses, after.withoutProcesses)
    }
    for key in after.order {
      guard let now = after.entries[key] else { continue }
      if let then = before.entries[key] {
        commonHosts += 1
        compare(then, now, key)
        let failing = AuditDiff.sorted(now.rules.keys.filter { then.rules[$0] == .fail && now.rules[$0] == .fail })
        if !failing.isEmpty {
          lastingFailures.append(LastingFailure(host: key.label, hostName: key.host, port: key.port, rules: failing))
        }
      } else {
        newHosts.append((key.label, now.verdicts))
        for id in AuditDiff.sorted(now.rules.keys) where now.rules[id] == .fail {
          changes.append(AuditDiff.change(.regression, key, id, nil, now))
        }
      }
    }
    for key in before.order where after.entries[key] == nil {
      if let then = before.entries[key] { vanishedHosts.append((key.label, then.verdicts)) }
    }
  }

  package var isEmpty: Bool { changes.isEmpty && newHosts.isEmpty && vanishedHosts.isEmpty }

  /// Returns the changes of a kind that are not accepted.
  package func open(_ kind: Kind) -> [Change] { changes.filter { $0.kind == kind && $0.accepted == nil } }

  package var accepted: [Change] { changes.filter { $0.accepted != nil } }

  /// Accepts the changes for which `reason` returns one; it is called for regressions and for rules that are no longer visible.
  package mutating func accept(_ reason: (Change) -> String?) {
    for index in changes.indices where [.regression, .noLongerVisible].contains(changes[index].kind) {
      changes[index].accepted = reason(changes[index])
    }
  }

  /// Adds an acceptance that has expired, in words, to the lasting failures that it covers.
  package mutating func expire(_ acceptance: String, _ covers: (_ rule: String, _ host: String, _ port: UInt16) -> Bool) {
    for (index, failure) in lastingFailures.enumerated() where failure.rules.contains(where: { covers($0, failure.hostName, failure.port) })
    {
      lastingFailures[index].expired.append(acceptance)
    }
  }

  // MARK: Comparing

  private mutating func compare(_ then: AuditSnapshot.Entry, _ now: AuditSnapshot.Entry, _ key: AuditSnapshot.Key) {
    let known = changes.count
    for id in AuditDiff.sorted(Set(then.rules.keys).union(now.rules.keys)) {
      let (old, new) = (then.rules[id], now.rules[id])
      guard old != new, var kind = AuditDiff.kind(from: old, to: new) else { continue }
      // A server that no longer redirects does not help an app that uses http.
      if kind == .improvement, id == RuleID.redirect.rawValue { kind = .moved }
      changes.append(AuditDiff.change(kind, key, id, then, now))
    }
    if then.verdict == .exempt, now.verdict != .exempt {
      changes.append(AuditDiff.verdict(now.verdict == .fail ? .moved : .improvement, key, then, now))
    } else if then.verdict != .exempt, now.verdict == .exempt {
      changes.append(AuditDiff.verdict(.regression, key, then, now))
    } else if then.verdicts.word != now.verdicts.word {
      // A rule that was not required before and is undecided now changes no outcome, but hides whether it passes.
      let isHidden =
        then.verdict == .pass && now.verdict == .unknown && now.rules.values.contains(.unknown)
        && !changes[known...].contains { $0.kind == .noLongerVisible }
      changes.append(AuditDiff.verdict(isHidden ? .noLongerVisible : .moved, key, then, now))
    }
    compareOutcomes(then, now, key)
    compareTrust(then, now, key)
    for fact in [AuditSnapshot.Fact.versions, .cipherSuites, .groups, .chains, .pins] where then[fact] != now[fact] {
      changes.append(change(.moved, key, fact, then, now))
    }
  }

  /// Adds a change if the outcomes of handshakes differ.
  private mutating func compareOutcomes(_ then: AuditSnapshot.Entry, _ now: AuditSnapshot.Entry, _ key: AuditSnapshot.Key) {
    // Without outcomes in one of the captures there is nothing to compare.
    guard then[.outcomes] != now[.outcomes], !then[.outcomes].isEmpty, !now[.outcomes].isEmpty else { return }
    let isLost = then.isEstablished && !now.isEstablished
    let isGained = !then.isEstablished && now.isEstablished
    let kind: Kind = isLost && counted.contains(.outcome) ? .regression : isGained ? .improvement : .moved
    changes.append(change(kind, key, .outcomes, then, now, isLost ? "handshakes were established and now fail" : nil, [.outcome]))
  }

  /// Adds changes that are signs of interception: a private or unknown root instead of a public one, or another issuer.
  private mutating func compareTrust(_ then: AuditSnapshot.Entry, _ now: AuditSnapshot.Entry, _ key: AuditSnapshot.Key) {
    let roots = now[.trust].without(then[.trust]).compactMap(AuditSnapshot.Trust.init(rawValue:))
    let wasPublic = then[.trust].sorted.contains { AuditSnapshot.Trust(rawValue: $0)?.isPublic == true }
    let isAlarm = wasPublic && roots.contains { !$0.isPublic }
    let alarm: Kind = counted.contains(.trust) ? .regression : .moved
    if then[.trust] != now[.trust], !then[.trust].isEmpty, !now[.trust].isEmpty {
      changes.append(
        change(
          isAlarm ? alarm : .moved, key, .trust, then, now,
          isAlarm ? "the chain no longer leads to a public root: the connection may be intercepted" : nil, [.trust]))
    }
    let issuers = now[.issuers].without(then[.issuers])
    guard !issuers.isEmpty, !then[.issuers].isEmpty else { return }
    let known = Set(then[.issuers].sorted.map(AuditDiff.organization))
    let isForeign = !issuers.allSatisfy { known.contains(AuditDiff.organization($0)) }
    changes.append(
      change(
        isForeign || isAlarm ? alarm : .moved, key, .issuers, then, now,
        isForeign ? "the certificate is issued by another organization: a new CA, or the connection is intercepted" : nil, [.trust]))
  }

  /// Returns the organization in a name such as `CN=R10, O=Example CA`; the whole name if it has none.
  static func organization(_ name: String) -> String {
    var part = ""
    var isEscaped = false
    for character in name + "," {
      if character == ",", !isEscaped {
        let trimmed = part.drop { $0 == " " }
        if trimmed.hasPrefix("O=") { return String(trimmed) }
        part = ""
      } else {
        part.append(character)
      }
      isEscaped = character == "\\" && !isEscaped
    }
    return name
  }

  private func change(
    _ kind: Kind, _ key: AuditSnapshot.Key, _ fact: AuditSnapshot.Fact, _ then: AuditSnapshot.Entry,
    _ now: AuditSnapshot.Entry, _ details: String? = nil, _ concerns: Set<Concern> = []
  ) -> Change {
    Change(
      kind: kind, host: key.label, hostName: key.host, port: key.port, subject: fact.subject, before: AuditDiff.text(then[fact]),
      after: AuditDiff.text(now[fact]), details: details, concerns: concerns)
  }

  /// Returns the kind of a rule's change from one state to another; nil for an insignificant change.
  private static func kind(from old: AuditSnapshot.RuleState?, to new: AuditSnapshot.RuleState?) -> Kind? {
    switch (old, new) {
    // Baselines of earlier versions have advice for loads that the system rejects.
    case (.fail, .refused), (.advice, .refused): .moved
    case (_, .fail), (_, .refused), (_, .relaxed): .regression
    case (.fail, .unknown), (.refused, .unknown), (.relaxed, .unknown), (.pass, .unknown): .noLongerVisible
    case (.fail, _), (.refused, _), (.relaxed, _), (.unknown, .pass), (.advice, .pass): .improvement
    case (.pass, .advice): .moved
    default: nil
    }
  }

  private static func change(_ kind: Kind, _ key: AuditSnapshot.Key, _ id: String, _ then: AuditSnapshot.Entry?, _ now: AuditSnapshot.Entry)
    -> Change
  {
    let note = now.notes[id]
    let concerns: Set<Concern> = kind == .noLongerVisible ? [.unknown] : now.rules[id] == .relaxed ? [.fail, .relaxed] : [.fail]
    return Change(
      kind: kind, host: key.label, hostName: key.host, port: key.port, subject: .rule(RuleID(rawValue: id)),
      before: then?.rules[id]?.rawValue, after: now.rules[id]?.rawValue,
      details: kind == .regression || kind == .noLongerVisible ? note?.details : nil,
      sighting: note.map { now.sightings[$0.sighting] }, relaxedBy: note?.relaxedBy, concerns: concerns)
  }

  private static func verdict(_ kind: Kind, _ key: AuditSnapshot.Key, _ then: AuditSnapshot.Entry, _ now: AuditSnapshot.Entry) -> Change {
    Change(
      kind: kind, host: key.label, hostName: key.host, port: key.port, subject: .verdict, before: then.verdicts.word,
      after: now.verdicts.word, details: kind == .regression ? "the policy no longer governs it" : nil,
      concerns: kind == .noLongerVisible ? [.unknown] : [.fail, .exempt])
  }

  private static func text(_ values: AuditSnapshot.Values) -> String? {
    values.isEmpty ? nil : DisplayText.escaped(values.sorted.joined(separator: ", "))
  }

  /// Returns rules in the order of the rule table.
  private static func sorted(_ ids: some Sequence<String>) -> [String] {
    ids.sorted { (RuleCatalogue.index(of: $0), $0) < (RuleCatalogue.index(of: $1), $1) }
  }
}
