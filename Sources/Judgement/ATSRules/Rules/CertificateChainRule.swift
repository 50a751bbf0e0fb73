import ATSEvidence
import CertificateParsing
import CertificateSignatures
import PolicyResolution
import SessionModel
import TrustEvaluation
import Values

/// The path is valid by X.509 (policy text D.15).
struct CertificateChainRule: TrustRule {
  static let id = "ATS-CERT-CHAIN"
  static let title = "Certificate chain"
  static let section = "D.15"
  static let weight = 6
  static let explanation = RuleExplanation(
    demand:
      "Certificates are well formed, and issuers are CAs within their path lengths and constraints.",
    reason: "Otherwise anyone with a certificate could issue others.",
    fix: .server("send certificates that follow RFC 5280, each with its issuer's certificate"),
    since: RuleExplanation.firstRelease,
    errors: RuleExplanation.pathErrors(status: [-67843, -67604, -67605, -67611, -67603]),
    sources: [.policy, .checks], weaknesses: [295], severity: "6.5")

  /// Checks each certificate by itself, then each as the issuer of the next.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    let expected = "well-formed certificates, each issued by a CA"
    if let unseen = unseenCertificates(context, expected: expected) { return unseen }
    let path = context.certificates.path
    let finding = judgePath(
      path, of: context, expected: expected, fix: Self.fix, issuerFix: Self.issuerFix,
      inOrder: path.count == 1 ? "the server certificate is well formed" : "\(path.count) certificates form a valid chain"
    ) { element in
      let index = path.firstIndex { $0.observed === element.observed } ?? 0
      let release = policy.release
      return Self.checkProfile(element, isLeaf: index == 0, isWhole: context.certificates.isComplete, under: release) ?? Self.checkIssuing(
        path, at: index, under: release) ?? Self.checkConstraints(element, at: index, context, under: release) ?? .ok
    }
    guard finding.outcome == .pass, path.count == 1, !context.certificates.endsAtRoot, context.trust == nil
    else { return finding }
    let isFetched = if case .undecided(.canBeFetched)? = context.decision { true } else { false }
    return context.certificates.isComplete
      ? unknown(
        Unseen(nil, settledBy: isFetched ? JudgingContext.issuerSettles : JudgingContext.anchorsSettle), expected: expected,
        parts: [.certificates], note: "No issuer certificate was sent, so the structure of the chain is not known.")
      : unknown(Unseen(.partial, settledBy: [session.betterCapture]), expected: expected, parts: [.certificates])
  }

  private static let issuerFix: Fix = .server("use a CA that may issue this certificate and whose own certificates follow RFC 5280")

  /// The trust evaluation codes for malformed paths (policy text D.15).
  private enum TrustCode {
    static let unknownCriticalExtension = -67603
    static let noBasicConstraints = -67604
    static let noCA = -67605
    static let pathTooLong = -67611
  }

  /// Returns the fault of a single certificate; nil if there is none. `isWhole` is whether the capture contains the whole list.
  private static func checkProfile(
    _ element: ServerCertificates.Element, isLeaf: Bool, isWhole: Bool, under release: SystemRelease
  ) -> PathCheck? {
    let certificate = element.certificate
    if certificate.has(.duplicateExtension) { return .broken("\(element.name) has a duplicate extension") }
    // From iOS 15 and macOS 12, every certificate's extensions must be readable (SecPolicyCheckUnparseableExtension). Before, the system
    // did not process those of an anchor, but a critical one had to be readable (SecCertificateParse).
    let isAnchor = element.isAnchor && !isLeaf
    let malformed = certificate.malformedExtensions.first { identifier in
      isKnown(identifier, release)
        && (!isAnchor || release.isAtLeast(15) || certificate.extensions.contains { $0.objectIdentifier == identifier && $0.isCritical })
    }
    if let malformed {
      let text = "the extension \(malformed) of \(element.name) cannot be read"
      // The parser of iOS 10 only logs it (SecCertificate.c of 2016); later sources refuse it. An empty extKeyUsage contains no usage that
      // any release accepts.
      let isRefused = release.isAtLeast(11) || malformed == "2.5.29.37"
      return isRefused ? .broken(text) : .unreadable(Remarks.sentence("\(text), which systems before iOS 11 may accept"))
    }
    let unknown = certificate.extensions.first { $0.isCritical && !isKnown($0.objectIdentifier, release) }
    if let unknown, !isAnchor {
      return .broken(
        "\(element.name) has the unknown critical extension \(unknown.objectIdentifier)", trustCode: TrustCode.unknownCriticalExtension)
    }
    if let error = certificate.decodingError {
      let text = "\(element.name) cannot be decoded completely: \(error)"
      let isOurs = !isWhole || certificate.has(.beyondLimits)
      if !isOurs { return .broken(text) }
      return isWhole
        ? .unreadable(Remarks.sentence(text))
        : .unreadable(Remarks.sentence(text), settledBy: [.evidence("record again with the complete certificates")])
    }
    if !isAnchor, let fault = profileFault(certificate) { return .broken("\(element.name) \(fault)") }
    // An empty SEQUENCE has two bytes.
    if certificate.subjectRange.count == 2 {
      if !isLeaf { return .broken("an issuer certificate has an empty subject") }
      // The source of iOS 10 accepts it with a critical subjectAltName (SecPolicyCheckNonEmptySubject, SecPolicyCheckCertNonEmptySubject).
      if certificate.isCA, release.isAtLeast(11) { return .broken("\(element.name) is that of a CA and has an empty subject") }
      if !certificate.extensions.contains(where: { $0.isCritical && $0.objectIdentifier == "2.5.29.17" }) {
        return .broken("\(element.name) has an empty subject and no critical subjectAltName")
      }
    }
    return nil
  }

  /// Returns a violation of RFC 5280 that no certificate in use has; nil if there is none.
  ///
  /// Zero, negative and long serial numbers, critical key identifiers and authorityInfoAccess, and name constraints in a leaf do not count:
  /// the system's parser accepts them.
  private static func profileFault(_ certificate: Certificate) -> String? {
    let byteCount = certificate.serial.utf8.count / 2
    if !(1...maximumSerialByteCount).contains(byteCount) { return "has a serial number of \(byteCount) bytes" }
    if certificate.has(.notDER) { return "is not encoded in DER" }
    if certificate.has(.trailingBytes) { return "has trailing bytes" }
    if certificate.has(.unknownTime) { return "has a validity date in an unsupported format" }
    if certificate.has(.unknownVersion) { return "has an unknown version" }
    if certificate.has(.extensionsInOldVersion) {
      return "is a version \(certificate.version ?? 1) certificate with extensions, which require version 3"
    }
    return nil
  }

  /// The maximum length of a serial number in bytes that the system's parser accepts (SecCertificateParse).
  private static let maximumSerialByteCount = 37

  /// Returns the fault of a certificate as the issuer of the certificates below it; nil if there is none.
  private static func checkIssuing(_ path: [ServerCertificates.Element], at index: Int, under release: SystemRelease) -> PathCheck? {
    guard index > 0 else { return nil }
    let element = path[index]
    let issuer = element.certificate
    if let fault = authorityFault(path, at: index) {
      return .broken("\(element.name) \(fault)", trustCode: issuer.hasBasicConstraints ? TrustCode.noCA : TrustCode.noBasicConstraints)
    }
    // The system reads a keyUsage without any bit as an absent one (SecPVCParentCertificateChecks).
    if let usage = issuer.keyUsage, !usage.isEmpty, !usage.contains(.keyCertSign) {
      return .broken("\(element.name) may not sign certificates (keyUsage)")
    }
    let below = path[1..<index].count { !$0.certificate.isSelfIssued }
    // The anchor's own limit counts from iOS 15 and macOS 12 (SecPolicyCheckBasicCertificateProcessing).
    let isRoot = element.isAnchor || (index == path.count - 1 && issuer.isSelfIssued)
    if let limit = issuer.pathLength, below > limit, !isRoot || release.isAtLeast(15) {
      return .broken("\(element.name) allows \(limit) CAs below it; the chain has \(below)", trustCode: TrustCode.pathTooLong)
    }
    if let wanted = path[index - 1].certificate.authorityKeyIdentifier, let has = issuer.subjectKeyIdentifier, wanted != has {
      return .broken("\(element.name) has a different key identifier from the one in the certificate below it", fix: Self.fix)
    }
    return index == path.count - 1 ? rootFault(issuer).map { .broken("\(element.name) \($0)") } : nil
  }

  /// Returns the fault of a root's authorityKeyIdentifier, which must match the root itself; nil if there is none.
  private static func rootFault(_ root: Certificate) -> String? {
    guard root.isSelfIssued else { return nil }
    var fault: String?
    if let own = root.authorityKeyIdentifier, let has = root.subjectKeyIdentifier, own != has {
      fault = "has a different key identifier from the one it gives for its issuer"
    } else if let serial = root.authorityCertSerialNumber, serial != root.serial {
      fault = "has a different serial number from the one it gives for its issuer"
    }
    // A CA signs its new key with its old key: such a certificate names the old one as its issuer (RFC 4210 §4.4).
    return fault == nil || root.verifyOwnSignature().isInvalid ? nil : fault
  }

  /// Returns the reason that an issuer is not a CA; nil if it is one.
  ///
  /// basicConstraints requires version 3. An older root is a CA because it is trusted; an older intermediate is accepted only
  /// under an older root.
  private static func authorityFault(_ path: [ServerCertificates.Element], at index: Int) -> String? {
    let issuer = path[index].certificate
    if issuer.isCA { return nil }
    if issuer.version == 3 || issuer.version == nil { return "is not a CA (basicConstraints)" }
    if let last = path.last, index < path.count - 1, last.certificate.version == 3 {
      return "is a version \(issuer.version ?? 1) certificate, which cannot show that it is a CA"
    }
    return nil
  }

  /// Returns the finding on name and policy constraints for a certificate; nil if there is none. Constraints are evaluated on the
  /// path that trust evaluation built, and are undecided on a path that is linked by names only.
  private static func checkConstraints(
    _ element: ServerCertificates.Element, at index: Int, _ context: JudgingContext, under release: SystemRelease
  ) -> PathCheck? {
    if let path = context.trust?.details {
      let unsupported = release.isAtLeast(26) ? path.unsupportedConstraint : nil
      guard let fault = path.constraintFault ?? unsupported, fault.index == index else { return nil }
      return .broken("\(element.name) \(fault.text)", isOfPath: true, fix: Self.issuerFix)
    }
    guard index > 0 else { return nil }
    if element.certificate.nameConstraintsRange != nil {
      return .unreadable(
        Remarks.sentence("\(element.name) has name constraints, which can only be evaluated on a chain to a root"),
        settledBy: JudgingContext.anchorsSettle)
    }
    if element.certificate.policyLimits.requireExplicitPolicy != nil {
      return .unreadable(
        Remarks.sentence("\(element.name) has policy constraints, which can only be evaluated on a chain to a root"),
        settledBy: JudgingContext.anchorsSettle)
    }
    return nil
  }

  /// Whether the system's parser supports an extension, or skips it as one of Apple's own or of digital car keys.
  private static func isKnown(_ objectIdentifier: String, _ release: SystemRelease) -> Bool {
    if objectIdentifier == "1.3.6.1.5.5.7.1.3" { return release.isAtLeast(26) }
    return knownExtensions.contains(objectIdentifier) || skippedArcs.contains(where: objectIdentifier.hasPrefix)
  }

  private static let knownExtensions: Set<String> = [
    "2.5.29.14", "2.5.29.15", "2.5.29.16", "2.5.29.17", "2.5.29.18", "2.5.29.19", "2.5.29.30", "2.5.29.31",
    "2.5.29.32", "2.5.29.33", "2.5.29.35", "2.5.29.36", "2.5.29.37", "2.5.29.54", "1.3.6.1.5.5.7.1.1",
    "1.3.6.1.5.5.7.1.11", "1.3.6.1.5.5.7.48.1.5", "2.16.840.1.113730.1.1", "1.2.840.113533.7.65.0",
  ]

  private static let skippedArcs = [
    "1.2.840.113635.100.6.", "1.2.840.113635.100.11.", "1.2.840.113635.100.12.", "1.2.840.113635.100.13.",
    "1.2.840.113635.100.15.", "1.3.6.1.4.1.41577.5.",
  ]
}

extension RuleID {
  /// `ATS-CERT-CHAIN`: each certificate may issue the one below it.
  public static let certificateChain = RuleID(rawValue: CertificateChainRule.id)
}
