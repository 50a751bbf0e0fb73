import ATSEvidence
import PolicyResolution
import SessionModel
import TLSParsing

/// Reports that the server requested a client certificate.
struct ClientCertificateAdvisory: Advisory {
  static let id = "ADV-MTLS"
  static let title = "Client certificate requested"
  static let weight = 0
  static let explanation = RuleExplanation(
    demand:
      "The server does not request a client certificate. If it does, this is a matter between app and server.",
    reason: "Errors -1205 and -1206 come from client certificates, not from ATS.",
    fix: .app("use a client certificate, if the server requires one"), since: RuleExplanation.anyRelease,
    errors: [.url: [-1205, -1206], .stream: [-9825, -9826, -9827, -9828, -9829, -9863]],
    sources: [.serverTrust], weaknesses: [], severity: "1.0")

  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    let asks = session.tls?.requestsClientCertificate
    guard asks == true else {
      // CertificateRequest follows Certificate, and the capture may end or have a gap in between.
      return asks == false && session.tls?.chain != nil ? pass(parts: [.certificates]) : notApplicable()
    }
    return fail("the server requested a client certificate", expected: "a matter between app and server", parts: [.certificates]).noting(
      "Errors -1205 and -1206 come from client certificates, not from ATS.",
      session.tls?.serverHello?.version == .tls13 && session.ending == .established && (session.tls?.lacksClientCertificate == true)
        ? "The client sent none. In TLS 1.3, a server that requires one refuses after the handshake, in an alert that "
          + "SERVER_TRAFFIC_SECRET_0 of a key log decrypts." : nil)
  }
}

extension RuleID {
  /// `ADV-MTLS`: the server requests a client certificate.
  public static let clientCertificate = RuleID(rawValue: ClientCertificateAdvisory.id)
}
