/// A fact the capture either shows or cannot show.
public enum Observed<Value: Hashable & Sendable>: Hashable, Sendable {
  /// The capture shows the value.
  case seen(Value)

  /// The capture cannot show the value, and why.
  case unseen(UnseenReason)

  /// The value, or nil where the capture cannot show it.
  public var value: Value? {
    if case .seen(let value) = self { value } else { nil }
  }
}

/// Why a capture cannot show a fact.
public enum UnseenReason: String, Hashable, Sendable, CaseIterable {
  /// The bytes are not in the capture (lost, cut off, started late).
  case missing

  /// Some of the bytes are in the capture, not all.
  case partial

  /// It travelled encrypted, and no key for it is at hand.
  case encrypted

  /// The session was resumed, so it was not sent again.
  case resumed

  /// The peer did not send it although the handshake went on.
  case notSent

  /// Copies of the bytes disagree, and nothing shows which the receiver took.
  case contested
}
