package import ATSEvaluation
package import PolicyResolution

/// The matrix of one origin, which is what a URL names: how its sessions fare under each configuration.
package struct HostDiagnosis: Sendable {
  /// How a host fares under a configuration.
  package enum Result: String, Hashable, Sendable, CaseIterable {
    /// No session breaks a rule, and all that is required was seen.
    case pass = "PASS"
    /// Every session breaks a required rule.
    case fail = "FAIL"
    /// Some sessions break a required rule.
    case mixed = "MIXED"
    /// No session is shown to break a rule, and not everything required was seen.
    case unknown = "UNKNOWN"
  }

  /// Why sessions do not pass, those with the same reason together.
  package struct Reason: Hashable, Sendable {
    /// The rules, in the order of reports; several only where they lack the same evidence.
    package var rules: [String]
    /// What was seen, or what was not.
    package var text: String
    /// Whether the rules are broken; else they are undecided.
    package var isFailure: Bool
    package var sessions: Int
    /// The input of the first of them.
    package var file: String
    /// The packet of the first of them that decides: that of the message which the first rule judged, else the first packet of the
    /// session.
    package var frame: UInt64
  }

  package struct Row: Sendable {
    package var configuration: DiagnosticConfiguration
    package var result: Result
    /// Sessions that pass, fail, and are undecided.
    package var passing = 0
    /// Sessions that break a required rule.
    package var failing = 0
    /// Sessions of which something required was not seen.
    package var undecided = 0
    /// Why sessions do not pass.
    package var reasons: [Reason] = []
    /// What a device reports, each once.
    package var errors: [PredictedError] = []
    /// Whether the row fails although ATS is off, so that the cause is not ATS.
    package var isCauseElsewhere = false
  }

  package var host: HostIdentity
  package var port: UInt16
  /// Whether the sessions are cleartext HTTP.
  package var isCleartext: Bool
  /// The scheme of the origin's URLs.
  package var scheme: String { isCleartext ? "http" : "https" }
  /// The key by which the rows name the host; nil where no entry can, so that those rows are as the first.
  package var key: String?
  /// Whether there is no key because the capture does not show the host: what an entry for it would change is not decided.
  package var isHostHidden = false
  package var sessions = 0
  /// Sessions that are no loads of URLs, which nscurl would not make.
  package var otherSessions = 0
  /// Sessions that were not looked at, because a limit was reached.
  package var leftOut = 0
  /// The rows in nscurl's order; none where no session is a load of a URL.
  package var rows: [Row] = []

  /// The row of the narrowest configuration that passes; nil where the default does, or none.
  package var narrowestRow: Int? {
    guard rows.first?.result != .pass else { return nil }
    return DiagnosticConfiguration.fromNarrowest.first { number in
      rows.contains { $0.configuration.row == number && $0.result == .pass }
    }
  }
}
