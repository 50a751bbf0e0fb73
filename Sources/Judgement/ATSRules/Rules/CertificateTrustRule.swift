import ATSEvidence
import AppleTrust
import CertificateParsing
import PolicyResolution
import SessionModel
import TLSParsing
import TrustEvaluation
import Values

/// The certificates lead to a trusted root (policy text D.6).
struct CertificateTrustRule: TrustRule {
  static let id = "ATS-CERT-TRUST"
  static let title = "Certificate trust"
  static let section = "D.6"
  static let weight = 20
  static let explanation = RuleExplanation(
    demand:
      "A chain of valid signatures leads from the server certificate to a root that the system or the user trusts.",
    reason: "Otherwise the certificate does not identify the server.",
    fix:
      .server("use a public CA and send the full chain without the root").and(
        .devices("install the root of a private CA by configuration profile")),
    since: RuleExplanation.firstRelease,
    errors: RuleExplanation.pathErrors(stream: [-9886], status: [-67843, -25318]),
    sources: [.serverTrust, .policyServer, .issuerRequest, .seedRequirements], weaknesses: [295], severity: "8.1")

  /// Judges by the result of trust evaluation; without one, the outcome is unknown.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    let expected = "a chain to a root that the system or the user trusts"
    let alert = ClientComplaint.about(.trust, in: session)
    if let unseen = unseenCertificates(context, expected: expected) { return unseen.noting(Self.acceptance(session), alert) }
    guard context.certificates.leaf != nil else { return notApplicable() }
    // Clients reject the whole message, whatever path its certificates form (RFC 5246 §7.2.2); what fails in any case still fails.
    let isRefused = if case .refused? = context.decision { true } else { false }
    if session.evidence.contains(.certificateMessageMalformed), !isRefused {
      let valid = DecidingInput.evidence("record a valid Certificate message (this one violates its format)")
      return unknown(Unseen(nil, settledBy: [valid]), expected: expected).noting(alert)
    }
    switch context.decision {
    case .trusted(let path):
      if let fault = PartialDistrust.fault(in: path, session, context, under: policy.release) {
        var finding = fail("the chain ends at \(fault.text)", expected: expected, parts: [.certificates], certificate: 0, fix: Self.otherCA)
        finding.since = fault.since
        return finding.noting(fault.source, alert)
      }
      return pass(path, context, expected: expected).noting(Self.anchorRemark(path, context, under: policy.release), alert)
    case .refused(let failure): return fail(failure, context, expected: expected).noting(alert)
    case .undecided(let doubt):
      return undecided(doubt, session, context, expected: expected).noting(Self.acceptance(session), alert)
    case nil:
      return undecided(.noAnchors, session, context, expected: expected).noting(Self.acceptance(session), alert)
    }
  }

  private static let otherCA: Fix = .server("use another CA")

  private static let selfSignedFix: Fix =
    .server("use a certificate from a public CA")
    .and(.devices("if the server is yours, install its certificate by configuration profile (to audit: --anchors FILE)"))

  private static let deployment: Fix = .devices(
    "if the CA is private or a proxy's, install its root by configuration profile (without MDM, also enable it in iOS's "
      + "Certificate Trust Settings; to audit with it: --anchors FILE)")

  /// The fix for a chain to an untrusted root, which is that of a private CA or of an intercepting proxy.
  private static let rootFix: Fix = .server("use a public CA").and(deployment)

  /// The fix for a chain that ends below a root: an intermediate is missing, or the root is not trusted.
  private static let missingFix: Fix = .server("send every intermediate; if all are sent, use a public CA").and(deployment)

  /// Returns the finding for a chain with a trusted path.
  private func pass(_ path: TrustPath, _ context: JudgingContext, expected: String) -> Finding {
    let anchor = Anchor(anchorClass: path.anchorClass, isLeaf: path.isLeafAnchor)
    var observed = "the chain ends at \(anchor.name)"
    if !path.isLeafAnchor, let root = path.certificates.last?.title { observed += ", \(root)" }
    var finding = pass(observed, expected: expected, parts: [.certificates])
    let unverified = path.unverified.first { $0.isUnsupportedByApple } ?? path.unverified.first
    if let unverified, context.certificates.path.indices.contains(unverified.index) {
      let certificate = context.certificates.path[unverified.index]
      finding.certificateIndex = certificate.position
      let reason = "the signature of \(certificate.name) cannot be verified"
      if unverified.isUnsupportedByApple, context.certificates.isExhaustive {
        finding.outcome = .fail
        finding.observed = reason
        finding.fix = Self.fix
        finding.notes.append(Remarks.sentence("Apple's systems do not support the issuer's kind of key: \(unverified.reason)"))
        return finding
      }
      finding.outcome = .unknown
      finding.isPassOrOverridable = true
      finding.settledBy = [.evidence("verify it with another program, such as openssl verify")]
      finding.notes.append(Remarks.sentence("The chain is not certain: \(certificate.name): \(unverified.reason)"))
    }
    for certificate in path.completedBy {
      finding.notes.append(
        "The server did not send \(certificate.title ?? "an intermediate"), which an earlier session of the capture "
          + "showed.")
    }
    for certificate in path.completedBySupplied {
      finding.notes.append("The server did not send \(certificate.title ?? "an intermediate"), which --intermediates gives.")
    }
    if anchor.isOfSystem { finding.notes += Self.rootsRemark(context) }
    if let spent = context.chainTrust?.spentBudget {
      finding.notes.append("The search for other chains was abandoned: \(spent).")
    }
    return finding
  }

  /// Returns the finding for a chain without a trusted path.
  private func fail(_ failure: PathFailure, _ context: JudgingContext, expected: String) -> Finding {
    let last = failure.certificates.last
    let position = last.flatMap { context.certificates.sent.firstIndex(of: $0) }
    let (observed, fix, isAboutRoots) = Self.describe(failure, at: position, context)
    var finding = fail(observed, expected: expected, parts: [.certificates], certificate: position ?? 0, fix: fix)
    if failure.reason == .distrusted { finding.fatality = .certain }
    if isAboutRoots { finding.notes += Self.rootsRemark(context) + Self.laterRoots(context) }
    // On other systems, trust in such a chain is undecided.
    if failure.reason == .missingIssuer(canBeFetched: true) { finding.notes.append("watchOS does not fetch certificates of issuers.") }
    let others = (context.chainTrust?.failures.count ?? 1) - 1
    if others > 0 {
      finding.notes.append(others.form(of: "{One|\(others)} other chain{s} {was|were} tried and failed too."))
    }
    return finding
  }

  /// Returns what a failure is, its fix, and whether it depends on the set of roots. `position` is the index at which the server sent the
  /// certificate where the search stopped.
  private static func describe(
    _ failure: PathFailure, at position: Int?, _ context: JudgingContext
  ) -> (observed: String, fix: Fix, isAboutRoots: Bool) {
    let last = failure.certificates.last
    let title = last?.title ?? "a certificate"
    let name = position == 0 ? "the server certificate" : "the certificate of \(title)"
    let issuer = last?.issuerTitle ?? "unnamed"
    let formerFix = formerRelease(context).map {
      Fix.recording("judge as \($0.displayName), the release of the session's time (--os at-session), or record again")
        .and(.serverIfRepeated("use a CA that is trusted now"))
    }
    switch failure.reason {
    case .selfSignedLeaf: return ("a self-signed certificate", selfSignedFix, false)
    case .unknownRoot:
      // The release of the session's time may have trusted another path.
      let wasTrusted = formerFix != nil && context.otherTrust?.path?.certificates.last == last
      let observed = "the chain ends at \(title), a root that is \(wasTrusted ? "no longer" : "not") trusted"
      return (observed, formerFix ?? rootFix, true)
    case .missingIssuer:
      if let last, context.certificates.misnamedIssuer(of: last) != nil {
        return (
          "\(name) names its issuer \(issuer) with other string types than the issuer's own certificate",
          .server("use a certificate with the issuer's name encoded as in the issuer's certificate"), false
        )
      }
      let observed =
        "the chain stops at \(position == 0 ? name : title): its issuer, \(issuer), was not sent and is not a trusted root"
      return (observed, formerFix ?? missingFix, true)
    case .badSignature(let reason):
      return ("\(name): \(reason)", .server("send the certificate as its issuer signed it, with the issuer's certificate"), false)
    case .otherKey(let ofAnchor):
      return (
        "\(name): the signature does not verify with the key of \(ofAnchor ? "the trusted root " : "")\(issuer)",
        ofAnchor
          ? .server("send a chain to the trusted root").and(.devices("or install the root whose key signed the certificate"))
          : .server("send the issuer's certificate that has the key that signed the certificate"), ofAnchor
      )
    case .distrusted: return ("\(name) is distrusted", otherCA, false)
    case .imitatedAnchor:
      return ("the server certificate has the name and key of a trusted root but is a different certificate", fix, false)
    case .circular(let leadsToAnchor):
      return (
        "the issuers form a loop: \(name) has the issuer \(issuer), which is the name of a certificate below it",
        leadsToAnchor ? .server("use a chain whose certificates have different names") : rootFix, false
      )
    }
  }

  /// Returns the finding for a chain for which a device may find a path that was not found here.
  private func undecided(_ doubt: TrustDecision.Doubt, _ session: SessionEvidence, _ context: JudgingContext, expected: String) -> Finding {
    var finding: Finding
    switch doubt {
    case .noAnchors:
      finding = unknown(Unseen(nil, settledBy: JudgingContext.anchorsSettle), expected: expected, note: "No trusted roots are available.")
    case .storeIsIncomplete:
      finding = unknown(
        Unseen(nil, settledBy: JudgingContext.anchorsSettle), expected: expected,
        note: "A file of roots or intermediates could not be used. With it, the chain may be trusted.")
    case .canBeFetched(let certificate):
      let name = certificate == context.certificates.sent.first ? "the server certificate" : certificate.title ?? "it"
      finding = unknown(
        Unseen(nil, settledBy: JudgingContext.issuerSettles), expected: expected,
        note: "The server did not send the issuer of \(name), \(certificate.issuerTitle); devices fetch it from "
          + "\(certificate.certificate.caIssuerURLs.first ?? "the address that it names"). Configure the server to send it.")
      finding.notes += Self.rootsRemark(context)
    case .notAllSeen:
      finding = unknown(Unseen(.partial, settledBy: [session.betterCapture]), expected: expected)
    case .abandoned(let what):
      finding = unknown(
        Unseen(nil, settledBy: [.evidence("judge only the certificates of the chain with atscope chain")]), expected: expected,
        note: "The search for a chain was abandoned: \(what).")
    }
    finding.parts = [.certificates]
    finding.observed = context.certificates.leaf.flatMap { leaf in
      leaf.certificate.isSelfIssued ? "the server certificate gives itself as its issuer" : nil
    }
    return finding
  }

  /// Returns a note if every trusted path ends at an added certificate that is not self-signed: systems accept one as an anchor for some
  /// settings only (`SecPVCIsAnchorPerConstraints`).
  private static func anchorRemark(_ path: TrustPath, _ context: JudgingContext, under release: SystemRelease) -> String? {
    func isSubordinate(_ path: TrustPath) -> Bool {
      guard path.anchorClass == .added, let last = path.certificates.last?.certificate else { return false }
      return !last.isSelfIssued
    }
    guard isSubordinate(path), context.chainTrust?.paths.allSatisfy(isSubordinate) ?? true else { return nil }
    let name = path.certificates.last?.title ?? "The anchor"
    return "\(name) is not self-signed: \(release.platform.displayName) accepts it as an anchor only if the app sets it as one, "
      + (release.platform == .macos ? "or its trust setting is trustAsRoot." : "not if a user or profile installs it.")
  }

  /// Returns notes on the set of roots if the finding depends on it.
  private static func rootsRemark(_ context: JudgingContext) -> [String] {
    switch context.chainTrust?.systemRoots {
    case .machine(isApples: false)?: ["The roots are this machine's, not Apple's."]
    case .file?: ["The roots are from a file, not Apple's."]
    case TrustStore.SystemRoots.none?: ["The system roots were excluded."]
    case .apple?: otherRelease(context)
    default: []
    }
  }

  /// Returns a note that devices may have later roots than the newest of Apple's stores, if the session is later (policy text D.6).
  private static func laterRoots(_ context: JudgingContext) -> [String] {
    guard context.chainTrust?.appleStore == .newest else { return [] }
    let date = Int(AppleRootStore.newest.version / 100)
    guard let published = Timestamp(day: date), context.clock.isAfter(published) == true else { return [] }
    return ["Apple's roots are those of \(published.date); from iOS 18 and macOS 15, devices also update them between releases."]
  }

  /// Returns the release of the session's time if it trusts the chain, which the newest root store does not.
  private static func formerRelease(_ context: JudgingContext) -> SystemRelease? {
    guard context.chainTrust?.appleStore == .newest, let other = context.otherTrust, other.path != nil else { return nil }
    return other.release
  }

  /// Returns a note if the root store of another release decides differently about the chain.
  private static func otherRelease(_ context: JudgingContext) -> [String] {
    guard let other = context.otherTrust else { return [] }
    let name = other.release.displayName
    if context.trust?.details != nil { return other.path == nil ? ["\(name) no longer trusts this root."] : [] }
    let isEarlier = context.chainTrust?.appleStore == .newest
    guard let root = other.path?.certificates.last else {
      return isEarlier
        ? ["The session is years older than this root store: --os at-session judges by \(name), the release of its time."] : []
    }
    let end = "the chain ends at \(root.title ?? "a root")"
    return isEarlier
      ? ["\(name), the release of the session's time, trusts this chain: \(end). --os at-session judges by it."]
      : ["\(name) trusts this chain: \(end)."]
  }

  /// Returns a note that a complete handshake does not prove trust: callers of OpenSSL and GnuTLS may check the certificate after the
  /// handshake, and NSS checks it in parallel.
  private static func acceptance(_ session: SessionEvidence) -> String? {
    session.tls?.isEstablished == true && ![.resumed, .notSent].contains(session.evidence.certificates)
      ? "The client finished the handshake, which does not prove that a device would trust the certificate."
      : nil
  }
}

/// The alerts by which a client rejects certificates: they corroborate a finding and decide nothing (policy text D.0).
enum ClientComplaint {
  enum Subject {
    case trust, revocation, dates
  }

  /// Returns the alert as a sentence; nil if there was none.
  static func about(_ subject: Subject, in session: SessionEvidence) -> String? {
    let codes: [UInt8] =
      switch subject {
      case .trust: [42, 46, 48]
      case .revocation: [44]
      case .dates: [45]
      }
    guard let alert = session.tls?.clientAlerts.first(where: { codes.contains($0.description.rawValue) })
    else { return nil }
    return "The client itself sent alert \(alert.description.text)."
  }
}

extension ObservedCertificate {
  /// The issuer's common name, or its whole name if it has none. Reports double a backslash, so the commas in a value have none.
  var issuerTitle: String {
    let title = certificate.issuerCommonName ?? certificate.issuer.replacing("\\,", with: ",")
    return title.isEmpty ? "a certificate without a name" : title
  }
}

extension RuleID {
  /// `ATS-CERT-TRUST`: the certificates lead to a trusted root.
  public static let certificateTrust = RuleID(rawValue: CertificateTrustRule.id)
}
