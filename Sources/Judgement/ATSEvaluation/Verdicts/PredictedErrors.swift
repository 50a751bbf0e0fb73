import ATSEvidence
import ATSRules
import PolicyResolution
import SessionModel
import TLSParsing
import TrustEvaluation

/// The errors that a device reports for failures (policy text D.20).
enum PredictedErrors {
  /// The error for a session; nil if none is expected.
  ///
  /// `findings` are those of a session that fails, or that is exempt because ATS is off. In that case the system may still refuse the
  /// version, the suite or the certificates.
  static func error(for findings: [Finding], of session: SessionEvidence, under policy: EffectivePolicy, _ context: JudgingContext)
    -> PredictedError?
  {
    let isOff = policy.isATSOff || !policy.isGoverned
    let decisive = findings.indices(of: .fail).filter { index in
      isOff ? findings[index].refusesWithoutATS : findings[index].isRequired
    }
    // A device offers more than a client whose offer caused a failure, and reports what fails all the same.
    let index = decisive.first { !findings[$0].isLimitedByOffer } ?? decisive.first
    guard let finding = index.map({ findings[$0] }) else { return nil }
    var error = error(for: finding, of: session, under: policy, context)
    error.dependsOnOffer = finding.isLimitedByOffer
    return error
  }

  private static func error(
    for finding: Finding, of session: SessionEvidence, under policy: EffectivePolicy, _ context: JudgingContext
  ) -> PredictedError {
    switch finding.rule {
    case .tlsVersion: return handshake(-9836, session)
    case .cipherSuite, .forwardSecrecy: return handshake(-9824, session)
    case .pin:
      var error = stream(policy.trust == .strict ? -1200 : -1202, -9886)
      error.trustCode = -9886
      error.alternativeCodes = [policy.trust == .strict ? -1202 : -1200]
      return error
    default:
      let isOfTrust = RuleTable.mandatory.contains { type(of: $0).id == finding.id && type(of: $0).isTrustEvaluation }
      if isOfTrust { return trust(finding, under: policy, context) }
      return PredictedError(domain: urlDomain, code: firstCode(.url, for: finding) ?? -1200)
    }
  }

  /// The first of the codes in a domain that are described for the rule.
  private static func firstCode(_ domain: ReportedError.Domain, for finding: Finding) -> Int? {
    RuleCatalogue.rule(withID: finding.id)?.errors.first { $0.domain == domain.rawValue }?.code
  }

  /// The error for a failed handshake that no rule explains; nil if a device may fare differently. A client's refusal, close or reset is
  /// its own decision, and a server that refused one ClientHello may accept another.
  static func error(forEndingOf session: SessionEvidence) -> PredictedError? {
    switch session.ending {
    case .clientCertificateMissing?: return PredictedError(domain: urlDomain, code: -1206)
    case .clientCertificateRejected(let alert)?:
      var error = PredictedError(domain: urlDomain, code: -1205)
      if let underlying = alert.flatMap(underClientCertificate) {
        error.underlyingDomain = streamDomain
        error.underlyingCode = underlying
      }
      return error
    case .refused(by: .server, let alert)?:
      guard session.tls?.serverHello != nil else { return nil }
      switch alert {
      case .handshakeFailure?: return stream(-1200, -9824)
      case .protocolVersion?: return stream(-1200, -9836)
      case .insufficientSecurity?: return stream(-1200, -9837)
      default: return PredictedError(domain: urlDomain, code: -1200)
      }
    case .reset(let peer)?, .closed(let peer)?:
      // If that is unknown after a ServerHello, it is the client, whose FIN is missing.
      guard peer == .server || peer == nil && session.tls?.serverHello == nil else { return nil }
      var error = stream(-1200, -9806)
      error.alternativeCodes = [-1005]
      return error
    case .httpResponse?: return PredictedError(domain: urlDomain, code: -1200)
    case .unreachable?: return PredictedError(domain: urlDomain, code: -1004)
    case .established?, .refused(by: .client, _)?, .clientLeft?, .proxyRefused?, .unknown?, nil: return nil
    }
  }

  /// The stream error code for a server's alert about the client certificate.
  private static func underClientCertificate(_ alert: AlertDescription) -> Int? {
    switch alert {
    case .badCertificate: -9825
    case .unsupportedCertificate: -9826
    case .certificateRevoked: -9827
    case .certificateExpired: -9828
    case .certificateUnknown: -9829
    default: nil
    }
  }

  /// The error of a trust evaluation rule; recent systems may report -1202 even under ATS.
  private static func trust(_ finding: Finding, under policy: EffectivePolicy, _ context: JudgingContext) -> PredictedError {
    var error = policy.trust == .strict ? stream(-1200, underATS(finding, policy.release)) : stream(-1202, withoutATS(finding, context))
    error.trustCode = trustCode(finding, context)
    if policy.trust == .strict {
      error.alternativeCodes = [-1202]
    } else if finding.rule == .certificateRevoked {
      error.alternativeCodes = [-1200]
    } else {
      error.alternativeCodes = error.underlyingCode.flatMap(alternativeWithoutATS).map { [$0] } ?? []
    }
    return error
  }

  /// The alternative code that older systems report if ATS does not enforce trust, by the underlying code.
  private static func alternativeWithoutATS(_ code: Int) -> Int? {
    switch code {
    case -9807, -9812, -9813: -1203
    case -9814: -1201
    case -9815: -1204
    default: nil
    }
  }

  /// The code of the trust evaluation: usually the first that is described for the rule.
  private static func trustCode(_ finding: Finding, _ context: JudgingContext) -> Int {
    if let code = finding.trustCode { return code }
    if finding.rule == .certificateTrust, case .refused(let failure)? = context.decision, case .missingIssuer = failure.reason {
      return -25318
    }
    return firstCode(.status, for: finding) ?? -67843
  }

  private static let urlDomain = "NSURLErrorDomain"

  private static let streamDomain = "kCFStreamErrorDomainSSL"

  private static func stream(_ code: Int, _ underlying: Int) -> PredictedError {
    PredictedError(domain: urlDomain, code: code, underlyingDomain: streamDomain, underlyingCode: underlying)
  }

  /// The code that follows from the server's alert, otherwise the usual one.
  private static func handshake(_ usual: Int, _ session: SessionEvidence) -> PredictedError {
    switch EarlyRefusal(session)?.alert {
    case .handshakeFailure?: stream(-1200, -9824)
    case .protocolVersion?: stream(-1200, -9836)
    case .insufficientSecurity?: stream(-1200, -9837)
    default: stream(-1200, usual)
    }
  }

  /// The underlying code under ATS: since iOS 13 and macOS 10.15 the library has codes for some ATS requirements.
  private static func underATS(_ finding: Finding, _ release: SystemRelease) -> Int {
    guard release.isAtLeast(13) else { return -9802 }
    switch finding.rule {
    case .certificateKey: return -9883
    case .certificateSignature: return finding.certificateIndex == 0 ? -9884 : -9885
    default: return -9802
    }
  }

  private static func withoutATS(_ finding: Finding, _ context: JudgingContext) -> Int {
    switch finding.rule {
    case .certificateTrust:
      guard case .refused(let failure)? = context.decision else { return -9807 }
      return switch failure.reason {
      case .unknownRoot: -9812
      case .missingIssuer: -9813
      default: -9807
      }
    case .certificateHost, .subjectAlternativeName: return -9843
    case .certificateDates: return finding.trustCode == Finding.notYetValidCode ? -9815 : -9814
    default: return -9807
    }
  }
}
