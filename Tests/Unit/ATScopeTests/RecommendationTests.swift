import ATSEvaluation
import ATScope
import ByteParsing
import ExceptionPlanning
import Foundation
import InfoPlistReading
import PolicyResolution
import TestFiles
import SeededRandom
import SessionModel
import Testing

@Suite struct RecommendationTests {
  static let captures: [String] = {
    let files = FileManager.default.enumerator(atPath: Repository.path("captures"))
    var found: [String] = []
    while let path = files?.nextObject() as? String {
      if path.hasSuffix(".pcap") || path.hasSuffix(".pcapng") { found.append(Repository.path("captures/" + path)) }
    }
    return found.sorted()
  }()

  @Test func `the captures are available`() { #expect(RecommendationTests.captures.count > 100) }

  /// Audits with the recommended settings and returns the sessions that fail although a key could allow them.
  private func allowableFailures(_ inputs: [String], _ release: String? = nil) throws -> [String] {
    let scratch = try TemporaryFolder()
    let recommendation = Recommendation(AuditOptions(paths: inputs)).run()
    let plist = try #require(recommendation.propertyList())
    var options = AuditOptions(paths: inputs)
    try options.judging.programs.add(AssignedFile(try scratch.write("exceptions.plist", plist)))
    #expect(options.judging.programs.main?.ignored == [])
    let audited = Audit(options).run()
    let failedBefore = Dictionary(
      Audit(AuditOptions(paths: inputs)).run().sessions.filter(\.judgement.isRefused).map {
        (identity($0), $0.judgement.refusals)
      }
    ) { first, _ in first }
    // A session without a visible host, or with a refusal of less than a device now offers, may be allowed now.
    let isLeft = audited.sessions.count { judged in
      guard let before = failedBefore[identity(judged)] else { return judged.judgement.isRefused }
      return judged.judgement.isRefused
        || judged.verdict == .unknown && (isHidden(judged) || isUnanswered(judged, before))
    }
    let counts = recommendation.main.plan.counts
    #expect(isLeft == counts.impossible + counts.mayHelp + counts.upgradable)
    // A key may lift a known failure and leave unknown what is not observed.
    let isOpen = audited.sessions.count { judged in
      guard let before = failedBefore[identity(judged)], judged.verdict == .unknown else { return false }
      return !isHidden(judged) && !isUnanswered(judged, before)
    }
    #expect(counts.byKeys == failedBefore.count - isLeft - isOpen)
    return audited.sessions.filter { judged in
      guard judged.verdict == .fail else { return false }
      // Nothing gets worse.
      guard failedBefore[identity(judged)] != nil else { return true }
      if judged.session.application == .http, counts.upgradable > 0 { return false }
      if case .impossible? = judged.judgement.narrowestException { return false }
      return true
    }.map(identity)
  }

  /// Whether the server refused a session, which failed for that reason before and is unknown now.
  private func isUnanswered(_ judged: JudgedSession, _ before: [Finding]) -> Bool {
    judged.session.sharedTLS?.sharedServerHello == nil
      && judged.judgement.findings.contains { finding in
        finding.outcome == .unknown && before.contains { $0.id == finding.id }
      }
  }

  /// Whether the capture does not show the host of a session.
  private func isHidden(_ judged: JudgedSession) -> Bool {
    HostIdentity.isHidden(in: SessionEvidence(judged.session))
  }

  private func identity(_ judged: JudgedSession) -> String {
    "\(judged.session.file) \(judged.session.firstFrame) \(judged.session.serverName ?? "")"
  }

  @Test(arguments: TestEffort.part(of: captures))
  func `an audit of a capture with the recommended settings fails only if no key helps`(capture: String)
    throws
  {
    #expect(try allowableFailures([capture]) == [])
  }

  @Test func `an audit of all captures with the recommended settings fails only if no key helps`() throws {
    #expect(try allowableFailures(TestEffort.part(of: RecommendationTests.captures)) == [])
  }

  /// Compares the exception named for each failing session of all captures with the recommended settings.
  @Test(arguments: [false, true])
  func `an exception is named for exactly the sessions that the recommended settings allow`(
    appOverridesTrust: Bool
  ) throws {
    let scratch = try TemporaryFolder()
    var options = AuditOptions(paths: TestEffort.part(of: RecommendationTests.captures))
    options.judging.assumptions.appOverridesTrust = appOverridesTrust
    let before = Audit(options).run().sessions.filter { $0.verdict == .fail }
    let recommendation = Recommendation(options).run()
    let plist = try #require(recommendation.propertyList())
    try options.judging.programs.add(AssignedFile(try scratch.write("exceptions.plist", plist)))
    let after = Audit(options).run().sessions
    let failedBefore = Dictionary(
      before.map { (identity($0), $0.judgement.failures) }
    ) { first, _ in first }
    let failing = Set(
      after.filter {
        $0.verdict == .fail
          || $0.verdict == .unknown && (isHidden($0) || isUnanswered($0, failedBefore[identity($0)] ?? []))
      }.map(identity))
    let upgradable = Set(recommendation.main.plan.upgradable.compactMap(\.host))
    #expect(before.count > (TestEffort.isLong ? 20 : 10))
    var named = 0
    for judged in before {
      // A property list cannot contain a name with control characters.
      let name = judged.session.serverName ?? ""
      if !name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) { continue }
      // A cleartext session may be allowed by a key and need none, because its URL should be changed.
      if judged.session.application == .http, upgradable.contains(name) { continue }
      let isImpossible =
        if case .impossible? = judged.judgement.narrowestException { true } else { false }
      if !isImpossible { named += 1 }
      #expect(isImpossible == failing.contains(identity(judged)), "\(identity(judged))")
    }
    #expect(named > (TestEffort.isLong ? 5 : 1))
  }

  @Test func `a request without a host is allowed only by a key for all hosts, and named by its endpoint`() {
    let text = Recommendation(AuditOptions(paths: [Repository.path("captures/http/old.pcap")])).run().text(width: 200)
    #expect(text.contains("1 session: 1 can be allowed only by a broader key\n"))
    #expect(text.contains("only a broader key allows\n  host unknown   the first session is with 203.0.113.7:80\n"))
    #expect(!text.contains("no key allows") && !text.contains("any key"))
  }

  @Test func `no key allows a lack of SCTs that NSRequiresCertificateTransparency requires`()
    throws
  {
    let scratch = try TemporaryFolder()
    let entry = "<dict><key>NSRequiresCertificateTransparency</key><true/></dict>"
    let settings = "<key>NSExceptionDomains</key><dict><key>api.example.com</key>\(entry)</dict>"
    let capture = try #require(
      RecommendationTests.captures.first { $0.hasSuffix("chromium/tls12-only-server.pcap") })
    var options = AuditOptions(paths: [capture])
    options.judging.anchors = .none
    options.judging.assumptions.release = try SystemRelease(named: "ios12")
    try options.judging.programs.add(AssignedFile(try scratch.write("Info.plist", infoPlist("My", settings))))
    let content = try #require(Audit(options).run().sessions.first).judgement
    #expect(content.verdict == .fail)
    guard case .impossible(let obstacle)? = content.narrowestException else {
      Issue.record("allowed by a key")
      return
    }
    #expect(
      obstacle.reason.hasPrefix(
        "no key of NSAppTransportSecurity alone allows this: valid embedded SCTs from 0 logs. "
          + "Fix: Server: use a certificate"))
    #expect(obstacle.reason.contains("by the TLS extension. App: or remove NSRequiresCertificateTransparency. For a development server"))
    #expect(obstacle.rules == [.certificateTransparency])
    #expect(obstacle.mayHelp.isEmpty)
    let plan = Recommendation(options).run().main.plan
    #expect(plan.counts.impossible == 2)
    #expect(plan.impossible.map(\.reason) == [obstacle.reason + " These settings keep NSRequiresCertificateTransparency."])
    #expect(plan.dictionary.exceptionDomains.map(\.requiresCertificateTransparency) == [true])
    #expect(plan.abandoned.isEmpty)

    // Since iOS 12.1 the key is ignored, and a chain to an added root needs no SCTs.
    options.judging.assumptions.release = try SystemRelease(named: "ios12.1")
    #expect(Recommendation(options).run().main.plan.counts.impossible == 0)
  }

  @Test func `each program of a bundle has its own plan, from its own sessions`() throws {
    let scratch = try TemporaryFolder()
    _ = try scratch.write("My.app/Info.plist", infoPlist("My", "<key>NSAllowsArbitraryLoads</key><true/>"))
    _ = try scratch.write("My.app/PlugIns/S.appex/Info.plist", infoPlist("ExampleApp"))
    let capture = try #require(RecommendationTests.captures.first { $0.hasSuffix("variants/process/pktap.pcap") })
    var options = AuditOptions(paths: [capture])
    try options.judging.programs.add(AssignedFile(scratch.path + "/My.app"))
    let both = Recommendation(options).run()
    #expect(both.main.process == nil && both.others.map(\.process) == ["ExampleApp"])
    #expect(both.others.last?.infoPlist?.hasSuffix("/My.app/PlugIns/S.appex/Info.plist") == true)
    func sessions(_ plan: ExceptionPlan?) -> Int? {
      plan.map { $0.counts.withoutKeys + $0.counts.byKeys + $0.counts.impossible }
    }
    #expect(sessions(both.main.plan) == 0)
    #expect(both.main.plan.unneeded.map(\.key) == ["NSAllowsArbitraryLoads"])
    #expect(sessions(both.others.last?.plan) == 1)
    let reasons = both.text()
    #expect(reasons.contains("--process ExampleApp writes them"))
    let json = try JSONSerialization.jsonObject(with: Data(both.json())) as? [String: Any]
    #expect((json?["otherPrograms"] as? [Any])?.count == 1)

    options.processes = ["ExampleApp"]
    let one = Recommendation(options).run()
    #expect(one.others.isEmpty)
    #expect(one.main.infoPlist?.hasSuffix("S.appex/Info.plist") == true)
    #expect(sessions(one.main.plan) == 1)
  }

  @Test func `JSON distinguishes settings that no session needs from those that sessions may need`() throws {
    let scratch = try TemporaryFolder()
    func kinds(_ settings: String, _ capture: String) throws -> [String]? {
      var options = AuditOptions(paths: [Repository.path("captures/" + capture)])
      options.judging.anchors = try TrustAnchors(system: .none, added: [Repository.path("captures/anchors/example-ca.pem")])
      try options.judging.programs.add(AssignedFile(scratch.write("Info.plist", infoPlist("ExampleApp", settings))))
      let json = try JSONSerialization.jsonObject(with: Data(Recommendation(options).run().json())) as? [String: Any]
      return (json?["unneeded"] as? [[String: Any]])?.compactMap { $0["kind"] as? String }
    }
    let entries = ["example.com", "unseen.example"].map { name in
      "<key>\(name)</key><dict><key>NSIncludesSubdomains</key><true/><key>NSExceptionMinimumTLSVersion</key><string>TLSv1.0</string></dict>"
    }
    let narrower = "<key>NSExceptionDomains</key><dict>\(entries.joined())</dict>"
    #expect(try kinds(narrower, "tls10/ecdhe-rsa.pcap") == ["replaced", "unused"])
    #expect(try kinds("<key>NSAllowsArbitraryLoads</key><true/>", "refused/device-old-server.pcap") == ["mayBeNeeded"])
  }

  @Test(arguments: [true, false])
  func `HTTPS in another program or in an unselected session makes a key for cleartext unnecessary`(
    isChosen: Bool
  ) throws {
    let scratch = try TemporaryFolder()
    var options = AuditOptions(
      paths: ["http/redirect-only.pcap", "variants/process/process-blocks.pcapng"].map {
        Repository.path("captures/" + $0)
      })
    options.judging.anchors = try TrustAnchors(system: .none, added: [Repository.path("captures/anchors/example-ca.pem")])
    if isChosen {
      options.hosts = ["api.example.com:80"]
    } else {
      try options.judging.programs.add(
        AssignedFile("ExampleApp=\(scratch.write("Info.plist", infoPlist("ExampleApp", allowsAll)))"))
    }
    let result = Recommendation(options).run()
    #expect(result.others.map(\.process) == (isChosen ? [] : ["ExampleApp"]))
    let plan = result.main.plan
    #expect(plan.keys.isEmpty)
    #expect(plan.counts.upgradable == 1)
    #expect(plan.counts.withoutKeys == 0)
    #expect(plan.upgradable.first?.passing.file.hasSuffix("process-blocks.pcapng") == true)
  }

  @Test(arguments: [("iphoneos17.0", "iphoneos17.0"), ("iphoneos17.0 x", "iphoneos17.0"), ("android34", nil)])
  func `the recommended settings keep the SDK of the program`(name: String, kept: String?) throws {
    let scratch = try TemporaryFolder()
    let present = infoPlist("My").replacingOccurrences(of: "<dict>\n", with: "<dict><key>DTSDKName</key><string>\(name)</string>\n")
    var options = AuditOptions(paths: [Repository.path("captures/tls10/static-rsa.pcap")])
    options.judging.anchors = try TrustAnchors(added: [Repository.path("captures/anchors/example-ca.pem")])
    try options.judging.programs.add(AssignedFile(try scratch.write("Info.plist", present)))
    let list = try InfoPropertyList(reading: try #require(Recommendation(options).run().propertyList()))
    #expect(list.application.sdkName == kept)
    #expect(list.ats?.exceptionDomains.count == 1)
  }

  @Test func `a new entry without keys is explained`() throws {
    let scratch = try TemporaryFolder()
    let lax = "<key>api.example.com</key><dict><key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict>"
    let strict = "<key>NSIncludesSubdomains</key><true/><key>NSExceptionMinimumTLSVersion</key><string>TLSv1.3</string>"
    let settings = "<key>NSExceptionDomains</key><dict>\(lax)<key>example.com</key><dict>\(strict)</dict></dict>"
    var options = AuditOptions(paths: [Repository.path("captures/tls12/ecdhe-rsa-gcm.pcap")])
    options.judging.anchors = try TrustAnchors(added: [Repository.path("captures/anchors/example-ca.pem")])
    try options.judging.programs.add(AssignedFile(try scratch.write("Info.plist", infoPlist("My", settings))))
    let text = Recommendation(options).run().text(width: 200)
    #expect(text.contains("entries without keys\n  api.example.com   replaces what the entry example.com requires"))
  }

  @Test func `a reason of two lines is not indented like the next item`() throws {
    let scratch = try TemporaryFolder()
    let entry = "<key>Img.Shop.Example</key><dict><key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict>"
    var options = AuditOptions(paths: [Repository.path("captures/tls12/ecdhe-rsa-gcm.pcap")])
    try options.judging.programs.add(
      AssignedFile(try scratch.write("Info.plist", infoPlist("My", "<key>NSExceptionDomains</key><dict>\(entry)</dict>"))))
    let text = Recommendation(options).run().text(width: 80)
    let continuation = String(repeating: " ", count: 27) + "matches\n"
    #expect(text.contains("\n  entry Img.Shop.Example   hosts are compared in lower case, so the entry never\n" + continuation))
  }

  @Test func `the plan includes findings on the current settings`() throws {
    let scratch = try TemporaryFolder()
    let lax = "<dict><key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict>"
    let settings =
      "<key>NSExceptionDomains</key><dict><key>api.example.com</key>\(lax)<key>unseen.example</key>\(lax)</dict>"
    let capture = try #require(
      RecommendationTests.captures.first { $0.hasSuffix("tls12/ecdhe-rsa-gcm.pcap") })
    var options = AuditOptions(paths: [capture])
    try options.judging.programs.add(AssignedFile(try scratch.write("Info.plist", infoPlist("My", settings))))
    let findings = Recommendation(options).run().main.findings
    #expect(findings.map(\.rule.rawValue) == ["LINT-INSECURE-HTTPS", "LINT-UNUSED"])
    #expect(findings.allSatisfy { $0.line == 4 })
    let reasons = Recommendation(options).run().text()
    #expect(reasons.contains("findings on the current settings"))
  }

  @Test func `the matrix of every capture has nscurl's sixteen rows`() {
    let diagnosis = Diagnosis(AuditOptions(paths: TestEffort.part(of: RecommendationTests.captures))).run()
    #expect(diagnosis.hosts.allSatisfy { $0.rows.isEmpty || $0.rows.count == 16 })
    #expect(diagnosis.hosts.contains { !$0.rows.isEmpty })
    #expect(diagnosis.hosts.allSatisfy { $0.sessions + $0.otherSessions + $0.leftOut > 0 })
  }

  @Test func `the matrix for a proxied host is that of the host's port`() throws {
    let capture = try #require(RecommendationTests.captures.first { $0.hasSuffix("proxy/connect.pcap") })
    #expect(Diagnosis(AuditOptions(paths: [capture])).run().hosts.map(\.port) == [443])
  }

  @Test func `a reason based on an earlier session's certificates names their packet`() throws {
    let captures = try ["first", "later"].map { name in
      try #require(RecommendationTests.captures.first { $0.hasSuffix("resumed-elsewhere/\(name).pcap") })
    }
    var report = ReportOptions()
    report.format = .ndjson
    var output = Bytes()
    _ = Audit(AuditOptions(paths: captures)).write(report) { output += $0 }
    // Only the later session, which resumes one of the first capture.
    let lines = output.split(separator: 0x0A).filter {
      String(decoding: $0, as: UTF8.self).contains("\"resumedFromCapture\"")
    }
    #expect(lines.count == 1)
    let scratch = try TemporaryFolder()
    let saved = try scratch.write("later.ndjson", Bytes(lines.joined()))
    let reasons = Diagnosis(AuditOptions(paths: [saved])).run().hosts.first?.rows.first?.reasons ?? []
    let reason = try #require(reasons.first { $0.rules == ["ATS-CERT-TRUST"] })
    #expect(reason.file == captures[0])
    #expect(reason.frame == 6)
  }

  @Test func `a key that depends on the client's offer is reported as possibly not needed`() throws {
    var options = AuditOptions(paths: [Repository.path("captures/demo/demo.pcapng")])
    options.judging.anchors = try TrustAnchors(added: [Repository.path("captures/anchors/example-ca.pem")])
    let recommendation = Recommendation(options).run()
    #expect(recommendation.main.plan.keys.map(\.dependsOnOffer) == [true])
    let explanation = recommendation.text(width: 200)
    #expect(explanation.contains("keys that may not be needed") && !explanation.contains("a draft"))
    #expect(Diagnosis(options).run().text(width: 200).contains("undecided: the recorded client offered too little."))
  }

  @Test(arguments: [48, 60, 80, 200])
  func `no line of a matrix is longer than the width, however many errors a row has`(width: Int) throws {
    let capture = try #require(
      RecommendationTests.captures.first { $0.hasSuffix("variants/hosts/several-hosts.pcap") })
    let text = Diagnosis(AuditOptions(paths: [capture])).run().text(width: width)
    #expect(text.contains("MIXED") && text.contains("-1022"))
    #expect(text.split(separator: "\n").filter { $0.count > width } == [])
  }
}
