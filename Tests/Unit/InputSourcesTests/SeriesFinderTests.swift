import ByteParsing
import CaptureFormats
import InputSources
import TestBytes
import TestFiles
import Testing

@Suite struct SeriesFinderTests {
  /// Writes captures and returns the file names of each group.
  private func groups(
    _ captures: [(name: String, bytes: Bytes)], _ mode: SeriesMode? = nil, archive: String? = nil
  ) throws -> [[String]] {
    let folder = try TemporaryFolder()
    if let archive {
      try folder.write(archive, ArchiveBuilder.zip(captures))
    } else {
      for (name, bytes) in captures { try folder.write(name, bytes) }
    }
    let found = InputFinder(series: mode).find([AuditInput(path: folder.path)])
    let prefix = folder.path.count + 1 + (archive.map { $0.count + 1 } ?? 0)
    return found.groups.map { $0.files.map { String($0.displayName.dropFirst(prefix)) } }
  }

  private func capture(_ seconds: UInt32, packets: UInt32 = 3, linkType: UInt32 = 1) -> Bytes {
    InputOpenerPackedTests.capture(from: seconds, packets: packets, linkType: linkType)
  }

  @Test(arguments: [nil, "bundle.zip"])
  func `the parts of a series are in the order of their packets, not of their names`(archive: String?) throws {
    let parts = [
      ("t.pcap", capture(100)), ("t.pcap1", capture(120)), ("t.pcap2", capture(140)),
      ("u.pcap", capture(100)), ("v.pcap10", capture(160)), ("v.pcap9", capture(140)),
    ]
    #expect(
      try groups(parts, archive: archive) == [
        ["t.pcap", "t.pcap1", "t.pcap2"], ["u.pcap"], ["v.pcap9", "v.pcap10"],
      ])
  }

  @Test func `files with names of dumpcap and tcpdump are parts of a series`() throws {
    let parts = [
      ("a_00001_20260501101112.pcapng", capture(200)), ("a_00002_20260501101212.pcapng", capture(210)),
      ("log.cap09.gz", ArchiveBuilder.gzip(capture(2))), ("log.cap10", capture(6)),
    ]
    #expect(try groups(parts).map(\.count) == [2, 2])
  }

  @Test(
    arguments: [
      // Digits that rotation does not write: of ports, versions, devices, test cases, addresses, times of day.
      ("port-443.pcap", "port-444.pcap"), ("tls12.pcap", "tls13.pcap"), ("ios17.pcap", "ios18.pcap"),
      ("ios17", "ios18"), ("a1.pcap", "a2.pcap"), ("t.pcap", "t1.pcap"), ("case-0001.pcap", "case-0002.pcap"),
      ("app-10.11.12.pcap", "app-10.11.13.pcap"), ("host-10-0-0-5.pcap", "host-10-0-0-6.pcap"),
      ("v2025.pcap", "v2026.pcap"), ("build-101112.pcap", "build-101113.pcap"), ("cap.ios17", "cap.ios18"),
      ("run.1.pcap", "run.2.pcap"), ("trace_00001.pcap", "trace_00002.pcap"),
      // Serial numbers, dates and versions by date, of consecutive captures.
      ("4155550123.pcap", "4155550124.pcap"), ("app-20260501.pcap", "app-20260502.pcap"),
      ("app-2026.05.01.pcap", "app-2026.05.02.pcap"), ("zone-2026050101.pcap", "zone-2026050102.pcap"),
      // Counters with a gap or in descending order, timestamps in descending order.
      ("a.pcap1", "a.pcap3"), ("a.pcap2", "a.pcap1"), ("t.pcap", "t.pcap7"), ("t.pcap", "t.pcap2"),
      ("log-202605011011.pcap", "log-202604301011.pcap"),
      ("a_00001_20260501101112.pcap", "a_00003_20260501101212.pcap"),
      ("a.pcap", "b.pcap1"), ("ios17.pcap", "ios18.pcap1"),
    ])
  func `captures without rotation names are not a series`(first: String, second: String) throws {
    #expect(try groups([(first, capture(1_777_630_272)), (second, capture(1_777_630_282))]).count == 2)
  }

  @Test(
    arguments: [
      // tcpdump -C, with -W, with -z.
      ("a.pcap", "a.pcap1"), ("a.pcap9", "a.pcap10"), ("a.pcap09", "a.pcap10"), ("a.cap1.gz", "a.cap2"),
      ("trace", "trace1"), ("ios17.pcap", "ios17.pcap1"),
      // tcpdump -G, with -C; Suricata.
      ("log-2026-04-30_23-59-30.pcap", "log-2026-05-01_00-00-30.pcap"),
      ("10.0.0.5_20260501T101112Z.pcap", "10.0.0.5_20260501T101212Z.pcap"),
      ("t-202605011011.pcap7", "t-202605011012.pcap"), ("t-202605011011.pcap", "t-202605011011.pcap1"),
      ("log-1777630272.pcap", "log-1777630282.pcap"), ("log.pcap.1777630272", "log.pcap.1777630282"),
      // dumpcap, also with `nametimenum:2`; editcap.
      ("a_00001_20260501101112.pcap", "a_00002_20260501101212.pcap"),
      ("a_20260501101112_00001.pcap", "a_20260501101212_00002.pcap"),
      ("v2_99999_20260501101112.pcapng.gz", "v2_100000_20260501101212.pcapng"),
    ])
  func `captures with rotation names are a series`(first: String, second: String) throws {
    #expect(try groups([(first, capture(1_777_630_272)), (second, capture(1_777_630_282))]).count == 1)
  }

  @Test func `hourly and daily parts are a series if their packets are as far apart as their names`() throws {
    func long(_ first: UInt32, _ last: UInt32) -> Bytes {
      capture(first, packets: 1) + capture(last, packets: 1).dropFirst(24)
    }
    let time: UInt32 = 1_777_630_272
    let parts = [
      ("day-20260501.pcap", long(time, time + 86_390)), ("day-20260502.pcap", capture(time + 86_400)),
      ("hour-2026-05-01-10.pcap", long(time, time + 3590)), ("hour-2026-05-01-11.pcap", capture(time + 3600)),
    ]
    #expect(
      try groups(parts) == [
        ["day-20260501.pcap", "day-20260502.pcap"], ["hour-2026-05-01-10.pcap", "hour-2026-05-01-11.pcap"],
      ])
  }

  @Test(
    arguments: [
      // The clock goes back from 3:00 to 2:00, and forward from 2:00 to 3:00.
      ("log-2026-10-25_02-58-27.pcap", "log-2026-10-25_02-15-07.pcap", 1000, 1), ("20260329-014500.pcap", "20260329-030000.pcap", 900, 1),
      ("log-2026-10-25_02-58-27.pcap", "log-2026-10-25_02-15-07.pcap", 6, 2), ("20260329-014500.pcap", "20260329-030000.pcap", 9, 2),
      ("log-2026-10-25_02-58-27.pcap", "log-2026-10-25_01-15-07.pcap", 1000, 2),
    ] as [(String, String, UInt32, Int)])
  func `local times in names may go one hour back or forward`(first: String, second: String, seconds: UInt32, count: Int) throws {
    let time: UInt32 = 1_792_890_000
    let long = capture(time, packets: 1) + capture(time + seconds - 1, packets: 1).dropFirst(24)
    #expect(try groups([(first, long), (second, capture(time + seconds))]).count == count)
  }

  @Test func `the parts of a ring buffer are in the order of their packets`() throws {
    let parts = [("r.pcap0", capture(130)), ("r.pcap1", capture(110)), ("r.pcap2", capture(120))]
    #expect(try groups(parts) == [["r.pcap1", "r.pcap2", "r.pcap0"]])
  }

  @Test func `captures that overlap in time are not a series`() throws {
    let parts = [("a.pcap1", capture(100, packets: 9)), ("a.pcap2", capture(105))]
    #expect(try groups(parts) == [["a.pcap1"], ["a.pcap2"]])
    #expect(try groups(parts, .always) == [["a.pcap1", "a.pcap2"]])
  }

  @Test func `a part that begins at most a second before the end of the previous one is in the series`() throws {
    let parts = [("a.pcap1", capture(100, packets: 9)), ("a.pcap2", capture(107, packets: 4))]
    #expect(try groups(parts) == [["a.pcap1", "a.pcap2"]])
    #expect(try groups([parts[0], ("a.pcap2", capture(107, packets: 1))]).count == 2, "within the previous one")
    #expect(try groups([parts[0], ("a.pcap2", capture(106, packets: 4))]).count == 2, "two seconds")
    #expect(try groups([("a.pcap1", capture(100, packets: 2)), ("a.pcap2", capture(100, packets: 2))]).count == 2, "the same time")
  }

  @Test func `captures of different link types are not a series`() throws {
    let parts = [("a.pcap1", capture(100)), ("a.pcap2", capture(110, linkType: 101))]
    #expect(try groups(parts) == [["a.pcap1"], ["a.pcap2"]])
    #expect(try groups(parts, .always) == [["a.pcap1", "a.pcap2"]])
  }

  @Test func `parts in memory with the same bytes are told apart by their names`() {
    let parts = [("a.pcap1", capture(100)), ("a.pcap2", emptyCapture), ("a.pcap3", emptyCapture), ("a.pcap4", capture(110))]
    let found = InputFinder(series: .auto).find(parts.map { AuditInput(bytes: $0.1, named: $0.0) })
    #expect(found.groups.map { $0.files.map(\.displayName) } == [["a.pcap1", "a.pcap4"], ["a.pcap2"], ["a.pcap3"]])
    #expect(InputFinder(series: .always).find([parts[0], parts[0]].map { AuditInput(bytes: $0.1, named: $0.0) }).groups.count == 2)
  }

  @Test func `a part may lack an interface of the previous one, but not all of them`() throws {
    func part(_ names: [String], from seconds: UInt64) -> Bytes {
      var file = CaptureWriter.pcapng()
      for (index, name) in names.enumerated() {
        file.interface(options: [(2, Bytes(name.utf8))])
        file.enhancedPacket(Bytes(repeating: 0, count: 14), interface: UInt32(index), ticks: (seconds + UInt64(index)) * 1_000_000)
      }
      return file.bytes
    }
    let parts = [
      ("a.pcapng", part(["en0", "lo0"], from: 100)), ("a.pcapng1", part(["en0"], from: 110)),
      ("a.pcapng2", part(["lo0", "en0"], from: 120)), ("a.pcapng3", part(["en1"], from: 130)),
    ]
    #expect(try groups(parts) == [["a.pcapng", "a.pcapng1", "a.pcapng2"], ["a.pcapng3"]])
  }

  @Test func `the names of a series differ only in the counter, in the same directory`() throws {
    let parts = [
      ("a.pcap1", capture(100)), ("b.pcap2", capture(110)), ("c/a.pcap3", capture(120)),
      ("a.cap4", capture(130)),
    ]
    #expect(try groups(parts).count == 4)
  }

  @Test func `no series is made with SeriesMode never`() throws {
    #expect(try groups([("a.pcap1", capture(100)), ("a.pcap2", capture(110))], .never).count == 2)
  }

  @Test func `a part without packets is not in the series, a truncated part is`() throws {
    let cut = Bytes(capture(210).dropLast(5))
    let parts = [("a.pcap1", emptyCapture), ("a.pcap2", capture(200)), ("a.pcap3", cut)]
    #expect(try groups(parts) == [["a.pcap1"], ["a.pcap2", "a.pcap3"]])
  }

  @Test func `parts without packets do not divide a series`() throws {
    let names = (1...5).map { "t_0000\($0)_2026050110111\($0).pcap" }
    let (first, last) = (capture(1_777_630_271), capture(1_777_630_274))
    let parts = [(names[0], first), (names[1], emptyCapture), (names[2], emptyCapture), (names[3], last), (names[4], emptyCapture)]
    #expect(try groups(parts) == [[names[0], names[3]], [names[1]], [names[2]], [names[4]]])
    let damaged = Bytes(first.prefix(30))
    #expect(try groups([parts[0], (names[1], damaged), parts[2], parts[3]]).count == 4)
    #expect(try groups([parts[0], parts[2], parts[3]]).count == 3, "a number is missing")
  }

  @Test func `a file given twice is not a series`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a1.pcap", capture(100, packets: 1))
    #expect(InputFinder().find([path, path].map { AuditInput(path: $0) }).groups.count == 2)
    try folder.write("a2.pcap", capture(110, packets: 1))
    // Also if one of them is found in a folder.
    #expect(InputFinder(series: .always).find([folder.path, path].map { AuditInput(path: $0) }).groups.count == 3)
  }

  @Test func `files given one by one are a series if the mode is auto, and not by default`() throws {
    let folder = try TemporaryFolder()
    let second = try folder.write("a.pcap2", capture(110))
    let first = try folder.write("a.pcap1", capture(100))
    func groups(_ mode: SeriesMode?) -> [[String]] {
      InputFinder(series: mode).find([second, first].map { AuditInput(path: $0) }).groups.map { $0.files.map(\.displayName) }
    }
    #expect(groups(.auto) == [[first, second]])
    #expect(groups(nil) == [[second], [first]])
    #expect(groups(.never) == [[second], [first]])
    // A directory argument is grouped by default.
    let files = InputFinder(series: nil).find([AuditInput(path: folder.path)]).groups.map(\.files.count)
    #expect(files == [2])
  }

  @Test func `captures more than a minute apart are not a series`() throws {
    // The packets of each capture span two seconds.
    #expect(try groups([("t.pcap17", capture(100)), ("t.pcap18", capture(161))]).count == 1)
    #expect(try groups([("t.pcap17", capture(100)), ("t.pcap18", capture(162))]).count == 2)
    #expect(try groups([("t.pcap17", capture(100)), ("t.pcap18", capture(3600))]).count == 2)
    // A pause ends one series and may begin another.
    let parts = [(100, "1"), (110, "2"), (500, "3"), (510, "4"), (900, "5")].map {
      ("t.pcap\($0.1)", capture($0.0))
    }
    #expect(try groups(parts) == [["t.pcap1", "t.pcap2"], ["t.pcap3", "t.pcap4"], ["t.pcap5"]])
  }

  @Test func `SeriesMode always makes one series of names that differ only in digits`() throws {
    let parts = [("ios17.pcap", capture(100)), ("ios18.pcap", capture(5000)), ("ios.pcap", capture(9000))]
    #expect(try groups(parts, .always) == [["ios17.pcap", "ios18.pcap", "ios.pcap"]])
    #expect(try groups(parts).count == 3)
  }
}
