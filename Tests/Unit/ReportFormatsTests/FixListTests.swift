import ATSEvaluation
import ATSEvidence
import ATSRules
import ReportSamples
import Reporting
import SessionModel
import Testing

@testable import ReportFormats

@Suite struct FixListTests {
  private func failing(_ findings: (rule: String, fix: String)...) -> Shared<Judgement> {
    Samples.judgement(
      .fail, findings.map { Samples.finding($0.rule, .fail, "seen", fix: .server($0.fix)) }, score: 30, grade: "F")
  }

  private func report(_ sessions: [(host: String, judgement: Shared<Judgement>)]) -> [HostReport] {
    var hosts = HostCollector()
    for (host, judgement) in sessions { hosts.add(Samples.session(host), judgement) }
    return hosts.report()
  }

  @Test func `failing hosts are sorted by cleartext, trust, rule weight and sessions`() {
    let hosts = report([
      ("dates.example", failing(("ATS-CERT-DATES", "renew"))),
      ("often.example", failing(("ATS-CERT-DATES", "renew"))),
      ("often.example", failing(("ATS-CERT-DATES", "renew"))),
      ("version.example", failing(("ATS-TLS-VERSION", "enable"), ("ATS-CIPHER", "offer"))),
      ("trust.example", failing(("ATS-CERT-TRUST", "send"))),
      ("passing.example", Samples.passing),
      ("cleartext.example", failing(("ATS-HTTPS", "serve"))),
    ])
    #expect(
      hosts.map(\.name) == [
        "cleartext.example", "trust.example", "version.example", "often.example", "dates.example",
        "passing.example",
      ])
  }

  @Test func `each fix is listed once with its hosts, the worst first`() {
    let hosts = report([
      ("a.example", failing(("ATS-CERT-DATES", "renew"))),
      ("b.example", failing(("ATS-CERT-DATES", "renew"), ("ATS-CERT-TRUST", "send\u{202E}"))),
      ("b.example", failing(("ATS-CERT-DATES", "renew"))),
      ("c.example", Samples.passing),
    ])
    let list = FixList(hosts, of: Samples.run(), NextSteps())
    #expect(list.fixes.map(\.steps) == [["Server: send\\u{202e}"], ["Server: renew"]])
    #expect(
      list.fixes.map { $0.hosts.map { hosts[$0].name ?? "" } } == [
        ["b.example"], ["b.example", "a.example"],
      ])
    #expect(list.fixes.map(\.rules) == [["ATS-CERT-TRUST"], ["ATS-CERT-DATES"]])
    #expect(list.settlements.isEmpty)
  }

  @Test func `hosts that the system rejects although ATS is off have items of their verdict after those of failing hosts`() {
    func rejected(_ rule: String, _ fix: String) -> Shared<Judgement> {
      Samples.judgement(
        .exempt, [Samples.finding(rule, .fail, "seen", fix: .server(fix), required: false)], score: nil, grade: nil,
        exemption: "ATS is off for this host", error: PredictedError(domain: "NSURLErrorDomain", code: -1202))
    }
    let hosts = report([
      ("a.example", failing(("ATS-CERT-DATES", "renew"))), ("b.example", rejected("ATS-CERT-DATES", "renew")),
      ("c.example", rejected("ATS-CERT-TRUST", "send")),
    ])
    let fixes = FixList(hosts, of: Samples.run(), NextSteps()).fixes
    #expect(fixes.map(\.verdict) == [.fail, .exempt, .exempt])
    #expect(fixes.map(\.steps) == [["Server: renew"], ["Server: send"], ["Server: renew"]])
    #expect(fixes.map { $0.hosts.map { hosts[$0].name ?? "" } } == [["a.example"], ["c.example"], ["b.example"]])
  }

  @Test func `a failing rule without a fix is listed with its requirement`() {
    let finding = Samples.finding("ATS-PIN", .fail, "another key", expected: "a pinned key")
    let list = FixList(report([("a.example", Samples.judgement(.fail, [finding]))]), of: Samples.run(), NextSteps())
    #expect(list.fixes.map(\.steps) == [["another key; requires a pinned key"]])
  }

  @Test func `undecided hosts that the same kind of input settles share an item`() {
    func undecided(_ host: String) -> Shared<Judgement> {
      var finding = Samples.finding("ATS-CERT-TRUST", .unknown)
      finding.settledBy = [.keyLog, .chain(server: host)]
      return Samples.judgement(.unknown, [finding], score: nil, grade: nil)
    }
    let hosts = report([("a.example", undecided("a.example")), ("b.example", undecided("b.example"))])
    let list = FixList(hosts, of: Samples.run(), NextSteps())
    #expect(
      list.settlements.flatMap(\.steps) == [
        "fetch the certificates with the commands below (openssl, network), or add --keylog FILE if the app wrote a key log"
      ])
    #expect(list.commands.first?.hasPrefix("atscope certificates --missing --script ") == true && list.commands.count == 2)
    #expect(list.settlements.map(\.hosts) == [[0, 1]])
    #expect(list.fixes.isEmpty)
    let old = FixList(hosts, of: Samples.run(), NextSteps(isOld: true)).settlements.flatMap(\.steps)
    #expect(FixList(hosts, of: Samples.run(), NextSteps(isOld: true)).commands.isEmpty)
    #expect(old.count == 1 && old[0].hasPrefix("record again, since certificates fetched now are newer than the sessions, or add --keylog"))
    let saved = FixList(hosts, of: Samples.run(), NextSteps(isSaved: true)).settlements.flatMap(\.steps)
    #expect(saved.count == 1 && saved[0].hasSuffix(", or audit the capture again with --keylog FILE if the app wrote a key log"))
  }

  @Test func `hosts share a fix that differs only in the host's name`() {
    let hosts = report(
      ["a.example", "b.example"].map { ($0, failing(("ATS-CERT-HOST", "a certificate that lists \($0)"))) })
    #expect(FixList(hosts, of: Samples.run(), NextSteps()).fixes.map(\.steps) == [["Server: a certificate that lists HOST"]])
    #expect(FixList([hosts[0]], of: Samples.run(), NextSteps()).fixes.map(\.steps) == [["Server: a certificate that lists a.example"]])
  }
}
