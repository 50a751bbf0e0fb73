import ATSEvidence
import CertificateParsing
import PolicyResolution
import SessionModel
import Values

/// The leaf is for the host that the client requested (policy text D.7).
struct CertificateHostRule: TrustRule {
  static let id = "ATS-CERT-HOST"
  static let title = "Certificate host name"
  static let section = "D.7"
  static let evidence: Set<Evidence.Part> = [.clientHello, .certificates]
  static let weight = 12
  static let explanation = RuleExplanation(
    demand:
      "The server certificate lists the host: a DNS name, compared label by label, with * as the whole leftmost label, or the address.",
    reason: "A certificate for another host does not identify this server.",
    fix: .server("use a certificate whose subjectAltName lists the host"),
    since: "\(RuleExplanation.firstRelease); the common name is not read from iOS 13 and macOS 10.15",
    errors: [.url: [-1200, -1202], .stream: [-9802, -9807, -9843, -9880], .status: [-67602]],
    sources: [.leafCallbacks, .trustedCertificates2019, .serverTrust], weaknesses: [295], severity: "8.1")

  /// Checks the name that the client sent. An address to which it merely connected can only confirm a match.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    let host = context.host
    let expected = host.text.map { "a certificate for \($0)" } ?? "a certificate for the host"
    // A resumed session contains no certificate, even if it is decrypted.
    if let unseenName = session.unseenName, context.certificates.unseen?.reason != .resumed {
      return unknown(
        unseenName, expected: expected, note: "Encrypted ClientHello was offered: the visible name may be the server's public name.")
    }
    if let unseen = unseenCertificates(context, expected: expected) {
      // The certificate alone decides this only if it lists the address.
      guard session.serverNameSource == .address, unseen.missing == .encrypted || unseen.missing == .resumed else { return unseen }
      return unknown(
        Unseen(.notSent, settledBy: [.evidence("\(Self.recordingOfName), unless the certificate lists the address")]), expected: expected,
        note: "The client sent no server name.")
    }
    guard let leaf = context.certificates.leaf?.certificate else { return notApplicable() }
    let readsCommonName = !policy.release.isAtLeast(13)
    let usable = HostMatching.names(of: leaf, readsCommonName: readsCommonName)
    let addresses = HostMatching.addresses(of: leaf)
    let matches = HostMatching.matches(host, usable, addresses)
    let fault = Self.fault(of: leaf, for: host)
    let names = fault ?? Self.summary(of: usable + addresses.map(\.description))
    let isIncomplete = leaf.decodingError != nil || leaf.has(.shortenedList)

    if matches {
      return pass(names, expected: expected, parts: [.certificates]).noting(
        host.name.flatMap { name in
          HostMatching.restsOnShortWildcard(name, leaf)
            ? "The wildcard may be directly above a public suffix that is not known here; devices would reject it." : nil
        })
    }
    if host == .unknown, session.isInnerHelloHidden {
      return unknown(
        session.unseenInnerHello, expected: expected,
        note: "Encrypted ClientHello was accepted: the host that the client requested is encrypted."
      ).observing(names, .certificates)
    }
    if session.serverNameSource == .address || host == .unknown {
      let reason: UnseenReason =
        switch session.evidence.clientHello {
        case .missing: .missing
        case .partial: .partial
        case .complete, .encrypted, .resumed, .notSent: .notSent
        }
      return unknown(
        Unseen(reason, settledBy: [.evidence(Self.recordingOfName)]), expected: expected,
        note: host == .unknown
          ? "The host that the client requested is not known."
          : "The client sent no server name, and the certificate does not list the address."
      ).observing(names, .certificates)
    }
    if isIncomplete {
      return unknown(.unreadable, expected: expected, note: "Some names in the server certificate could not be read.")
        .observing(names, .certificates)
    }
    return fail(
      names, expected: expected, parts: [.certificates], certificate: 0,
      fix: context.certificates.fixOfFirst(
        .server("use a certificate whose subjectAltName lists \(host.text ?? "the host")\(fault == nil ? "" : ", and only valid names")")))
  }

  /// Returns why devices read no entry of the leaf of the kind that the host is; nil if they read some, or if there is none.
  private static func fault(of leaf: Certificate, for host: HostIdentity) -> String? {
    switch host {
    case .name where leaf.has(.invalidTextInName): "a DNS name in the certificate is not UTF-8, so devices read none of its DNS names"
    case .address where leaf.has(.invalidAddressLength):
      "an address in the certificate has neither 4 nor 16 bytes, so devices read none of its addresses"
    case .name, .address, .unknown: nil
    }
  }

  /// What shows the host that the client requested.
  private static let recordingOfName = "record a session that shows the name by SNI, CONNECT or decrypted requests"

  /// Returns the names of the leaf that count, at most four of them in full. A leaf without any may have others, such as a common name.
  private static func summary(of names: [String]) -> String {
    names.isEmpty ? "no usable names in the certificate" : "issued for \(names.joined(first: 4))"
  }
}

extension RuleID {
  /// `ATS-CERT-HOST`: the certificate names the host.
  public static let certificateHost = RuleID(rawValue: CertificateHostRule.id)
}
