import ATSRules
package import ByteParsing
package import Reporting
import SessionRecords
import Values

/// The comparison as text for a terminal: regressions first.
extension DiffReports {
  /// Returns the text as UTF-8 with a line feed at the end.
  package func text(_ options: TextOptions) -> Bytes {
    var writer = TextWriter(options)
    let hosts = [diff.commonHosts + diff.vanishedHosts.count, diff.commonHosts + diff.newHosts.count]
    for (label, (side, hosts)) in zip(["before", "after"], zip(runs.names, hosts)) where runs.areCompared {
      writer.writeRow(TextRow(label: label, text: "\(side.name), \(Wording.count(hosts, "host{s}"))"), indent: 0, labelWidth: 6)
    }
    writer.writeBasis(of: runs.current, runs.summary)
    writer.endLine()
    if !diff.suspects.isEmpty {
      let hosts = "\(Wording.count(diff.suspects.count, "host{s}")) possibly intercepted"
      let advice = "see issuers below" + (diff.isWorse ? "" : "; with --fail-on trust, exit status 1")
      writer.writeFields([(hosts, .red), (advice, .unstyled)], indent: 0)
      writer.endLine()
    }
    for section in sections { write(section.title.lowercased(), section.changes, section.style, to: &writer) }
    for (title, hosts) in lists { write(title.lowercased(), hosts, to: &writer) }
    for (kind, fault) in runs.faults { writer.writeFields([("\(kind): \(fault)", .red)], indent: 0) }
    for note in runs.remarks { writer.writeFields([(note, .yellow)], indent: 0) }
    writer.writeFields([(headline, .bold)], indent: 0)
    return writer.output
  }

  private func write(_ title: String, _ changes: [AuditDiff.Change], _ style: TextStyle, to writer: inout TextWriter) {
    if changes.isEmpty { return }
    writer.writeFields([(title, .bold)], indent: 0)
    for (host, changes) in changes.grouped(by: \.host) {
      writer.writeFields([(host, .bold)], indent: 2)
      for change in changes {
        let rule = change.rule.map { "\($0.id): " } ?? ""
        let row = TextRow(label: change.title, text: rule + change.words, note: location(of: change) ?? "", style: style)
        writer.writeRow(row, indent: 4, labelWidth: 20)
      }
    }
    writer.endLine()
  }

  private func write(_ title: String, _ hosts: [(host: String, verdict: String)], to writer: inout TextWriter) {
    if hosts.isEmpty { return }
    writer.writeFields([(title, .bold)], indent: 0)
    for (host, verdict) in hosts {
      writer.writeRow(TextRow(label: verdict, text: host), indent: 2, labelWidth: 15)
    }
    writer.endLine()
  }
}

extension AuditDiff {
  /// The hosts whose chains changed as an intercepting proxy changes them.
  var suspects: Set<String> {
    Set(changes.filter { [.trust, .issuers].contains($0.subject) && $0.details != nil && $0.accepted == nil }.map(\.host))
  }

  /// The summary of the comparison in one line.
  var headline: String {
    let expired = lastingFailures.count { !$0.expired.isEmpty }
    var lasting = lastingFailures.isEmpty ? [] : ["\(Wording.count(lastingFailures.count, "host{s} fail{s|}")) on both sides"]
    if expired > 0 { lasting[0] += ", \(Wording.grouped(expired)) with an expired acceptance" }
    if isEmpty { return "nothing changed (\(([Wording.count(commonHosts, "host{s}")] + lasting).joined(separator: "; ")))" }
    var parts: [String] = []
    if !suspects.isEmpty { parts.append("\(Wording.count(suspects.count, "host{s}")) possibly intercepted") }
    func add(_ count: Int, _ words: String) {
      if count > 0 { parts.append(Wording.count(count, words)) }
    }
    let counted = countsVanished ? vanishedHosts.count : 0
    parts.append(
      (regressionCount == 0 ? "no regression" : Wording.count(regressionCount, "regression{s}"))
        + (counted == 0 ? "" : " (\(Wording.count(counted, "vanished host{s}")))"))
    parts += lasting
    add(open(.noLongerVisible).count, "rule{s} no longer visible")
    add(open(.improvement).count, "improvement{s}")
    add(open(.moved).count, "other change{s}")
    add(accepted.count, "accepted change{s}")
    add(newHosts.count, "new host{s}")
    add(vanishedHosts.count - counted, "vanished host{s}")
    return parts.joined(separator: ", ")
  }
}

extension AuditDiff.Change {
  /// The details and the reason for accepting the change.
  var remarks: String {
    [details, accepted.map { "accepted: \($0)" }].compactMap { $0 }.joined(separator: "; ")
  }

  /// The rule that changed; nil for another subject.
  var rule: RuleDescription? {
    guard case .rule(let id) = subject else { return nil }
    return RuleCatalogue.rule(named: id.rawValue)
  }

  /// The subject in words.
  var title: String {
    switch subject {
    case .cipherSuites: "cipher suites"
    case .groups: "key exchange"
    case .chains: "certificate chain"
    case .pins: "key digests"
    case .outcome: "handshake"
    case .rule, .verdict, .trust, .issuers, .versions: rule?.title ?? subject.description
    }
  }

  /// The subject in words, with the id of a rule: `Cipher suite (ATS-CIPHER)`.
  var wholeTitle: String { rule == nil ? title : "\(title) (\(subject))" }

  /// Returns a state in words, also one that was not observed.
  func state(_ state: String?) -> String {
    // A key exchange with RSA has no group.
    state ?? (subject == .groups ? "no group observed" : "not observed")
  }

  /// A change in one line: `pass -> fail: TLS 1.0; requires TLS 1.2 or later`.
  var words: String {
    var text = "\(state(before)) -> \(state(after))"
    if let details { text += ": \(details)" }
    if let accepted { text += " (accepted: \(accepted))" }
    return text
  }
}
