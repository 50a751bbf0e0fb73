public import ATSEvidence
public import SessionModel
public import Values

/// The outcome of one rule for one session, with its evidence.
public struct Finding: Hashable, Sendable {
  /// The result of checking one rule in a session.
  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// The session meets the rule.
    case pass
    /// The session violates the rule.
    case fail
    /// The session would violate the rule, but a key of the dictionary allows it.
    case relaxed
    /// The capture does not show enough to decide.
    case unknown
    /// The rule does not apply to the session.
    case notApplicable
  }

  /// The id of the rule, such as `ATS-TLS-VERSION`.
  package var id: String

  /// The rule.
  public var rule: RuleID { RuleID(rawValue: id) }

  /// The outcome of the rule.
  public package(set) var outcome: Outcome

  /// Whether the rule decides the verdict; false for advisories and for sessions that ATS does not govern.
  public package(set) var isRequired: Bool

  /// Whether the rule gives advice and never decides a verdict.
  package var isAdvisory: Bool { RuleCatalogue.isAdvisory(id) }

  /// Whether the finding makes the session fail.
  package var isFailure: Bool { outcome == .fail && isRequired }

  /// Whether the finding leaves the verdict open.
  package var isUndecided: Bool { outcome == .unknown && isRequired }

  /// The observed fact, such as `TLS 1.0`; nil if the capture shows none.
  public package(set) var observed: String?

  /// The requirement of ATS, such as `TLS 1.2 or later`; nil if there is none to state.
  public package(set) var expected: String?

  /// The parts of the session whose packets are the evidence.
  public package(set) var parts: [Evidence.Part]

  /// The certificate that the finding is about, as an index into the chain as sent (0 is the leaf); nil if it is about none.
  public package(set) var certificateIndex: Int?

  /// If the outcome is `relaxed`, the key that allows what would otherwise fail; if the outcome is `fail`, the key whose stricter
  /// requirement causes it.
  public package(set) var decidingKey: KeyReference?

  /// Why the evidence is missing, if the outcome is `unknown`.
  public package(set) var missing: UnseenReason?

  /// The inputs that would decide an `unknown` outcome; any one of them suffices.
  public package(set) var settledBy: [DecidingInput]

  /// Additional remarks, each a sentence.
  public package(set) var notes: [String]

  /// The fix for a failure; nil if there is none to state.
  public package(set) var fix: Fix?

  /// The note on the client's offer; nil if there is none.
  package private(set) var offerRemark: OfferRemark?

  /// Whether the failure is due to the client's offer, which differs from a device's, so that it does not show what the server supports.
  package var isLimitedByOffer = false

  /// Whether the outcome is `unknown` only because the host is not known: for another host, the observed fact would decide it.
  package var dependsOnHost = false

  /// Whether an outcome that is `unknown` is either a pass or a failure that app code can override.
  package var isPassOrOverridable = false

  /// The certainty that app code cannot override the failure (policy text C.7).
  package var fatality = Fatality.none

  /// The certainty that app code cannot override a failure.
  package enum Fatality: Hashable, Sendable {
    /// App code can override it.
    case none
    /// App code may be unable to override it: another failure is fatal, in a certificate that a device's path need not contain.
    case possible
    /// App code cannot override it.
    case certain
  }

  /// The trust evaluation error code, if it differs from the usual code of the rule (policy text D.20).
  package var trustCode: Int?

  /// The first releases that require it, if they differ from those of the rule.
  package var since: String?

  package init(
    id: String, outcome: Outcome, isRequired: Bool = true, observed: String? = nil, expected: String? = nil,
    parts: [Evidence.Part] = [], certificateIndex: Int? = nil, missing: UnseenReason? = nil,
    settledBy: [DecidingInput] = [], notes: [String] = [], fix: Fix? = nil
  ) {
    self.id = id
    self.outcome = outcome
    self.isRequired = isRequired
    self.observed = observed
    self.expected = expected
    self.parts = parts
    self.certificateIndex = certificateIndex
    self.missing = missing
    self.settledBy = settledBy
    self.notes = notes
    self.fix = fix
  }
}

extension Finding {
  /// Adds a remark on the client's offer.
  package consuming func noting(_ remark: OfferRemark?) -> Finding {
    guard let remark else { return self }
    offerRemark = remark
    notes.append(remark.rawValue)
    return self
  }

  /// Replaces all notes.
  package mutating func replaceNotes(_ notes: [String]) {
    offerRemark = nil
    self.notes = notes
  }

  /// The observation and the requirement; nil if there is neither.
  package var comparison: String? {
    let parts = [observed, expected.map { "requires \($0)" }].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }
}

/// `Finding` is large, and iterating over findings copies each one; these members iterate over the indices.
extension Array<Finding> {
  /// The index of the first required rule that fails; nil if none does.
  package var firstFailureIndex: Int? { indices.first { self[$0].isFailure } }

  package func has(_ outcome: Finding.Outcome) -> Bool { indices.contains { self[$0].outcome == outcome } }

  package func indices(of outcome: Finding.Outcome) -> [Int] { indices.filter { self[$0].outcome == outcome } }

  /// The findings with an outcome.
  package func filtered(by outcome: Finding.Outcome) -> [Finding] { indices(of: outcome).map { self[$0] } }

  /// Whether a rule that failed is undecided here. Under laxer keys a device offers more than the client did, so the refusal no longer
  /// proves anything, and the key must not count as helping (policy text C.7).
  package func hides(_ failed: [Finding]) -> Bool {
    indices.contains { index in
      self[index].outcome == .unknown && failed.contains { $0.id == self[index].id }
    }
  }
}

/// A key of NSAppTransportSecurity, and the entry that holds it.
public struct KeyReference: Hashable, Sendable {
  /// The name of the key, such as `NSExceptionMinimumTLSVersion`.
  public package(set) var key: String

  /// The domain of the NSExceptionDomains entry; nil for a global key.
  public package(set) var entry: String?

  package init(key: String, entry: String?) {
    self.key = key
    self.entry = entry
  }
}
