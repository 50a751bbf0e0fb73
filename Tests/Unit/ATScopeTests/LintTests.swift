import ATScope
import ByteParsing
import Foundation
import InfoPlistReading
import ReportFormats
import TestFiles
import Testing
import Values

@Suite struct LintTests {
  @Test func `every program of a bundle is reviewed, and differences between them are found`() throws {
    let scratch = try TemporaryFolder()
    _ = try scratch.write("My.app/Info.plist", infoPlist("My", allowsAll))
    _ = try scratch.write("My.app/PlugIns/S.appex/Info.plist", infoPlist("S"))
    let lint = Lint([scratch.path + "/My.app"]).run()
    #expect(lint.report.files.count == 2)
    #expect(lint.report.files[0].findings.contains { $0.rule == .arbitrary && $0.line == 4 })
    #expect(lint.report.files[1].findings.map(\.rule) == [.appExtension])
    #expect(lint.report.count(.error) == 0)
    #expect(lint.outcome.faults.isEmpty)
  }

  @Test(arguments: ["My.xcodeproj", "My.xcworkspace/", "My\u{1B}.xcarchive/"])
  func `a folder of Xcode is refused with advice on what to use instead`(name: String) throws {
    let scratch = try TemporaryFolder()
    _ = try scratch.write(name + "/project.pbxproj", "// !$*UTF8*$!")
    let file = try #require(Lint([scratch.path + "/" + name]).run().report.files.first)
    #expect(file.error?.hasPrefix("is a") == true && file.error?.contains("NAME.app") == true)
    #expect(file.error?.contains("\u{1B}") == false)
  }

  @Test func `a project file accepts findings of a host or of a global key until a day`() throws {
    let scratch = try TemporaryFolder()
    let plist = try scratch.write(
      "Info.plist",
      infoPlist(
        "My",
        allowsAll + """
          <key>NSExceptionDomains</key><dict><key>old.example.com</key><dict>\
          <key>NSExceptionMinimumTLSVersion</key><string>TLSv1.0</string></dict></dict>
          """))
    let project = try ProjectFile(
      reading: scratch.write(
        ".atscope.json",
        """
        {"accepted": [
         {"host": "*", "rule": "LINT-ARBITRARY", "reason": "browser", "expires": "2027-01-31"},
         {"host": "*.example.com", "rule": "LINT-TLS-LOW", "reason": "old server", "expires": "2026-01-31"},
         {"host": "*.example.org", "rule": "LINT-TLS-LOW", "reason": "another", "expires": "2027-01-31"}]}
        """))
    var lint = Lint([plist]).run()
    let warnings = lint.report.count(.warning)
    lint.accept(project, at: try #require(Timestamp(day: "2026-06-01")))
    #expect(lint.outcome.warnings == ["LINT-TLS-LOW was accepted until 2026-01-31"])
    let accepted = lint.report.files[0].findings.filter { $0.accepted != nil }
    #expect(accepted.map(\.rule) == [.arbitrary] && accepted.first?.accepted == "browser, until 2027-01-31")
    #expect(lint.report.count(.warning) == warnings - 1)
  }

  @Test func `an error-level finding is not a fault, a file that cannot be read is one`() throws {
    let scratch = try TemporaryFolder()
    let bad = try scratch.write(
      "bad.plist", infoPlist("My", "<key>NSAllowsArbitraryLoads</key><string>YES</string>"))
    let lint = Lint([bad, scratch.path + "/missing.plist"]).run()
    #expect(lint.report.count(.error) > 0)
    #expect(lint.outcome.faults.map(\.description) == ["\(scratch.path)/missing.plist: no such file or directory"])
  }

  @Test(arguments: [
    "", "x", "<?xml version=\"1.0\"?><plist><dict><key>a</key></dict></plist>", "<plist><array/></plist>",
    "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><string>&a;</string></plist>", "bplist00",
    String(repeating: "<array>", count: 100_000),
    "<plist>" + String(repeating: "<array>", count: 200) + "</plist>",
  ])
  func `a file that is not an Info_plist is a fault with a reason`(content: String) throws {
    let scratch = try TemporaryFolder()
    let lint = Lint([try scratch.write("x.plist", content)]).run()
    #expect(lint.outcome.faults.count == 1)
    #expect(lint.outcome.faults.first.map { $0.description.utf8.count < 500 } == true)
  }

  @Test func `a file longer than the limit for Info_plist files is a fault`() throws {
    let scratch = try TemporaryFolder()
    let long = Bytes(repeating: 0x20, count: AppPolicy.maximumLength + 1)
    #expect(
      Lint([try scratch.write("x.plist", long)]).run().outcome.faults.first?.reason.hasSuffix("longer than 16777216 bytes")
        == true
    )
  }

  @Test func `the text names files, lines and fixes`() throws {
    let scratch = try TemporaryFolder()
    let file = try scratch.write(
      "Info.plist", infoPlist("My", "<key>NSAllowsArbitraryLoads</key><integer>1</integer>"))
    let text = Lint([file]).run().text()
      .replacingOccurrences(of: scratch.path, with: "")
    #expect(
      text == """
        /Info.plist
        2 warnings, 1 remark

          WARNING  LINT-BOOL-NUMBER   line 4
            at     NSAllowsArbitraryLoads
            found  an integer that is read as true for every release, as iOS 18.5 and
                   macOS 15.5 do; only iOS 18.4 and macOS 15.4 read it as false
            fix    write <true/>

          WARNING  LINT-ARBITRARY   line 4
            at     NSAllowsArbitraryLoads
            found  ATS is off for every host without an entry
            fix    remove it and allow only what is needed:
                   NSAllowsArbitraryLoadsInWebContent for web views,
                   NSAllowsArbitraryLoadsForMedia for audio and video,
                   NSAllowsLocalNetworking for local devices, an entry in
                   NSExceptionDomains for a single host

          REMARK   LINT-REVIEW   line 4
            at     NSAllowsArbitraryLoads
            found  App Review requires a justification for NSAllowsArbitraryLoads
            fix    if you keep it, explain to App Review why it is needed: a server of a
                   third party without HTTPS, devices that cannot be upgraded, or
                   protected (DRM) media, for example

        2 warnings, 1 remark   1 Info.plist checked as iOS 26.5

        """)
  }
}
