import ATScope
import ByteParsing
import Foundation
import SessionModel
import TestBytes
import Testing

/// Tests that inputs in memory are read like files with the same bytes.
@Suite struct AuditOptionsInMemoryTests {
  private static func bytes(_ path: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(filePath: path)))
  }

  private static func lines(_ options: AuditOptions) -> [String] {
    var report = ReportOptions()
    report.format = .ndjson
    var output = Bytes()
    let outcome = Audit(options).write(report) { output += $0 }
    return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
      + outcome.faults.map(\.description) + outcome.warnings
  }

  @Test(arguments: [
    "captures/demo/demo.pcapng", "captures/tls12/ecdhe-rsa-gcm.pcap", "captures/variants/format/cut-at-end.pcap",
    "README.md",
  ])
  func `bytes in memory have the same results and faults as a file`(path: String) throws {
    let file = Self.lines(AuditOptions(paths: [path]))
    let memory = Self.lines(AuditOptions(bytes: try Self.bytes(path), named: path))
    #expect(file.count > 1)
    #expect(memory == file)
  }

  @Test func `an archive in memory is searched, and the names of its members begin with its name`() throws {
    var zip = ZIPBuilder()
    zip.add("a/b.pcap", Bytes(try Self.bytes("captures/tls12/ecdhe-rsa-gcm.pcap")))
    let options = AuditOptions(bytes: zip.bytes, named: "upload.zip")
    let sessions = try Audit(options).sessions()
    #expect(sessions.map(\.session.file) == ["upload.zip!a/b.pcap"])
  }

  @Test func `several inputs in memory are several captures`() throws {
    var options = AuditOptions(bytes: try Self.bytes("captures/tls12/ecdhe-rsa-gcm.pcap"), named: "a")
    options.inputs.append(AuditInput(bytes: try Self.bytes("captures/tls10/static-rsa.pcap"), named: "b"))
    #expect(try Audit(options).sessions().map(\.session.file) == ["a", "b"])
  }

  @Test func `inputs in memory with the same name are all read`() throws {
    var options = AuditOptions(bytes: try Self.bytes("captures/tls12/ecdhe-rsa-gcm.pcap"), named: "a")
    options.inputs.append(AuditInput(bytes: try Self.bytes("captures/tls10/static-rsa.pcap"), named: "a"))
    let sessions = try Audit(options).sessions()
    #expect(sessions.map(\.session.file) == ["a", "a"])
    #expect(Set(sessions.map(\.session.sharedTLS?.sharedServerHello?.version)).count == 2)
  }

  @Test func `an extract lists the name of inputs in memory of which it contains only the first`() throws {
    let first = AuditInput(bytes: try Self.bytes("captures/tls12/ecdhe-rsa-gcm.pcap"), named: "a")
    let second = AuditInput(bytes: try Self.bytes("captures/tls10/static-rsa.pcap"), named: "a")
    for (other, expected) in [(second, ["a"]), (first, [])] {
      let counts = Extraction(AuditOptions(inputs: [first, other])).write { _ in }
      #expect(counts.sessions == 2)
      #expect(counts.unrepeatableCaptures == expected)
    }
  }

  @Test func `an input in memory and a file with the same name are both read, in either order`() throws {
    let path = "captures/tls10/static-rsa.pcap"
    let memory = AuditInput(bytes: try Self.bytes("captures/tls12/ecdhe-rsa-gcm.pcap"), named: path)
    for inputs in [[AuditInput(path: path), memory], [memory, memory, AuditInput(path: path)]] {
      let sessions = try Audit(AuditOptions(inputs: inputs)).sessions()
      let alone = try inputs.flatMap { try Audit(AuditOptions(inputs: [$0])).sessions() }
      #expect(sessions.map(\.session.file) == inputs.map { _ in path })
      #expect(sessions.map(\.session.sharedTLS?.sharedServerHello?.version) == alone.map(\.session.sharedTLS?.sharedServerHello?.version))
      #expect(Set(sessions.map(\.session.sharedTLS?.sharedServerHello?.version)).count == 2)
    }
  }

  @Test func `an input keeps its name if inputs are reordered`() throws {
    var options = AuditOptions(paths: ["captures/tls12/ecdhe-rsa-gcm.pcap", "captures/tls10/static-rsa.pcap"])
    options.inputs[0].name = "first"
    options.inputs.reverse()
    #expect(try Audit(options).sessions().map(\.session.file) == ["captures/tls10/static-rsa.pcap", "first"])
  }

  @Test func `a file with the name of an input in memory is not read`() throws {
    let options = AuditOptions(bytes: [UInt8](), named: "captures/demo/demo.pcapng")
    #expect(throws: IncompleteRunError.self) { try Audit(options).sessions() }
  }

  @Test func `an extract of bytes in memory contains their sessions`() throws {
    let options = AuditOptions(
      bytes: try Self.bytes("captures/tls12/ecdhe-rsa-gcm.pcap"), named: "memory.pcap")
    var copy = Bytes()
    let extraction = Extraction(options).write { bytes in
      copy.append(contentsOf: bytes)
      return true
    }
    #expect(extraction.whyEmpty == nil)
    #expect(try Audit(AuditOptions(bytes: copy, named: "copy")).sessions().count == 1)
  }
}
