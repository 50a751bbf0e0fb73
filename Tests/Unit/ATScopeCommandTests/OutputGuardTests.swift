import ArgumentParser
import Testing

@testable import ATScopeCommand

@Suite struct OutputGuardTests {
  @Test(arguments: [
    ["-", "-"], ["-", "--keylog", "-"], ["-", "--files-from", "-"], ["--files-from", "-", "--anchors", "-"],
    ["a.pcap", "--info-plist", "-", "--revocations", "-"], ["a.pcap", "--info-plist", "-", "--info-plist", "Mail=-"],
  ]) func `only one input can be standard input`(arguments: [String]) {
    #expect(throws: (any Error).self) { try AuditCommand.parse(arguments) }
  }

  @Test(arguments: [["-", "--keylog", "keys.log"], ["--files-from", "-"], ["a.pcap", "--info-plist", "-"]])
  func `one input can be standard input`(arguments: [String]) {
    #expect(throws: Never.self) { try AuditCommand.parse(arguments) }
  }

  @Test func `every command refuses to read standard input twice`() {
    #expect(throws: (any Error).self) { try DiffCommand.parse(["-", "-"]) }
    #expect(throws: (any Error).self) { try LintCommand.parse(["-", "-"]) }
    #expect(throws: (any Error).self) { try SessionsCommand.parse(["-", "--keylog", "-"]) }
    #expect(throws: (any Error).self) { try ExtractCommand.parse(["--files-from", "-", "--keylog", "-", "-o", "out.pcap"]) }
  }
}
