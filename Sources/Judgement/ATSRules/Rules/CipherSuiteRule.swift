import ATSEvidence
import PolicyResolution
import SessionModel
import TLSParsing

/// The cipher suite is one of the groups that ATS allows (policy text D.4).
struct CipherSuiteRule: Rule {
  static let id = "ATS-CIPHER"
  static let title = "Cipher suite"
  static let section = "D.4"
  static let setting: EffectivePolicy.Setting? = .cipherPolicy
  static let evidence: Set<Evidence.Part> = [.serverHello]
  static let weight = 12
  static let explanation = RuleExplanation(
    demand:
      "The cipher suite is an ECDHE suite of the release, or with NSExceptionRequiresForwardSecrecy = NO an RSA suite.",
    reason: "RC4, 3DES, export and anonymous suites can be broken; DHE allows weak parameters.",
    fix: .server("enable ECDHE suites with AES-GCM or ChaCha20-Poly1305 for the certificate's key type"),
    since:
      "\(RuleExplanation.firstRelease); TLS 1.3 and ChaCha20 from iOS 12; CBC with SHA-2 rejected from iOS 15.4 and macOS 12.3",
    relaxedBy: [ATSKeys.insecureLoads + " with " + ATSKeys.forwardSecrecy + " = NO"] + ATSKeys.arbitrary,
    errors: [.url: [-1200], .stream: [-9801, -9802, -9824, -9837, -9880, -9882]],
    sources: [.helper, .configuration, .coreTLS, .errorCodes, .cocoaKeys, .seedRequirements], weaknesses: [327], severity: "7.4")

  /// Checks whether the suite is in either group; forward secrecy is a separate rule.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    let expected = Self.demand(of: policy)
    guard let serverHello = session.tls?.serverHello else {
      return judgeRefusal(of: session, under: policy, expected: expected, fix: Self.fix, isDecisive: \.isAboutSuites)
    }
    if let undecided = undecidedVersion(serverHello.version, of: session, under: policy, expected: expected) { return undecided }
    if serverHello.version == .ssl2 { return fail("a cipher of SSL 2.0", expected: expected, parts: [.serverHello], fix: Self.fix) }
    guard let suite = serverHello.cipherSuite, !suite.isSignal else { return unknown(session.unseenServerHello, expected: expected) }
    if policy.group(of: suite) != nil || policy.admits(suite) {
      // No client accepts a suite of TLS 1.3 in an older version, or the reverse (RFC 8446 §B.4).
      if let version = serverHello.version, suite.isOfTLS13 != (version.rawValue >= TLSVersion.tls13.rawValue) {
        return fail("\(suite.text), which \(version.text) does not have", expected: expected, parts: [.serverHello], fix: Self.fix)
      }
      return pass(suite.text, expected: expected, parts: [.serverHello])
    }
    let wasMember = CipherSuiteGroups.table.contains { $0.suite == suite }
    let isOffered = Self.offers(session, under: policy) { $0.couldUse($1) }
    return fail(
      policy.cipherPolicy == .systemDefault ? "\(suite.text), not offered by the system" : "\(suite.text), not allowed by ATS",
      expected: expected, parts: [.serverHello], fix: Self.fix
    ).noting(
      wasMember && policy.release.isAtLeast(15, 4)
        ? "Apple's documentation still lists this suite; iOS 15.4 and macOS 12.3 and later reject it." : nil
    ).noting(Self.remark(isOffered: isOffered)).limited(to: "ATS cipher suites", isOffered: isOffered ?? true)
  }

  private static func demand(of policy: EffectivePolicy) -> String {
    let release = policy.release
    if policy.cipherPolicy == .systemDefault { return "a cipher suite that \(release.displayName) offers" }
    let keyExchange = policy.cipherPolicy == .ats ? "an ECDHE suite" : "an ECDHE or RSA suite"
    let ciphers = release.isAtLeast(12) ? "AES or ChaCha20-Poly1305" : "AES"
    return "\(keyExchange) with \(ciphers) that \(release.displayName) allows"
  }

  /// Whether the client offered an acceptable suite; nil if its offer is not visible.
  static func offers(
    _ session: SessionEvidence, under policy: EffectivePolicy, _ isGood: (ClientHelloReading, CipherSuite) -> Bool
  ) -> Bool? {
    guard let hello = ClientHelloReading(session, under: policy) else { return nil }
    return hello.suites.contains { isGood(hello, $0) }
  }

  /// Returns a note on the side that caused an unacceptable suite; nil if the offer is not visible.
  static func remark(isOffered: Bool?) -> OfferRemark? {
    isOffered.map { $0 ? .serverChose : .clientCouldNotDoBetter }
  }
}

extension RuleID {
  /// `ATS-CIPHER`: the cipher suite is allowed.
  public static let cipherSuite = RuleID(rawValue: CipherSuiteRule.id)
}
