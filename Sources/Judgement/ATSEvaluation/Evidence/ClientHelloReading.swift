import PolicyResolution
import SessionObservation
import TLSParsing

/// What a ClientHello offers in the eyes of a policy.
struct ClientHelloReading {
  /// The suites offered that can be negotiated.
  let suites: [CipherSuite]

  /// The versions offered.
  let versions: [TLSVersion]

  /// Whether the hello travelled in QUIC, over which devices offer TLS 1.3 and nothing else (RFC 9001 §4.2).
  let isQUIC: Bool

  private let groups: [NamedGroup]

  private let policy: EffectivePolicy

  /// Reads the offer of a session; nil where no ClientHello is visible in full.
  init?(_ session: ObservedSession, under policy: EffectivePolicy) {
    guard let offer = session.tls?.offer, session.evidence.clientHello != .partial else { return nil }
    suites = offer.content.cipherSuites.filter { !$0.isSignal }
    versions = offer.content.versions.filter { !isGREASE($0.rawValue) }
    groups = offer.content.groups
    isQUIC = session.transport == .quic
    self.policy = policy
  }

  /// Whether a version is allowed.
  func admits(_ version: TLSVersion) -> Bool {
    !version.isTLS13Draft && version.rawValue > TLSVersion.ssl3.rawValue
      && policy.admits(version: version.rawValue) ?? false
  }

  /// Whether a suite is allowed, forward secrecy included.
  func admits(_ suite: CipherSuite) -> Bool {
    guard let group = policy.group(ofSuite: suite.rawValue) else {
      return policy.admits(suite: suite.rawValue)
    }
    return group == .ats || !policy.forwardSecrecyRequired
  }

  /// Whether a suite is allowed and could be negotiated at a version that is allowed.
  func couldUse(_ suite: CipherSuite) -> Bool {
    let isTLS13 = suite.structure?.keyExchange == .negotiated
    return admits(suite) && versions.contains { admits($0) && ($0 == .tls13) == isTLS13 }
  }

  /// Whether there is nothing in the offer that the policy refuses.
  var isWithinPolicy: Bool {
    !suites.isEmpty && !versions.isEmpty && suites.allSatisfy(admits) && versions.allSatisfy(admits)
  }

  /// A version that a device offers and this client did not, so that the server may have asked for it; nil
  /// for none.
  var missingVersion: TLSVersion? {
    let least = policy.leastTLSVersion
    return [least, max(least, policy.release.maximumTLSVersion)].map(TLSVersion.init).first {
      !versions.contains($0)
    }
  }

  /// What a device offers besides suites and this client did not, in words, so that its suites need not be
  /// why a server refused it; nil for nothing.
  var missingBesideSuites: String? {
    // Whoever names no groups leaves them to the server (RFC 8422 §4).
    if !groups.isEmpty, let group = ClientHelloReading.usualGroups.first(where: { !groups.contains($0) }) {
      return "the group \(group.name ?? hexadecimalCode(group.rawValue))"
    }
    let authentications = suites.compactMap { $0.structure?.authentication }
    if authentications.contains(.negotiated) { return nil }
    if !authentications.contains(.rsa) { return "suites for RSA certificates" }
    return authentications.contains(.ecdsa) ? nil : "suites for ECDSA certificates"
  }

  /// The groups that nearly every server knows, and every device offers: P-256 and P-384.
  private static let usualGroups = [NamedGroup(rawValue: 0x0017), NamedGroup(rawValue: 0x0018)]
}
