import ATScope
import ByteParsing
import Foundation
import TestFiles
import SeededRandom
import SessionRecords
import Testing

/// The captures of the project and their recorded reports.
///
/// `make golden` records the reports again.
enum Goldens {
  /// The folder of the package. Reports name captures by their path relative to it.
  static let root = Repository.root

  /// The path of every capture in `captures`, relative to the root, sorted by bytes.
  static let captures: [String] = {
    // Reports name an input as it was given, so the paths must be relative to the root.
    guard FileManager.default.changeCurrentDirectoryPath(root.path()) else { return [] }
    let files = FileManager.default.enumerator(atPath: "captures")
    var found: [String] = []
    while let path = files?.nextObject() as? String {
      if path.hasSuffix(".pcap") || path.hasSuffix(".pcapng") { found.append("captures/\(path)") }
    }
    return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }()

  /// The anchors that golden.py uses: the captures' CA as an added anchor, and no system root store.
  static let anchors: TrustAnchors = {
    guard FileManager.default.changeCurrentDirectoryPath(root.path()),
      let anchors = try? TrustAnchors(system: .none, added: ["captures/anchors/example-ca.pem"])
    else { return .none }
    return anchors
  }()

  /// The text report under the default policy of ATS.
  static func text(_ inputs: [String], width: Int) -> Bytes {
    var options = ReportOptions()
    options.width = width
    return report(inputs, options)
  }

  /// The report of a capture under the default policy of ATS.
  static func report(_ inputs: [String], _ format: ReportOptions.Format) -> Bytes {
    var options = ReportOptions()
    options.format = format
    return report(inputs, options)
  }

  /// Expects bytes to equal a recorded file.
  static func expect(_ actual: Bytes, equals path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let expected = try Bytes(Data(contentsOf: root.appending(path: path)))
    // The macro would print both.
    let isSame = actual == expected
    #expect(isSame, "\(path) has changed; make golden records it again", sourceLocation: sourceLocation)
  }

  /// Audits a capture whose path is relative to `captures`.
  static func audited(_ capture: String) throws -> Audit.JudgedSessions {
    // `captures` changes the current directory to the root.
    try #require(captures.count > 100)
    return Audit(AuditOptions(paths: ["captures/" + capture])).run()
  }

  private static func report(_ inputs: [String], _ options: ReportOptions) -> Bytes {
    var options = options
    // The command's defaults.
    options.recorded = [
      RunRecord.Setting("fail-on", .text("fail")), RunRecord.Setting("strict", .boolean(false)),
    ]
    var audit = AuditOptions(paths: inputs)
    audit.judging.anchors = anchors
    var output = Bytes()
    _ = Audit(audit).write(options) { output += $0 }
    return output
  }
}

@Suite struct GoldenReportTests {
  @Test func `there are more than 100 captures`() {
    #expect(Goldens.captures.count > 100)
  }

  @Test(arguments: Goldens.captures)
  func `the report of a capture equals the recorded one, byte for byte`(capture: String) throws {
    try Goldens.expect(Goldens.report([capture], .json), equals: capture + ".json")
  }

  @Test(arguments: ReportOptions.Format.allCases)
  func `the report of hostile names equals the recorded one in every format`(format: ReportOptions.Format) throws {
    let capture = "captures/variants/hosts/hostile-names.pcap"
    let endings: [ReportOptions.Format: String] = [.text: "txt", .junit: "xml", .markdown: "md"]
    let ending = endings[format] ?? format.rawValue
    try Goldens.expect(Goldens.report([capture], format), equals: "\(capture).\(ending)")
  }

  @Test(
    arguments: [
      (
        "resumed-elsewhere",
        ["captures/variants/resumed-elsewhere/first.pcap", "captures/variants/resumed-elsewhere/later.pcap"]
      ),
      (
        "missing-intermediate",
        ["captures/certificates/wildcard.pcap", "captures/certificates/missing-intermediate.pcap"]
      ),
      ("rotated", ["captures/variants/rotated"]),
    ], [ReportOptions.Format.json, .text])
  func `the report of several captures equals the recorded one`(
    _ run: (name: String, inputs: [String]), format: ReportOptions.Format
  ) throws {
    let ending = format == .json ? "json" : "txt"
    try Goldens.expect(Goldens.report(run.inputs, format), equals: "captures/together/\(run.name).\(ending)")
  }

  @Test func `an intercepting proxy makes a comparison worse, as recorded`() throws {
    // `captures` changes the current directory to the root.
    #expect(!Goldens.captures.isEmpty)
    var options = AuditOptions(inputs: ["captures/intercepted/through-proxy.pcap"])
    options.judging.anchors = try TrustAnchors(system: .file("captures/intercepted/root.pem"))
    let comparison = try Comparison(options, baseline: "captures/intercepted/without-proxy.pcap").run()
    let actual = comparison.rendered(.text, width: 80, useColor: false)
    try Goldens.expect(actual, equals: "captures/together/intercepted.diff.txt")
    let words = String(decoding: actual, as: UTF8.self).split { $0 == " " || $0 == "\n" }.joined(
      separator: " ")
    #expect(words.contains("system root -> no trusted root: the chain no longer leads to a public root"))
    #expect(words.contains("the certificate is issued by another organization"))
    #expect(comparison.isWorse)
  }

  @Test(arguments: TestEffort.part(of: Goldens.captures))
  func `saved sessions give the same session lines as the capture`(capture: String) throws {
    let audited = Goldens.report([capture], .ndjson)
    let file = try TemporaryFile(audited)
    let again = Goldens.report([file.path], .ndjson)
    let lines = sessionLines(audited)
    let isSame = lines == sessionLines(again)
    #expect(isSame)
    let summary = try #require(audited.split(separator: 0x0A).last)
    let members = try #require(try JSONSerialization.jsonObject(with: Data(summary)) as? [String: Any])
    #expect(members["sessions"] as? Int == lines.count)
  }

  private func sessionLines(_ report: Bytes) -> [Bytes] {
    let start = Bytes("{\"schema\":\"atscope.session/1\"".utf8)
    return report.split(separator: 0x0A).map { Bytes($0) }.filter { $0.starts(with: start) }
  }
}
