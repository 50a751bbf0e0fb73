package import SessionModel

/// A session in a box, which is moved instead of the session: a session is large, and most containers copy what is added to them.
package final class EndedSession {
  /// The session; nil if it has been taken.
  package private(set) var session: ObservedSession?

  /// The first packet that carries a byte of the session.
  package let firstFrame: UInt64

  init(_ session: consuming ObservedSession) {
    firstFrame = session.firstFrame
    self.session = consume session
  }

  /// Removes and returns the session; nil if it has been taken.
  package func take() -> ObservedSession? { session.take() }
}
