import ATScope
import TestFiles
import Testing

@Suite struct AppPoliciesTests {
  @Test(
    arguments: [
      ("Info.plist", nil, "Info.plist"), ("MyApp=Info.plist", "MyApp", "Info.plist"),
      ("a/b=c.plist", nil, "a/b=c.plist"), ("./a=b.plist", nil, "./a=b.plist"), ("=x", nil, "=x"),
      ("My App=x=y", "My App", "x=y"), ("-", nil, "-"),
    ] as [(String, String?, String)])
  func `the process name is before the first equals sign`(argument: String, process: String?, file: String) {
    let parts = AssignedFile(argument)
    #expect(parts.name == process)
    #expect(parts.file == file)
  }

  @Test(
    arguments: [
      ("</dict><key>NSAllowsArbitraryLoads</key><true/><key>x</key><dict>", "1 setting has no effect"),
      (
        """
        <key>NSPinnedDomains</key><dict><key>a.example</key><dict><key>NSPinnedLeafIdentities</key>
        <array><dict><key>SPKI-SHA256-BASE64</key><string>AAAA</string></dict></array></dict></dict>
        """, "1 setting has no effect"
      ),
      // The entry applies to URLs that end with the dot too.
      ("<key>NSExceptionDomains</key><dict><key>a.example.</key><dict/></dict>", nil),
      ("<key>NSPinnedDomains</key><dict><key>a.example.</key><dict/></dict>", "1 setting has no effect"),
      ("<key>NSExceptionDomains</key><dict><key>A.example</key><dict/></dict>", nil), (allowsAll, nil),
    ] as [(String, String?)])
  func `settings without effect that no other warning names are counted`(settings: String, words: String?) throws {
    let scratch = try TemporaryFolder()
    let policy = try AppPolicy(reading: scratch.write("Info.plist", infoPlist("My", settings)))
    #expect((policy.unmentioned(by: .newest) != nil) == (words != nil))
    #expect(policy.unmentioned(by: .newest)?.hasPrefix(words ?? "-") != false)
  }

  private func policies(_ scratch: TemporaryFolder) throws -> AppPolicies {
    _ = try scratch.write("My.app/Info.plist", infoPlist("MyApplicationWithALongName", allowsAll))
    _ = try scratch.write("My.app/PlugIns/S.appex/Info.plist", infoPlist("Share"))
    let other = try scratch.write("other.plist", infoPlist("Other"))
    var policies = AppPolicies()
    try policies.add(AssignedFile(scratch.path + "/My.app"))
    try policies.add(AssignedFile("helper=\(other)"))
    return policies
  }

  @Test func `settings are chosen by the first sixteen characters of the process name`() throws {
    let scratch = try TemporaryFolder()
    let policies = try policies(scratch)
    #expect(policies.policy(forProcess: nil)?.executable == "MyApplicationWithALongName")
    #expect(policies.policy(forProcess: "MyApplicationWit")?.executable == "MyApplicationWithALongName")
    #expect(policies.policy(forProcess: "Share")?.executable == "Share")
    #expect(policies.policy(forProcess: "helper")?.executable == "Other")
    #expect(policies.policy(forProcess: "Safari")?.executable == "MyApplicationWithALongName")
    #expect(AppPolicies().policy(forProcess: "Safari") == nil)
  }

  @Test func `programs of a bundle are judged by their settings although the file of another cannot be used`() throws {
    let scratch = try TemporaryFolder()
    _ = try scratch.write("My.app/Info.plist", infoPlist("My", allowsAll))
    _ = try scratch.write("My.app/PlugIns/E.appex/Info.plist", "{ CFBundleExecutable = E; }")
    _ = try scratch.write("My.app/PlugIns/S.appex/Info.plist", infoPlist("Share", allowsAll))
    var (policies, faults) = (AppPolicies(), [AuditError]())
    policies.add(AssignedFile(scratch.path + "/My.app"), leavingOut: &faults)
    #expect(faults.map(\.file) == [scratch.path + "/My.app/PlugIns/E.appex/Info.plist"])
    #expect(faults.first?.reason.hasPrefix("not a usable Info.plist: ") == true)
    #expect(faults.first?.reason.contains("; where captures name the process E, its sessions are judged by the ATS defaults") == true)
    for process in [nil, "My", "Share"] { #expect(policies.policy(forProcess: process)?.dictionary?.allowsArbitraryLoads == true) }
    // The executable of the other program may have another name than its bundle.
    for process in ["E", "Helper"] { #expect(policies.policy(forProcess: process)?.dictionary == nil) }
    #expect(policies.warning(forProcesses: ["E", "My"]) == nil)
    let warning = try #require(policies.warning(forProcesses: ["Helper", "My"]))
    #expect(warning.hasPrefix("sessions of Helper are judged by the ATS defaults, since they may be of the program of "))
    #expect(throws: AuditError.self) { try AppPolicy(reading: scratch.path + "/My.app") }
    // Settings assigned to one process say nothing of others.
    var (named, namedFaults) = (AppPolicies(), [AuditError]())
    named.add(AssignedFile("My=\(scratch.path)/My.app"), leavingOut: &namedFaults)
    #expect(namedFaults.first?.reason.contains("sessions") == false)
    // Without the name of the app's own process, the only process may be any program.
    _ = try scratch.write("My.app/Info.plist", infoPlist("$(EXECUTABLE_NAME)"))
    (policies, faults) = (AppPolicies(), [])
    policies.add(AssignedFile(scratch.path + "/My.app"), leavingOut: &faults)
    #expect(policies.warning(forProcesses: ["Helper"])?.hasPrefix("sessions of Helper are judged by the settings of ") == true)
  }

  @Test func `an exact process name precedes a prefix match, and an ambiguous prefix gives a warning`() throws {
    let scratch = try TemporaryFolder()
    _ = try scratch.write("My.app/Info.plist", infoPlist("MyApplicationWithALongName", allowsAll))
    _ = try scratch.write("My.app/PlugIns/S.appex/Info.plist", infoPlist("MyApplicationWithShare"))
    var policies = AppPolicies()
    try policies.add(AssignedFile(scratch.path + "/My.app"))
    #expect(policies.policy(forProcess: "MyApplicationWithShare")?.executable == "MyApplicationWithShare")
    #expect(policies.policy(forProcess: "MyApplicationWit")?.executable == "MyApplicationWithALongName")
    #expect(policies.warning(forProcess: "MyApplicationWithShare") == nil && policies.warning(forProcess: "Share") != nil)
    #expect(policies.warning(forAmbiguityAmong: ["MyApplicationWithShare", "Safari"]) == nil)
    #expect(
      policies.warning(forAmbiguityAmong: ["MyApplicationWit"])
        == "the capture has only the beginning of a name, MyApplicationWit, which fits MyApplicationWithALongName and "
        + "MyApplicationWithShare; its sessions are judged by the settings of MyApplicationWithALongName")
  }

  @Test func `a process name truncated within a character still matches`() throws {
    let scratch = try TemporaryFolder()
    let file = try scratch.write("a.plist", infoPlist("アプリテスト", allowsAll))
    var policies = AppPolicies()
    try policies.add(AssignedFile("アプリテスト=\(file)"))
    let captured = String(decoding: "アプリテスト".utf8.prefix(16), as: UTF8.self)
    #expect(policies.policy(forProcess: captured)?.executable == "アプリテスト")
    #expect(policies.warning(forAbsenceAmong: [captured]) == nil)
  }

  @Test(arguments: [["MyApp"], ["MyApp", "Safari"]])
  func `settings without an executable give a warning if they apply to several processes`(processes: [String]) throws {
    let scratch = try TemporaryFolder()
    let file = try scratch.write("Info.plist", infoPlist("$(EXECUTABLE_NAME)", allowsAll))
    var policies = AppPolicies()
    try policies.add(AssignedFile(file))
    #expect(policies.main?.executable == nil)
    #expect(
      policies.warning(forProcesses: processes)
        == (processes.count == 1
          ? nil
          : "sessions of MyApp and 1 more are judged by the settings of \(file), which names no executable; "
            + "--process NAME excludes others"))
  }

  @Test func `an Xcode archive is rejected, even with an Info_plist`() throws {
    let scratch = try TemporaryFolder()
    _ = try scratch.write("My.xcarchive/Info.plist", infoPlist("My"))
    #expect(throws: AuditError.self) { try AppPolicy(reading: scratch.path + "/My.xcarchive") }
  }

  @Test func `processes that are not programs of the app give a warning`() throws {
    let scratch = try TemporaryFolder()
    let policies = try policies(scratch)
    #expect(policies.warning(forProcesses: ["MyApplicationWit", "Share", "helper"]) == nil)
    let warning = policies.warning(forProcesses: ["Share", "Safari", "mDNSResponder"])
    #expect(
      warning
        == "sessions of Safari and 1 more are judged by the settings of MyApplicationWithALongName; "
        + "--process MyApplicationWithALongName excludes them")
  }

  @Test func `settings for a process without sessions give a warning`() throws {
    let scratch = try TemporaryFolder()
    let policies = try policies(scratch)
    #expect(policies.warning(forAbsenceAmong: ["Share", "helper"]) == nil)
    #expect(
      policies.warning(forAbsenceAmong: ["Share"])
        == "no session belongs to helper, so these settings are unused")
    #expect(policies.warning(forAbsenceAmong: [])?.hasSuffix("; the captures name no process") == true)
    #expect(AppPolicies().warning(forAbsenceAmong: []) == nil)
  }

  @Test func `a process for which no settings are given has those of the app or the ATS defaults`() throws {
    let scratch = try TemporaryFolder()
    let start = "no settings are for the process Safari"
    #expect(try policies(scratch).warning(forProcess: "Safari") == start + "; these are those of MyApplicationWithALongName")
    var helper = AppPolicies()
    #expect(helper.warning(forProcess: "Safari") == nil)
    try helper.add(AssignedFile("helper=\(scratch.path)/other.plist"))
    #expect(helper.warning(forProcess: "Safari") == start + ", only for helper; these are the ATS defaults")
  }

  @Test func `settings for one process can be given only once`() throws {
    let scratch = try TemporaryFolder()
    var policies = try policies(scratch)
    #expect(throws: AuditError.self) { try policies.add(AssignedFile("helper=\(scratch.path)/other.plist")) }
    #expect(throws: AuditError.self) { try policies.add(AssignedFile("\(scratch.path)/other.plist")) }
    #expect(policies.assignments.count == 2)
  }
}
