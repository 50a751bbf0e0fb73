import ByteParsing
import Foundation
import TestFiles
import Testing

@testable import ATScope

/// Tests runs that judge each unit of the inputs separately.
@Suite struct AuditIsolatedTests {
  private static let first = captures + "/variants/resumed-elsewhere/first.pcap"
  private static let later = captures + "/variants/resumed-elsewhere/later.pcap"
  private static let captures = Repository.path("captures")

  /// The NDJSON lines of a run, with their schemas without `atscope.`.
  private func lines(
    _ options: AuditOptions, _ fields: ReportOptions.Fields = .all
  ) -> [(schema: String, text: String)] {
    var report = ReportOptions()
    report.fields = fields
    report.format = .ndjson
    var output = Bytes()
    func add(_ bytes: Bytes) -> Bool {
      output += bytes
      return true
    }
    let audit = Audit(options)
    _ = options.reading.isIsolated ? audit.writeUnits(report, while: add) : audit.write(report, further: [], while: add)
    return String(decoding: output, as: UTF8.self).split(separator: "\n").map { line in
      (String(line.dropFirst(19).prefix { $0 != "/" }), String(line))
    }
  }

  private func isolated(_ inputs: [String] = [], list: String? = nil) throws -> [(
    schema: String, text: String
  )] {
    var options = AuditOptions(paths: inputs)
    options.reading.isIsolated = true
    let scratch = try TemporaryFolder()
    if let list {
      let file = try scratch.write("list", list)
      options.list = { () throws(AuditError) in try InputList(file, isNullSeparated: false) }
    }
    return lines(options)
  }

  @Test func `each input is judged as in a separate run`() throws {
    let inputs = [
      "/tls12/ecdhe-rsa-gcm.pcap", "/http/many-hosts.pcap", "/resumption/tls12-ticket.pcap",
      "/variants/resumed-elsewhere/first.pcap", "/variants/resumed-elsewhere/later.pcap", "/no-such.pcap",
    ].map { AuditIsolatedTests.captures + $0 }
    let together = try isolated(inputs)
    #expect(together.filter { $0.schema == "input" }.count == inputs.count)
    for schema in ["session", "summary"] {
      let alone = inputs.flatMap { lines(AuditOptions(paths: [$0])) }
      #expect(
        together.filter { $0.schema == schema }.map(\.text)
          == alone.filter { $0.schema == schema }.map(\.text))
    }
    #expect(together.filter { $0.text.contains("\"resumedFrom\"") }.isEmpty == false)
    // Sessions are linked across inputs only in a common run.
    let known = lines(AuditOptions(paths: [AuditIsolatedTests.first, AuditIsolatedTests.later]))
    #expect(
      known.contains { $0.text.contains("first.pcap\"}") || $0.text.contains("\"resumedFromCapture\"") })
  }

  @Test func `inputs of one unit are read as in one run`() throws {
    let (first, later) = (AuditIsolatedTests.first, AuditIsolatedTests.later)
    let list = """
      {"path":"\(first)","unit":"phone"}
      {"path":"\(later)","unit":"phone"}

      \(later)
      """
    let shown = try isolated(list: list)
    #expect(
      shown.map(\.schema) == [
        "run", "session", "input", "session", "input", "summary", "run", "session", "input", "summary",
      ])
    let together = lines(AuditOptions(paths: [first, later])).filter { $0.schema == "session" }.map(\.text)
    let alone = lines(AuditOptions(paths: [later])).filter { $0.schema == "session" }.map(\.text)
    #expect(shown.filter { $0.schema == "session" }.map(\.text) == together + alone)
    #expect(together[1] != alone[0])
    #expect(shown[0].text.contains("\"unit\":\"phone\""))
    #expect(!shown[6].text.contains("\"unit\":"))
  }

  @Test func `a list names inputs, and unusable entries are faults`() throws {
    let list = """
      {"path":"\(AuditIsolatedTests.later)","name":"s3://lab/ü 1.pcap","unit":null,"size":3}
      {"name":"no path"}
      {"path":
      """
    let scratch = try TemporaryFolder()
    let file = try scratch.write("list", list)
    var options = AuditOptions(inputs: [])
    options.reading.isIsolated = true
    options.list = { () throws(AuditError) in try InputList(file, isNullSeparated: false) }
    let shown = lines(options)
    #expect(shown.map(\.schema) == ["run", "session", "input", "summary"])
    #expect(shown[0].text.contains("\"inputs\":[\"s3://lab/ü 1.pcap\"]"))
    #expect(shown[1].text.contains("\"file\":\"s3://lab/ü 1.pcap\""))
    let outcome = Audit(options).writeUnits(ReportOptions()) { _ in true }
    #expect(outcome.faults.count == 2)
    #expect(outcome.faults.allSatisfy { $0.reason.contains("line ") })
  }

  @Test func `each unusable file is one fault, with units or without`()
    throws
  {
    let scratch = try TemporaryFolder()
    let empty = try scratch.write("list", "")
    for inputs in [[], [AuditIsolatedTests.first, AuditIsolatedTests.later]] {
      var options = AuditOptions(paths: inputs)
      options.reading.isIsolated = true
      options.reading.keyLogs = ["no-such.keylog"]
      options.unusable = [AuditError(file: "no-such.plist", "no such file or directory")]
      options.list = { () throws(AuditError) in try InputList(empty, isNullSeparated: false) }
      let faults = Audit(options).writeUnits(ReportOptions()) { _ in true }.faults
      #expect(faults.filter { $0.file == "no-such.plist" }.count == 1)
      #expect(faults.filter { $0.file == "no-such.keylog" }.count == 1)
    }
  }

  @Test func `a run line begins a unit of saved sessions`() throws {
    let scratch = try TemporaryFolder()
    let saved = [AuditIsolatedTests.first, AuditIsolatedTests.later].map { path in
      lines(AuditOptions(paths: [path])).map(\.text).joined(separator: "\n") + "\n"
    }
    let file = try scratch.write("saved.ndjson", saved.joined())
    let sessions = try isolated([file]).filter { $0.schema == "session" }.map(\.text)
    let before = saved.joined().split(separator: "\n").filter { $0.contains("atscope.session/1") }.map(
      String.init)
    #expect(sessions == before)
    var options = AuditOptions(paths: [file])
    options.reading.isIsolated = true
    let judged = lines(options, .judgement).filter { $0.schema == "judgement" }.map(\.text)
    #expect(judged.count == 2)
    #expect(judged.allSatisfy { $0.contains("\"ordinal\":0") })
  }

  @Test func `saved sessions are linked by their tickets like those of captures`() throws {
    let scratch = try TemporaryFolder()
    let saved = try [AuditIsolatedTests.first, AuditIsolatedTests.later].enumerated().map { index, capture in
      try scratch.write(
        "\(index)", lines(AuditOptions(paths: [capture])).map { $0.text + "\n" }.joined())
    }
    func sessions(_ options: AuditOptions) -> [String] {
      lines(options).filter { $0.schema == "session" }.map(\.text)
    }
    let together = sessions(AuditOptions(paths: [AuditIsolatedTests.first, AuditIsolatedTests.later]))
    #expect(together.last?.contains("\"resumedFromCapture\"") == true)
    #expect(sessions(AuditOptions(paths: saved)) == together)
    // Saved in one file, they are read back unchanged.
    let both = try scratch.write("both", together.map { $0 + "\n" }.joined())
    #expect(sessions(AuditOptions(paths: [both])) == together)
    // A session does not resume a handshake of a later input, or any other if sessions are not to be linked.
    let alone = sessions(AuditOptions(paths: [saved[1]]))
    #expect(sessions(AuditOptions(paths: saved.reversed())).first == alone.first)
    var unlinked = AuditOptions(paths: saved)
    unlinked.judging.anchors = try TrustAnchors(takesShownIntermediates: false)
    #expect(sessions(unlinked).last == alone.first)
  }

  @Test func `judgement records equal the judgements in session records`() {
    var options = AuditOptions(paths: [
      AuditIsolatedTests.captures + "/http/many-hosts.pcap", AuditIsolatedTests.first,
    ])
    for isIsolated in [false, true] {
      options.reading.isIsolated = isIsolated
      let whole = lines(options).filter { $0.schema == "session" }.map(\.text)
      let alone = lines(options, .judgement).filter { $0.schema == "judgement" }.map(\.text)
      #expect(whole.count == alone.count)
      for (session, judgement) in zip(whole, alone) {
        #expect(session.contains(judgement.components(separatedBy: ",\"ats\":")[1]))
        #expect(
          judgement.hasPrefix(
            "{\"schema\":\"atscope.judgement/1\",\"id\":" + session.dropFirst(35).prefix(18)))
      }
      let ordinals = alone.compactMap {
        $0.components(separatedBy: "\"ordinal\":").last?.prefix { $0 != "," }
      }
      #expect(ordinals.last == (isIsolated ? "0" : "\(whole.count - 1)"))
    }
  }

  @Test(arguments: ["one\u{0}two\nthree", "one\ntwo"])
  func `list entries are separated by line breaks or by NUL`(text: String) throws {
    let scratch = try TemporaryFolder()
    let file = try scratch.write("list", text)
    let isNullSeparated = text.contains("\u{0}")
    var list = try InputList(file, isNullSeparated: isNullSeparated)
    var paths: [String] = []
    while let entry = list.next() { paths.append(try entry.get().input.displayName) }
    #expect(paths == (isNullSeparated ? ["one", "two\nthree"] : ["one", "two"]))
  }

  @Test func `a list separated by NUL is rejected if lines are expected`() throws {
    let scratch = try TemporaryFolder()
    let file = try scratch.write("list", "one\u{0}two\u{0}")
    var list = try InputList(file, isNullSeparated: false)
    guard case .failure(let error) = list.next() else {
      Issue.record("not refused")
      return
    }
    #expect(error.description == "\(file): line 1 contains NUL; --null reads paths that end with NUL")
    #expect(list.next() == nil)
  }
}
