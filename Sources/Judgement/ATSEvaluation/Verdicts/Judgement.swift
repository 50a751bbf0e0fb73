public import ATSRules
public import PolicyResolution
package import TrustEvaluation

/// The overall result for a session under ATS.
public enum Verdict: String, Hashable, Sendable, CaseIterable {
  /// No required rule fails and none is unknown.
  case pass
  /// A required rule fails.
  case fail
  /// No required rule fails, but at least one cannot be decided.
  case unknown
  /// ATS does not govern the session under this policy.
  case exempt

  /// The meaning, for users.
  package var meaning: String {
    switch self {
    case .pass: "the session meets App Transport Security (ATS), Apple's rules for the connections that apps make"
    case .fail: "ATS applies to the session, and ATS or the system's check of certificates refuses it"
    case .unknown: "no rule is known to fail, but the capture does not show enough"
    case .exempt: "ATS does not apply to the session; the report shows whether the system still rejects it"
    }
  }
}

/// The judgement of a session: verdict, score and one finding per rule.
///
/// Similar sessions share it, so it has no frame numbers and no time of a session, except in notes about contested bytes and supplied
/// chains, and the days of certificate findings, which are then part of what makes sessions similar. `Finding.parts` leads to the frames.
public struct Judgement: Hashable, Sendable {
  /// The overall result.
  public package(set) var verdict: Verdict
  /// Why the session is exempt, as a sentence; nil for other verdicts.
  public package(set) var exemption: String?
  /// Whether the session is a load of a URL that an app's settings can govern. That does not depend on the settings.
  package var isURLLoad = true
  /// The failing rule that represents the session (policy text D.0); nil if none fails.
  public package(set) var primaryRule: RuleID?
  /// The score, from 0 to 100; nil if nothing is decided.
  public package(set) var score: Int?
  /// The percentage of the weight that could be decided and was, from 0 to 100.
  public package(set) var confidencePercent: Int
  /// The grade, from `A+` to `F`; nil if `score` is nil.
  public package(set) var grade: String?
  /// The policy that applies to the session.
  public package(set) var policy: EffectivePolicy
  /// The path that was judged; nil if trust is undecided.
  package var trust: JudgedTrust?
  /// One finding per rule, in the order of reports.
  public package(set) var findings: [Finding] {
    didSet { isRelaxed = findings.has(.relaxed) }
  }
  /// Whether a required rule passes only because a key of the dictionary relaxes it.
  public private(set) var isRelaxed: Bool
  /// The error that a device is expected to report; nil if none is expected.
  public package(set) var predictedError: PredictedError?
  /// The smallest change of the dictionary that would allow the session; nil if none is needed.
  public package(set) var narrowestException: NarrowestException?
  /// The names of other captures that contain certificates on which the judgement rests.
  public package(set) var otherCaptures: [String] = []

  package init(
    verdict: Verdict, exemption: String? = nil, primaryRule: RuleID? = nil, score: Int? = nil, confidencePercent: Int, grade: String? = nil,
    policy: EffectivePolicy, findings: [Finding], predictedError: PredictedError? = nil, narrowestException: NarrowestException? = nil
  ) {
    self.verdict = verdict
    self.exemption = exemption
    self.primaryRule = primaryRule
    self.score = score
    self.confidencePercent = confidencePercent
    self.grade = grade
    self.policy = policy
    self.findings = findings
    isRelaxed = findings.has(.relaxed)
    self.predictedError = predictedError
    self.narrowestException = narrowestException
  }
}

extension Judgement {
  /// The failing findings of required rules, which make the session fail.
  public var failures: [Finding] { findings.filtered(by: .fail).filter(\.isRequired) }

  /// The undecided findings of required rules, which leave the verdict open unless another rule fails.
  public var undecided: [Finding] { findings.filtered(by: .unknown).filter(\.isRequired) }

  /// The findings of rules that the session breaks and a key of the dictionary relaxes.
  package var relaxed: [Finding] { findings.filtered(by: .relaxed) }

  /// The failing findings of rules that are not required, without those for which the system rejects the load.
  package var advice: [Finding] { findings.filtered(by: .fail).filter { !$0.isRequired && !isRejected(for: $0) } }

  /// Whether the session fails only because the client did not offer what ATS requires, which the server may support.
  package var isLimitedByOffer: Bool { verdict == .fail && failures.allSatisfy(\.isLimitedByOffer) }

  /// The findings for which the load is refused: by ATS or, if ATS is off, by the system's own rules (policy text C.3, C.4).
  package var refusals: [Finding] { verdict == .fail ? failures : rejections }

  /// The findings for which the system rejects the load although ATS is off (policy text C.4).
  package var rejections: [Finding] { verdict == .exempt ? findings.filtered(by: .fail).filter(isRejected(for:)) : [] }

  /// Whether the system rejects the load although ATS is off.
  package var isRejected: Bool { !rejections.isEmpty }

  /// Whether the system rejects the load for a finding although ATS is off. What is not a URL load has no predicted error.
  package func isRejected(for finding: Finding) -> Bool {
    verdict == .exempt && predictedError != nil && finding.refusesWithoutATS
  }

  /// Whether the load is known to be refused: by ATS or, if ATS is off, by the system's own rules.
  public var isRefused: Bool { !refusals.isEmpty }
}

extension Finding {
  /// Whether the load also fails because of this finding if ATS is off. The requirements of the NIAP package come from the dictionary only.
  package var refusesWithoutATS: Bool { outcome == .fail && Finding.systemRules.contains(id) }

  private static let systemRules = Set(RuleTable.mandatory.map { type(of: $0).id }).subtracting([RuleID.niap.rawValue])
}

/// The certificate path on which a judgement rests.
package struct JudgedTrust: Hashable, Sendable {
  /// A certificate of the path.
  package struct Certificate: Hashable, Sendable {
    /// The SHA-256 digest in hexadecimal.
    package let sha256: String
    /// The name for display; nil if the certificate has none.
    package let title: String?
  }

  /// The certificates from the leaf to the anchor; empty if there is no path.
  package var path: [Certificate]
  package var anchorClass: AnchorClass
  /// Whether SCT signatures were verified rather than only counted.
  package var sctsVerified = false
}

/// The error that URL loading reports, with its underlying error (policy text D.20).
public struct PredictedError: Hashable, Sendable {
  /// The error domain, such as `NSURLErrorDomain`.
  public package(set) var domain: String
  /// The error code, such as −1200.
  public package(set) var code: Int
  /// The domain of the underlying error; nil if there is none.
  public package(set) var underlyingDomain: String?
  /// The code of the underlying error; nil if there is none.
  public package(set) var underlyingCode: Int?
  /// The trust evaluation code, in the domain `NSOSStatusErrorDomain`; nil if trust is not the cause.
  public package(set) var trustCode: Int?
  /// Codes that some systems report instead of `code`.
  public package(set) var alternativeCodes: [Int] = []
  /// Whether a device receives it only if the server also refuses the device's offer, which is larger than the recorded client's.
  package var dependsOnOffer = false

  /// The error domain of trust evaluation codes.
  package static let trustDomain = "NSOSStatusErrorDomain"

  package init(domain: String, code: Int, underlyingDomain: String? = nil, underlyingCode: Int? = nil) {
    self.domain = domain
    self.code = code
    self.underlyingDomain = underlyingDomain
    self.underlyingCode = underlyingCode
  }
}

/// The smallest change of NSAppTransportSecurity that would allow a session (policy text C.7).
public enum NarrowestException: Hashable, Sendable {
  /// The value of a key.
  public enum Value: Hashable, Sendable {
    /// A Boolean value.
    case boolean(Bool)
    /// A TLS version, such as `TLSv1.0`.
    case string(String)

    /// The value as in texts: `YES`, `NO` or the TLS version.
    package var text: String {
      switch self {
      case .boolean(let value): value ? "YES" : "NO"
      case .string(let text): text
      }
    }
  }

  /// Keys to set in the entry for a host. Those of a new entry include the requirements of the entry that it replaces for this host.
  case entry(host: String, keys: [String: Value])

  /// A global key to set.
  case global(key: String, value: Bool)

  /// No key is known to allow the session.
  case impossible(Obstacle)

  /// Why no key is known to allow a session, and what would.
  public struct Obstacle: Hashable, Sendable {
    /// Why no key is known to help, and what would help, in sentences.
    public let reason: String
    /// The rules that no key lifts.
    public let rules: [RuleID]
    /// Changes under which a device offers more than the client did. They may help, but no session proves it.
    public let mayHelp: [NarrowestException]
    /// Whether app code can accept the certificate if a key leaves that to it.
    package let appMayAccept: Bool
    /// What would help, but would allow loads from other hosts too, as a clause with which the reason begins; nil if nothing would.
    package let broaderWay: String?
    /// Why no entry can name the host, as a clause such as `the capture does not show`, whose object is the host; nil if one can, or if the
    /// host does not matter.
    package let unlistable: String?

    package init(
      reason: String, rules: [RuleID] = [], mayHelp: [NarrowestException] = [], appMayAccept: Bool = false, broaderWay: String? = nil,
      unlistable: String? = nil
    ) {
      self.reason = reason
      self.rules = rules
      self.mayHelp = mayHelp
      self.appMayAccept = appMayAccept
      self.broaderWay = broaderWay
      self.unlistable = unlistable
    }
  }
}

extension NarrowestException {
  /// The keys to set, sorted by name; `entry` is nil for a global key. Empty if no key helps.
  package var settings: [(entry: String?, key: String, value: Value)] {
    switch self {
    case .entry(let host, let keys):
      keys.sorted { $0.key < $1.key }.map { (host, $0.key, $0.value) }
    case .global(let key, let value): [(nil, key, .boolean(value))]
    case .impossible: []
    }
  }

  /// Returns what allows the sessions of both exceptions, if they are equal or are keys for the entry of the same host; otherwise nil.
  package func merged(with other: NarrowestException) -> NarrowestException? {
    if self == other { return self }
    guard case .entry(let host, let keys) = self, case .entry(host, let others) = other else { return nil }
    var merged = keys.merging(others) { own, other in
      // Of two minimum versions, the lower, and of two NIAP packages, none; other keys have only one value that allows more.
      guard case .string(let text) = own, case .string(let otherText) = other else { return own }
      let none = NIAPPackage.none.rawValue
      return .string(text == none || otherText == none ? none : min(text, otherText))
    }
    // A new entry without a minimum version requires TLS 1.2.
    let minimum = ATSKeys.minimumTLSVersion
    if merged[minimum] == .string("TLSv1.3"), keys[minimum] == nil || others[minimum] == nil { merged[minimum] = nil }
    return .entry(host: host, keys: merged)
  }
}
