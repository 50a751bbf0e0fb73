import ByteParsing
import Foundation
import SessionModel
import TestBytes
import TestFiles
import Testing

@testable import ATScope

/// Tests the reading of pcapng files for their secrets, before they are read for their sessions.
@Suite struct InputReadingLookAheadTests {
  /// Deletes the archive once a session of its first member has been read.
  private struct Sink: SessionSink, ~Copyable {
    let archive: String
    var sessions = 0

    mutating func take(_ session: ObservedSession) {
      sessions += 1
      try? FileManager.default.removeItem(atPath: archive)
    }
  }

  @Test func `an archive is not opened again to look ahead in each member`() throws {
    let scratch = try TemporaryFolder()
    let capture = try scratch.write("a.pcap", ExtractionTests.capture(ExtractionTests.hello, .whole))
    var member = Extraction(AuditOptions(paths: [capture])).whole().bytes
    // A Decryption Secrets Block with an empty key log, after the packets.
    member += [10, 0, 0, 0, 24, 0, 0, 0, 0x4B, 0x53, 0x4C, 0x54, 4, 0, 0, 0, 10, 10, 10, 10, 24, 0, 0, 0]
    var zip = ZIPBuilder()
    for name in ["a.pcapng", "b.pcapng"] { zip.add(name, member) }
    let archive = try scratch.write("c.zip", zip.bytes)
    var sink = Sink(archive: archive)
    let outcome = Audit.read(AuditOptions(paths: [archive]), into: &sink)
    #expect(sink.sessions == 2)
    #expect(outcome.faults.isEmpty)
    #expect(!outcome.warnings.contains { $0.contains("key material") })
  }
}
