public import ATSEvaluation
public import ATSRules
package import PolicyResolution
public import SessionModel
public import Values

/// A chain from a file, judged as if a session had sent it: an `atscope.chain/1` record.
public struct ChainRecord: Sendable {
  /// The host that the user named.
  public package(set) var host: String

  /// The time of judging, in UTC.
  public package(set) var at: Timestamp

  /// The verdict of the certificate rules.
  public package(set) var verdict: Verdict

  /// The judged path; nil if trust is undecided.
  package var trust: JudgedTrust?

  /// The certificates in the file, the leaf first.
  public package(set) var certificates: [ObservedCertificate]

  /// The roots used as the system's root store; nil if they are not known.
  package var roots: RunRecord.Roots?

  /// The display name of the roots, such as `Apple, iOS 18.2 (store 2024051500)`.
  public package(set) var rootsName: String?

  /// The policy under which the chain was judged.
  package let policy: EffectivePolicy

  /// The reason that ATS does not govern the host, as a sentence; nil if it does.
  package let exemption: String?

  /// The findings about certificates.
  public package(set) var findings: [Finding]

  /// Whether an ATS key allows what would otherwise fail.
  public var isRelaxed: Bool { findings.contains { $0.outcome == .relaxed } }

  /// The rules for which the system rejects the chain although ATS is off.
  package let refusedRules: [String]

  /// Creates the record from the certificate part of a judgement; there was no handshake, so its findings are omitted.
  package init(host: String, at: Timestamp, certificates: [ObservedCertificate], _ judgement: Judgement) {
    self.host = host
    self.at = at
    self.certificates = certificates
    trust = judgement.trust
    policy = judgement.policy
    exemption = judgement.exemption
    findings = judgement.findings.filter { ChainRecord.isAboutCertificates($0.id) }
    refusedRules = findings.filter(judgement.isRejected(for:)).map(\.id)
    let required = findings.filter(\.isRequired)
    verdict =
      judgement.exemption != nil
      ? .exempt
      : required.contains { $0.outcome == .fail }
        ? .fail : required.contains { $0.outcome == .unknown } ? .unknown : .pass
  }

  private static func isAboutCertificates(_ rule: String) -> Bool {
    ["ATS-CERT-", "ATS-CT", "ATS-PIN", "ADV-CHAIN-", "ADV-CT-", "ADV-EXPIRY", "ADV-SC081"].contains {
      rule.hasPrefix($0)
    }
  }
}

extension ChainRecord: JSONRecord {
  /// Writes the members of an `atscope.chain/1` object.
  package func writeMembers(to json: inout JSONObject) {
    json.string("schema", "atscope.chain/1")
    json.text("host", host)
    json.time("at", at)
    json.string("verdict", verdict.rawValue)
    if let exemption { json.text("exemption", exemption) }
    json.object("trust", trust)
    json.object("roots", roots)
    json.objects("certificates", certificates)
    // A file has no packets, so the findings have no frames.
    json.objects("rules", findings)
  }
}
