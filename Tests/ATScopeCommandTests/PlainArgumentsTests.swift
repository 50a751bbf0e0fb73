import ArgumentParser
import Testing
import TrustEvaluation

@testable import ATScope
@testable import ATScopeCommand

@Suite struct PlainArgumentsTests {
  /// All that a request says, as text; anchors by their kind and number, since they are megabytes.
  private static func text(_ request: AuditRequest) -> String {
    var request = request
    var text = "\(request.options.anchors.store.systemRoots) \(request.options.anchors.store.system.count)\n"
    request.options.anchors = .none
    dump(request, to: &text)
    return text
  }

  /// What ArgumentParser makes of the same arguments.
  private static func parsed(_ arguments: [String]) throws -> AuditRequest {
    let command = try #require(try ATScopeTool.parseAsRoot(arguments) as? AuditCommand)
    return try command.request()
  }

  @Test(arguments: [
    ["trace.pcap"], ["./captures"], ["-"], ["audit", "-"], ["audit", "captures"], ["audit", "sessions"],
    ["audit", "audit"], ["audit", "help"], ["a.pcap", "sessions"], ["a.pcap", "audit", "help"],
    ["a.pcap", "b.pcap", "a.pcap"], ["ünï.pcap"], ["é", "e\u{301}"], [" "], ["a b", "a=b", "@a", "Audit"],
    ["--os", "ios18", "sessions"],
    ["--format", "ndjson", "audit"], ["--format", "ndjson", "help", "x"],
    ["audit", "--format", "csv", "a.pcap"], ["a.pcap", "--format", "text"], ["--format", "json", "-"],
    ["-o", "out.html", "a.pcap", "--format", "html"], ["a.pcap", "--output", "no/such/folder/x"],
    ["--only-failures", "a.pcap", "--strict", "--allow-incomplete", "--digest", "--no-system-anchors"],
    ["--group-by", "session", "a.pcap"], ["a.pcap", "--group-by", "process"],
    ["--os", "ios9", "a.pcap"], ["--os", "macos10.15", "a.pcap"], ["--os", "iOS 26.5", "a.pcap"],
    ["--color", "always", "a.pcap", "--progress", "never"],
    ["--color", "auto", "--progress", "always", "a.pcap"],
  ])
  func `plain arguments ask for what the parser takes them for`(arguments: [String]) throws {
    var arguments = arguments
    // The roots of the machine are many: once is enough.
    if arguments != ["trace.pcap"], !arguments.contains("--no-system-anchors") {
      arguments.append("--no-system-anchors")
    }
    let plain = try #require(try? PlainArguments(arguments)?.request())
    #expect(
      PlainArgumentsTests.text(plain) == PlainArgumentsTests.text(try PlainArgumentsTests.parsed(arguments)))
  }

  @Test(arguments: [
    [], [""], ["audit"], ["a.pcap", ""], ["--strict"],
    // Commands, and what might be one.
    ["sessions", "a.pcap"], ["help"], ["help", "audit"], ["explain"], ["captures"], ["audi", "a.pcap"],
    // What ends or has its own meaning to the parser.
    ["--", "a.pcap"], ["a.pcap", "--", "b.pcap"], ["a.pcap", "--help"], ["a.pcap", "-h"], ["--version"],
    ["a.pcap", "--version"], ["--help-hidden", "a.pcap"], ["--experimental-dump-help"],
    ["--generate-completion-script", "bash"], ["---completion", "audit", "--", "--os"],
    // Options that are not known here, or not so.
    ["--host", "a.example", "a.pcap"], ["--form", "json", "a.pcap"], ["--format=json", "a.pcap"],
    ["-oout", "a.pcap"], ["-o=out", "a.pcap"], ["-x", "a.pcap"], ["---strict", "a.pcap"],
    ["-strict", "a.pcap"],
    ["--fail-on", "fail", "a.pcap"], ["--system-anchors", "ca.pem", "a.pcap"],
    ["--no-system-anchors", "--system-anchors", "ca.pem", "a.pcap"], ["--strict=1", "a.pcap"],
    ["-\u{301}", "a.pcap"], ["--os\u{301}", "ios18", "a.pcap"], ["-\u{301}x"],
    // Values that are wrong, missing or look like options.
    ["a.pcap", "--format"], ["--format", "--strict", "a.pcap"], ["--format", "", "a.pcap"],
    ["--format", "JSON", "a.pcap"], ["--format", "-", "a.pcap"], ["-o", "-", "a.pcap"], ["-o", "", "a.pcap"],
    ["--jobs", "1", "a.pcap"], ["--min-sessions", "1", "a.pcap"], ["--os", "ios99", "a.pcap"],
    ["--os", "x", "a.pcap"],
    ["--group-by", "server", "a.pcap"], ["--color", "yes", "a.pcap"], ["--progress", "on", "a.pcap"],
    // What is given twice.
    ["--strict", "--strict", "a.pcap"], ["--os", "ios18", "--os", "ios18", "a.pcap"],
    ["-o", "a", "--output", "b", "a.pcap"], ["-", "-"], ["a.pcap", "-", "b.pcap", "-"],
    // A result in the place of an input.
    ["Package.swift", "-o", "Package.swift"], ["Package.swift", "-o", "./Package.swift"],
  ])
  func `all else is left to the parser`(arguments: [String]) {
    #expect(PlainArguments(arguments) == nil)
  }

  @Test func `a day that is given goes into the record of the run`() throws {
    let arguments = ["--today", "2027-01-31", "--no-system-anchors", "a.pcap"]
    #expect(PlainArguments(arguments) == nil)
    #expect(try PlainArgumentsTests.parsed(arguments).report.today == "2027-01-31")
  }

  @Test func `every command has a name that may be one`() {
    let commands = ATScopeTool.configuration.subcommands
    #expect(commands.count > 5)
    for command in commands {
      #expect(PlainArguments.mayBeCommand(command._commandName))
      #expect(command.configuration.aliases == [])
    }
    #expect(PlainArguments.mayBeCommand("help"))
  }
}
