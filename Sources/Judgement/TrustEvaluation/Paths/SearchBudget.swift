/// Limits of a path search, because crafted chains could otherwise take seconds.
struct SearchBudget {
  /// The remaining number of candidates to examine.
  private(set) var steps = 20_000

  /// The remaining number of signatures to verify. Real chains need three. A certificate of a crafted chain costs about a hundred bytes, a
  /// verification up to half a millisecond.
  private(set) var signatures: Int

  /// The maximum number of complete paths.
  static let maximumPaths = 32

  /// The maximum number of failed attempts that are kept.
  static let maximumFailures = 16

  /// The default maximum number of certificates in a path; real ones have up to six. Apple's systems have no limit of their own.
  static let maximumLength = 64

  /// The maximum number of certificates of one chain that are examined; real ones have up to ten.
  static let maximumSent = 256

  /// The limit that was reached first, as a clause; nil if none was.
  private(set) var spent: String?

  /// Creates the budget for a chain of `sent` certificates.
  init(sent: Int) { signatures = 16 + 4 * min(max(sent, 0), SearchBudget.maximumSent) }

  mutating func takeStep() -> Bool {
    guard steps > 0 else {
      note("too many candidate issuers")
      return false
    }
    steps -= 1
    return true
  }

  mutating func takeSignature() -> Bool {
    guard signatures > 0 else {
      note("too many signatures in one chain")
      return false
    }
    signatures -= 1
    return true
  }

  /// Records a limit that was reached, unless another was reached before.
  mutating func note(_ what: String) {
    if spent == nil { spent = what }
  }
}
