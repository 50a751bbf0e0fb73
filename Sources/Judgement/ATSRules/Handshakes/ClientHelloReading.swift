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

  /// Reads the offer of a session; nil if no complete ClientHello is visible, or if it is contested.
  init?(_ session: SessionEvidence, under policy: EffectivePolicy) {
    guard let offer = session.tls?.offer, session.evidence.clientHello != .partial, !session.evidence.isContested(.clientHello)
    else { return nil }
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

  /// Whether the policy allows a suite that could be negotiated at an offered version, which is judged by another rule. Suites with
  /// SHA-2 require TLS 1.2.
  func couldUse(_ suite: CipherSuite) -> Bool {
    guard admits(suite) else { return false }
    if suite.isOfTLS13 { return versions.contains(.tls13) }
    let least = suite.structure?.hash == .sha1 ? TLSVersion.tls10 : .tls12
    return versions.contains { (least.rawValue...TLSVersion.tls12.rawValue).contains($0.rawValue) }
  }
}
