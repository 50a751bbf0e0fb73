import ATSEvaluation
import Reporting
import SessionObservation
import SessionRecords
import Testing
import Values

@Suite struct TextReportTests {
  private func text(
    _ hosts: HostCollector = Samples.hosts(), _ summary: SummaryRecord = Samples.summary(),
    _ run: RunRecord = Samples.run(), _ options: TextOptions = TextOptions()
  ) -> String {
    String(decoding: TextReport(run: run, hosts: hosts, summary: summary).rendered(options), as: UTF8.self)
  }

  @Test(arguments: [(60, GoldenTexts.columns60), (80, GoldenTexts.columns80), (120, GoldenTexts.columns120)])
  func `the report fits the terminal`(width: Int, golden: String) {
    let text = text(Samples.hosts(), Samples.summary(), Samples.run(), TextOptions(width: width))
    #expect(text == golden)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= width })
  }

  @Test func `no line is longer than the terminal, however wide that is`() {
    for width in 40...200 {
      let text = text(Samples.hosts(), Samples.summary(), Samples.run(), TextOptions(width: width))
      for line in text.split(separator: "\n") where line.count > width {
        // A single word cannot be broken, so it may stand out.
        let words = line.split(separator: " ")
        #expect(words.contains { $0.count > width - 26 }, "\(width): \(line)")
      }
    }
  }

  @Test func `nothing said is lost in a narrow terminal`() {
    func words(_ width: Int) -> [String: Int] {
      let text = text(Samples.hosts(), Samples.summary(), Samples.run(), TextOptions(width: width))
      var counts: [String: Int] = [:]
      for word in text.split(whereSeparator: { $0.isWhitespace || $0 == "(" || $0 == ")" }) {
        counts[String(word), default: 0] += 1
      }
      return counts
    }
    let wide = words(300)
    for width in 40...120 { #expect(words(width) == wide) }
  }

  @Test func `a finding on inherited certificates names the earlier session and its frames`() {
    func report(originFile: String) -> String {
      var session = Samples.session("api.example.com", frame: 40)
      session.evidence.frames[.certificates] = FrameList()
      session.assumedChain = AssumedChain(
        chain: CertificateChain([], isComplete: true), source: .earlierSession,
        origin: AssumedChain.Origin(
          session: "00112233445566aa", file: originFile, frames: FrameList([6, 8])))
      var hosts = HostCollector()
      let finding = Samples.finding("ATS-CERT-DATES", .fail, "expired", parts: [.certificates])
      hosts.add(session, Samples.judgement(.fail, [finding], score: 40))
      return text(hosts, Samples.summary(), Samples.run(), TextOptions(width: 160))
    }
    #expect(report(originFile: "trace.pcapng").contains("frames 6, 8 of session 00112233445566aa\n"))
    #expect(
      report(originFile: "first.pcapng").contains("frames 6, 8 of session 00112233445566aa, first.pcapng"))
  }

  @Test func `colour adds nothing but colour`() {
    let plain = text()
    let colored = text(Samples.hosts(), Samples.summary(), Samples.run(), TextOptions(useColor: true))
    #expect(!plain.contains("\u{1B}"))
    #expect(colored.contains("\u{1B}[1;31mFAIL\u{1B}[0m"))
    #expect(colored.replacing(/\u{1B}\[[0-9;]*m/, with: "") == plain)
  }

  @Test func `names from the capture cannot steer the terminal`() {
    let hostile = "\u{1B}]0;x\u{07}\u{9B}31m\u{202E}\u{2066}\r\n\u{200F}\u{0}"
    var hosts = HostCollector()
    let session = Samples.session(hostile, file: hostile)
    var finding = Samples.finding("ATS-CERT-HOST", .fail, hostile, asked: hostile, remedy: hostile)
    finding.notes = [hostile]
    finding.relaxedBy = KeyReference(key: "NSExceptionMinimumTLSVersion", entry: hostile)
    var open = Samples.finding("ATS-CT", .unknown)
    open.settledBy = [hostile]
    hosts.add(
      session,
      Samples.judgement(
        .fail, [finding, open], exception: .entry(host: hostile, keys: ["A": .string(hostile)])))
    hosts.add(session, Samples.judgement(.unknown, [open]))
    hosts.add(
      session, Samples.judgement(.exempt, exemption: hostile, exception: .impossible(reason: hostile)))
    var summary = Samples.summary()
    summary.inputs[0].file = hostile
    summary.inputs[0].error = .init(hostile, at: 7)
    summary.inputs[0].health = [NamedCount("x", hostile, count: 1)]
    var run = Samples.run()
    run.infoPlists = [.init(file: hostile, sha256: nil, appliesTo: hostile)]
    for width in [40, 80, 160] {
      let text = text(hosts, summary, run, TextOptions(width: width))
      for scalar in text.unicodeScalars where scalar != "\n" {
        #expect(scalar.properties.generalCategory != .control)
        #expect(scalar.properties.generalCategory != .format)
      }
      #expect(text.contains("\\x1b]0;x\\x07\\u{9b}31m\\u{202e}\\u{2066}\\x0d\\x0a\\u{200f}\\x00:443"))
    }
  }

  @Test func `only failures are shown where only they are wanted, and the rest is counted`() {
    let text = text(Samples.hosts(), Samples.summary(), Samples.run(), TextOptions(onlyFailures: true))
    #expect(!text.contains("api.example.com") && !text.contains("UNKNOWN"))
    #expect(text.contains("mixed.example:443"))
    #expect(text.contains("not shown       4 hosts without a failure"))
  }

  @Test func `several inputs are named, and so is the file of each first session`() {
    var hosts = HostCollector()
    hosts.add(Samples.session("a.example", frame: 6, file: "one.pcap"), Samples.failing)
    hosts.add(Samples.session("b.example", frame: 8, file: "two.pcap"), Samples.failing)
    hosts.add(Samples.session("b.example", frame: 9, file: "two.pcap"), Samples.failing)
    var summary = Samples.summary()
    summary.inputs = (0..<11).map { index in
      var input = InputSummary(file: "\(index).pcap", kind: "capture", format: "pcap")
      input.packets = 10
      input.sessions = 1
      return input
    }
    summary.inputs[2].error = .init("a record of 99 bytes where 4 are left", at: 12_345, isCutOff: true)
    summary.inputs[3].error = .init("not a block", at: nil)
    let text = text(hosts, summary)
    #expect(text.contains("0.pcap             10 packets, 1 session\n"))
    #expect(text.contains("and 3 more inputs  30 packets, 3 sessions\n"))
    #expect(text.contains("in all             9 sessions with 2 hosts\n"))
    #expect(text.contains("first seen         frame 6 of one.pcap\n"))
    #expect(text.contains("first seen         frame 8 of two.pcap, and 1 more session\n"))
    #expect(text.contains("cut off         2.pcap at byte 12,345: a record of 99 bytes where 4 are left\n"))
    #expect(text.contains("cannot be used  3.pcap: not a block\n"))
  }

  @Test func `an empty capture says so`() {
    let text = text(HostCollector(), SummaryRecord())
    #expect(text.contains("no sessions were found"))
    #expect(text.contains("in all    0 sessions with 0 hosts"))
  }

  @Test func `what asks for more than the default names its key`() {
    var finding = Samples.finding("ATS-TLS-VERSION", .fail, "TLS 1.2", asked: "TLS 1.3")
    finding.relaxedBy = KeyReference(key: "NSExceptionMinimumTLSVersion", entry: "a.example")
    var hosts = HostCollector()
    hosts.add(Samples.session("a.example"), Samples.judgement(.fail, [finding]))
    #expect(text(hosts).contains("asked by NSExceptionMinimumTLSVersion of a.example"))
  }
}
