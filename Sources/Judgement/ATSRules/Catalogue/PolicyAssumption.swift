/// An open question about ATS that no source answers, and the assumption made instead (policy text J).
package struct PolicyAssumption: Hashable, Sendable {
  /// The number in the policy text.
  package var number: Int

  package var question: String

  /// The answer that this program assumes.
  package var choice: String

  package var certainty: String

  private init(_ number: Int, _ question: String, _ choice: String, _ certainty: String) {
    self.number = number
    self.question = question
    self.choice = choice
    self.certainty = certainty
  }

  /// All assumptions, by number. A change requires a new policy version.
  package static let all: [PolicyAssumption] = [
    PolicyAssumption(
      1, "how the closed-source loader calls the open-source code: the text for a host or address, and the flag for local ones",
      "the host of the URL as text, in lower case; local by name or address", "medium"),
    PolicyAssumption(2, "whether the address or the route determines what is local", "the address", "medium"),
    PolicyAssumption(3, "169.254.0.0/16, fc00::/7, IPv4-mapped addresses and multicast", "the first is local, the others are not", "low"),
    PolicyAssumption(4, "private IP literals on iOS 17 to 18.3 and macOS 14 to 15.3", "exempt, as on 26", "medium"),
    PolicyAssumption(5, "NSAllowsLocalNetworking = NO on iOS 10 to 16", "local names need HTTPS, IP literals do not", "low"),
    PolicyAssumption(
      6, "NSThirdParty… and NSTemporary… keys on iOS 9 to 18.3", "read if the current key is absent",
      "medium for the former, low for the latter"),
    PolicyAssumption(7, "the cipher suites offered with ATS off", "those of both ATS groups, and 3DES", "medium"),
    PolicyAssumption(8, "whether NSExceptionRequiresForwardSecrecy = NO also allows shorter keys on iOS 9 to 12", "it does not", "medium"),
    PolicyAssumption(
      9,
      "whether the minimum hash applies to the server certificate or the whole chain, and whether SHA-224 is allowed above the server certificate",
      "the whole path; SHA-224 is rejected", "medium"),
    PolicyAssumption(10, "RSASSA-PSS, whose hash the source does not check", "judged by its actual hash", "medium"),
    PolicyAssumption(
      11, "CBC suites with SHA-1 in TLS 1.2, which a table in the source limits to TLS 1.1", "allowed, with advice", "medium"),
    PolicyAssumption(12, "whether devices limit the SCTs of one operator, and require one from an RFC 6962 log", "advice alone", "medium"),
    PolicyAssumption(13, "SCTs that are counted but not verified", "enough of them pass", "a choice"),
    PolicyAssumption(14, "the newest rows of nscurl", "sixteen rows", "medium"),
    PolicyAssumption(15, "whether systems reject more than 200, 100 or 47 days", "they do not", "high for 26.0, low for later releases"),
    PolicyAssumption(16, "what changes for apps in 27", "nothing", "low"),
    PolicyAssumption(17, "-1200 or -1202 if ATS rejects a certificate", "-1200, and -1202 as possible", "medium"),
    PolicyAssumption(18, "the system's built-in entries before iOS 18.4", "the same", "medium"),
    PolicyAssumption(19, "which system release a framework release belongs to", "by its numbering", "medium to high"),
    PolicyAssumption(20, "range lengths that are parsed while an earlier library error is pending", "ignored", "low, and harmless"),
    PolicyAssumption(21, "the error for a NIAP package violation", "-1200", "low"),
    PolicyAssumption(22, "whether iOS 13 enforced the limit of 398 days", "from iOS 14 and macOS 11", "medium"),
    PolicyAssumption(23, "whether a server refuses a client only for lack of a hybrid group or a SHA-1 signature scheme", "no", "medium"),
  ]
}
