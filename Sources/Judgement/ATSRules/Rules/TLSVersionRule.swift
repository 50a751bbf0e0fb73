import ATSEvidence
import PolicyResolution
import SessionModel
import TLSParsing

/// The session negotiated a version that the policy allows (policy text D.3).
struct TLSVersionRule: Rule {
  static let id = "ATS-TLS-VERSION"
  static let title = "TLS version"
  static let section = "D.3"
  static let setting: EffectivePolicy.Setting? = .minimumTLSVersion
  static let evidence: Set<Evidence.Part> = [.serverHello]
  static let weight = 15
  static let explanation = RuleExplanation(
    demand: "The negotiated version is TLS 1.2 or later; with NSExceptionMinimumTLSVersion, that version or later.",
    reason: "Older versions depend on MD5, SHA-1 and CBC constructions that are broken.",
    fix: .server("enable TLS 1.2 and 1.3 and disable 1.0 and 1.1"),
    since:
      "\(RuleExplanation.firstRelease); TLS 1.3 from iOS 12.2 and macOS 10.14.4; with ATS off, the system still requires TLS 1.0, or TLS 1.2 from iOS 26 and macOS 26 for apps built with their SDKs",
    relaxedBy: [ATSKeys.minimumTLSVersion] + ATSKeys.arbitrary.map { $0 + " down to the system's minimum" },
    errors: [.url: [-1200], .stream: [-9801, -9802, -9836, -9880, -9881]],
    sources: [.configuration, .exceptionDomains, .platformGuide, .protocolDefaults, .seedRequirements], weaknesses: [327], severity: "7.4")

  /// Checks the negotiated version, not the offered ones.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    let minimum = policy.effectiveMinimumTLSVersion
    let expected = "\(minimum.text) or later"
    guard let version = session.tls?.serverHello?.version else {
      return judgeRefusal(
        of: session, under: policy, expected: expected, fix: .server("enable TLS 1.2 and 1.3"),
        isDecisive: \.isAboutVersions)
    }
    if !version.isFinal {
      return unknown(Unseen(nil, settledBy: [.evidence("record a session that uses TLS 1.2 or 1.3")]), expected: expected)
        .observing(version.text, .serverHello).noting(Remarks.foreignVersion(version))
    }
    // SSL 2.0 and SSL 3.0 fail under every dictionary.
    if version.rawValue > TLSVersion.ssl3.rawValue {
      guard let isAdmitted = policy.admits(version) else {
        return unknown(
          Unseen(nil, settledBy: [.evidence("use an Info.plist whose minimum is a TLS version")]), expected: expected
        ).observing(version.text, .serverHello)
          .noting("The minimum is a DTLS version, which has no meaning for TLS.")
      }
      if isAdmitted { return pass(version.text, expected: expected, parts: [.serverHello]) }
    }
    let hello = ClientHelloReading(session, under: policy)
    return fail(
      version.text, expected: expected, parts: [.serverHello],
      fix: version.rawValue >= TLSVersion.tls12.rawValue
        ? .server("enable \(minimum.text)")
        : Self.fix
    ).noting(hello.flatMap { Self.best(for: $0, negotiated: version) })
      .noting(hello.flatMap { Self.remark(on: $0, under: policy) })
      .limited(
        to: TLSVersion(rawValue: max(minimum.rawValue, TLSVersion.tls12.rawValue)).text,
        isOffered: hello.map { $0.versions.contains(where: $0.admits) } ?? true)
  }

  /// The highest published version in an offer; nil if it has none.
  private static func highest(in hello: ClientHelloReading) -> TLSVersion? {
    hello.versions.filter { !$0.isTLS13Draft }.max { $0.rawValue < $1.rawValue }
  }

  /// Returns a note that the server limited the version; nil if the client did.
  private static func best(for hello: ClientHelloReading, negotiated: TLSVersion) -> String? {
    guard let highest = highest(in: hello), hello.versions.contains(where: hello.admits) else { return nil }
    return "The client offered \(highest.text), so \(negotiated.text) is the best this server supports."
  }

  /// Returns a remark that the client limited the version; nil if the server did.
  private static func remark(on hello: ClientHelloReading, under policy: EffectivePolicy) -> OfferRemark? {
    guard let highest = highest(in: hello), !hello.versions.contains(where: hello.admits) else { return nil }
    return policy.effectiveMinimumTLSVersion == .tls13 && highest == .tls12 ? .clientOfferedTLS12 : .clientCouldNotDoBetter
  }
}

extension RuleID {
  /// `ATS-TLS-VERSION`: the negotiated version is allowed.
  public static let tlsVersion = RuleID(rawValue: TLSVersionRule.id)
}
