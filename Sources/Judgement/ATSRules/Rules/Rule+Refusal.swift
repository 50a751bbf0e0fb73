import ATSEvidence
import PolicyResolution
import SessionModel

extension Rule {
  /// Judges a handshake without a ServerHello (policy text D.0, failed handshakes).
  ///
  /// The rule fails if the server's alert is about the requirement of the rule (`isDecisive`) and the client offered everything that a
  /// device offers under the policy. If the client offered less, a device might have succeeded.
  func judgeRefusal(
    of session: SessionEvidence, under policy: EffectivePolicy, expected: String, fix: Fix,
    isDecisive: (EarlyRefusal) -> Bool
  ) -> Finding {
    let missing = unknown(session.unseenServerHello, expected: expected)
    guard let refusal = EarlyRefusal(session) else { return missing }
    guard let offer = session.tls?.offer else {
      return missing.noting("The server sent alert \(refusal.alert.text), and no ClientHello is in the capture.")
    }
    let versions = refusal.isAboutVersions ? ", which offered \(offer.versionsText)," : ""
    let observed = "the server refused the ClientHello\(versions) with alert \(refusal.alert.text)"
    guard isDecisive(refusal), let comparison = OfferComparison(session, under: policy) else {
      return missing.noting(Remarks.sentence(observed))
    }
    if refusal.isOfFallback(offer) { return missing.noting(Remarks.sentence(observed), Remarks.fallback, comparison.doubt) }
    switch comparison.relation {
    case .superset:
      let whole = refusal.isAboutVersions ? " (\(offer.versionsText))" : ""
      return fail(
        "the server refused everything that a device offers\(whole): alert \(refusal.alert.text)",
        expected: expected, parts: [.clientHello, .outcome], fix: fix
      ).noting(comparison.hasMore ? Remarks.widerOffer : nil)
    case .subset, .neither: return missing.noting(Remarks.sentence(observed), comparison.doubt)
    }
  }
}
