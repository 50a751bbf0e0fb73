import PolicyResolution
import SessionModel

extension Rule {
  /// Judges a handshake without a ServerHello (policy text D.0, failed handshakes).
  ///
  /// It fails where the server's alert is about what the rule requires (`isDecisive`) and the client offered all that a device does
  /// under the policy. Where it lacked something of it, a device might have succeeded.
  func judgeRefusal(
    of session: SessionEvidence, under policy: EffectivePolicy, expected: String, fix: String,
    isDecisive: (EarlyRefusal) -> Bool
  ) -> Finding {
    let missing = unknown(session.unseenServerHello, expected: expected)
    guard let refusal = EarlyRefusal(session) else { return missing }
    guard let offer = session.tls?.offer else {
      return missing.noting(
        "The server sent alert \(refusal.alert.text), and no ClientHello is in the capture.")
    }
    let observed = "the server refused the ClientHello with alert \(refusal.alert.text)"
    guard isDecisive(refusal), let comparison = OfferComparison(session, under: policy) else {
      return missing.noting(Remarks.sentence(observed))
    }
    if refusal.isOfFallback(offer) {
      return missing.noting(Remarks.sentence(observed), Remarks.fallback, comparison.doubt)
    }
    switch comparison.relation {
    case .superset:
      return fail(observed, expected: expected, parts: [.clientHello, .outcome], fix: fix)
        .noting(comparison.hasMore ? Remarks.widerOffer : nil)
    case .subset, .neither: return missing.noting(Remarks.sentence(observed), comparison.doubt)
    }
  }
}
