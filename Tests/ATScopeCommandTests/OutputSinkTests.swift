import ByteParsing
import Testing

@testable import ATScopeCommand

/// Where results go.
@Suite struct OutputSinkTests {
  @Test func `a dash is standard output and no file of that name`() throws {
    try #require(!OutputSink.exists("-"))
    try OutputSink.writeResult(Bytes(), to: "-")
    #expect(!OutputSink.exists("-"))
  }
}
