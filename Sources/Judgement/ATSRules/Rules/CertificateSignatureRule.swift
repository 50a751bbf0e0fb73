import ATSEvidence
import CertificateParsing
import PolicyResolution
import TrustEvaluation

/// The certificates are signed with hash functions that are still trusted (policy text D.10).
struct CertificateSignatureRule: TrustRule {
  static let id = "ATS-CERT-SIG"
  static let title = "Certificate signature"
  static let section = "D.10"
  static let setting: EffectivePolicy.Setting? = .trust
  static let weight = 8
  static let explanation = RuleExplanation(
    demand:
      "No certificate in the chain is signed with MD2, MD4, MD5, SHA-1 or SHA-224, unless it is self-signed.",
    reason: "Certificates with such hashes have been forged.",
    fix: .server("use a certificate signed with SHA-256 or stronger"),
    since:
      "\(RuleExplanation.firstRelease) for the server certificate; the chain from iOS 11 and macOS 10.13 under system roots; all from iOS 13 and "
      + "macOS 10.15",
    errors: RuleExplanation.pathErrors(stream: [-9884, -9885], status: [-67815]),
    sources: [.policy, .policyServer, .leafCallbacks, .trustedCertificates2019], weaknesses: [327], severity: "7.4")

  /// Checks the certificates that the release checks, except self-signed ones.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    let release = policy.release
    let isATS = policy.certificateMinimums != nil
    let expected = "SHA-256 or stronger"
    guard release.isAtLeast(11) || isATS else { return notApplicable() }
    if let unseen = unseenCertificates(context, expected: expected) { return unseen }
    return judgeAnchors(of: context) { anchor in
      let elements = context.certificates.path.filter { element in
        if element.isAnchor, anchor.anchorClass == .added { return false }
        // A certificate whose issuer is its own subject counts as self-signed, unless another key signed it.
        if element.certificate.isSelfIssued {
          let isSignedByNext = context.trust?.details != nil && !element.isAnchor
          if !isSignedByNext { return false }
        }
        if release.isAtLeast(13) { return true }
        return (element.position == 0 && isATS) || (release.isAtLeast(11) && anchor.isOfSystem)
      }
      guard let first = elements.first else {
        let path = context.certificates.path
        if path.count > 1 { return notApplicable() }
        return notApplicable(
          path.first?.certificate.isSelfIssued == true
            ? "The signature of a self-signed certificate is not checked."
            : "The server certificate itself is a trusted anchor, so its signature is not checked.")
      }
      return judgePath(
        elements, of: context, expected: expected, fix: Self.fix,
        issuerFix: .server("use a CA whose certificates are signed with SHA-256 or stronger"),
        inOrder: first.certificate.signature.name
      ) { element in
        let refusesSHA224 = isATS && (release.isAtLeast(13) || element.position == 0)
        return Self.check(element, refusesSHA224: refusesSHA224)
      }
    }
  }

  private static func check(_ element: ServerCertificates.Element, refusesSHA224: Bool) -> PathCheck {
    let signature = element.certificate.signature
    guard !signature.name.isEmpty else { return .unreadable("The signature algorithm of \(element.name) cannot be read.") }
    switch signature.hash {
    case "md2", "md4", "md5":
      return .broken("\(element.name) is signed with \(signature.name)", isFatal: true)
    case "sha1": return .broken("\(element.name) is signed with \(signature.text)")
    case "sha224" where refusesSHA224: return .broken("\(element.name) is signed with \(signature.text)")
    case nil where signature.name == "rsassaPss":
      return .unreadable("The parameters of the RSASSA-PSS signature of \(element.name) cannot be read.")
    default: return .ok
    }
  }
}

extension SignatureAlgorithm {
  /// The name of the algorithm, with the hash if the name does not contain it.
  fileprivate var text: String { pssParameters == nil ? name : "\(name) and \(hash ?? "sha1")" }
}

extension RuleID {
  /// `ATS-CERT-SIG`: the certificates are signed with a strong hash.
  public static let certificateSignature = RuleID(rawValue: CertificateSignatureRule.id)
}
