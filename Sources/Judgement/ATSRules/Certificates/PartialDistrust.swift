import ATSEvidence
import AppleTrust
import CertificateParsing
import PolicyResolution
import SessionModel
import TrustEvaluation
import Values

/// The partial distrust of roots in Apple's stores (policy text D.6).
struct PartialDistrust {
  /// The chains that a row refuses.
  enum Condition {
    /// Every chain of a TLS server.
    case servers
    /// Paths with a certificate below the root whose validity starts at this time or later.
    case issued(from: Timestamp)
    /// Leaves whose earliest SCT is later than this time.
    case logged(after: Timestamp)
    /// Paths through the CA with this common name.
    case through(String)
  }

  /// The organizationName values of the roots; empty for roots that Apple's constraints list.
  let organizations: [String]

  /// The first releases of iOS and of macOS that apply the row.
  let since: (iOS: SystemVersion, macOS: SystemVersion)

  let condition: Condition

  /// The source of the row, as a sentence.
  let source: String

  /// Every row of partial distrust.
  static let table = [
    PartialDistrust(
      organizations: [], since: (SystemVersion(26), SystemVersion(26)), condition: .servers,
      source: "Source: constraints of security_certificates-55349.0.11 (26.0), SSL server policy."),
    PartialDistrust(
      organizations: startComAndWoSign, since: (SystemVersion(10, 1, 1), SystemVersion(10, 12, 1)),
      condition: .through("WoSign CA Free SSL Certificate G2"), source: "Source: Apple, lists of available trusted root certificates."),
    PartialDistrust(
      organizations: startComAndWoSign, since: (SystemVersion(10, 1, 1), SystemVersion(10, 12, 1)),
      condition: .issued(from: PolicyDates.december2016),
      source: "Source: Apple, lists of available trusted root certificates; Security framework, SecPolicyServer.c."),
    PartialDistrust(
      organizations: ["Entrust, Inc.", "Entrust.net", "AffirmTrust"], since: (SystemVersion(18, 2), SystemVersion(15, 2)),
      condition: .logged(after: PolicyDates.november2024),
      source: "Source: Apple's announcement as Entrust quotes it; that 18.2 and 15.2 enforce it is an assumption."),
  ]

  private static let startComAndWoSign = ["StartCom Ltd.", "WoSign CA Limited"]

  /// Why the release refuses a path to a system root, the source, and the first releases that do; nil if it does not refuse it.
  static func fault(
    in path: TrustPath, _ session: SessionEvidence, _ context: JudgingContext, under release: SystemRelease
  ) -> (text: String, source: String, since: String)? {
    guard let root = path.certificates.last, path.anchorClass == .system || path.anchorClass == .apple else { return nil }
    for row in table where row.isApplied(by: release) && row.concerns(root) {
      if let text = row.fault(in: path, session, context) {
        return (text, row.source, "iOS \(row.since.iOS) and macOS \(row.since.macOS)")
      }
    }
    return nil
  }

  private func isApplied(by release: SystemRelease) -> Bool {
    release.platform == .macos ? release.version >= since.macOS : release.iOSVersion >= since.iOS
  }

  private func concerns(_ root: ObservedCertificate) -> Bool {
    if organizations.isEmpty { return AppleRoot(sha256: root.sha256)?.anchorsServers == false }
    let subject = ",\(root.certificate.subject),"
    return organizations.contains { name in
      let escaped = name.split(separator: ",", omittingEmptySubsequences: false).joined(separator: "\\,")
      return subject.contains(",O=\(escaped),")
    }
  }

  private func fault(in path: TrustPath, _ session: SessionEvidence, _ context: JudgingContext) -> String? {
    let root = path.certificates.last?.title ?? "a root"
    switch condition {
    case .servers: return "\(root), which is not trusted for TLS servers"
    case .issued(let start):
      for (index, certificate) in path.certificates.dropLast().enumerated() {
        guard let notBefore = certificate.certificate.notBefore, notBefore >= start else { continue }
        let name = index == 0 ? "the server certificate" : "the certificate of \(certificate.title ?? "an intermediate")"
        return "\(root), which is not trusted for certificates issued from \(start.date); \(name) is from \(notBefore.date)"
      }
      return nil
    case .logged(let end):
      guard let earliest = Transparency(session, context).earliest, earliest > end else { return nil }
      return "\(root), which is not trusted for certificates first logged after \(end.date); the server certificate was logged "
        + earliest.date
    case .through(let name):
      guard path.certificates.contains(where: { $0.certificate.commonName == name }) else { return nil }
      return "\(root) via \(name), which is not trusted"
    }
  }
}
