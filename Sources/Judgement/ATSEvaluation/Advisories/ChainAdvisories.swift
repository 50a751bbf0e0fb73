import CertificateParsing
package import PolicyResolution
package import SessionObservation
import TrustEvaluation

/// The issuer of the last certificate that is needed was not sent.
package struct ChainIncompleteAdvisory: Advisory {
  package static let id = "ADV-CHAIN-INCOMPLETE"
  package static let title = "Intermediate certificate not sent"

  package init() {}

  /// Looks whether every certificate of the path but the root was sent; without trust evaluation, whether any
  /// issuer was.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    let certificates = context.certificates
    guard let leaf = certificates.leaf, certificates.isComplete else { return notApplicable() }
    let isIncomplete =
      context.trust == nil || context.trust?.anchorClass == AnchorClass.none
      ? certificates.path.count == 1 && !leaf.certificate.isSelfIssued
      : certificates.path.dropLast().contains { $0.position == nil }
    guard isIncomplete else { return pass(parts: [.certificates]) }
    return advise(
      "the issuer of the leaf was not sent", expected: "the leaf and every intermediate",
      parts: [.certificates], remedy: "send the full chain without the root"
    ).noting("Devices may fetch or know a missing intermediate; other clients will not.")
  }
}

/// The certificates were not sent in the order of the path.
package struct ChainOrderAdvisory: Advisory {
  package static let id = "ADV-CHAIN-ORDER"
  package static let title = "Certificates out of order"

  package init() {}

  /// Looks whether places ascend along the path.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    let positions = context.certificates.path.compactMap(\.position)
    guard positions.count > 1 else { return notApplicable() }
    guard zip(positions, positions.dropFirst()).contains(where: { $0 >= $1 }) else {
      return context.certificates.isComplete ? pass(parts: [.certificates]) : notApplicable()
    }
    return advise(
      "the certificates are not in the order of the path",
      expected: "each certificate followed by its issuer's",
      parts: [.certificates], remedy: "send the leaf first, then each issuer in turn")
  }
}

/// Certificates were sent that are not of the path.
package struct ChainExtraAdvisory: Advisory {
  package static let id = "ADV-CHAIN-EXTRA"
  package static let title = "Certificates that are not needed"

  package init() {}

  /// Looks for certificates off the path.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    let certificates = context.certificates
    guard certificates.leaf != nil else { return notApplicable() }
    let extra = certificates.sent.count - certificates.path.compactMap(\.position).count
    guard extra > 0 else {
      return certificates.isComplete ? pass(parts: [.certificates]) : notApplicable()
    }
    return advise(
      extra == 1 ? "1 certificate is not of the path" : "\(extra) certificates are not of the path",
      expected: "the leaf and its intermediates only", parts: [.certificates], remedy: "leave them out")
  }
}

/// The root was sent, which a client has or does not trust.
package struct ChainRootAdvisory: Advisory {
  package static let id = "ADV-CHAIN-ROOT"
  package static let title = "Root certificate sent"

  package init() {}

  /// Looks for a self-issued certificate above the leaf.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard context.certificates.leaf != nil else { return notApplicable() }
    let root = context.certificates.path.dropFirst().first {
      $0.certificate.isSelfIssued && $0.position != nil
    }
    guard let root else {
      return context.certificates.isComplete ? pass(parts: [.certificates]) : notApplicable()
    }
    var finding = advise(
      "\(root.name) was sent, a root", expected: "the chain without its root", parts: [.certificates],
      remedy: "leave the root out, which costs bytes and helps nobody")
    finding.certificate = root.position
    return finding
  }
}
