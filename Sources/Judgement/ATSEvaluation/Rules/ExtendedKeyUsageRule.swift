import CertificateParsing
package import PolicyResolution
package import SessionModel
import TrustEvaluation
import Values

/// The leaf may be used by a TLS server (policy text D.12).
package struct ExtendedKeyUsageRule: Rule {
  package static let id = "ATS-CERT-EKU"
  package static let title = "Extended key usage"
  package static let section = "D.12"
  package static let isTrustEvaluation = true

  package init() {}

  /// Judges the leaf's usages by what the anchor's class asks for, and those of intermediates: under system roots,
  /// from iOS 16 and macOS 13 on under any.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    let expected = "serverAuth among the extended key usages"
    if let unseen = unseenCertificates(context, expected: expected) { return unseen }
    return judgeAnchors(of: context) { anchor in
      judgePath(
        context.certificates.path.filter { !$0.isAnchor || $0.position == 0 }, of: context,
        expected: expected,
        fix: "reissue with the extended key usage serverAuth",
        inOrder: Self.describe(context.certificates.leaf?.certificate.extendedKeyUsage)
      ) { element in
        element.position == 0
          ? Self.checkLeaf(element.certificate, anchor, policy.release)
          : Self.checkIssuer(element, anchor, policy.release)
      }
    }
  }

  private static func checkLeaf(_ leaf: Certificate, _ anchor: Anchor, _ release: SystemRelease) -> PathCheck
  {
    let usages = leaf.extendedKeyUsage
    if leaf.isUnreadable("2.5.29.37") {
      return .unreadable("The extended key usages of the leaf cannot be read.")
    }
    let observed = "the leaf has \(describe(usages))"
    if let usages, !usages.contains(where: serverUsages.contains) { return .broken(observed) }
    guard release.isAtLeast(13), usages?.contains("serverAuth") != true else { return .ok }
    if anchor.isOfSystem { return .broken(observed) }
    if anchor.anchorClass == .added { return .ok }
    guard let notBefore = leaf.notBefore else { return .unreadable("The leaf's dates cannot be read.") }
    return notBefore > PolicyDates.july2019 ? .broken(observed) : .ok
  }

  private static func checkIssuer(
    _ element: ServerCertificates.Element, _ anchor: Anchor, _ release: SystemRelease
  ) -> PathCheck {
    // On a path that only names link, what names itself as its issuer is taken for the root.
    guard release.isAtLeast(16) || release.isAtLeast(13) && anchor.isOfSystem,
      element.isCertain || !element.certificate.isSelfIssued,
      let usages = element.certificate.extendedKeyUsage
    else { return .ok }
    return usages.contains { $0 == "serverAuth" || $0 == "anyExtendedKeyUsage" }
      ? .ok : .broken("\(element.name) has \(describe(usages))")
  }

  /// serverAuth, any, and the usages of Microsoft's and Netscape's server-gated cryptography.
  private static let serverUsages: Set<String> = ["serverAuth", "anyExtendedKeyUsage", "msSGC", "nsSGC"]

  private static func describe(_ usages: [String]?) -> String {
    guard let usages else { return "no extended key usage" }
    return usages.isEmpty ? "an empty extended key usage" : Array(usages.prefix(6)).joined(separator: ", ")
  }
}

extension Certificate {
  /// Whether an extension is there, or may be, and its value cannot be read.
  func isUnreadable(_ objectIdentifier: String) -> Bool {
    malformedExtensions.contains(objectIdentifier)
      || (decodingError != nil && !extensions.contains { $0.objectIdentifier == objectIdentifier })
  }
}
