/// What a search for paths may cost: crafted chains make others take seconds.
struct SearchBudget {
  /// Candidates that may be looked at.
  private(set) var steps = 20_000

  /// Signatures that may be verified. Chains in use take three; a certificate of a crafted one costs some hundred
  /// bytes, a verification up to half a millisecond.
  private(set) var signatures: Int

  /// Complete paths that are kept at most.
  static let maximumPaths = 32

  /// Attempts that are kept at most.
  static let maximumFailures = 16

  /// Certificates of a path at most, unless a caller says otherwise; those in use have up to six.
  static let maximumLength = 16

  /// Certificates of one chain that are looked at; those in use have up to ten.
  static let maximumSent = 256

  /// What was spent first, as a clause; nil while nothing is.
  private(set) var spent: String?

  /// The budget for a chain of so many certificates.
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

  /// Notes what was spent, if nothing was before.
  mutating func note(_ what: String) {
    if spent == nil { spent = what }
  }
}
