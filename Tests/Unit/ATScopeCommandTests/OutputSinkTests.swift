import ByteParsing
import Foundation
import TestFiles
import Testing

@testable import ATScopeCommand

/// Tests the destinations of results.
@Suite struct OutputSinkTests {
  @Test func `a dash is standard output, not a file of that name`() throws {
    try #require(!OutputSink.exists("-"))
    try OutputSink("-").finish(Bytes())
    #expect(!OutputSink.exists("-"))
  }

  @Test(arguments: [true, false])
  func `a file appears once it is complete, even on file systems without unnamed temporary files`(isNameless: Bool)
    throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path + "/report"
    let sink = try OutputSink(path, usesNamelessFiles: isNameless)
    #expect(sink.write(Bytes("report".utf8)))
    #expect(!OutputSink.exists(path))
    try sink.close(isWhole: true)
    #expect(FileManager.default.contents(atPath: path) == Data("report".utf8))

    // An existing file keeps its bytes until the new ones are complete, and keeps its permissions.
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    let dropped = try OutputSink(path, usesNamelessFiles: isNameless)
    #expect(dropped.write(Bytes("half".utf8)))
    #expect(throws: (any Error).self) { try dropped.close(isWhole: false) }
    #expect(FileManager.default.contents(atPath: path) == Data("report".utf8))
    let other = try OutputSink(path, usesNamelessFiles: isNameless)
    #expect(other.write(Bytes("other".utf8)))
    try other.close(isWhole: true)
    #expect(FileManager.default.contents(atPath: path) == Data("other".utf8))
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o640)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["report"])
  }
}
