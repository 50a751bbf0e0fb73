/// The reason why a capture does not show a fact.
public enum UnseenReason: String, Hashable, Sendable, CaseIterable {
  /// The bytes were not captured (lost, truncated, or sent before the capture).
  case missing

  /// Only some of the bytes were captured.
  case partial

  /// The fact was encrypted and could not be decrypted.
  case encrypted

  /// The session was resumed, so it was not sent again.
  case resumed

  /// The peer did not send it although the handshake continued.
  case notSent

  /// Copies of the bytes differ, and it is unknown which one the receiver accepted.
  case contested
}

extension UnseenReason {
  /// The reason in a few words, such as `not in the capture`.
  package var text: String {
    switch self {
    case .missing: "not in the capture"
    case .partial: "only partly in the capture"
    case .encrypted: "encrypted"
    case .resumed: "not repeated in a resumed session"
    case .notSent: "not sent"
    case .contested: "contested bytes"
    }
  }
}
