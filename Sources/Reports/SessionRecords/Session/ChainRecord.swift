public import ATSEvaluation
public import SessionModel
public import Values

/// A chain from a file, judged as if a session had shown it: the record `atscope.chain/1`.
public struct ChainRecord: Sendable {
  /// The host as it was named.
  public package(set) var host: String

  /// The time at which it is judged, in UTC.
  public package(set) var at: Timestamp

  /// The verdict of the rules about certificates.
  public package(set) var verdict: Verdict

  /// The path that was judged; nil where nothing is decided about trust.
  package var trust: JudgedTrust?

  /// The certificates of the file, the leaf first.
  public package(set) var certificates: [ObservedCertificate]

  /// The roots taken as the system's own; nil where they are not named.
  package var roots: RunRecord.Roots?

  /// The roots for people, such as `Apple, iOS 18.2 (store 2024051500)`.
  public package(set) var rootsName: String?

  /// The findings about certificates.
  public package(set) var findings: [Finding]

  /// Whether a key of the dictionary allows what would fail.
  public var isRelaxed: Bool { findings.contains { $0.outcome == .relaxed } }

  /// Takes what a judgement says of certificates; what it says of the handshake, which there was none of, is left out.
  package init(host: String, at: Timestamp, certificates: [ObservedCertificate], _ judgement: Judgement) {
    self.host = host
    self.at = at
    self.certificates = certificates
    trust = judgement.trust
    findings = judgement.findings.filter { ChainRecord.isAboutCertificates($0.id) }
    let required = findings.filter(\.required)
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
    json.object("trust", trust)
    json.object("roots", roots)
    json.objects("certificates", certificates)
    // No packet shows a file's chain: the rules have no frames.
    json.objects("rules", findings)
  }
}
