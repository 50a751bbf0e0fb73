public import PolicyResolution
package import TrustEvaluation

/// The result of judging a session: verdict, findings and score.
public enum Verdict: String, Hashable, Sendable, CaseIterable {
  /// No required rule fails and none is unknown.
  case pass
  /// A required rule fails.
  case fail
  /// A required rule cannot be decided.
  case unknown
  /// ATS does not govern the session under this policy.
  case exempt
}

/// The judgement of a session: verdict, score and the finding of each rule.
///
/// It holds no frame number and no time of the session, so that like sessions share one; `Finding.parts`
/// leads to the frames.
public struct Judgement: Hashable, Sendable {
  /// The verdict.
  public package(set) var verdict: Verdict
  /// Why the session is exempt, as a sentence; nil for other verdicts.
  public package(set) var exemption: String?
  /// The failing rule that decides the session's error (policy text D.0).
  public package(set) var primaryRule: String?
  /// The score, 0 to 100; nil if nothing is decided.
  public package(set) var score: Int?
  /// The decided share of the weight that should be decided, in hundredths: 0 to 100.
  public package(set) var confidencePercent: Int
  /// The grade, `A+` to `F`; nil where the score is nil.
  public package(set) var grade: String?
  /// The policy that was applied.
  public package(set) var policy: EffectivePolicy
  /// The path that was judged; nil where nothing is decided about trust.
  package var trust: JudgedTrust?
  /// One finding a rule, in the order of the rules' table.
  public package(set) var findings: [Finding] {
    didSet { isRelaxed = findings.has(.relaxed) }
  }
  /// Whether a required rule holds only because a key of the dictionary allows what it would refuse.
  public private(set) var isRelaxed: Bool
  /// The error that a device would report; nil if none is expected.
  public package(set) var predictedError: PredictedError?
  /// The change of the dictionary that would allow the session; nil where none is needed.
  public package(set) var narrowestException: NarrowestException?
  /// The captures besides the session's own that showed certificates which it rests on.
  public package(set) var otherCaptures: [String] = []

  package init(
    verdict: Verdict, exemption: String? = nil, primaryRule: String? = nil, score: Int? = nil,
    confidencePercent: Int, grade: String? = nil, policy: EffectivePolicy, findings: [Finding],
    predictedError: PredictedError? = nil, narrowestException: NarrowestException? = nil
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
  /// The findings for which the session fails.
  public var brokenRules: [Finding] { findings.those(.fail).filter(\.required) }

  /// Whether the load is known to be refused: by ATS, or where ATS is off by what remains and no key lifts
  /// (policy text C.3, C.4).
  public var isRefused: Bool {
    verdict == .fail || verdict == .exempt && findings.those(.fail).contains(where: \.refusesWithoutATS)
  }
}

extension Finding {
  /// Whether the load fails for this with ATS off as well; the NIAP package is a demand of the dictionary alone.
  var refusesWithoutATS: Bool { outcome == .fail && Finding.systemRules.contains(id) }

  private static let systemRules = Set(
    RuleTable.mandatory.filter { !($0 is NIAPRule) }.map { type(of: $0).id })
}

/// The path that a judgement rests on.
package struct JudgedTrust: Hashable, Sendable {
  /// SHA-256 of its certificates, the leaf first and the anchor last; empty where there is no path.
  package var path: [String]
  package var anchorClass: AnchorClass
  /// Whether the signatures of SCTs were verified, and not only counted.
  package var sctsVerified = false
}

/// The error that URL loading reports, and its underlying error (policy text D.20).
public struct PredictedError: Hashable, Sendable {
  /// The domain, such as `NSURLErrorDomain`.
  public package(set) var domain: String
  /// The code, such as −1200.
  public package(set) var code: Int
  /// The domain of the underlying error; nil where there is none.
  public package(set) var underlyingDomain: String?
  /// The code of the underlying error.
  public package(set) var underlyingCode: Int?
  /// The code of trust evaluation, in ``trustDomain``; nil where trust is not the cause.
  public package(set) var trustCode: Int?
  /// Codes that some systems report in place of `code`.
  public package(set) var alternativeCodes: [Int] = []

  /// The domain of codes of trust evaluation.
  public static let trustDomain = "NSOSStatusErrorDomain"

  /// Creates an error.
  package init(domain: String, code: Int, underlyingDomain: String? = nil, underlyingCode: Int? = nil) {
    self.domain = domain
    self.code = code
    self.underlyingDomain = underlyingDomain
    self.underlyingCode = underlyingCode
  }
}

/// The smallest change of NSAppTransportSecurity that would allow a session (policy text C.7).
public enum NarrowestException: Hashable, Sendable {
  /// A value of an entry or a global key.
  public enum Value: Hashable, Sendable {
    /// A boolean.
    case boolean(Bool)
    /// A version string.
    case string(String)
  }

  /// Keys to set in the entry of a host.
  case entry(host: String, keys: [String: Value])

  /// A global key to set.
  case global(key: String, value: Bool)

  /// No key is known to allow it: why, and what would; the rules that no key lifts; and the changes under which the session no longer
  /// fails because a device then offers more than the client did, so that they may help and are not shown to.
  case impossible(reason: String, rules: [String] = [], mayHelp: [NarrowestException] = [])
}

extension NarrowestException {
  /// The keys to set, in the order of their names; the entry is nil for a global key. None where no key helps.
  package var settings: [(entry: String?, key: String, value: Value)] {
    switch self {
    case .entry(let host, let keys):
      keys.sorted { $0.key < $1.key }.map { (host, $0.key, $0.value) }
    case .global(let key, let value): [(nil, key, .boolean(value))]
    case .impossible: []
    }
  }
}
