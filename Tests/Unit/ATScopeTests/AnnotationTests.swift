import ByteParsing
import Foundation
import RepositoryFiles
import Testing

@testable import ATScope

@Suite struct AnnotationTests {
  private static func options(_ inputs: [String]) -> AuditOptions {
    var options = AuditOptions(paths: inputs)
    options.anchors = .none
    return options
  }

  /// The copy of a capture with its comments.
  private static func annotated(_ input: String) throws -> (Bytes, Annotation.Result) {
    var output = Bytes()
    let result = try Annotation(options([input])).write { bytes in
      output.append(contentsOf: copy bytes)
      return true
    }
    return (output, result)
  }

  /// The session lines of an audit, without the name of the file.
  private static func sessions(_ input: String) -> [String] {
    var report = ReportOptions()
    report.format = .ndjson
    var output = Bytes()
    _ = Audit(options([input])).write(report) { bytes in
      output.append(contentsOf: copy bytes)
      return true
    }
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
    #expect(counts.omittedComments == 0)
    #expect(counts.lateComments == 0)
    let scratch = try Scratch()
    let copy = try scratch.write("copy.pcapng", bytes)
    #expect(Self.sessions(copy) == Self.sessions(input))
    #expect(try Self.annotated(copy).0 == bytes)
  }

  @Test func `several captures and saved sessions are rejected`() throws {
    let scratch = try Scratch()
    let saved = try scratch.write("saved.ndjson", "{\"schema\":\"atscope.run/1\"}\n")
    #expect(throws: AuditError.self) { _ = try Annotation(Self.options([saved])) }
    let one = Repository.path("captures/demo/demo.pcapng")
    #expect(throws: AuditError.self) { _ = try Annotation(Self.options([one, one])) }
  }
}
