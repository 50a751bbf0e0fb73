import ATSRules
import CommandReports
import InfoPlistReading
import Reporting
import Testing

@Suite struct ExplainTextTests {
  private func explain(_ query: String?, width: Int = 80) -> String? {
    let explained = query.flatMap(Explained.init)
    if query != nil, explained == nil { return nil }
    return String(decoding: ExplainText.rendered(explained, TextOptions(width: width)), as: UTF8.self)
  }

  @Test(arguments: [
    ("NSAllowsArbitraryLoads", "disables ATS"), ("nspinneddomains", "since         iOS 14, macOS 11"),
    ("NSExceptionRequiresForwardSecrecy", "relaxes       ATS-PFS"), ("NSTemporaryExceptionMinimumTLSVersion", "LINT-ALIAS"),
    ("NSThirdPartyExceptionRequiresForwardSecrecy", "relaxes       ATS-PFS"), ("-9802", "next"), ("-1202", "TN2232"),
    ("-1001", "no response in time"),
    ("-1003", "DNS found no such host"), ("-1004", "no connection to the host"), ("-999", "canceled"), ("-1009", "no network"),
  ])
  func `property list keys and errors that ATS does not cause are explained`(query: String, words: String) {
    #expect(explain(query)?.contains(words) == true)
  }

  @Test(arguments: [("CT", ["ATS-CT", "ADV-CT-MARGIN", "ADV-CT-OPERATORS"]), ("ems", ["ADV-EMS"]), ("C", [])])
  func `a word of the ids of rules explains these rules`(query: String, ids: [String]) {
    let headings = explain(query)?.split(separator: "\n").filter { !$0.hasPrefix(" ") } ?? []
    #expect(headings.map { String($0.prefix { $0 != " " }) } == ids)
  }

  @Test(arguments: ["SCT", "ats", " key log\n", "OCSP", "MIXED", "regression", "no longer visible", "vanished"])
  func `terms of reports are explained`(query: String) {
    #expect(explain(query)?.lowercased().contains("  \(query.split { $0.isWhitespace }.joined(separator: " ").lowercased()) ") == true)
    #expect((explain(query)?.contains("ADV-OCSP-STAPLE") == true) == (query == "OCSP"))
  }

  @Test(arguments: [
    ("Trust evaluate failure: [leaf SSLHostname]", ["ATS-CERT-HOST"]),
    ("trustd: Trust evaluate failure: [leaf IsTemporal ValidLeaf] [root AnchorTrusted]", ["ATS-CERT-TRUST", "ATS-CERT-DATES"]),
    ("Trust evaluate failure: [leaf Revocation1]", ["ATS-CERT-REVOKED"]),
    ("Trust evaluate failure: [ca1 CAspkiSHA256] [root CAspkiSHA256]", ["ATS-PIN"]),
    ("Trust evaluate failure: [leaf OtherTrustValidityPeriod] -9802", ["ATS-CERT-LIFETIME"]),
  ])
  func `a log line with failed checks of trust is explained by their rules`(line: String, ids: [String]) throws {
    let text = try #require(explain(line))
    let headings = text.split(separator: "\n").filter { $0.hasPrefix("ATS-") }.compactMap { $0.split(separator: " ").first }
    #expect(Set(headings.map(String.init)) == Set(ids))
  }

  @Test func `checks that belong to no rule, and other lines, are not explained by rules`() {
    #expect(explain("Trust evaluate failure: [leaf LeafMarkerOid]") == nil)
    #expect(explain("the check SSLHostname") == nil)
    let line = "boringssl_session_handshake_error_print(47) SSL routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED:handshake.cc:393:"
    #expect(explain(line)?.hasPrefix("NSURLErrorDomain -1202\n") == true)
  }

  @Test func `score and grade are explained`() {
    #expect(explain("Score")?.contains("\ngrades        A+ from ") == true)
    #expect(explain("grade") == explain("score"))
  }

  @Test(arguments: [("UNKNOWN", "UNKNOWN"), ("fail", "FAIL"), ("relaxed", "PASS")])
  func `the name of a verdict explains what it means and what to do`(query: String, name: String) throws {
    let text = try #require(explain(query))
    #expect(text.hasPrefix("\(name)\n  means "))
    #expect(text.contains("\n  then "))
  }

  @Test(arguments: [
    (
      "Task <6A>.<1> finished with error [-1200] Error Domain=NSURLErrorDomain Code=-1200 \"An SSL error has occurred\"",
      ["NSURLErrorDomain -1200"]
    ),
    (
      "NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9802)",
      ["kCFStreamErrorDomainSSL -9802"]
    ),
    (
      "{NSLocalizedDescription=x, _kCFStreamErrorCodeKey=-9836, NSUnderlyingError=0x60 {Code=-1200}}",
      ["kCFStreamErrorDomainSSL -9836", "NSURLErrorDomain -1200"]
    ),
    (
      "App Transport Security has blocked a cleartext HTTP (http://) resource load since it is insecure.",
      ["NSURLErrorDomain -1022", "kCFErrorDomainCFNetwork -1022"]
    ),
    ("ATS failed system trust", ["kCFStreamErrorDomainSSL -9802"]),
    (
      "boringssl_context_handle_fatal_alert(1991) [C1.1:2] read alert, level: fatal, description: protocol version",
      ["kCFStreamErrorDomainSSL -9836"]
    ),
    ("boringssl [C1.1:2] write alert, level: fatal, description: inappropriate fallback", nil),
    ("NSURLErrorSecureConnectionFailed", ["NSURLErrorDomain -1200"]),
    ("caught errSSLPeerHandshakeFail(1)", ["kCFStreamErrorDomainSSL -9824"]),
    ("2026-11-23 10:00:00.123 App[77:1200] nothing of ours 9802", nil), ("---", nil),
    ("-99999999999999999999", nil),
  ])
  func `a log line is explained by the errors in it`(line: String, headings: [String]?) {
    let shown = explain(line)?.split(separator: "\n").filter { !$0.hasPrefix(" ") }.map(String.init)
    #expect(shown == headings)
  }

  @Test(arguments: [
    ("boringssl [C1.1:2] write alert, level: fatal, description: certificate unknown", "certificate_unknown"),
    ("error:1404B42E:SSL routines:ST_CONNECT:TLSV1_ALERT_PROTOCOL_VERSION", "protocol_version"), ("Bad_Certificate", "bad_certificate"),
  ])
  func `an alert is explained by its name, also in a log line`(query: String, alert: String) {
    #expect(explain(query)?.hasPrefix("  \(alert) ") == true)
  }

  @Test(arguments: [
    ("ATS-CIPER", ["ATS-CIPHER"]), ("NSAllowArbitraryLoads", ["NSAllowsArbitraryLoads"]), ("x", []),
    ("no such thing at all", []), ("SCT", ["ADV-CT-MARGIN"]), ("TLS Versoin", ["TLS version"]),
    ("certificate host", ["ATS-CERT-HOST"]), ("PinnedDom", ["NSPinnedDomains"]),
    ("ATS-TLS", ["ATS-TLS-VERSION"]), ("adv-ct", ["ADV-CT-MARGIN", "ADV-CT-OPERATORS"]),
  ])
  func `misspelt and partial names and titles have suggestions`(query: String, names: [String]) {
    #expect(Explained.suggestions(for: query) == names)
  }

  @Test func `the title of a rule or advisory is explained like its ID`() {
    for rule in RuleCatalogue.all { #expect(explain(rule.title.uppercased()) == explain(rule.id), "\(rule.id)") }
    #expect(Explained.suggestions(for: "certificate").contains("ATS-CERT-DATES"))
  }

  @Test(arguments: [("-9836", "fix"), ("-25318", "fix"), ("-1022", "fix"), ("-1200", "next")])
  func `an ATS error has exactly one fix or next step`(query: String, label: String) throws {
    let lines = try #require(explain(query)).split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("  fix ") || $0.hasPrefix("  next ") } == 1)
    #expect(lines.contains { $0.hasPrefix("  \(label) ") })
  }

  @Test func `without a query every rule is listed with its weight`() throws {
    let text = try #require(explain(nil))
    for rule in RuleCatalogue.all {
      #expect(text.contains(rule.id) && text.contains(rule.title) && text.contains("weight \(rule.weight)"))
    }
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test(arguments: RuleCatalogue.all.map(\.id))
  func `the explanation of a rule is complete, and its ID may be in any case`(id: String) throws {
    let text = try #require(explain(id.lowercased(), width: 60))
    let rule = try #require(RuleCatalogue.rule(named: id))
    let words = Set(text.split(whereSeparator: \.isWhitespace))
    for part in [rule.title, rule.demand, rule.reason, rule.fix.sentence, rule.since] + rule.sources
      + rule.relaxedBy
    {
      for word in part.split(separator: " ") {
        #expect(words.contains(word) || words.contains(word + ","), "\(word)")
      }
    }
    #expect(text.contains("docs/policy.md, \(rule.section)"))
  }

  @Test(arguments: LintRule.allCases)
  func `the explanation of a lint finding is complete, and its ID may be in any case`(finding: LintRule) throws {
    let text = try #require(explain(finding.rawValue.lowercased(), width: 60))
    let words = Set(text.split(whereSeparator: \.isWhitespace))
    for part in [finding.rawValue, finding.meaning, finding.fix] + finding.sources {
      for word in part.split(separator: " ") { #expect(words.contains(word), "\(word)") }
    }
    #expect(!finding.sources.isEmpty && finding.fix.hasSuffix("."))
    let json = ExplainJSON.rendered(Explained(finding.rawValue))
    #expect(String(decoding: json, as: UTF8.self).contains("\"id\":\"\(finding.rawValue)\""))
    #expect(try #require(explain(nil)).contains(finding.rawValue))
  }

  @Test(arguments: ["-1200", "1200", "\u{2212}1200"])
  func `the explanation of an error code names the rules that can cause it`(query: String) throws {
    let text = try #require(explain(query))
    #expect(text.hasPrefix("NSURLErrorDomain -1200\n"))
    #expect(text.contains("ATS-TLS-VERSION"))
  }

  @Test(arguments: ["", "AT", "0", "-1", "ATS-", "9999999999999999999999", "\u{1B}"])
  func `a query that is neither a rule nor an error code has no explanation`(query: String) {
    #expect(explain(query) == nil)
  }
}
