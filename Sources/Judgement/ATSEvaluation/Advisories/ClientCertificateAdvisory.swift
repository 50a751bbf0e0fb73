package import PolicyResolution
package import SessionModel
import TLSParsing

/// The server asked for a client certificate.
package struct ClientCertificateAdvisory: Advisory {
  package static let id = "ADV-MTLS"
  package static let title = "Client certificate requested"

  package init() {}

  /// Looks for a CertificateRequest.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    let asks = session.tls?.asksForClientCertificate(session.evidence)
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
        && session.evidence.lacksClientCertificate
        ? "The client sent none. In TLS 1.3 a server that requires one says so after the handshake, under keys that are not read."
        : nil)
  }
}
