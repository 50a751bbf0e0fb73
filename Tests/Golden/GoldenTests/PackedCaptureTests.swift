import ATScope
import ByteParsing
import Foundation
import SessionModel
import SessionRecords
import Testing

/// Compressed captures, captures in archives and rotated captures.
@Suite struct PackedCaptureTests {
  private static let base = "captures/tls12/ecdhe-rsa-gcm.pcap"

  /// The session lines of a report, with the file's name replaced by that of the uncompressed capture.
  private func sessions(_ file: String, named name: String? = nil) -> [String] {
    let report = String(decoding: Goldens.report([file], .ndjson), as: UTF8.self)
    return report.split(separator: "\n").filter { $0.hasPrefix(#"{"schema":"atscope.session/1""#) }
      .map { $0.replacingOccurrences(of: name ?? file, with: PackedCaptureTests.base) }
  }

  @Test(arguments: [
    ("trace.pcap.gz", ""), ("trace.pcap.zst", ""), ("trace.pcap.lz4", ""), ("trace.pcap.xz", ""),
    ("trace.pcap.bz2", ""), ("bundle.tgz", "!bundle/logs/trace.pcap"),
    ("bundle.zip", "!bundle/logs/trace.pcap.gz"),
  ])
  func `a compressed or archived capture gives the same sessions as the uncompressed one`(file: String, member: String) {
    #expect(Goldens.captures.contains(PackedCaptureTests.base))
    let expected = sessions(PackedCaptureTests.base)
    let path = "captures/variants/packed/\(file)"
    let actual = sessions(path, named: path + member)
    let isSame = actual == expected
    #expect(isSame && !actual.isEmpty)
  }

  @Test func `a truncated compressed capture gives the session that it contains, and a fault`() throws {
    let audited = try Goldens.audited("variants/packed/cut.gz")
    #expect(audited.sessions.count == 1)
    #expect(audited.outcome.faults.count == 1)
    #expect(audited.outcome.summary.inputs.first?.error?.isTruncated == true)
  }

  @Test func `the files of a rotated capture are read as one`() throws {
    let whole = try Goldens.audited("variants/hosts/several-hosts.pcap")
    let parts = try Goldens.audited("variants/series")
    // The folder also contains the recorded reports of its captures.
    let captures = parts.outcome.summary.inputs.filter { $0.kind == .capture }
    #expect(captures.count == 1 && captures.first?.parts.count == 3)
    #expect(parts.sessions.map(\.session.firstFrame) == whole.sessions.map(\.session.firstFrame))
    #expect(parts.outcome.faults.isEmpty)
  }
}
