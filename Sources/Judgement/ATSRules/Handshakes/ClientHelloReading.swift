import ATSEvidence
import PolicyResolution
import SessionModel
import TLSParsing

/// The offer of a ClientHello under a policy.
struct ClientHelloReading {
  /// The offered suites that can be negotiated.
  let suites: [CipherSuite]

  let versions: [TLSVersion]

  private let policy: EffectivePolicy

  /// Reads the offer of a session; nil if no complete ClientHello is visible.
  init?(_ session: SessionEvidence, under policy: EffectivePolicy) {
    guard let offer = session.tls?.offer, session.evidence.clientHello != .partial else { return nil }
    suites = offer.cipherSuites.filter { !$0.isSignal }
    versions = offer.versions.filter { !isGREASE($0.rawValue) }
    self.policy = policy
  }

  func admits(_ version: TLSVersion) -> Bool {
    !version.isTLS13Draft && version.rawValue > TLSVersion.ssl3.rawValue && policy.admits(version) ?? false
  }

  /// Whether the policy allows a suite, including its forward secrecy.
  func admits(_ suite: CipherSuite) -> Bool {
    guard let group = policy.group(of: suite) else { return policy.admits(suite) }
    return group == .ats || !policy.requiresForwardSecrecy
  }

  /// Whether the policy allows a suite that could be negotiated at an allowed version.
  func couldUse(_ suite: CipherSuite) -> Bool {
    let isTLS13 = suite.structure?.keyExchange == .negotiated
    return admits(suite) && versions.contains { admits($0) && ($0 == .tls13) == isTLS13 }
  }
}
