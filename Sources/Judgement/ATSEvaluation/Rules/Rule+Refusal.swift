import PolicyResolution
import SessionObservation

extension Rule {
  /// Judges a handshake without a ServerHello (policy text D.0, failed handshakes): it fails where the server's alert is about what
  /// the rule asks (`isDecisive`), and the client offered all that a device does (`doubt` is nil), and no more.
  func judgeRefusal(
    of session: ObservedSession, under policy: EffectivePolicy, expected: String, remedy: String,
    isDecisive: (EarlyRefusal) -> Bool, doubt: (ClientHelloReading) -> String?,
    note: (ClientHelloReading) -> String? = { _ in nil }
  ) -> Finding {
    let missing = unknown(session.unseenServerHello, expected: expected)
    guard let refusal = EarlyRefusal(session) else { return missing }
    guard session.tls?.offer != nil else {
      return missing.noting(
        "The server sent alert \(refusal.alert.text), and no ClientHello is in the capture.")
    }
    let observed = "the server refused the ClientHello with alert \(refusal.alert.text)"
    guard isDecisive(refusal), let hello = ClientHelloReading(session, under: policy) else {
      return missing.noting(Remarks.sentence(observed))
    }
    guard hello.isWithinPolicy else {
      return missing.noting(Remarks.sentence(observed), Remarks.widerOffer)
    }
    if let doubt = doubt(hello) {
      return missing.noting(Remarks.sentence(observed), doubt)
    }
    return fail(observed, expected: expected, parts: [.clientHello, .outcome], remedy: remedy).noting(
      note(hello))
  }
}
