import ATSEvaluation
import ATSEvidence
import ATSRules
import ByteParsing
@testable import Reporting
import ReportSamples
import SessionModel
import SessionRecords
import Testing
import TLSParsing
import Values

@Suite struct HostCollectorTests {
  @Test func `hosts are sorted worst first, equal ones in order of appearance`() {
    let names = Samples.hosts().report().map { $0.name ?? "" }
    #expect(
      names == [
        "evil\u{1B}[31m\u{202E}.example", "mixed.example", "lh3.example.com", "cdn.example", "old.example",
        "api.example.com",
      ])
  }

  @Test func `a host has its worst and its best verdict and score`() {
    var hosts = HostCollector()
    for judgement in [Samples.passing, Samples.failing, Samples.relaxed] {
      hosts.add(Samples.session("a.example"), judgement)
    }
    hosts.add(Samples.session("b.example"), Samples.undecided)
    let report = hosts.report()
    #expect(report.map(\.verdict) == [.fail, .unknown])
    #expect(report.map(\.best) == [.pass, .unknown])
    var json = Bytes()
    json.appendJSON(report[0])
    let text = String(decoding: json, as: UTF8.self)
    #expect(text.contains("\"verdict\":\"fail\",\"best\":\"pass\""))
    #expect(text.contains("\"score\":12,\"bestScore\":100"))
  }

  @Test func `processes are sorted worst first, with sessions without a process last`() {
    func session(_ name: String?, _ pid: Int32?) -> ObservedSession {
      var session = Samples.session("a.example")
      session.process = CapturedProcess(name: name, pid: pid, source: .pktap)
      return session
    }
    var processes = ProcessCollector()
    processes.add(Samples.session("a.example"), Samples.failing)
    #expect(processes.report() == nil)
    processes.add(session("Good", 1), Samples.passing)
    processes.add(session("Bad", 2), Samples.passing)
    processes.add(session("Bad", 2), Samples.failing)
    processes.add(session("Good", 3), Samples.relaxed)
    let report = processes.report() ?? []
    #expect(report.map(\.name) == ["Bad", "Good", "Good", nil])
    #expect(report.map(\.pid) == [2, 3, 1, nil])
    #expect(report.map(\.verdicts.worst) == [.fail, .pass, .pass, .fail])
    #expect(report.map(\.verdicts.best) == [.pass, .pass, .pass, .fail])
    #expect(report.map(\.verdicts.isWorstRelaxed) == [false, true, false, false])
    #expect(report.map(\.lowestScore) == [12, 91, 100, 12])
    #expect(report.map(\.greatestScore) == [100, 91, 100, 12])
    for pid in 10...(10 + Int32(ProcessCollector.maximumProcesses)) {
      processes.add(session("Many", pid), Samples.passing)
    }
    #expect(processes.unlisted == 4)
  }

  @Test func `similar sessions are one group with a count`() {
    var hosts = HostCollector()
    for frame in 1...1000 as ClosedRange<UInt64> {
      hosts.add(Samples.session("a.example", frame: frame), Samples.passing)
    }
    let report = hosts.report()
    #expect(report.count == 1 && report[0].groups.count == 1)
    #expect(report[0].groups[0].sessions == 1000 && report[0].groups[0].firstFrame == 1)
    #expect(report[0].verdicts.pass == 1000)
  }

  @Test func `equal judgements in separate objects are one group`() {
    var hosts = HostCollector()
    for _ in 0..<10 {
      hosts.add(Samples.session("a.example"), Samples.judgement(.pass, [Samples.finding("X", .pass, "y")]))
    }
    #expect(hosts.report().map(\.groups.count) == [1])
    hosts.add(Samples.session("a.example"), Samples.judgement(.pass, [Samples.finding("X", .pass, "z")]))
    #expect(hosts.report().map(\.groups.count) == [2])
  }

  @Test func `sessions with different parameters are separate groups under one judgement`() {
    var hosts = HostCollector()
    for _ in 0..<3 {
      hosts.add(Samples.session("a.example", version: .tls12), Samples.passing)
      hosts.add(Samples.session("a.example", version: .tls13, suite: 0x1301), Samples.passing)
      hosts.add(Samples.session("a.example", version: .tls13, suite: 0x1301, group: 0x11EC), Samples.passing)
      hosts.add(Samples.session("a.example", version: nil), Samples.passing)
    }
    #expect(hosts.report().map { $0.groups.map(\.sessions) } == [[3, 3, 3, 3]])
  }

  @Test func `a host is a name or an address, and a port`() {
    var hosts = HostCollector()
    hosts.add(Samples.session("a.example"), Samples.passing)
    hosts.add(Samples.session("a.example"), Samples.passing)
    hosts.add(Samples.session("a.example", port: 8443), Samples.passing)
    hosts.add(Samples.session(nil), Samples.passing)
    var named = Samples.session("203.0.113.7")
    named.serverNameSource = .address
    hosts.add(named, Samples.passing)
    var other = Samples.session(nil)
    other.server = Endpoint(address: IPAddress(v6: 1, 2), port: other.server.port)
    hosts.add(other, Samples.passing)
    let report = hosts.report()
    #expect(
      report.map(\.label) == ["a.example:443", "a.example:8443", "203.0.113.7:443", "[::1:0:0:0:2]:443"])
    #expect(report.map(\.sessions) == [2, 1, 2, 1])
  }

  @Test func `one judgement for several hosts is counted for each of them`() {
    var hosts = HostCollector()
    for _ in 0..<5 {
      for name in ["a.example", "b.example", "c.example"] {
        hosts.add(Samples.session(name), Samples.passing)
      }
    }
    #expect(hosts.report().map(\.sessions) == [5, 5, 5])
  }

  @Test func `hosts share equal findings, and each has its own judgement`() throws {
    var other = Samples.failing.value
    other.findings[0].notes.append("Another remark.")
    other.findings[other.findings.count - 1].settledBy = [.chain(server: "b.example")]
    var hosts = HostCollector()
    hosts.add(Samples.session("a.example"), Samples.failing)
    hosts.add(Samples.session("b.example"), Shared(other))
    let groups = hosts.report().sorted { $0.label < $1.label }.flatMap(\.groups)
    #expect(groups.map(\.judgement.value) == [Samples.failing.value, other])
    let identities = try groups.map { group in
      #expect(group.kept.unsettled.count > 1)
      return (first: try #require(group.kept.unsettled.first).identity, last: try #require(group.kept.unsettled.last).identity)
    }
    #expect(identities[0].first != identities[1].first)
    #expect(identities[0].last == identities[1].last)
  }

  @Test func `with too many hosts the worst are listed and the others are counted`() {
    var hosts = HostCollector(maximumHosts: 100, maximumGroups: 200, maximumDetails: 8, worstHosts: 2)
    for index in 0..<12 {
      hosts.add(Samples.session("\(index).example"), Samples.passing)
    }
    #expect(hosts.hostCount == 12 && hosts.unlistedHosts.pass == 10)
    // A host that was only counted becomes worse than the listed ones.
    hosts.add(Samples.session("11.example", version: .tls10), Samples.failing)
    hosts.add(Samples.session("0.example"), Samples.passing)
    let report = hosts.report()
    #expect(report.first?.name == "11.example" && report.first?.sessions == 2)
    #expect(report.first?.verdicts.fail == 1 && report.first?.ungrouped.pass == 1)
    #expect(hosts.hostCount == 12 && report.count + hosts.unlistedHosts.total == 12)
    #expect(report.reduce(0) { $0 + $1.sessions } + hosts.unlisted.total == 14)
    let text = String(
      decoding: TextReport(run: Samples.run(), hosts: hosts, summary: Samples.summary()).rendered(
        TextOptions()),
      as: UTF8.self)
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("12 hosts: FAIL 1 PASS 11"))
    #expect(words.contains("9 sessions pass with 9 further hosts, no worse than those listed"))
  }

  @Test func `sessions beyond the limits are still counted by verdict`() {
    var hosts = HostCollector(maximumHosts: 2, maximumGroups: 3)
    for index in 0..<4 {
      hosts.add(Samples.session("\(index).example"), Samples.passing)
      hosts.add(Samples.session("\(index).example", version: .tls10), Samples.failing)
    }
    let report = hosts.report()
    #expect(report.count == 2)
    #expect(report.map(\.verdicts.fail) == [1, 1] && report.map(\.verdicts.pass) == [1, 1])
    #expect(report.map { $0.groups.count } == [2, 1] && report[1].ungrouped.fail == 1)
    #expect(hosts.unlisted.fail == 2 && hosts.unlisted.pass == 2)
    let text = String(
      decoding: TextReport(run: Samples.run(), hosts: hosts, summary: Samples.summary()).rendered(
        TextOptions()),
      as: UTF8.self)
    #expect(text.contains("Not grouped     1 session fails; only its verdict is kept\n"))
    #expect(text.contains("Not listed      2 sessions fail, 2 pass with further hosts\n"))
  }

  @Test func `20,000 sessions with few distinct judgements stay in few groups`() {
    var hosts = HostCollector()
    for index in 0..<20_000 {
      let judgement = Samples.judgement(.pass, [Samples.finding("X", .pass, "\(index % 7)")])
      hosts.add(Samples.session("\(index % 3).example"), judgement)
    }
    let report = hosts.report()
    #expect(report.map(\.sessions).reduce(0, +) == 20_000)
    #expect(report.map(\.groups.count) == [7, 7, 7])
  }

  @Test func `the verdict of a host is that of its worst session`() {
    var hosts = HostCollector()
    hosts.add(Samples.session("a.example"), Samples.relaxed)
    #expect(hosts.report()[0].isRelaxed)
    hosts.add(Samples.session("a.example"), Samples.undecided)
    #expect(hosts.report()[0].verdict == .unknown && !hosts.report()[0].isRelaxed)
    hosts.add(Samples.session("a.example"), Samples.failing)
    #expect(hosts.report()[0].verdict == .fail)
  }
}

@Suite struct RotatedFrameTests {
  private let files = [
    CapturePart(file: "logs/trace_00001.pcap", framesBefore: 0),
    CapturePart(file: "logs/trace_00002.pcap", framesBefore: 100),
  ]

  @Test func `a frame of a rotated capture is reported by file and number in that file`() {
    #expect(Wording.frame(100, in: files) == "frame 100 of trace_00001.pcap")
    #expect(Wording.frame(112, in: files) == "frame 12 of trace_00002.pcap")
    #expect(Wording.frame(112, in: []) == "frame 112")
    var frames = FrameList()
    for number in [99, 101, 102] as [UInt64] { frames.insert(number) }
    #expect(
      Wording.frames(frames, in: files) == "frame 99 of trace_00001.pcap, frames 1-2 of trace_00002.pcap")
  }
}
