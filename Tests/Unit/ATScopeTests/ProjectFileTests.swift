import ATScope
import PolicyResolution
import TestFiles
import Testing
import Values

@Suite struct ProjectFileTests {
  private func project(_ text: String) throws -> ProjectFile {
    let scratch = try TemporaryFolder()
    let file = try scratch.write("app/.atscope.json", text)
    return try ProjectFile(reading: file)
  }

  @Test func `all keys are read, and paths are relative to the folder of the file`() throws {
    let scratch = try TemporaryFolder()
    let file = try scratch.write(
      "app/.atscope.json",
      """
      {"infoPlist": ["App/Info.plist", "Widget=W.plist", "/abs.plist"], "os": "ios18", "baseline": "kept.json",
       "accepted": [{"host": "*.example.com", "rule": "ats-ct", "reason": "internal", "expires": "2027-01-31"}]}
      """)
    let project = try ProjectFile(reading: file)
    let folder = scratch.path + "/app/"
    #expect(project.infoPlists.map(\.file) == [folder + "App/Info.plist", folder + "W.plist", "/abs.plist"])
    #expect(project.infoPlists.map(\.name) == [nil, "Widget", nil])
    #expect(project.baseline == folder + "kept.json")
    #expect(project.release?.name == "ios18")
    #expect(project.accepted.map(\.rule) == ["ATS-CT"])
  }

  @Test func `a project file may name the release at the time of each session`() throws {
    let project = try project(#"{"os": "at-session"}"#)
    #expect(project.isReleaseAtSession && project.release == nil)
    #expect(try !self.project(#"{"os": "ios18"}"#).isReleaseAtSession)
  }

  @Test func `a project file may contain one Info_plist without a list, or nothing`() throws {
    #expect(try project(#"{"infoPlist": "/Info.plist"}"#).infoPlists.map(\.file) == ["/Info.plist"])
    #expect(try project("{}").accepted.isEmpty)
  }

  @Test(arguments: [
    #"{"infoplist": "a"}"#, #"{"os": "ios99"}"#, #"{"os": 18}"#, "[]", "{", "{} {}", "",
    #"{"accepted": [{"host": "a", "rule": "ATS-CT", "expires": "2027-01-31"}]}"#,
    #"{"accepted": [{"host": "a", "rule": "ATS-CT", "reason": "", "expires": "2027-01-31"}]}"#,
    #"{"accepted": [{"host": "a", "rule": "ATS-CT", "reason": "c"}]}"#,
    #"{"accepted": [{"host": "a", "rule": "ATS-CT", "reason": "c", "expires": "2027-02-30"}]}"#,
    #"{"accepted": [{"host": "a", "rule": "ATS-CT", "reason": "c", "expires": "soon"}]}"#,
    #"{"accepted": [{"host": "a", "rule": "ATS-CT", "reason": "c", "expires": "2027-1-31"}]}"#,
    #"{"accepted": [{"host": "a", "rule": "ATS-CT", "reason": "c", "expires": "2027-01-31", "until": "x"}]}"#,
    #"{"accepted": [{"rule": "ATS-CT", "reason": "c", "expires": "2027-01-31"}]}"#,
  ])
  func `unknown keys and invalid values are errors, so that no gate is switched off`(text: String) throws {
    #expect(throws: AuditError.self) { try project(text) }
  }

  @Test(arguments: [
    (#""acepted": []"#, #""acepted"; the keys are "infoPlist", "os", "baseline", "accepted""#),
    (#""accepted": [{"until": "x"}]"#, #""until"; the keys are "host", "rule", "reason", "expires""#),
  ])
  func `the error for an unknown key names it and those that there are`(member: String, message: String) {
    let error = #expect(throws: AuditError.self) { try project("{\n\"os\": \"ios18\",\n\(member)}") }
    #expect(error?.description.hasSuffix("line 3: there is no key \(message)") == true)
  }

  @Test(arguments: [
    (#"{"os": "ios99"}"#, "Known releases include ios9"),
    (#"{"accepted": [{"host": "a", "rule": "ATS-CTT", "reason": "b", "expires": "2027-01-31"}]}"#, "did you mean ATS-CT?"),
    (#"{"accepted": [{"host": "a", "rule": "ats-tls", "reason": "b", "expires": "2027-01-31"}]}"#, "did you mean ATS-TLS-VERSION?"),
    (#"{"accepted": [{"host": "a", "rule": "NOPE", "reason": "b", "expires": "2027-01-31"}]}"#, "'atscope explain' lists the rules"),
    (#"{"accepted": [{"host": "a", "rule": "lint-alias", "reason": "", "expires": "2027-01-31"}]}"#, #""reason" is empty"#),
    (#"{"accepted": [{"host": "a", "rule": "trust", "reason": "b", "expires": "soon"}]}"#, "not a day such as 2027-01-31"),
    (#"{"os": "ios18"} x"#, "line 1, byte 16: unexpected byte 120"),
  ])
  func `the error of a value says what is valid`(text: String, expected: String) {
    let error = #expect(throws: AuditError.self) { try project(text) }
    #expect(error?.description.contains(expected) == true)
  }

  @Test func `a finding is accepted up to and including its last day`() throws {
    let text =
      #"{"accepted": [{"host": "a", "rule": "ATS-CT", "reason": "c", "expires": "2027-01-31"}]}"#
    let project = try project(text)
    let lastSecond = try #require(Timestamp(iso8601: "2027-01-31T23:59:59Z"))
    #expect(project.accepted(at: lastSecond).valid.count == 1)
    #expect(project.accepted(at: lastSecond).expired.isEmpty)
    let nextDay = try #require(Timestamp(day: "2027-02-01"))
    #expect(project.accepted(at: nextDay).valid.isEmpty)
    #expect(project.accepted(at: nextDay).expired.count == 1)
  }

  @Test func `an accepted finding covers hosts that match its pattern, with or without a port`() throws {
    let text =
      #"{"accepted": [{"host": "*.example.com", "rule": "ATS-CT", "reason": "c", "expires": "2027-01-31"},"#
      + #"{"host": "b.example:8443", "rule": "ATS-CT", "reason": "c", "expires": "2027-01-31"}]}"#
    let accepted = try project(text).accepted
    #expect(accepted[0].covers(rule: "ATS-CT", host: "A.Example.com", port: 443))
    #expect(!accepted[0].covers(rule: "ATS-PFS", host: "a.example.com", port: 443))
    #expect(!accepted[0].covers(rule: "ATS-CT", host: "example.com", port: 443))
    #expect(accepted[1].covers(rule: "ATS-CT", host: "b.example", port: 8443))
    #expect(!accepted[1].covers(rule: "ATS-CT", host: "b.example", port: 443))
  }

  @Test(arguments: ["2001:db8::1", "[2001:DB8::1]", "[2001:db8::1]:443", "[2001:db8::*", "*:443"])
  func `IPv6 addresses match in the notation of reports`(host: String) throws {
    let text =
      #"{"accepted": [{"host": "\#(host)", "rule": "ATS-CT", "reason": "c", "expires": "2027-01-31"}]}"#
    let accepted = try #require(try project(text).accepted.first)
    #expect(accepted.covers(rule: "ATS-CT", host: "2001:db8::1", port: 443))
    #expect(!accepted.covers(rule: "ATS-CT", host: "2001:db9::1", port: 80))
  }

  @Test func `sha256 is the digest of the bytes, and a project file that was found must be a regular file`() throws {
    let scratch = try TemporaryFolder()
    let file = try scratch.write(".atscope.json", "{}")
    let found = try ProjectFile(reading: file, isFound: true)
    #expect(found.sha256 == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a")
    #expect(throws: AuditError.self) { try ProjectFile(reading: scratch.path, isFound: true) }
  }
}
