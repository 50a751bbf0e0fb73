/// A question about ATS that no source settles, and what is done meanwhile (policy text J).
public struct PolicyAssumption: Hashable, Sendable {
  /// Its number in the policy text.
  public var number: Int

  /// The question.
  public var question: String

  /// What is done meanwhile.
  public var choice: String

  /// How sure that is.
  public var certainty: String

  private init(_ number: Int, _ question: String, _ choice: String, _ certainty: String) {
    self.number = number
    self.question = question
    self.choice = choice
    self.certainty = certainty
  }

  /// Every one of them. A change is a change of the policy version.
  public static let all: [PolicyAssumption] = [
    PolicyAssumption(
      1,
      "how the closed loader calls the open code: which text of a host or address, which flag for local ones",
      "the host of the URL as text, in lower case; local by name or address", "medium"),
    PolicyAssumption(
      2, "whether local is a property of the address or of the route", "of the address", "medium"),
    PolicyAssumption(
      3, "169.254.0.0/16, fc00::/7, IPv4-mapped addresses and multicast",
      "the first is local, the others are not", "low"),
    PolicyAssumption(
      4, "private IP literals on iOS 17 to 18.3 and macOS 14 to 15.3", "exempt, as on 26", "medium"),
    PolicyAssumption(
      5, "NSAllowsLocalNetworking = NO on iOS 10 to 16", "local names need HTTPS, IP literals do not", "low"),
    PolicyAssumption(
      6, "NSThirdParty… and NSTemporary… keys on iOS 9 to 18.3", "read where the plain key is absent",
      "medium for the former, low for the latter"),
    PolicyAssumption(
      7, "the suites that are offered with ATS off", "those of both ATS groups, and triple DES", "medium"),
    PolicyAssumption(
      8, "whether NSExceptionRequiresForwardSecrecy = NO lifts the sizes of keys on iOS 9 to 12",
      "it does not", "medium"),
    PolicyAssumption(
      9, "whether the least hash is asked of the leaf or of the whole path, and SHA-224 beyond the leaf",
      "of the whole path, SHA-224 refused", "medium"),
    PolicyAssumption(
      10, "RSASSA-PSS, whose hash the source does not look at", "judged by its real hash", "medium"),
    PolicyAssumption(
      11, "suites of CBC with SHA-1 at TLS 1.2, for which a table of the source ends at TLS 1.1",
      "allowed, with advice", "medium"),
    PolicyAssumption(
      12, "limits on SCTs of one operator, and the demand for one from an RFC 6962 log, on devices",
      "advice alone", "medium"),
    PolicyAssumption(
      13, "SCTs that are counted and not verified", "enough of them pass", "a choice"),
    PolicyAssumption(14, "the newest rows of nscurl", "sixteen rows", "medium"),
    PolicyAssumption(
      15, "whether systems refuse more than 200, 100 or 47 days", "they do not",
      "high for 26.0, low for later releases"),
    PolicyAssumption(16, "what changes for apps in 27", "nothing", "low"),
    PolicyAssumption(
      17, "-1200 or -1202 where ATS refuses a certificate", "-1200, and -1202 as possible", "medium"),
    PolicyAssumption(18, "the system's own entries before iOS 18.4", "the same", "medium"),
    PolicyAssumption(
      19, "which system a release of the framework belongs to", "by its numbering", "medium to high"),
    PolicyAssumption(
      20, "lengths of ranges read while an earlier error of the library is pending", "ignored",
      "low, and harmless"),
    PolicyAssumption(21, "the error for a violation of the NIAP package", "-1200", "low"),
    PolicyAssumption(
      22, "whether iOS 13 knew the limit of 398 days", "from iOS 14 and macOS 11 on", "medium"),
    PolicyAssumption(
      23, "whether a server refuses a client only because it offers no hybrid group or no scheme with SHA-1",
      "no", "medium"),
  ]
}
