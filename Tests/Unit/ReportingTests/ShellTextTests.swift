import ReportSamples
import SessionRecords
import Testing

@testable import Reporting

@Suite struct ShellTextTests {
  @Test func `a name that begins with a hyphen is not mistaken for an option`() {
    #expect(ShellText.capturedCommand(["-x.pcapng", "a b", "c"]) == "atscope --chain captured ./-x.pcapng 'a b' c")
  }

  @Test func `a folder of chains is given once`() {
    var run = Samples.run()
    run.chains = ["a.pem", "b.pem"].map { RunRecord.Source(file: "ch/\($0)", sha256: nil, argument: "ch") }
    run.chains.append(RunRecord.Source(file: "-c.pem", sha256: nil, appliesTo: "host"))
    #expect(ShellText.judgingOptions(of: run).contains("--chain ch --chain 'host=./-c.pem' "))
  }

  @Test func `a command excludes the intermediates of other sessions if the run did`() {
    var run = Samples.run()
    #expect(!ShellText.judgingOptions(of: run).contains("--intermediates"))
    run.assumptions.append(RunRecord.Setting("takesShownIntermediates", .boolean(false)))
    #expect(ShellText.judgingOptions(of: run).contains("--intermediates none "))
  }

  @Test func `a command omits a key log that cannot be used`() {
    var run = Samples.run()
    run.options = [RunRecord.Setting("keylog", .texts(["missing.keys", "keys.log"]))]
    #expect(ShellText.judgingOptions(of: run, without: ["missing.keys"]).contains("--keylog keys.log "))
    #expect(!ShellText.judgingOptions(of: run, without: ["missing.keys"]).contains("missing.keys"))
  }
}
