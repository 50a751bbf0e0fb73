import ArgumentParser
import Testing

@testable import ATScopeCommand

@Suite struct OptionSuggestionTests {
  private func message(_ arguments: [String]) -> String? {
    do {
      _ = try ATScopeTool.parseAsRoot(arguments)
      return nil
    } catch {
      let error = ATScopeTool.unknownOption(arguments, hiddenBy: error) ?? error
      let message = OptionSuggestion.improving(ATScopeTool.fullMessage(for: error))
      return message.split(separator: "\n").first.map(String.init)
    }
  }

  @Test(arguments: [
    (["audit", "a.pcap", "--plist", "Info.plist"], "Error: Unknown option '--plist'. Use --info-plist FILE."),
    (["audit", "a.pcap", "--json"], "Error: Unknown option '--json'. Use --format json."),
    (["audit", "a.pcap", "-f", "json"], "Error: Unknown option '-f'. Use --format FORMAT."),
    (["audit", "a.pcap", "--Verbose"], "Error: Unknown option '--Verbose'. Use --details."),
    (["audit", "a.pcap", "--contxt", "web"], "Error: Unknown option '--contxt'. Did you mean '--context'?"),
    (["--versoin"], "Error: Unknown option '--versoin'."),
    (["sessions", "--json"], "Error: Unknown option '--json'. Use --format json."),
    (["show", "--bogus"], "Error: Unknown option '--bogus'."),
    (["extract", "--bogus", "-o", "x.pcap"], "Error: Unknown option '--bogus'."),
    // ArgumentParser suggests --os.
    (["audit", "a.pcap", "--jobs", "2"], "Error: Unknown option '--jobs'."),
  ])
  func `an unknown option is answered with the one that was meant, or none`(arguments: [String], expected: String) {
    #expect(message(arguments) == expected)
  }

  @Test func `other messages are not changed`() {
    #expect(OptionSuggestion.improving("Error: No input") == "Error: No input")
    #expect(message(["--os", "ios17"])?.hasPrefix("Error: No input") == true)
    #expect(message(["audit", "a.pcap", "--report", "html"])?.contains("such as html=report.html") == true)
    #expect(message(["audit", "a.pcap", "--at", "2026-11-21"])?.contains("add a time of day, such as 2026-11-21T00:00:00Z") == true)
    #expect(message(["audit", "a.pcap", "--at", "today"])?.contains("not a date with a time of day") == true)
    #expect(message(["audit", "a.pcap", "--at", "2016-12-31T23:59:60Z"])?.contains("use the second before, 2016-12-31T23:59:59Z") == true)
    #expect(message(["audit", "a.pcap", "--at", "2016-12-31T23:59:61Z"])?.contains("not a date with a time of day") == true)
  }

  @Test func `a URL is not a pattern for hosts`() {
    let expected = "Error: 'https://a.example/' is a URL. Give only its host, such as api.example.com or *.example.com."
    #expect(message(["a.pcap", "--host", "https://a.example/"]) == expected)
    #expect(message(["a.pcap", "--host", "a.example:443", "--host", "*"]) == nil)
  }

  @Test func `chain does not list --chain, and says what to use instead`() {
    #expect(!ATScopeTool.helpMessage(for: ChainCommand.self).contains("--chain "))
    #expect(ATScopeTool.helpMessage(for: AuditCommand.self).contains("--chain "))
    let arguments = ["chain", "a.pem", "--host", "a.example", "--at", "2026-05-01T12:00:00Z", "--chain", "b.pem"]
    #expect(message(arguments)?.contains("use --intermediates FILE") == true)
  }

  @Test func `lint explains an empty file name`() {
    #expect(message(["lint", "", "--format", "xcode"])?.contains("INFOPLIST_FILE is empty if Xcode generates the Info.plist") == true)
    #expect(message(["lint", "Info.plist"]) == nil)
  }

  @Test func `a file that became the value of an option is named`() {
    let file = #filePath
    #expect(ReadingArguments.noInput(["--host", file]).message.contains("'\(file)' is the value of --host."))
    for arguments in [["--host", "a.example"], ["--host=\(file)"], []] {
      #expect(ReadingArguments.noInput(arguments).message == "No input: give a capture, a directory, or - for standard input.")
    }
  }
}
