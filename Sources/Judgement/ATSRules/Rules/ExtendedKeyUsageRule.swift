import ATSEvidence
import CertificateParsing
import PolicyResolution
import TrustEvaluation
import Values

/// The extended key usage allows a TLS server (policy text D.12).
struct ExtendedKeyUsageRule: TrustRule {
  static let id = "ATS-CERT-EKU"
  static let title = "Extended key usage"
  static let section = "D.12"
  static let weight = 5
  static let explanation = RuleExplanation(
    demand: "An extended key usage allows TLS servers; under system roots serverAuth must be listed.",
    reason: "A certificate issued for mail or code must not identify a server.",
    fix: .server("use a certificate with the extended key usage serverAuth"),
    since: "\(RuleExplanation.firstRelease); serverAuth from iOS 13 and macOS 10.15",
    errors: RuleExplanation.pathErrors(status: [-67609]),
    sources: [.policy, .policyServer, .leafCallbacks, .trustedCertificates2019], weaknesses: [295], severity: "5.3")

  /// Checks the leaf's usages against the requirements of the anchor's class, and those of intermediates: under system roots, and
  /// from iOS 16 and macOS 13 under any root.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    let expected = "serverAuth among the extended key usages"
    if let unseen = unseenCertificates(context, expected: expected) { return unseen }
    return judgeAnchors(of: context) { anchor in
      judgePath(
        context.certificates.path.filter { !$0.isAnchor || $0.position == 0 }, of: context,
        expected: expected,
        fix: Self.fix, issuerFix: .server("use a CA whose certificates allow serverAuth"),
        inOrder: Self.describe(context.certificates.leaf?.certificate.extendedKeyUsage)
      ) { element in
        element.position == 0
          ? Self.checkLeaf(element.certificate, anchor, policy.release) : Self.checkIssuer(element, anchor, policy.release)
      }
    }
  }

  private static func checkLeaf(_ leaf: Certificate, _ anchor: Anchor, _ release: SystemRelease) -> PathCheck {
    let usages = leaf.extendedKeyUsage
    if leaf.isUnreadable("2.5.29.37") { return .unreadable("The extended key usages of the server certificate cannot be read.") }
    let observed = "the server certificate \(usages?.isEmpty == false ? "allows only" : "has") \(describe(usages))"
    if let usages, !usages.contains(where: serverUsages.contains) { return .broken(observed) }
    guard release.isAtLeast(13), usages?.contains("serverAuth") != true else { return .ok }
    if anchor.isOfSystem { return .broken(observed) }
    if anchor.anchorClass == .added { return .ok }
    guard let notBefore = leaf.notBefore else { return .unreadable("The server certificate's dates cannot be read.") }
    return notBefore > PolicyDates.july2019 ? .broken(observed) : .ok
  }

  private static func checkIssuer(_ element: ServerCertificates.Element, _ anchor: Anchor, _ release: SystemRelease) -> PathCheck {
    // On a path that is linked by names only, a self-issued certificate is assumed to be the root.
    guard release.isAtLeast(16) || release.isAtLeast(13) && anchor.isOfSystem, element.isCertain || !element.certificate.isSelfIssued,
      let usages = element.certificate.extendedKeyUsage
    else { return .ok }
    let accepted: Set<String> = anchor.isOfSystem ? ["serverAuth", "anyExtendedKeyUsage"] : serverUsages
    return usages.contains(where: accepted.contains) ? .ok : .broken("\(element.name) has \(describe(usages))")
  }

  /// The usages serverAuth and any, and Microsoft's and Netscape's server-gated cryptography.
  private static let serverUsages: Set<String> = ["serverAuth", "anyExtendedKeyUsage", "msSGC", "nsSGC"]

  private static func describe(_ usages: [String]?) -> String {
    guard let usages else { return "no extended key usage" }
    return usages.isEmpty ? "an empty extended key usage" : usages.joined(first: 6)
  }
}

extension Certificate {
  /// Whether an extension exists, or may exist, and its value cannot be read.
  func isUnreadable(_ objectIdentifier: String) -> Bool {
    malformedExtensions.contains(objectIdentifier)
      || (decodingError != nil && !extensions.contains { $0.objectIdentifier == objectIdentifier })
  }
}

extension RuleID {
  /// `ATS-CERT-EKU`: the certificates allow server authentication.
  public static let extendedKeyUsage = RuleID(rawValue: ExtendedKeyUsageRule.id)
}
