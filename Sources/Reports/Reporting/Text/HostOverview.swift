import ATSEvaluation
import ATSRules
import SessionModel
import SessionRecords
import Values

/// A number of hosts, which is written as the name of the host if there is one.
struct HostCount {
  private(set) var count = 0
  private var first: HostReport?

  mutating func add(_ host: HostReport) {
    if first == nil { first = host }
    count += 1
  }

  var text: String {
    if count == 1, let first { return HostSections.name(of: first) }
    return Wording.count(count, "host{s}")
  }
}

/// A summary of many hosts in a few lines.
struct HostOverview {
  let hosts: [HostReport]

  /// The hosts that are only counted, whose rules are not known.
  let unlisted: VerdictCounts

  private let counts: RuleCounts

  init(hosts: [HostReport], unlisted: VerdictCounts) {
    self.hosts = hosts
    self.unlisted = unlisted
    counts = HostOverview.counts(of: hosts)
  }

  /// The maximum numbers of hosts in a line, and of remarks with one label.
  private static let maximumHosts = 8
  private static let maximumListed = 20

  /// Returns `3 hosts fail: TLS version (2), certificate dates (1).`, then sentences for relaxed rules and advice.
  /// `release` is the judged release if captures are years older.
  func sentences(failing: Int, release: String?) -> [String] {
    let (fails, relaxed, advice) = counts
    // The blocks of failing hosts name them.
    let rules = Wording.ruleCounts(fails) { failing > 1 ? atLeast + Wording.grouped($0.count) : nil }
    var sentences = [
      failing > 0
        ? "\(Wording.count(failing, "host{s} fail{s|}"))\(release.map { " on \($0)" } ?? ""): \(rules)."
        : withoutFailure
    ]
    if let text = connected(of: failing) { sentences.append(text) }
    let rejected = hosts.filter { $0.verdict == .exempt && !$0.systemRejections.isEmpty }
    let surely = rejected.count(where: \.isSurelyRejected)
    for (count, verb) in [(surely, surely.form(of: "do{es|}")), (rejected.count - surely, "may")] where count > 0 {
      let pronoun = count.form(of: "{it|them}")
      sentences.append(
        "\(Wording.capitalized(atLeast))\(Wording.count(count, "host{s}")) \(verb) not load: ATS is off for \(pronoun), but the system rejects \(pronoun)"
          + (verb == "may" ? Wording.offerCaution : "") + ".")
    }
    if !relaxed.isEmpty {
      sentences.append("Allowed by exceptions: \(Wording.ruleCounts(relaxed, hosts: text)).")
    }
    if !advice.isEmpty {
      sentences.append("Advice: \(Wording.ruleCounts(advice, hosts: text)).")
    }
    return sentences
  }

  /// The words before a number of listed hosts if there may be more.
  private var atLeast: String { unlisted.total > 0 ? "at least " : "" }

  private func text(_ count: HostCount) -> String {
    unlisted.total > 0 ? atLeast + Wording.count(count.count, "host{s}") : count.text
  }

  private var withoutFailure: String {
    let undecided = hosts.count { $0.verdict == .unknown } + unlisted.unknown
    if undecided == 0 { return "No host fails ATS." }
    let isOpen = undecided.form(of: "{is|are} undecided, and fail{s|}")
    return "No host is known to fail; \(Wording.grouped(undecided)) \(isOpen) under --strict."
  }

  /// Returns a sentence on the failing hosts with which a client completed TLS in the capture; nil if there are none.
  private func connected(of failing: Int) -> String? {
    let count = hosts.count { host in
      host.verdict == .fail && host.groups.contains { $0.kept.verdict == .fail && $0.ending == .established }
    }
    guard count > 0 else { return nil }
    if failing == 1 { return "The recorded client completed TLS, with other settings, other roots, or no ATS." }
    let which = count == failing ? "all of them" : atLeast + "\(Wording.grouped(count)) of them"
    return "Clients completed TLS with \(which), with other settings, roots, or no ATS."
  }

  /// The rule that fails for the most hosts; if none fails, the advice for the most hosts.
  var commonestRule: String? {
    let (fails, _, advice) = counts
    return (Wording.sorted(fails) + Wording.sorted(advice)).first?.id
  }

  /// The numbers of hosts by rule: failing required rules, relaxed rules, and advice.
  private typealias RuleCounts = (fails: [String: HostCount], relaxed: [String: HostCount], advice: [String: HostCount])

  private static func counts(of hosts: [HostReport]) -> RuleCounts {
    var (fails, relaxed, advice): RuleCounts = ([:], [:], [:])
    for host in hosts {
      for (id, rank) in host.worstRanks {
        switch rank {
        case 0: fails[id, default: HostCount()].add(host)
        case 2: relaxed[id, default: HostCount()].add(host)
        // A client certificate is a remark, and nothing is to be done about Encrypted Client Hello.
        case 3 where RuleCatalogue.isAdvisory(id) && ![.clientCertificate, .encryptedClientHello].contains(RuleID(rawValue: id)):
          advice[id, default: HostCount()].add(host)
        default: break
        }
      }
    }
    return (fails, relaxed, advice)
  }

  /// Returns rows for failed handshakes and for the conditions of hosts' verdicts, without those of undecided and exempt hosts in
  /// `remarked`, which are written already.
  static func remarks(of hosts: [HostReport], without remarked: Set<[String?]>) -> [TextRow] {
    let remarks = hosts.flatMap { host in
      host.remarks.filter { ![.unknown, .exempt].contains(host.verdict) || !remarked.contains(HostSections.key($0.text, host)) }
        .map { (name: HostSections.name(of: host), remark: $0) }
    }
    return HostRemark.labels.flatMap { label in
      let all = remarks.filter { $0.remark.label == label }.grouped(by: \.remark.text)
      var rows: [TextRow] = []
      rows.addEach(label, all.prefix(maximumListed).map { text($0.key, $0.elements) }, style: .dim)
      if all.count > rows.count {
        rows.add("", HostSections.rest(all.count - rows.count), style: .dim)
      }
      return rows
    }
  }

  /// Returns `a.example: inherits the certificate of the session at frame 12`; for several hosts `TEXT: a.example (frame 12), b.example`.
  private static func text(_ text: String, _ hosts: [(name: String, remark: HostRemark)]) -> String {
    if hosts.count == 1 { return "\(hosts[0].name): \(hosts[0].remark.phrase)" }
    var names = hosts.prefix(maximumHosts).map { host in
      host.name + (host.remark.detail.isEmpty ? "" : " (\(host.remark.detail))")
    }
    if hosts.count > names.count {
      names.append(HostSections.rest(hosts.count - names.count))
    }
    return "\(text): \(names.joined(separator: ", "))"
  }
}
