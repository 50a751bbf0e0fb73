import ATSEvidence
import PolicyResolution
import SessionModel
import TLSParsing

/// The key exchange is ephemeral, if the policy requires it (policy text D.5).
struct ForwardSecrecyRule: Rule {
  static let id = "ATS-PFS"
  static let title = "Forward secrecy"
  static let section = "D.5"
  static let setting: EffectivePolicy.Setting? = .requiresForwardSecrecy
  static let evidence: Set<Evidence.Part> = [.serverHello, .serverKeyExchange]
  static let weight = 10
  static let explanation = RuleExplanation(
    demand: "Keys are agreed with ECDHE, or with a key share in TLS 1.3.",
    reason:
      "Without ephemeral keys, anyone who obtains the server's key later can decrypt all recorded traffic.",
    fix: .server("prefer ECDHE suites and disable TLS_RSA_*"),
    since: RuleExplanation.firstRelease, relaxedBy: [ATSKeys.forwardSecrecy] + ATSKeys.arbitrary,
    errors: [.url: [-1200], .stream: [-9801, -9802, -9824, -9837, -9880, -9882]],
    sources: [.configuration, .helper, .cocoaKeys, .seedRequirements], weaknesses: [327], severity: "5.9")

  /// Checks the suite; in TLS 1.3, the server's key share.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    let expected =
      policy.requiresForwardSecrecy
      ? "ephemeral key exchange (ECDHE)" : "any key exchange that the cipher suites allow"
    guard let serverHello = session.tls?.serverHello else { return unknown(session.unseenServerHello, expected: expected) }
    if let undecided = undecidedVersion(serverHello.version, of: session, under: policy, expected: expected) { return undecided }
    if serverHello.version == .tls13 { return judgeKeyShare(session, serverHello, under: policy, expected: expected) }
    if serverHello.version == .ssl2 { return notApplicable("The cipher suite is not an ATS suite.") }
    guard let suite = serverHello.cipherSuite, !suite.isSignal else { return unknown(session.unseenServerHello, expected: expected) }
    let structure = suite.structure
    let observed = structure.map { "\($0.keyExchange.text) key exchange" } ?? suite.text
    switch policy.group(of: suite) {
    case .ats?: return pass(observed, expected: expected, parts: [.serverHello])
    case .compatibility?:
      guard policy.requiresForwardSecrecy else { return pass(observed, expected: expected, parts: [.serverHello]) }
      let isOffered = CipherSuiteRule.offers(session, under: policy) { $0.couldUse($1) && policy.group(of: $1) == .ats }
      return fail("\(observed) (\(suite.text))", expected: expected, parts: [.serverHello], fix: Self.fix)
        .noting(CipherSuiteRule.remark(isOffered: isOffered)).limited(to: "ECDHE suites", isOffered: isOffered ?? true)
    case nil:
      return structure?.hasForwardSecrecy == true
        ? pass(observed, expected: expected, parts: [.serverHello]) : notApplicable("The cipher suite is not an ATS suite; see ATS-CIPHER.")
    }
  }

  private func judgeKeyShare(
    _ session: SessionEvidence, _ serverHello: Shared<ServerHelloFacts>, under policy: EffectivePolicy, expected: String
  ) -> Finding {
    if serverHello.isHelloRetryRequest {
      return unknown(session.unseenServerHello, expected: expected).noting("A HelloRetryRequest does not show the server's final choice.")
    }
    if serverHello.keyShareGroup != nil || serverHello.extensions.contains(.keyShare) {
      return pass(
        "key share" + (serverHello.keyShareGroup.map { " with \($0.text)" } ?? ""), expected: expected, parts: [.serverHello])
    }
    if session.evidence.serverHello == .partial { return unknown(session.unseenServerHello, expected: expected) }
    guard serverHello.extensions.contains(.preSharedKey) else {
      return fail(
        "neither a key share nor a pre-shared key", expected: expected, parts: [.serverHello],
        fix: .server("send a key share, without which no client continues (RFC 8446 §4.2.8)"))
    }
    let observed = "a pre-shared key without a key share (psk_ke)"
    return policy.requiresForwardSecrecy
      ? fail(
        observed, expected: expected, parts: [.serverHello], fix: .server("allow resumption only with psk_dhe_ke"))
      : pass(observed, expected: expected, parts: [.serverHello])
  }
}

extension CipherSuite.Structure.KeyExchange {
  /// The usual notation of the key exchange.
  var text: String {
    switch self {
    case .negotiated: "TLS 1.3"
    case .null: "no"
    case .rsa: "RSA"
    case .dh: "static DH"
    case .dhe: "DHE"
    case .ecdh: "static ECDH"
    case .ecdhe: "ECDHE"
    case .psk: "PSK"
    case .dhePSK: "DHE-PSK"
    case .ecdhePSK: "ECDHE-PSK"
    case .rsaPSK: "RSA-PSK"
    case .kerberos: "Kerberos"
    case .srp: "SRP"
    case .password: "password"
    case .gost: "GOST"
    case .fortezza: "FORTEZZA"
    case .sm: "SM2 or SM9"
    }
  }
}

extension RuleID {
  /// `ATS-PFS`: the key exchange has forward secrecy.
  public static let forwardSecrecy = RuleID(rawValue: ForwardSecrecyRule.id)
}
