import Values

/// The number of sessions that a gate requires to be judged.
package struct RequiredSessions: Hashable, Sendable {
  private let minimum: Int?
  private let isStrict: Bool

  /// Creates the requirement of `--min-sessions`, and of `--strict`, which requires one session.
  package init(_ minimum: Int? = nil, isStrict: Bool = false) {
    self.minimum = minimum
    self.isStrict = isStrict
  }

  /// Returns a sentence if fewer sessions were judged; nil if enough were.
  package func shortfall(judged: Int) -> String? {
    if let minimum, judged < minimum {
      return "\(judged.counted("session{s} {was|were}")) judged; --min-sessions requires \(minimum)"
    }
    return isStrict && judged == 0 ? "no session was judged; --strict requires one" : nil
  }
}
