/// Why a capture cannot show a fact.
public enum UnseenReason: String, Hashable, Sendable, CaseIterable {
  /// The bytes are not in the capture (lost, truncated, started late).
  case missing

  /// Some of the bytes are in the capture, not all.
  case partial

  /// It was encrypted, and no key for it is available.
  case encrypted

  /// The session was resumed, so it was not sent again.
  case resumed

  /// The peer did not send it although the handshake continued.
  case notSent

  /// Copies of the bytes differ, and nothing shows which one the receiver accepted.
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
