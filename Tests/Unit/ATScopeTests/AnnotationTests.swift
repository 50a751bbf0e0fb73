import ByteParsing
import Foundation
import TestFiles
import Testing

@testable import ATScope

@Suite struct AnnotationTests {
  private static func options(_ inputs: [String]) -> AuditOptions {
    var options = AuditOptions(paths: inputs)
    options.judging.anchors = .none
    return options
  }

  /// The copy of a capture with its comments.
  private static func annotated(_ input: String, _ anchors: TrustAnchors = .none) throws -> (Bytes, Annotation.Counts) {
    var output = Bytes()
    var options = options([input])
    options.judging.anchors = anchors
    let result = try Annotation(options).write { output += $0 }
    return (output, result)
  }

  /// The session lines of an audit, without the name of the file.
  private static func sessions(_ input: String) -> [String] {
    var report = ReportOptions()
    report.format = .ndjson
    var output = Bytes()
    _ = Audit(options([input])).write(report) { output += $0 }
    return String(decoding: output, as: UTF8.self).split(separator: "\n")
      .filter { $0.hasPrefix("{\"schema\":\"atscope.session/1\"") }
      .map { $0.replacingOccurrences(of: input, with: "FILE") }
  }

  @Test(arguments: [
    "demo/demo.pcapng", "tls10/static-rsa.pcap", "http/post.pcap", "variants/hosts/hostile-names.pcap",
  ])
  func `the annotated copy is judged like the capture, and annotating it again changes nothing`(name: String) throws {
    let input = Repository.path("captures/\(name)")
    let (bytes, counts) = try Self.annotated(input)
    #expect(counts.comments > 0)
    #expect(String(decoding: bytes, as: UTF8.self).components(separatedBy: "atscope RUN ").count == 2)
    #expect(counts.omittedComments == 0)
    #expect(counts.lateComments == 0)
    let scratch = try TemporaryFolder()
    let copy = try scratch.write("copy.pcapng", bytes)
    #expect(Self.sessions(copy) == Self.sessions(input))
    #expect(try Self.annotated(copy).0 == bytes)
  }

  @Test func `the comments of a run under another policy are replaced`() throws {
    let input = Repository.path("captures/demo/demo.pcapng")
    let scratch = try TemporaryFolder()
    let (bytes, before) = try Self.annotated(input)
    let copy = try scratch.write("copy.pcapng", bytes)
    let anchors = try TrustAnchors(system: .none, added: [Repository.path("captures/anchors/example-ca.pem")])
    let again = try Self.annotated(copy, anchors)
    #expect(try Self.annotated(input, anchors).0 == again.0)
    #expect(again.0 != bytes)
    #expect(again.1.replacedComments == before.comments)
  }

  @Test func `a part of a rotated capture without packets is not another capture`() throws {
    let whole = Bytes(try Data(contentsOf: URL(fileURLWithPath: Repository.path("captures/tls10/static-rsa.pcap"))))
    let end = (0..<5).reduce(24) { start, _ in start + 16 + Int(whole[start + 8]) + Int(whole[start + 9]) << 8 }
    let empty = Bytes(whole[..<24])
    func counts(_ middle: Bytes) throws -> Annotation.Counts {
      let parts = [Bytes(whole[..<end]), middle, empty + whole[end...]]
      var options = Self.options([])
      options.inputs = parts.enumerated().map { AuditInput(bytes: $1, named: "a.pcap\($0 + 1)") }
      options.reading.series = .auto
      return try Annotation(options).write { _ in }
    }
    #expect(try counts(empty).packets == 19)
    #expect(try counts(empty).comments > 0)
    #expect(throws: AuditError.self) { _ = try counts(whole) }
  }

  @Test func `the comment on the run names only key logs that were used`() throws {
    let scratch = try TemporaryFolder()
    var options = Self.options([Repository.path("captures/tls13/x25519.pcap")])
    options.reading.keyLogs = [
      try scratch.write("unusable.keylog", "nothing\n"), scratch.path + "/absent.keylog", Repository.path("captures/tls13/x25519.keylog"),
    ]
    var output = Bytes()
    let counts = try Annotation(options).write { output += $0 }
    let text = String(decoding: output, as: UTF8.self)
    #expect(text.contains("key log \(options.reading.keyLogs[2])"))
    #expect(!text.contains("unusable.keylog") && !text.contains("absent.keylog"))
    #expect(counts.outcome.faults.count == 2 && counts.comments > 0)
  }

  @Test func `several captures and saved sessions are rejected`() throws {
    let scratch = try TemporaryFolder()
    let saved = try scratch.write("saved.ndjson", "{\"schema\":\"atscope.run/1\"}\n")
    #expect(throws: AuditError.self) { _ = try Annotation(Self.options([saved])) }
    let one = Repository.path("captures/demo/demo.pcapng")
    #expect(throws: AuditError.self) { _ = try Annotation(Self.options([one, one])) }
  }
}
