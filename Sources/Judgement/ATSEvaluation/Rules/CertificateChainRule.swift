import CertificateParsing
package import PolicyResolution
package import SessionObservation
import TrustEvaluation
import Values

/// The path has the form that X.509 asks for (policy text D.15).
package struct CertificateChainRule: Rule {
  package static let id = "ATS-CERT-CHAIN"
  package static let title = "Form of the chain"
  package static let section = "D.15"
  package static let isTrustEvaluation = true

  package init() {}

  /// Judges each certificate for itself, then how each fits the one below.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    let expected = "well-formed certificates, each issued by a CA"
    if let unseen = unseenCertificates(context, expected: expected) { return unseen }
    let path = context.certificates.path
    let finding = judgePath(
      path, of: context, expected: expected,
      remedy: "send certificates that follow RFC 5280, each with its issuer's",
      inOrder: path.count == 1 ? "the leaf is well formed" : "\(path.count) certificates fit together"
    ) { element in
      let index = path.firstIndex { $0.observed === element.observed } ?? 0
      return Self.checkForm(element, isLeaf: index == 0) ?? Self.checkIssuing(path, at: index)
        ?? Self.checkConstraints(element, at: index, context) ?? .ok
    }
    guard finding.outcome == .pass, path.count == 1, !context.certificates.endsAtRoot, context.trust == nil
    else {
      return finding
    }
    var undecided =
      context.certificates.isComplete
      ? unknown(
        Unseen(nil, settledBy: JudgingContext.anchorsSettle), expected: expected,
        note: "No certificate of an issuer was sent, so the form of the path is not known.")
      : unknown(Unseen(.partial, settledBy: [session.betterCapture]), expected: expected)
    undecided.parts = [.certificates]
    return undecided
  }

  /// What is wrong with a certificate by itself; nil for nothing.
  private static func checkForm(_ element: ServerCertificates.Element, isLeaf: Bool) -> PathCheck? {
    let certificate = element.certificate
    if certificate.quirks.contains(Certificate.Quirk.duplicateExtension.rawValue) {
      return .broken("\(element.name) has an extension twice")
    }
    if let extensionID = certificate.malformedExtensions.first {
      return .broken("the extension \(extensionID) of \(element.name) cannot be read")
    }
    let unknown = certificate.extensions.first {
      $0.isCritical && !knownExtensions.contains($0.objectIdentifier)
    }
    if let unknown {
      return unknown.objectIdentifier.hasPrefix(appleArc)
        ? .unreadable("\(element.name) has a critical extension of Apple's own, \(unknown.objectIdentifier).")
        : .broken(
          "\(element.name) has the critical extension \(unknown.objectIdentifier), which is not known")
    }
    if let error = certificate.decodingError {
      return .unreadable(Remarks.sentence("\(element.name) cannot be decoded in full: \(error)"))
    }
    if isLeaf || !element.isAnchor, let fault = profileFault(certificate) {
      return .broken("\(element.name) \(fault)")
    }
    // An empty SEQUENCE has two bytes.
    if certificate.subjectRange.count == 2 {
      if !isLeaf { return .broken("the certificate of an issuer has an empty subject") }
      if !certificate.extensions.contains(where: { $0.isCritical && $0.objectIdentifier == "2.5.29.17" }) {
        return .broken("\(element.name) has an empty subject and no critical subjectAltName")
      }
    }
    return nil
  }

  /// What no certificate of a conforming CA has (RFC 5280 §4.1.2.2, §4.2); nil for nothing.
  private static func profileFault(_ certificate: Certificate) -> String? {
    // OpenSSL long gave 0 to certificates that signed themselves.
    if certificate.has(.negativeSerial) || certificate.has(.zeroSerial) && !certificate.isSelfIssued {
      return "has a serial number that is not positive"
    }
    if certificate.has(.oddSerialLength) { return "has a serial number of more than 20 bytes" }
    if certificate.nameConstraintsRange != nil, !certificate.isCA {
      return "has name constraints and is no CA"
    }
    for known in certificate.extensions {
      if known.isCritical, known.objectIdentifier == "1.3.6.1.5.5.7.1.1" {
        return "has a critical authorityInfoAccess"
      }
      if !known.isCritical, known.objectIdentifier == "2.5.29.36" {
        return "has policy constraints that are not critical"
      }
    }
    return nil
  }

  /// What is wrong with a certificate as the issuer of those below it; nil for nothing.
  private static func checkIssuing(_ path: [ServerCertificates.Element], at index: Int) -> PathCheck? {
    guard index > 0 else { return nil }
    let element = path[index]
    let issuer = element.certificate
    // Roots of version 1 have no extensions at all.
    let isOldRoot = issuer.isSelfIssued && issuer.extensions.isEmpty
    if !issuer.isCA, !isOldRoot { return .broken("\(element.name) is no CA by its basicConstraints") }
    if let usage = issuer.keyUsage, !usage.contains(.keyCertSign) {
      return .broken("\(element.name) must not sign certificates by its keyUsage")
    }
    let below = path[1..<index].count { !$0.certificate.isSelfIssued }
    if let limit = issuer.pathLength, below > limit {
      return .broken("\(element.name) allows \(limit) CAs below it, and there are \(below)")
    }
    if let wanted = path[index - 1].certificate.authorityKeyIdentifier {
      if let has = issuer.subjectKeyIdentifier, wanted != has {
        return .broken("\(element.name) has another key identifier than the certificate below it names")
      }
      if !element.isAnchor, !issuer.isSelfIssued, issuer.subjectKeyIdentifier == nil {
        return .broken("\(element.name) has no key identifier, and the certificate below it names one")
      }
    }
    if index == path.count - 1, issuer.isSelfIssued {
      if let own = issuer.authorityKeyIdentifier, let has = issuer.subjectKeyIdentifier, own != has {
        return .broken("\(element.name) has another key identifier than it names for its own issuer")
      }
      if let serial = AuthorityKeyIdentifier.serial(of: issuer), serial != issuer.serial {
        return .broken("\(element.name) has another serial number than it names for its own issuer")
      }
    }
    return nil
  }

  /// What name and policy constraints say of a certificate; nil for nothing. They are evaluated on the path that trust
  /// evaluation built: on one that only names link, they are left open.
  private static func checkConstraints(
    _ element: ServerCertificates.Element, at index: Int, _ context: JudgingContext
  ) -> PathCheck? {
    if let path = context.trust?.details {
      guard let fault = path.constraintFault, fault.index == index else { return nil }
      return .broken("\(element.name) \(fault.text)")
    }
    guard index > 0 else { return nil }
    if element.certificate.nameConstraintsRange != nil {
      return .unreadable(
        Remarks.sentence("\(element.name) has name constraints, which take a path to a root to be evaluated"))
    }
    if element.certificate.policyLimits.requireExplicitPolicy != nil {
      return .unreadable(
        Remarks.sentence(
          "\(element.name) has policy constraints, which take a path to a root to be evaluated"))
    }
    return nil
  }

  private static let appleArc = "1.2.840.113635."

  /// The extensions that the system's parser knows (RFC 5280, Netscape's certificate type, RFC 6962).
  private static let knownExtensions: Set<String> = [
    "2.5.29.14", "2.5.29.15", "2.5.29.17", "2.5.29.18", "2.5.29.19", "2.5.29.30", "2.5.29.31", "2.5.29.32",
    "2.5.29.33", "2.5.29.35", "2.5.29.36", "2.5.29.37", "2.5.29.54", "1.3.6.1.5.5.7.1.1",
    "2.16.840.1.113730.1.1", "1.3.6.1.4.1.11129.2.4.2",
  ]
}
