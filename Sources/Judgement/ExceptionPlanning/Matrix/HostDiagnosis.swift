public import ATSEvaluation
public import PolicyResolution

/// The matrix of one origin, which is what a URL names: how its sessions fare under each configuration.
public struct HostDiagnosis: Sendable {
  /// How a host fares under a configuration.
  public enum Result: String, Hashable, Sendable, CaseIterable {
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
  public struct Reason: Hashable, Sendable {
    /// The rules, in the order of reports; several only where they lack the same evidence.
    public var rules: [String]
    /// What was seen, or what was not.
    public var text: String
    /// Whether the rules are broken; else they are undecided.
    public var isFailure: Bool
    /// How many sessions.
    public var sessions: Int
    /// The input of the first of them.
    public var file: String
    /// The packet of the first of them that decides: that of the message which the first rule judged, else the first packet of the
    /// session.
    public var frame: UInt64
  }

  /// One row.
  public struct Row: Sendable {
    /// The configuration.
    public var configuration: DiagnosticConfiguration
    /// How the host fares.
    public var result: Result
    /// Sessions that pass, fail, and are undecided.
    public var passing = 0
    /// Sessions that break a required rule.
    public var failing = 0
    /// Sessions of which something required was not seen.
    public var undecided = 0
    /// Why sessions do not pass.
    public var reasons: [Reason] = []
    /// What a device reports, each once.
    public var errors: [PredictedError] = []
    /// Whether the row fails although ATS is off, so that the cause is not ATS.
    public var isCauseElsewhere = false
  }

  /// The host.
  public var host: HostIdentity
  /// The port of the server.
  public var port: UInt16
  /// Whether the sessions are cleartext HTTP.
  public var isCleartext: Bool
  /// The scheme of the origin's URLs.
  public var scheme: String { isCleartext ? "http" : "https" }
  /// The key by which the rows name the host; nil where no entry can, so that those rows are as the first.
  public var key: String?
  /// Whether there is no key because the capture does not show the host: what an entry for it would change is not decided.
  public var isHostHidden = false
  /// Sessions that were judged.
  public var sessions = 0
  /// Sessions that are no loads of URLs, which nscurl would not make.
  public var otherSessions = 0
  /// Sessions that were not looked at, because a limit was reached.
  public var leftOut = 0
  /// The rows in nscurl's order; none where no session is a load of a URL.
  public var rows: [Row] = []

  /// The row of the narrowest configuration that passes; nil where the default does, or none.
  public var narrowestRow: Int? {
    guard rows.first?.result != .pass else { return nil }
    return DiagnosticConfiguration.fromNarrowest.first { number in
      rows.contains { $0.configuration.row == number && $0.result == .pass }
    }
  }
}
