import ByteParsing
import Foundation
import SessionModel
import TestBytes
import TestFiles
import Testing

@testable import ATScope

/// Tests the reading of archives from pipes.
@Suite struct InputReadingArchivesTests {
  @Test func `captures of one name in an archive from a pipe have different names`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.fifo("pipe")
    let capture = ExtractionTests.capture(ExtractionTests.hello, .whole)
    let tar = ArchiveBuilder.tar(["a.pcap", "a.pcap (2)", "a.pcap", "a.pcap"].map { ($0, capture, "0") })
    Thread.detachNewThread { FileHandle(forWritingAtPath: path)?.write(Data(tar)) }
    let sessions = Audit(AuditOptions(paths: [path])).run().sessions
    #expect(sessions.map(\.session.file) == ["a.pcap", "a.pcap (2)", "a.pcap (3)", "a.pcap (4)"].map { "\(path)!\($0)" })
  }
}
