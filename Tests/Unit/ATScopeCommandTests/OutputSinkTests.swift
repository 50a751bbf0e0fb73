import ByteParsing
import Testing

@testable import ATScopeCommand

/// Where results go.
@Suite struct OutputSinkTests {
  @Test func `a dash is standard output and no file of that name`() throws {
    try #require(!OutputSink.exists("-"))
    try OutputSink("-").finish(Bytes())
    #expect(!OutputSink.exists("-"))
  }

  @Test(arguments: [true, false])
  func `a file appears when it is whole, also where the file system has no nameless files`(isNameless: Bool)
    throws
  {
    let path = "/tmp/atscope-sink-\(isNameless)-\(UInt64.random(in: 0...UInt64.max))"
    let sink = try OutputSink(path, usesNamelessFiles: isNameless)
    #expect(sink.write(Bytes("report".utf8)))
    #expect(!OutputSink.exists(path))
    try sink.close(isWhole: true)
    #expect(OutputSink.exists(path))
    let dropped = try OutputSink(path + "x", usesNamelessFiles: isNameless)
    #expect(dropped.write(Bytes("report".utf8)))
    #expect(throws: (any Error).self) { try dropped.close(isWhole: false) }
    #expect(!OutputSink.exists(path + "x"))
  }
}
