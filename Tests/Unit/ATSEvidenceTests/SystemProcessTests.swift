import ATSEvaluation
import ATSEvidence
import ATSRules
import Foundation
import PolicyResolution
import TestFiles
import SessionBuilding
import SessionModel
import Testing
import Values

@Suite struct SystemProcessTests {
  @Test(
    arguments: [
      ("com.apple.WebKit", LoadContext.web), ("com.apple.WebKit.Networking", .web),
      ("mediaplaybackd", .media),
      ("nsurlsessiond", .app), ("MyApp", nil), ("trustd", nil), ("", nil), ("mediaserverd", nil),
      ("nsurlsessiondx", nil), ("SafariViewService", nil),
    ] as [(String, LoadContext?)])
  func `the process name determines the load context`(process: String, context: LoadContext?) {
    #expect(SystemProcess.context(of: process, service: nil, in: .newest) == context)
    #expect(SystemProcess.context(of: "MyApp", service: process, in: .newest) == context)
  }

  @Test(
    arguments: [("ios18.3", LoadContext.media), ("ios18.4", nil), ("macos15.3", .media), ("macos15.4", nil)]
      as [(String, LoadContext?)])
  func `mediaserverd loads media only before iOS 18_4 and macOS 15_4`(os: String, context: LoadContext?) throws {
    #expect(
      SystemProcess.context(of: "mediaserverd", service: nil, in: try SystemRelease(named: os)) == context)
  }

  @Test(
    arguments: [
      "SafariViewService", "SafariViewServic", "MobileSafari", "Safari", "com.apple.Safari", "trustd",
      "ocspd",
      "com.apple.Safari.SafeBrowsing.Service", "securityd", "apsd", "mDNSResponder", "captiveagent",
      "WebSheet",
      "Captive Network ", "Captive Network Assistant", "networkservicepr", "networkserviceproxy",
    ])
  func `ATS does not govern system processes`(name: String) {
    // The same session of an app is judged first: the two must not share a judgement.
    var judge = Judge()
    let cleartext = SessionBuilder.http(host: "www.example.com")
    #expect(judge.judge(cleartext).verdict == .fail)
    for process in [
      CapturedProcess(name: name, pid: 7, source: .pktap),
      CapturedProcess(name: name, pid: 7, isEffective: true, service: "com.apple.WebKit", source: .pktap),
      CapturedProcess(name: "MyApp", pid: 7, isEffective: true, service: name, source: .processBlock),
    ] {
      let session = SessionBuilder.http(host: "www.example.com") { $0.process = process }
      let content = judge.judge(session).value
      #expect(content.verdict == .exempt)
      #expect(content.predictedError == nil)
      #expect(content.findings.allSatisfy { !$0.isRequired })
      #expect(SystemProcess.isUngoverned(process.name, service: process.service))
    }
  }

  @Test(arguments: [
    "Safari Helper", "MySafari", "safari", "SafariViewServi", "apsdx", "trust", "MobileSafari2", "",
  ])
  func `process names that are not in the table belong to apps`(name: String) {
    let session = SessionBuilder.http(host: "www.example.com") {
      $0.process = CapturedProcess(name: name, pid: 7, source: .pktap)
    }
    #expect(Judge().judgeAnew(session).verdict == .fail)
  }

  @Test func `sessions that differ only in their system process have exemptions that name it`() {
    var judge = Judge()
    let reasons = ["apsd", "Safari", "mDNSResponder"].map { name in
      let session = SessionBuilder.http(host: "www.example.com") {
        $0.process = CapturedProcess(name: name, pid: 7, source: .pktap)
      }
      return judge.judge(session).exemption ?? ""
    }
    #expect(zip(["apsd", "Safari", "mDNSResponder"], reasons).allSatisfy { $1.hasPrefix($0) })
  }

  @Test func `the table of system processes has fewer than 32 rows`() {
    #expect(SystemProcess.all.count < 32)
  }

  @Test func `the policy text lists the same system processes`() throws {
    let text = try String(contentsOf: Repository.root.appending(path: "docs/policy.md"), encoding: .utf8)
    let section = try #require(text.range(of: "<!-- system processes -->"))
    let rows = text[section.upperBound...].split(separator: "\n").prefix { $0.hasPrefix("|") }.dropFirst(2)
    #expect(rows.map(String.init) == SystemProcess.all.map(Self.row))
  }

  /// The row of a process in the table of docs/policy.md.
  private static func row(_ process: SystemProcess) -> String {
    let name = "`\(process.name)`" + (process.isPrefix ? " …" : "")
    let role =
      switch process.role {
      case .loads(let context): "loads for its app, context `\(context.rawValue)`"
      case .ungoverned(let reason): "exempt: \(reason)"
      }
    let end = process.end.map { "; until \($0.major).\($0.minor)" } ?? ""
    return "| \(name) | \(role)\(end) | \(process.source.rawValue) | \(process.assumption ?? "") |"
  }
}
