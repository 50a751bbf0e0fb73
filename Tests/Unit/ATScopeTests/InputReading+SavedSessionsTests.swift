import ByteParsing
import PacketFiltering
import SessionModel
import TestFiles
import Testing
import Values

@testable import ATScope

/// Tests that saved sessions are read line by line, and that no line is skipped silently.
@Suite struct InputReadingSavedSessionsTests {
  /// The lines that an audit of a capture with one session saves: the run, the session, the summary.
  private static func saved(_ scratch: TemporaryFolder) throws -> [String] {
    try audited(try scratch.write("a.pcap", ExtractionTests.capture(ExtractionTests.hello, .whole)))
  }

  private static func audited(_ file: String) throws -> [String] {
    var report = ReportOptions()
    report.format = .ndjson
    var output = Bytes()
    _ = Audit(AuditOptions(paths: [file])).write(report) { output += $0 }
    return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test(arguments: [("atscope.session/1", "atscope.session/2"), ("atscope.run/1", "atscope.run/9")])
  func `a record with another schema version is reported, and the others are read`(known: String, other: String) throws {
    let scratch = try TemporaryFolder()
    let lines = try Self.saved(scratch)
    #expect(lines.count == 3)
    let changed = lines.map { line in
      line.hasPrefix("{\"schema\":\"\(known)\"") ? other + line.dropFirst(11 + known.count) : ""
    }
    let index = try #require(changed.firstIndex { !$0.isEmpty })
    let file = try scratch.write(
      "b.ndjson",
      (lines + ["{\"schema\":\"" + changed[index], "{\"schema\":\"\(other)\"}", ""]).joined(separator: "\n"))
    let audited = Audit(AuditOptions(paths: [file])).run()
    let (sessions, outcome) = (audited.sessions, audited.outcome)
    #expect(sessions.count == 1)
    #expect(
      outcome.faults.map(\.description) == [
        "\(file): line 4: a record with the schema \(other), which this version does not read, nor 1 more such line"
      ])
  }

  @Test
  func `an extract of saved sessions requires their capture among the inputs`() throws {
    let scratch = try TemporaryFolder()
    let file = try scratch.write("b.ndjson", try Self.saved(scratch).joined(separator: "\n"))
    let alone = Extraction(AuditOptions(paths: [file])).whole()
    #expect(alone.result.capturesWithoutPackets == [scratch.path + "/a.pcap"])
    #expect(alone.result.sessions == 1 && alone.result.copiedSessions == 0)
    #expect(alone.result.unrepeatableCaptures.isEmpty)
    #expect(alone.result.whyEmpty == "the inputs are saved sessions, which contain no packets")
    #expect(
      alone.result.adviceOnSavedSessions
        == "\(file): saved sessions contain no packets: give the capture itself (\(scratch.path)/a.pcap)")
    let beside = Extraction(AuditOptions(paths: [file, scratch.path + "/a.pcap"])).whole()
    #expect(beside.result.capturesWithoutPackets.isEmpty && beside.result.copiedSessions == beside.result.sessions)
    #expect(beside.result.packets > 0)
    #expect(beside.result.whyEmpty == nil)
    #expect(beside.result.adviceOnSavedSessions == nil)
    #expect(beside.result.outcome.warnings.isEmpty)
  }

  @Test
  func `saved sessions given with their capture are reported as counted twice`() throws {
    let scratch = try TemporaryFolder()
    let file = try scratch.write("b.ndjson", try Self.saved(scratch).joined(separator: "\n"))
    let capture = scratch.path + "/a.pcap"
    let warnings = Audit(AuditOptions(paths: [file, capture])).run().outcome.warnings
    #expect(warnings == ["1 session of \(capture) is also in \(file), so it counts twice"])
  }

  @Test
  func `saved sessions have a span of time, by which reports recognize old captures`() throws {
    let scratch = try TemporaryFolder()
    let capture = "captures/demo/demo.pcapng"
    let file = try scratch.write("b.ndjson", try Self.audited(Repository.path(capture)).joined(separator: "\n"))
    let sessions = Audit(AuditOptions(paths: [file])).run()
    let input = try #require(sessions.outcome.summary.inputs.first)
    #expect(input.firstTime != nil && input.firstTime == sessions.sessions.compactMap(\.session.start).min())
    #expect(input.lastTime != nil && input.lastTime == sessions.sessions.compactMap(\.session.end).max())
  }

  @Test
  func `saved sessions are read without a fault`() throws {
    let scratch = try TemporaryFolder()
    let file = try scratch.write("b.ndjson", try Self.saved(scratch).joined(separator: "\n"))
    let audited = Audit(AuditOptions(paths: [file])).run()
    let (sessions, outcome) = (audited.sessions, audited.outcome)
    #expect(sessions.count == 1)
    #expect(outcome.faults.isEmpty)
  }

  @Test
  func `options that select packets reject saved sessions, and other inputs are judged`() throws {
    let scratch = try TemporaryFolder()
    let file = try scratch.write("b.ndjson", try Self.saved(scratch).joined(separator: "\n"))
    var options = AuditOptions(paths: [file, scratch.path + "/a.pcap"])
    options.reading.filter = try PacketFilter("tcp")
    options.reading.to = Timestamp(seconds: 4_000_000_000)
    let audited = Audit(options).run()
    #expect(audited.sessions.count == 1)
    #expect(
      audited.outcome.faults.map(\.description) == [
        "\(file): contains saved sessions, which have no packets for --filter and --to to select; give the capture instead"
      ])
  }

  @Test
  func `saved sessions without the summary of their run are truncated`() throws {
    let scratch = try TemporaryFolder()
    let lines = try Self.saved(scratch)
    let file = try scratch.write("b.ndjson", lines.dropLast().joined(separator: "\n") + "\n")
    var options = AuditOptions(paths: [file])
    let text = "\(file): line 2: the file ends without the summary of its run, so sessions may be missing"
    let audited = Audit(options).run()
    #expect(audited.sessions.count == 1)
    #expect(audited.outcome.faults.map(\.description) == [text])
    options.reading.allowsIncomplete = true
    let outcome = Audit(options).run().outcome
    #expect(outcome.faults.isEmpty && outcome.warnings == [text])
  }

  @Test
  func `saved sessions that end within a line are truncated, and a line that ends within a value is damaged`() throws {
    let scratch = try TemporaryFolder()
    let lines = try Self.saved(scratch)
    for (ending, isTruncated) in [("", true), ("\n", false)] {
      let file = try scratch.write("b.ndjson", "\(lines[0])\n\(lines[1].dropLast(20))\(ending)")
      var options = AuditOptions(paths: [file])
      options.reading.allowsIncomplete = true
      let outcome = Audit(options).run().outcome
      #expect((outcome.faults.isEmpty, outcome.warnings.isEmpty) == (isTruncated, !isTruncated))
    }
  }

  @Test func `sessions that two runs in a file have in common are reported`() throws {
    let scratch = try TemporaryFolder()
    let lines = try Self.saved(scratch)
    let file = try scratch.write("b.ndjson", (lines + lines).joined(separator: "\n"))
    #expect(
      Audit(AuditOptions(paths: [file])).run().outcome.warnings == [
        "1 session of \(file), run 2 is also in \(file), so it counts twice"
      ])
  }

  @Test
  func `saved sessions are truncated if the summary counts more`() throws {
    let scratch = try TemporaryFolder()
    let lines = try Self.saved(scratch)
    let file = try scratch.write(
      "b.ndjson", (lines + [lines[0], lines[2]]).joined(separator: "\n"))
    let outcome = Audit(AuditOptions(paths: [file])).run().outcome
    #expect(
      outcome.faults.map(\.description) == [
        "\(file): line 5: the file contains 1 of the 2 sessions in its summary"
      ])
  }

  @Test
  func `a summary with more sessions than can be counted is a fault`() throws {
    let scratch = try TemporaryFolder()
    let lines = try Self.saved(scratch)
    let most = #"{"schema":"atscope.summary/1","sessions":\#(UInt64.max)}"#
    let file = try scratch.write("b.ndjson", (lines[0...1] + [most, lines[0], lines[2]]).joined(separator: "\n"))
    #expect(Audit(AuditOptions(paths: [file])).run().outcome.faults.count == 1)
  }

  @Test func `a summary of many inputs is longer than any session`() throws {
    let scratch = try TemporaryFolder()
    var lines = try Self.saved(scratch)
    lines[2].insert(contentsOf: String(repeating: " ", count: 17 << 20), at: lines[2].index(before: lines[2].endIndex))
    let file = try scratch.write("b.ndjson", lines.joined(separator: "\n"))
    let audited = Audit(AuditOptions(paths: [file])).run()
    #expect(audited.outcome.faults.isEmpty && audited.sessions.count == 1)
  }

  @Test
  func `the faults of a saved run are reported again each time it is read`() throws {
    let scratch = try TemporaryFolder()
    let lines = try Self.saved(scratch)
    let input = { (name: String, counts: String, error: String) in
      #"{"error":\#(error),"file":"\#(name)","health":{\#(counts)},"kind":"capture","limits":{"heldBytes":2}}"#
    }
    let fault = #"{"text":"truncated at byte 5","offset":5,"cutOff":true}"#
    let summary = """
      {"inputs":[\(input("c.pcap", #""unknownLinkType.147":3,"notYetKnown":1"#, fault)),
      \(input("d\\\\x1b.pcap", #""unknownLinkType.147":4,"unreadableSections":1"#, "null"))],"limits":{"serversWithoutHandshake":7},
      "schema":"atscope.summary/1","sessions":1,
      "withoutHandshake":[{"server":{"address":"192.0.2.1","port":443},"connections":5}]}
      """.split(separator: "\n").joined()
    var file = try scratch.write("b.ndjson", (lines[0...1] + [summary]).joined(separator: "\n"))
    var text = "c.pcap: truncated at byte 5"
    for name in ["e.ndjson", "f.ndjson"] {
      var options = AuditOptions(paths: [file])
      let outcome = Audit(options).run().outcome
      text = "\(file): the saved run did not read everything: \(text)"
      #expect(outcome.faults.map(\.description) == [text])
      #expect(outcome.hitLimit)
      let read = try #require(outcome.summary.inputs.first)
      #expect(
        read.health.map { "\($0.count) \($0.text)" } == [
          "1 section of an unknown version", "1 item that only another version describes", "7 packets of unknown link type 147 (USER0)",
        ])
      #expect(read.limits.map(\.count) == [4])
      #expect(outcome.summary.withoutHandshake.map(\.connections) == [5])
      #expect(outcome.summary.limits.map(\.count) == [7])
      options.reading.allowsIncomplete = true
      #expect(Audit(options).run().outcome.faults.isEmpty)
      file = try scratch.write(name, try Self.audited(file).joined(separator: "\n"))
    }
  }

  @Test
  func `a saved run with several faults is incomplete, not damaged, and each fault is named`() throws {
    let scratch = try TemporaryFolder()
    let lines = try Self.saved(scratch)
    let faults = (1...12).map { (name: "\($0).pcap", text: $0 % 2 == 0 ? "truncated at byte 5" : "no such file") }
    let inputs = faults.map { fault in
      #"{"error":{"text":"\#(fault.text)","cutOff":\#(fault.text != "no such file")},"file":"\#(fault.name)","kind":"capture"}"#
    }
    let summary = #"{"inputs":[\#(inputs.joined(separator: ","))],"schema":"atscope.summary/1","sessions":1}"#
    let file = try scratch.write("b.ndjson", (lines[0...1] + [summary]).joined(separator: "\n"))
    var text = Bytes()
    let outcome = Audit(AuditOptions(paths: [file])).write(ReportOptions()) { text += $0 }
    let list = faults.map { "\($0.name): \($0.text)" }.joined(separator: "; ")
    #expect(outcome.faults.map(\.description) == ["\(file): the saved run did not read everything: \(list)"])
    #expect(String(decoding: text, as: UTF8.self).contains("\nIncomplete "))
  }

  @Test func `a name in the text of a fault is escaped once, in every report and however often it is saved`() throws {
    let scratch = try TemporaryFolder()
    let capture = ExtractionTests.capture(ExtractionTests.hello, .whole)
    let name = try scratch.write("a\u{1B}\\b.pcap", capture.dropLast(3))
    let shown = "a\\x1b\\\\b.pcap: truncated"
    var file = try scratch.write("b.ndjson", try Self.audited(name).joined(separator: "\n"))
    for saved in ["c.ndjson", "d.ndjson"] {
      var text = Bytes()
      var report = ReportOptions()
      report.width = 1000
      let outcome = Audit(AuditOptions(paths: [file])).write(report) { text += $0 }
      #expect(outcome.faults.map { $0.reason.contains(shown) } == [true])
      #expect(outcome.summary.inputs.first?.error?.text.contains(shown) == true)
      #expect(String(decoding: text, as: UTF8.self).contains(shown))
      let lines = try Self.audited(file)
      #expect(lines.last?.contains(shown.replacing("\\", with: "\\\\")) == true)
      file = try scratch.write(saved, lines.joined(separator: "\n"))
    }
  }

  @Test func `the first bytes of a file that is not a capture are escaped, so that a saved run can quote them`() throws {
    let scratch = try TemporaryFolder()
    var file = try scratch.write("a", "\\q\\z")
    for saved in ["b.ndjson", "c.ndjson"] {
      let outcome = Audit(AuditOptions(paths: [file])).run().outcome
      #expect(outcome.faults.map { $0.reason.hasSuffix(#"it begins with '\\q\\z'"#) } == [true])
      file = try scratch.write(saved, try Self.audited(file).joined(separator: "\n"))
    }
  }

  @Test func `a saved run names the QUIC versions that it did not read, each time it is read`() throws {
    let scratch = try TemporaryFolder()
    var file = Repository.path("captures/quic/other-version.pcap")
    for saved in ["b.ndjson", "c.ndjson"] {
      file = try scratch.write(saved, try Self.audited(file).joined(separator: "\n"))
      let counts = try #require(Audit(AuditOptions(paths: [file])).run().outcome.summary.inputs.first).health
      #expect(counts.first { $0.name == "quicOtherVersions" }?.text == "QUIC datagram of an unsupported version (Q050)")
    }
  }

  @Test func `a saved run with QUIC versions in many inputs keeps the first of them, escaped once`() throws {
    let scratch = try TemporaryFolder()
    let lines = try Self.saved(scratch)
    let inputs = (0..<40).map { #"{"file":"a","health":{"quicOtherVersions":1},"kind":"capture","quicVersionsNotRead":["\\\\v\#($0)"]}"# }
    let summary = #"{"inputs":[\#(inputs.joined(separator: ","))],"schema":"atscope.summary/1","sessions":1}"#
    let file = try scratch.write("b.ndjson", (lines[0...1] + [summary]).joined(separator: "\n"))
    var report = ReportOptions()
    report.width = 1000
    var text = Bytes()
    let outcome = Audit(AuditOptions(paths: [file])).write(report) { text += $0 }
    let count = try #require(outcome.summary.inputs.first?.health.first { $0.name == "quicOtherVersions" })
    #expect(count.count == 40)
    #expect(count.text.hasSuffix("versions (\((0..<16).map { #"\\v\#($0)"# }.joined(separator: ", ")), …)"))
    #expect(String(decoding: text, as: UTF8.self).contains("40 \(count.text)"))
  }

  @Test(arguments: [[0, 1, 2, 0, 1, 2], [0, 0, 1, 1, 2, 2], [1], [1, 2], [0, 1, 2, 1], [1, 0, 1, 2]])
  func `joined runs, sorted lines, and selected sessions without a run are complete`(indices: [Int]) throws {
    let scratch = try TemporaryFolder()
    let lines = try Self.saved(scratch)
    let file = try scratch.write("b.ndjson", indices.map { lines[$0] }.joined(separator: "\n"))
    let audited = Audit(AuditOptions(paths: [file])).run()
    #expect(audited.sessions.count == indices.count { $0 == 1 })
    #expect(audited.outcome.faults.isEmpty)
  }

  @Test
  func `a run that consists of its schema alone needs no summary`() throws {
    let scratch = try TemporaryFolder()
    let run = "{\"schema\":\"atscope.run/1\"}"
    let session = try Self.saved(scratch)[1]
    let file = try scratch.write("b.ndjson", [run, session, run, session].joined(separator: "\n"))
    #expect(Audit(AuditOptions(paths: [file])).run().outcome.faults.isEmpty)
  }

  @Test func `a baseline of another version is reported as a baseline`() throws {
    let scratch = try TemporaryFolder()
    let file = try scratch.write("b.json", "{\"schema\":\"atscope.baseline/2\"}")
    #expect(
      Audit(AuditOptions(paths: [file])).run().outcome.faults.map(\.description) == [
        "\(file): a baseline with the schema atscope.baseline/2; this version reads atscope.baseline/1"
      ])
  }

  @Test(arguments: ["{\"schema\":\"atscope.baseline/1\"}", "{\"schema\":\"atscope.run/1\",\"rejudgeable\":false}"])
  func `unreadable inputs are not reported as lacking handshakes`(text: String) throws {
    let scratch = try TemporaryFolder()
    let file = try scratch.write("b.ndjson", text)
    let outcome = Audit(AuditOptions(paths: [file])).run().outcome
    #expect(outcome.isUnread && outcome.warnings.isEmpty)
    let both = Audit(AuditOptions(paths: [file, file])).run().outcome
    #expect(!both.isUnread && both.warnings.contains("no session was judged: no input could be read"))
  }

  @Test
  func `links below a directory are not counted as other files`() throws {
    let scratch = try TemporaryFolder()
    let folder = scratch.path + "/folder"
    _ = try scratch.write("folder/notes.txt", "notes")
    _ = try scratch.write("a.pcap", ExtractionTests.capture(ExtractionTests.hello, .whole))
    try scratch.link("folder/link.pcap", to: scratch.path + "/a.pcap")
    let outcome = Audit(AuditOptions(paths: [folder])).run().outcome
    #expect(
      outcome.warnings.prefix(2) == [
        "skipped 1 file that is not a capture, such as \(folder)/notes.txt",
        "skipped 1 link that is not followed, such as \(folder)/link.pcap",
      ])
    #expect(outcome.summary.inputs.flatMap(\.health).map(\.name) == ["skippedFiles", "skippedLinks"])
  }

  @Test func `the error about sessions that were saved without certificates names the option`() throws {
    let scratch = try TemporaryFolder()
    let capture = try scratch.write("a.pcap", ExtractionTests.capture(ExtractionTests.hello, .whole))
    var report = ReportOptions()
    (report.format, report.judges, report.fields) = (.ndjson, false, .compact)
    var lines = Bytes()
    _ = Audit(AuditOptions(paths: [capture])).write(report) { lines += $0 }
    let outcome = Audit(AuditOptions(paths: [try scratch.write("b.ndjson", lines)])).run().outcome
    #expect(outcome.faults.map { $0.description.contains("saved with --fields compact") } == [true])
  }

  /// A capture with an intermediate, and one whose server does not send it.
  private static let completing = ["captures/tls12/dhe-rsa-gcm.pcap", "captures/certificates/missing-intermediate.pcap"]

  /// Returns the trust verdict of the host without an intermediate.
  private func trust(_ path: String) throws -> Finding.Outcome? {
    var options = AuditOptions(paths: [path])
    options.judging.anchors = try TrustAnchors(added: ["captures/anchors/example-ca.pem"])
    options.hosts = ["incomplete.example.com"]
    return try Audit(options).sessions().first?.judgement.findings.first { $0.rule == .certificateTrust }?.outcome
  }

  @Test func `an extract of one host has the session that shows its intermediate`() throws {
    var options = AuditOptions(paths: Self.completing)
    options.hosts = ["incomplete.example.com"]
    var bytes = Bytes()
    let result = Extraction(options).write { bytes += $0 }
    #expect(result.sessions == 1 && result.intermediateSessions == 1)
    let scratch = try TemporaryFolder()
    #expect(try trust(scratch.write("a.pcapng", bytes)) == .pass)
    #expect(try trust(Self.completing[1]) == .fail)
  }

  @Test func `a warning says that a file was saved without some sessions`() throws {
    let scratch = try TemporaryFolder()
    for isWhole in [true, false] {
      var options = AuditOptions(paths: Self.completing)
      if !isWhole { options.hosts = ["incomplete.example.com"] }
      var report = ReportOptions()
      (report.format, report.judges) = (.ndjson, false)
      var lines = Bytes()
      _ = Audit(options).write(report) { lines += $0 }
      let saved = try scratch.write("\(isWhole).ndjson", lines)
      let warnings = Audit(AuditOptions(paths: [saved])).run().outcome.warnings
      #expect(warnings.contains { $0.hasPrefix("\(saved): saved with only some sessions") } == !isWhole)
      #expect(try trust(saved) == (isWhole ? .pass : .fail))
    }
  }
}
