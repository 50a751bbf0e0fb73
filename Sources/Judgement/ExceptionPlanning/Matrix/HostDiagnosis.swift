package import ATSEvaluation
package import PolicyResolution

/// The matrix of one origin, as a URL names it: the results of its sessions under each configuration.
package struct HostDiagnosis: Sendable {
  /// The result of an origin's sessions under a configuration.
  package enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// No session violates a rule, and everything required was seen.
    case pass = "PASS"
    /// Every session violates a required rule.
    case fail = "FAIL"
    /// Some sessions violate a required rule.
    case mixed = "MIXED"
    /// No session is known to violate a rule, but not everything required was seen.
    case unknown = "UNKNOWN"
  }

  /// A reason why sessions do not pass, with all sessions that share it.
  package struct Reason: Hashable, Sendable {
    /// The ids of the rules, in the order of reports; several only if they lack the same evidence.
    package var rules: [String]
    /// The observation, or the missing evidence.
    package var text: String
    /// Whether the rules are violated; otherwise they are undecided.
    package var isFailure: Bool
    /// Whether the sessions violate the rules, which may be due to what their client offered.
    package var dependsOnOffer = false
    package var sessions: Int
    /// The input that contains the first of the sessions.
    package var file: String
    /// The deciding packet of the first session: the message that the first rule judged, otherwise the first packet of the session.
    package var frame: UInt64
  }

  package struct Row: Sendable {
    package var configuration: DiagnosticConfiguration
    package var result: Outcome
    /// The number of sessions that pass.
    package var passing = 0
    /// The number of sessions that violate a required rule.
    package var failing = 0
    /// The number of sessions that lack required evidence.
    package var undecided = 0
    /// Why sessions do not pass.
    package var reasons: [Reason] = []
    /// The distinct errors that a device reports.
    package var errors: [PredictedError] = []
    /// Whether the row fails even with ATS off, so that ATS is not the cause.
    package var isCauseElsewhere = false
  }

  package var host: HostIdentity
  package var port: UInt16
  /// Whether the sessions are cleartext HTTP.
  package var isCleartext: Bool
  /// The URL scheme of the origin.
  package var scheme: String { isCleartext ? "http" : "https" }
  /// The domain of the entry for the host; nil if no entry can name it, which makes such rows equal to the first.
  package var key: String?
  /// Whether there is no key because the capture hides the host; the effect of an entry is then undecided.
  package var isHostHidden = false
  package var sessions = 0
  /// The number of sessions that are not loads of a URL, which nscurl would not make.
  package var otherSessions = 0
  /// The number of sessions that were not examined because of a limit.
  package var leftOut = 0
  /// The rows in nscurl's order; empty if no session is a load of a URL.
  package var rows: [Row] = []

  /// The row of the narrowest configuration that passes; nil if the default passes, or none does.
  package var narrowestRow: Int? {
    guard rows.first?.result != .pass else { return nil }
    return DiagnosticConfiguration.fromNarrowest.first { number in
      rows.contains { $0.configuration.row == number && $0.result == .pass }
    }
  }
}
