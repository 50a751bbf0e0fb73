package import PolicyResolution
import SessionModel
import TLSParsing

/// The server asked for a client certificate.
package struct ClientCertificateAdvisory: Advisory {
  package static let id = "ADV-MTLS"
  package static let title = "Client certificate requested"
  package static let weight = 0
  package static let explanation = RuleExplanation(
    demand:
      "The server does not ask for a client certificate; where it does, that is between app and server.",
    reason: "Errors -1205 and -1206 come from it and not from ATS.",
    fix: "Give the app the certificate, if it is meant to have one.", since: RuleExplanation.anyRelease,
    errors: [.url: [-1205, -1206], .stream: [-9825, -9826, -9827, -9828, -9829, -9863]],
    sources: [.serverTrust])

  package init() {}

  /// Looks for a CertificateRequest.
  package func judge(
    _ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    let asks = session.tls?.asksForClientCertificate
    guard asks == true else {
      // The request stands behind the certificates, where the capture may break off or have a gap.
      return asks == false && session.tls?.chain != nil ? pass(parts: [.certificates]) : notApplicable()
    }
    return advise(
      "the server asked for a client certificate", expected: "a matter between app and server",
      parts: [.certificates]
    ).noting(
      "Errors -1205 and -1206 come from client certificates and not from ATS.",
      session.tls?.answer?.content.version == .tls13 && session.ending == .established
        && (session.tls?.lacksClientCertificate == true)
        ? "The client sent none. In TLS 1.3 a server that requires one says so after the handshake, under keys that are not read."
        : nil)
  }
}
