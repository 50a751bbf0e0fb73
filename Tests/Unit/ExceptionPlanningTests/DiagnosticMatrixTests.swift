import ATSEvaluation
import ATSRules
import ExceptionPlanning
import PolicyResolution
import SessionModel
import TLSParsing
import Testing
import Values

@Suite struct DiagnosticMatrixTests {
  private func results(_ diagnosis: HostDiagnosis?) -> String {
    (diagnosis?.rows ?? []).map { String($0.result.rawValue.prefix(1)) }.joined()
  }

  @Test func `the configurations have the order and names of nscurl`() {
    #expect(
      DiagnosticConfiguration.nscurl.map(\.title) == [
        "ATS Default Connection", "Allow All Loads", "TLSv1.3", "TLSv1.2", "TLSv1.1", "TLSv1.0",
        "Disabling Perfect Forward Secrecy", "Disabling Perfect Forward Secrecy and Allowing Insecure HTTP",
        "TLSv1.3 with PFS disabled", "TLSv1.2 with PFS disabled", "TLSv1.1 with PFS disabled",
        "TLSv1.0 with PFS disabled", "TLSv1.3 with PFS disabled and insecure HTTP allowed",
        "TLSv1.2 with PFS disabled and insecure HTTP allowed",
        "TLSv1.1 with PFS disabled and insecure HTTP allowed",
        "TLSv1.0 with PFS disabled and insecure HTTP allowed",
      ])
    #expect(DiagnosticConfiguration.nscurl.map(\.row) == Array(1...16))
    #expect(DiagnosticConfiguration.nscurl.allSatisfy { !$0.isOurs })
    #expect(DiagnosticConfiguration.ours.map(\.row) == [17, 18, 19])
    let last = DiagnosticConfiguration.nscurl.last?.dictionary(forKey: "h.example")
    #expect(
      last
        == entry(
          "h.example",
          ExceptionSettings(
            allowsInsecureHTTPLoads: true, minimumTLSVersion: "TLSv1.0", requiresForwardSecrecy: false)))
  }

  @Test func `a cleartext host passes only in rows that allow insecure HTTP`() throws {
    let diagnosis = try #require(Engine().diagnosis([Sessions.cleartext("example.com")]).first)
    #expect(results(diagnosis) == "FPFFFFFPFFFFPPPP")
    #expect(diagnosis.narrowestRow == 8)
    let codes = diagnosis.rows.filter { $0.result == .fail }.flatMap { $0.errors.map(\.code) }
    #expect(Set(codes) == [-1022])
  }

  @Test func `TLS 1_0 without forward secrecy needs both keys`() throws {
    let session = Sessions.tls("example.com", version: 0x0301, suite: 0x002F, offersTLS13: false)
    let diagnosis = try #require(Engine(os: "ios18").diagnosis([session]).first)
    // No row passes, because the certificates were not observed.
    #expect(results(diagnosis) == "FUUFFFFFUFFUUFFU")
    #expect(diagnosis.narrowestRow == nil)
    #expect(diagnosis.rows[2].reasons.map(\.rules) == [["ATS-TLS-VERSION"]])
    #expect(diagnosis.rows[5].reasons.first { $0.isFailure }?.rules == ["ATS-PFS"])
  }

  @Test func `every row is undecided if the capture does not show the host`() throws {
    var session = Sessions.tls("example.com", version: 0x0301, suite: 0x002F, offersTLS13: false)
    session.serverName = nil
    session.serverNameSource = nil
    session.evidence.clientHello = .missing
    session.sharedTLS?.sharedOffer = nil
    let diagnosis = try #require(Engine(os: "ios18").diagnosis([session]).first)
    #expect(diagnosis.key == nil)
    #expect(diagnosis.isHostHidden)
    // The capture does not show the client's offer either.
    #expect(results(diagnosis) == "UUUUUUUUUUUUUUUU")
    #expect(diagnosis.rows[0].reasons.first?.text == "the capture does not show what the client offered")
    // An entry may be for the host of a URL that the request does not name.
    let nameless = try #require(Engine().diagnosis([Sessions.cleartext(nil)]).first)
    #expect(nameless.isHostHidden)
    #expect(nameless.rows[0].result == .fail)
    #expect(nameless.rows[7].result == .unknown)
  }

  @Test func `a row fails if the client offered its version and the server chose a lower one`() throws {
    let diagnosis = try #require(Engine().diagnosis([Sessions.tls("example.com", offersTLS13: true)]).first)
    #expect(diagnosis.rows[2].result == .fail)
    let other = try #require(Engine().diagnosis([Sessions.tls("example.com", offersTLS13: false)]).first)
    #expect(other.rows[2].result == .unknown)
  }

  @Test func `a row that requires more than the client offered is undecided`() throws {
    var session = Sessions.tls("example.com", version: 0x0301, suite: 0xC013)
    session.sharedTLS?.sharedOffer?.versions = [.tls10]
    session.sharedTLS?.sharedOffer?.cipherSuites = [0xC013, 0x002F].map(CipherSuite.init(rawValue:))
    let old = try #require(Engine(os: "ios18").diagnosis([session]).first)
    #expect(results(old) == "UUUUUUUUUUUUUUUU")
    #expect(
      old.rows[3].reasons.first?.text == "the client did not offer TLS 1.2 or later; the server may support it")
    // With TLS 1.0 allowed, only the certificates are undecided.
    #expect(old.rows[5].reasons.allSatisfy { !$0.rules.contains("ATS-TLS-VERSION") })
    session.sharedTLS?.sharedServerHello?.version = .tls12
    session.sharedTLS?.sharedServerHello?.cipherSuite = CipherSuite(rawValue: 0x002F)
    session.sharedTLS?.sharedOffer?.versions = [.tls12]
    session.sharedTLS?.sharedOffer?.cipherSuites = [CipherSuite(rawValue: 0x002F)]
    let weak = try #require(Engine().diagnosis([session]).first)
    #expect(weak.rows[0].reasons.map(\.rules) == [["ATS-PFS"]])
    #expect(!weak.rows[0].reasons[0].isFailure)
  }

  @Test(arguments: [[RuleID.certificateDates], [.cipherSuite, .certificateDates]])
  func `certificates that fail do so whatever the client offered`(rules: [RuleID]) throws {
    var session = Sessions.tls("example.com", version: 0x0301, suite: 0xC013)
    session.sharedTLS?.sharedOffer?.versions = [.tls10]
    let engine = Engine(os: "ios18")
    let matrix = DiagnosticMatrix(release: engine.release) { sample, dictionary, context in
      var content = engine.content(sample.session, dictionary, context)
      for index in content.findings.indices where rules.contains(content.findings[index].rule) {
        content.findings[index].outcome = .fail
        if content.findings[index].rule == .certificateDates { content.findings[index].parts = [.certificates] }
      }
      return content
    }
    let diagnosis = try #require(engine.samples([session]).hosts.flatMap { matrix.diagnoses(of: $0) }.first)
    #expect(diagnosis.rows.allSatisfy { $0.result == .fail && $0.reasons.flatMap(\.rules).contains("ATS-CERT-DATES") })
    // The reasons include those of the errors; TLS 1.2, which the client did not offer, is not among them.
    for row in [0, 3] { #expect(Set(diagnosis.rows[row].reasons.flatMap(\.rules)) == Set(rules.map(\.rawValue))) }
  }

  @Test func `with ATS off, a version below the system minimum fails, and ATS is not the cause`() throws {
    let session = Sessions.tls("example.com", version: 0x0301, suite: 0xC013)
    let newest = try #require(Engine().diagnosis([session]).first)
    #expect(newest.rows[1].result == .fail)
    #expect(newest.rows[1].isCauseElsewhere)
    let older = try #require(Engine(os: "ios18").diagnosis([session]).first)
    #expect(older.rows[1].result == .unknown)
  }

  @Test func `a local host has ATS off by default, so ATS is not the cause of its failure`() throws {
    let local = try #require(Engine().diagnosis([Sessions.tls("nas", suite: 0x0005)]).first)
    #expect(local.rows.allSatisfy { $0.result == .fail })
    #expect(local.rows[0].isCauseElsewhere)
    #expect(!local.rows[3].isCauseElsewhere)
    let remote = try #require(Engine().diagnosis([Sessions.tls("example.com", suite: 0x0005)]).first)
    #expect(!remote.rows[0].isCauseElsewhere)
  }

  @Test func `sessions with different results make a row mixed`() throws {
    let sessions = [Sessions.tls("example.com", suite: 0x009C), Sessions.tls("example.com", suite: 0xC02F)]
    let diagnosis = try #require(Engine().diagnosis(sessions).first)
    #expect(diagnosis.rows[0].result == .mixed)
    #expect(diagnosis.rows[0].failing == 1)
    #expect(diagnosis.rows[0].undecided == 1)
    #expect(diagnosis.rows[6].result == .unknown)
  }

  @Test func `a session that is not a URL load is left out`() throws {
    var mail = Sessions.tls("mail.example.com")
    mail.tunnel = [.startTLS("smtp")]
    let diagnosis = try #require(Engine().diagnosis([mail]).first)
    #expect(diagnosis.rows.isEmpty)
    #expect(diagnosis.otherSessions == 1)
  }

  @Test(arguments: ["ios9", "ios10", "ios16", "ios17"])
  func `a session with an address that is not a URL load is left out in every release`(os: String) throws {
    var load = Sessions.tls("203.0.113.7")
    load.serverNameSource = .address
    var mail = load
    mail.tunnel = [.startTLS("imap")]
    let diagnosis = try #require(Engine(os: os).diagnosis([mail, load]).first)
    #expect(diagnosis.sessions == 1)
    #expect(diagnosis.otherSessions == 1)
  }

  @Test func `the loads of a program that predates ATS are URL loads, which pass in every row`() throws {
    let engine = Engine(sdk: SystemRelease(sdkName: "iphoneos8.4"))
    let diagnosis = try #require(engine.diagnosis([Sessions.cleartext("example.com")]).first)
    #expect(diagnosis.sessions == 1)
    #expect(diagnosis.otherSessions == 0)
    #expect(results(diagnosis) == String(repeating: "P", count: 16))
  }

  @Test func `local hosts pass by default`() throws {
    let diagnosis = try #require(Engine().diagnosis([Sessions.cleartext("nas")]).first)
    #expect(diagnosis.rows[0].result == .pass)
    #expect(diagnosis.narrowestRow == nil)
    #expect(diagnosis.rows[3].result == .fail)
  }

  @Test func `additional rows are included only when requested`() throws {
    let diagnosis = try #require(
      Engine().diagnosis([Sessions.tls("example.com", suite: 0xC013)], includesOurs: true).first)
    #expect(diagnosis.rows.count == 19)
    #expect(diagnosis.rows[16].result == .fail)
    #expect(diagnosis.rows[16].configuration.isOurs)
  }
}
