public import SessionModel
public import Values

/// What a rule finds in a session.
public enum Outcome: String, Hashable, Sendable, CaseIterable {
  /// The rule is met.
  case pass
  /// The rule is broken.
  case fail
  /// The rule would be broken, but a key of the dictionary allows it.
  case relaxed
  /// The capture cannot show it.
  case unknown
  /// The rule says nothing about this session.
  case notApplicable
}

/// The outcome of one rule for one session, with its evidence.
public struct Finding: Hashable, Sendable {
  /// The rule, such as `ATS-TLS-VERSION`.
  public package(set) var id: String

  /// What was found.
  public package(set) var outcome: Outcome

  /// Whether the rule decides the verdict; false for advisories and for sessions that ATS does not govern.
  public package(set) var required: Bool

  /// What the capture shows, such as `TLS 1.0`; nil if it shows nothing.
  public package(set) var observed: String?

  /// What ATS requires, such as `TLS 1.2 or later`.
  public package(set) var expected: String?

  /// The parts of the session whose packets show it.
  public package(set) var parts: [Evidence.Part]

  /// The certificate that the finding is about, by its index in the chain as sent (0 is the leaf); nil for
  /// none.
  public package(set) var certificate: Int?

  /// The key that allows what would fail, where the outcome is `relaxed`; or that requires more than the
  /// default, where the outcome is `fail` for that reason.
  public package(set) var relaxedBy: KeyReference?

  /// Why the evidence is missing, where the outcome is `unknown`.
  public package(set) var missing: UnseenReason?

  /// What would settle an `unknown`, such as `--keylog`.
  public package(set) var settledBy: [String]

  /// Remarks, each a sentence.
  public package(set) var notes: [String]

  /// The fix of a failure, as a sentence; nil where there is none.
  public package(set) var fix: String?

  /// Whether the client offered nothing that the rule accepts, so that a failure does not show what the server supports.
  package var isLimitedByOffer = false

  /// What of a failure remains where app code overrides trust evaluation (policy text C.7).
  public package(set) var fatality = Fatality.none

  /// How far app code can override a failure.
  public enum Fatality: Hashable, Sendable {
    /// It can.
    case none
    /// It may not: another failure is fatal, in a certificate that a device's path need not contain.
    case possible
    /// It cannot.
    case certain
  }

  /// The code with which trust evaluation ends, where a failure has another than is usual for its rule (policy text
  /// D.20).
  public package(set) var trustCode: Int?

  package init(
    id: String, outcome: Outcome, required: Bool = true, observed: String? = nil, expected: String? = nil,
    parts: [Evidence.Part] = [], missing: UnseenReason? = nil, settledBy: [String] = [], notes: [String] = [],
    fix: String? = nil
  ) {
    self.id = id
    self.outcome = outcome
    self.required = required
    self.observed = observed
    self.expected = expected
    self.parts = parts
    self.missing = missing
    self.settledBy = settledBy
    self.notes = notes
    self.fix = fix
  }
}

/// Findings by their indices: one is large, and a loop over findings themselves copies each.
extension Array<Finding> {
  /// The index of the first that decides that a session fails; nil where none does.
  package var firstBreaking: Int? { indices.first { self[$0].required && self[$0].outcome == .fail } }

  func has(_ outcome: Outcome) -> Bool { indices.contains { self[$0].outcome == outcome } }

  package func indices(of outcome: Outcome) -> [Int] { indices.filter { self[$0].outcome == outcome } }

  package func those(_ outcome: Outcome) -> [Finding] { indices(of: outcome).map { self[$0] } }

  /// Whether a rule that failed is not decided here: under laxer keys a device offers more than the client did, and
  /// a refusal no longer shows what the server takes. That is not to be allowed (policy text C.7).
  package func hides(_ failed: [Finding]) -> Bool {
    indices.contains { index in
      self[index].outcome == .unknown && failed.contains { $0.id == self[index].id }
    }
  }
}

/// A key of NSAppTransportSecurity, and the entry that holds it.
public struct KeyReference: Hashable, Sendable {
  /// The key, such as `NSExceptionMinimumTLSVersion`.
  public package(set) var key: String

  /// The entry of NSExceptionDomains; nil for a global key.
  public package(set) var entry: String?

  package init(key: String, entry: String?) {
    self.key = key
    self.entry = entry
  }
}
