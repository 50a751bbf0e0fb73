import ATSEvidence
import PolicyResolution
import SessionModel

/// The server signs the handshake with the key of its leaf (policy text D.21).
struct HandshakeSignatureRule: Rule {
  static let id = "ATS-HANDSHAKE-SIG"
  static let title = "Handshake signature"
  static let section = "D.21"
  static let evidence: Set<Evidence.Part> = [.clientHello, .serverHello, .certificates, .serverKeyExchange]
  static let weight = 10
  static let explanation = RuleExplanation(
    demand:
      "The server signs the handshake with the key of its certificate: in ServerKeyExchange up to TLS 1.2, in CertificateVerify in TLS 1.3.",
    reason:
      "Anyone can send a certificate; only the signature shows that the server has its key. If it does not verify, the certificates in the "
      + "capture are not this server's, or bytes of the handshake were changed.",
    fix:
      .recording("record again at the client").and(.serverIfRepeated("remove the intercepting proxy, or repair the server")),
    since: RuleExplanation.firstRelease, errors: [.url: [-1200]],
    sources: [.handshakeSignatures], weaknesses: [295], severity: "8.1")

  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    guard session.application == .tls, let signature = session.tls?.handshakeSignature else { return notApplicable() }
    let isTLS13 = session.tls?.serverHello?.hasTLS13Handshake == true
    let name = isTLS13 ? "CertificateVerify" : "ServerKeyExchange"
    // In TLS 1.3, the signature is in the packets of the certificates.
    let parts: [Evidence.Part] = isTLS13 ? [.certificates] : [.serverKeyExchange]
    let expected = "\(name) signed with the server certificate's key"
    switch signature {
    case .valid: return pass("the signature verifies", expected: expected, parts: parts)
    case .invalid:
      return fail(
        "the signature of \(name) does not verify with the server certificate's key", expected: expected, parts: parts,
        fix: context.certificates.fixOfFirst(Self.fix)
      ).noting(
        session.tls?.isEstablished == true
          ? "The client continued anyway: it does not verify the signature, or the capture differs from what it received." : nil)
    case .notVerifiable: return notApplicable("The signature algorithm is not supported here.")
    case .notVerified:
      return notApplicable("The capture has more signatures than are verified, and this one was skipped.")
    }
  }
}

extension RuleID {
  /// `ATS-HANDSHAKE-SIG`: the server's signature over the handshake is valid.
  public static let handshakeSignature = RuleID(rawValue: HandshakeSignatureRule.id)
}
