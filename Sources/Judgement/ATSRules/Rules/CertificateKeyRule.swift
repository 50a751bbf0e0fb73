import ATSEvidence
import CertificateParsing
import CertificateSignatures
import PolicyResolution

/// The keys of the path are strong enough (policy text D.9).
struct CertificateKeyRule: TrustRule {
  static let id = "ATS-CERT-KEY"
  static let title = "Certificate key"
  static let section = "D.9"
  static let setting: EffectivePolicy.Setting? = .trust
  static let weight = 8
  static let explanation = RuleExplanation(
    demand:
      "Keys in the chain have at least 2048 bits (RSA) or 256 bits (elliptic curves); other kinds are rejected.",
    reason: "Shorter keys can be broken.",
    fix: .server("use a certificate with an RSA key of at least 2048 bits, or with P-256"),
    since:
      "\(RuleExplanation.firstRelease) for the server certificate; the chain from iOS 11 and macOS 10.13 under system roots; all from iOS 13 and "
      + "macOS 10.15",
    errors: RuleExplanation.pathErrors(stream: [-9883], status: [-67735]),
    sources: [.policy, .policyServer, .leafCallbacks, .configuration, .trustedCertificates2019], weaknesses: [326], severity: "7.4")

  /// Checks the certificates that the release checks: only the leaf, or from iOS 11 the path without its anchor, from iOS 13 the whole
  /// path.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    let release = policy.release
    let expected = "at least RSA 2048 bits or EC 256 bits"
    guard release.isAtLeast(11) || policy.certificateMinimums != nil else { return notApplicable() }
    if let unseen = unseenCertificates(context, expected: expected) { return unseen }
    return judgeAnchors(of: context) { anchor in
      if anchor.isLeaf { return notApplicable("The server certificate itself is a trusted anchor, so its key is not checked.") }
      let elements = context.certificates.path.filter { element in
        if release.isAtLeast(13) { return true }
        if element.position == 0, policy.certificateMinimums != nil { return true }
        return release.isAtLeast(11) && anchor.isOfSystem && !element.isAnchor && !element.certificate.isSelfIssued
      }
      if elements.isEmpty { return notApplicable() }
      return judgePath(
        elements, of: context, expected: expected,
        fix: Self.fix, issuerFix: .server("use a CA whose certificates have RSA keys of at least 2048 bits, or P-256 keys"),
        inOrder: Self.describe(elements[0].certificate.publicKey), needsRoot: release.isAtLeast(13)
      ) { element in
        let isStrict = release.isAtLeast(13) || (element.position == 0 && policy.certificateMinimums != nil)
        return Self.check(element, minimumECBits: isStrict ? 256 : 224)
      }
    }
  }

  /// Compares lengths in whole bytes, as the system does: an RSA modulus of 2041 bits has as many bytes as one of 2048.
  ///
  /// A key that the system cannot create is weak, and app code cannot override that (SecCertificate.c, SecCertificateIsWeakKey). Keys of
  /// Ed25519 and Ed448 are created by later releases and are not weak there; they fail because they have no configured minimum.
  static func check(_ element: ServerCertificates.Element, minimumECBits: Int) -> PathCheck {
    let key = element.certificate.publicKey
    let minimum: Int
    let fatal: Int
    switch key.algorithm {
    case "": return .unreadable("The key of \(element.name) cannot be read.")
    case "rsa": (minimum, fatal) = (2048, 1024)
    case "ec": (minimum, fatal) = (minimumECBits, 160)
    // SecKey.m creates RSA keys for rsaEncryption only.
    case "rsa-pss":
      return .broken("\(element.name) has an RSA key for RSASSA-PSS only, which Apple's systems do not support", isFatal: true)
    default:
      return .broken(
        "\(element.name) has a key of the unsupported kind \(key.algorithm)", isFatal: !["ed25519", "ed448"].contains(key.algorithm))
    }
    if key.algorithm == "ec", key.curve == "explicit" {
      return .broken("\(element.name) has a key with explicit curve parameters; Apple's systems support named curves only", isFatal: true)
    }
    // Certificates must not have inherited or absent parameters (RFC 5480 §2.1.1).
    if key.algorithm == "ec", key.curve == nil || key.curve == "implicit" {
      return .broken("\(element.name) has a key that does not name its curve", isFatal: true)
    }
    if key.algorithm == "ec", let curve = key.curve, !knownCurves.contains(curve) {
      return .broken("\(element.name) has a key on the curve \(curve), which Apple's systems do not support", isFatal: true)
    }
    guard let bits = key.bits else { return .broken("\(element.name) has a key that cannot be read", isFatal: true) }
    let byteCount = bits / 8 + (bits % 8 == 0 ? 0 : 1)
    if byteCount >= minimum / 8 {
      // The system determines no size for a point that is not on the curve (RFC 5480 §2.2).
      if key.algorithm == "ec", VerificationKey(of: element.certificate).isMalformed {
        return .broken("\(element.name) has a key of \(describe(key)) whose point is not on the curve", isFatal: true)
      }
      return .ok
    }
    return .broken("\(element.name) has a key of \(describe(key))", isFatal: byteCount < fatal / 8)
  }

  /// The curves that Apple's systems support (SecECKey.m); they create no keys on other curves.
  private static let knownCurves: Set<String> = ["P-192", "P-224", "P-256", "P-384", "P-521"]

  static func describe(_ key: PublicKeyFacts) -> String {
    switch key.algorithm {
    case "ec": key.curve ?? "EC"
    case "rsa": "RSA " + (key.bits.map { "\($0) bits" } ?? "of unknown size")
    default: key.algorithm
    }
  }
}

extension RuleID {
  /// `ATS-CERT-KEY`: the keys are long enough.
  public static let certificateKey = RuleID(rawValue: CertificateKeyRule.id)
}
