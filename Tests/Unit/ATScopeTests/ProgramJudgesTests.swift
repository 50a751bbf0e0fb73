import ATSEvaluation
import ByteParsing
import Foundation
import PolicyResolution
import TestFiles
import SessionModel
import Testing
import Values

@testable import ATScope

/// Tests with a capture that names the process of its session, `ExampleApp`.
@Suite struct ProgramJudgesTests {
  private let capture = Repository.path("captures/variants/process/pktap.pcap")

  private let entry = """
    <key>NSExceptionDomains</key><dict><key>api.example.com</key><dict>
    <key>NSExceptionMinimumTLSVersion</key><string>TLSv1.1</string></dict></dict>
    """

  private func audit(
    processes: [String] = [], _ arguments: (TemporaryFolder) throws -> [String]
  ) throws -> (entries: [String?], warnings: [String]) {
    let scratch = try TemporaryFolder()
    var options = AuditOptions(paths: [capture])
    options.processes = processes
    for argument in try arguments(scratch) { try options.judging.programs.add(AssignedFile(argument)) }
    let audited = Audit(options).run()
    return (audited.sessions.map { $0.judgement.policy.matchedEntry }, audited.outcome.warnings)
  }

  @Test func `a session is judged by the settings of its process`() throws {
    let named = try audit { ["ExampleApp=" + (try $0.write("a.plist", infoPlist("ExampleApp", entry)))] }
    #expect(named.entries == ["api.example.com"])
    let other = try audit { ["Other=" + (try $0.write("a.plist", infoPlist("Other", entry)))] }
    #expect(other.entries == [nil])
  }

  @Test func `loads of a WebKit process for an app are judged as the app's web content`() throws {
    let inWebContent = """
      <key>NSAllowsArbitraryLoadsInWebContent</key><true/>
      """
    for (service, context) in [("com.apple.WebKit", LoadContext.web), ("nsurlsessiond", .app), (nil, .app)] {
      let scratch = try TemporaryFolder()
      var options = AuditOptions(inputs: [])
      try options.judging.programs.add(
        AssignedFile(try scratch.write("a.plist", infoPlist("ExampleApp", inWebContent))))
      let server = Endpoint(address: IPAddress(v4: 0xCB00_7107), port: 80)
      var session = ObservedSession(
        file: "a", firstFrame: 1, lastFrame: 1, start: nil, end: nil, transport: .tcp, application: .http,
        client: server, server: server)
      session.serverName = "api.example.com"
      session.process = CapturedProcess(
        name: "ExampleApp", pid: 7, isEffective: true, service: service, source: .pktap)
      var judges = ProgramJudges(options.judging)
      let judgement = judges.judge(session)
      #expect(judgement.policy.context == context)
      #expect((judgement.verdict == .exempt) == (context == .web))
      // The settings are found by the name of the app.
      #expect(judges.warning(for: SessionChoice(options)) == nil)
    }
  }

  @Test func `the context that a process implies is that of the release of each session's time`() {
    var options = AuditOptions(inputs: [])
    options.judging.assumptions.isReleaseAtSession = true
    let server = Endpoint(address: IPAddress(v4: 0xCB00_7107), port: 80)
    // mediaserverd loads media until iOS 18.4, of 2025-03-31.
    for (process, service, time, context) in [
      ("mediaserverd", nil, "2025-03-30T12:00:00Z", LoadContext.media), ("mediaserverd", nil, "2025-03-31T12:00:00Z", .app),
      ("mediaplaybackd", nil, "2025-03-31T12:00:00Z", .media),
      // The packets of a web view that mediaserverd moves.
      ("com.apple.WebKit", "mediaserverd", "2025-03-30T12:00:00Z", .media),
      ("com.apple.WebKit", "mediaserverd", "2025-03-31T12:00:00Z", .web),
    ] as [(String, String?, String, LoadContext)] {
      var session = ObservedSession(
        file: "a", firstFrame: 1, lastFrame: 1, start: Timestamp(iso8601: time), end: nil, transport: .tcp, application: .http,
        client: server, server: server)
      session.serverName = "api.example.com"
      session.process = CapturedProcess(name: process, pid: 7, isEffective: true, service: service, source: .pktap)
      var judges = ProgramJudges(options.judging)
      #expect(judges.judge(session).policy.context == context)
    }
  }

  @Test(arguments: [ReportOptions.Format.text, .markdown, .html, .junit])
  func `the header counts the sessions that process names attribute to web views`(format: ReportOptions.Format) {
    func report(_ context: LoadContext?) -> String {
      var options = AuditOptions(paths: [Repository.path("captures/variants/process/system-clients.pcap")])
      if let context { options.judging.assumptions.context = context }
      var (report, output) = (ReportOptions(), Bytes())
      report.format = format
      _ = Audit(options).write(report) { output += $0 }
      return String(decoding: output, as: UTF8.self)
    }
    #expect(report(nil).contains("process name indicates (2 sessions by web views)"))
    // The option decides for all sessions.
    #expect(!report(.app).contains("process name indicates"))
  }

  @Test func `settings of another program are applied with a warning`() throws {
    let result = try audit { [try $0.write("a.plist", infoPlist("MyApp", entry))] }
    #expect(result.entries == ["api.example.com"])
    #expect(
      result.warnings.contains {
        $0.hasPrefix("sessions of ExampleApp are judged by the settings of MyApp")
      })
    let own = try audit { [try $0.write("a.plist", infoPlist("ExampleApp", entry))] }
    #expect(own.warnings.isEmpty)
    // Sessions that are not selected are not judged by these settings.
    let chosen = try audit(processes: ["MyApp"]) { [try $0.write("a.plist", infoPlist("MyApp", entry))] }
    #expect(!chosen.warnings.contains { $0.hasPrefix("sessions of") })
  }
}
