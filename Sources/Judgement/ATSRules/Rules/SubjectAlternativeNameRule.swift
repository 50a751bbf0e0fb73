import ATSEvidence
import CertificateParsing
import PolicyResolution
import SessionModel
import Values

/// The leaf lists its names in subjectAltName (policy text D.11).
struct SubjectAlternativeNameRule: TrustRule {
  static let id = "ATS-CERT-SAN"
  static let title = "Subject alternative name"
  static let section = "D.11"
  static let weight = 4
  static let explanation = RuleExplanation(
    demand: "The server certificate lists a DNS name or address in subjectAltName.",
    reason: "The common name was not meant for host names and is no longer read.",
    fix: .server("use a certificate with the host's name in subjectAltName"),
    since: "iOS 13 and macOS 10.15",
    errors: [.url: [-1200, -1202], .stream: [-9802, -9807, -9843, -9880], .status: [-67602]],
    sources: [.trustedCertificates2019, .leafCallbacks], weaknesses: [295], severity: "5.3")

  /// Checks that there is a name; ATS-CERT-HOST checks that it matches.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    guard policy.release.isAtLeast(13) else { return notApplicable("Systems before iOS 13 and macOS 10.15 also read the common name.") }
    let expected = "a DNS name or address in subjectAltName"
    if let unseen = unseenCertificates(context, expected: expected) { return unseen }
    guard let leaf = context.certificates.leaf?.certificate else { return notApplicable() }
    let count = HostMatching.names(of: leaf, readsCommonName: false).count + HostMatching.addresses(of: leaf).count
    if count > 0 { return pass(count.counted("name{s}"), expected: expected, parts: [.certificates]) }
    if leaf.decodingError != nil || leaf.dnsNameCount > leaf.dnsNames.count {
      return unknown(.unreadable, expected: expected, note: "Some names in the server certificate could not be read.")
    }
    return fail(
      leaf.hasSubjectAlternativeName ? "no usable name in subjectAltName" : "no subjectAltName",
      expected: expected, parts: [.certificates], certificate: 0, fix: context.certificates.fixOfFirst(Self.fix))
  }
}

extension RuleID {
  /// `ATS-CERT-SAN`: the certificate has a subject alternative name.
  public static let subjectAlternativeName = RuleID(rawValue: SubjectAlternativeNameRule.id)
}
