import ByteParsing
import CaptureFormats
import InputSources
import Testing

@Suite struct SeriesTests {
  /// Writes captures and tells the groups that they make, by the names of the files.
  private func groups(
    _ captures: [(name: String, bytes: Bytes)], _ mode: SeriesMode? = nil, archive: String? = nil
  ) throws -> [[String]] {
    let folder = try TemporaryFolder()
    if let archive {
      try folder.write(archive, Packed.zip(captures))
    } else {
      for (name, bytes) in captures { try folder.write(name, bytes) }
    }
    let found = InputFinder(series: mode).find([folder.path])
    let prefix = folder.path.count + 1 + (archive.map { $0.count + 1 } ?? 0)
    return found.groups.map { $0.files.map { String($0.displayName.dropFirst(prefix)) } }
  }

  private func capture(_ seconds: UInt32, packets: UInt32 = 3, linkType: UInt8 = 1) -> Bytes {
    PackedInputTests.capture(from: seconds, packets: packets, linkType: linkType)
  }

  @Test(arguments: [nil, "bundle.zip"])
  func `parts are one capture in the order of their packets, not of their names`(archive: String?) throws {
    let parts = [
      ("t.pcap", capture(100)), ("t.pcap1", capture(120)), ("t.pcap2", capture(140)),
      ("u.pcap", capture(100)), ("v10.pcap", capture(160)), ("v9.pcap", capture(140)),
    ]
    #expect(
      try groups(parts, archive: archive) == [
        ["t.pcap", "t.pcap1", "t.pcap2"], ["u.pcap"], ["v9.pcap", "v10.pcap"],
      ])
  }

  @Test func `the names of dumpcap and of tcpdump's -G are parts too`() throws {
    let parts = [
      ("a_00001_20260501101112.pcapng", capture(200)), ("a_00002_20260501101212.pcapng", capture(210)),
      ("log-09.cap.gz", Packed.gzip(capture(2))), ("log-10.cap.gz", Packed.gzip(capture(6))),
    ]
    #expect(try groups(parts).map(\.count) == [2, 2])
  }

  @Test(
    arguments: [
      // Ports, versions, counters with a gap or backwards, years, times of day that go back.
      ("port-443.pcap", "port-8443.pcap"), ("tls12.pcap", "tls10.pcap"), ("a1.pcap", "a3.pcap"),
      ("a2.pcap", "a1.pcap"), ("t.pcap", "t.pcap7"), ("v2024.pcap", "v2026.pcap"),
      ("log-20260501.pcap", "log-20260430.pcap"),
      ("a_00001_20260501101112.pcap", "a_00003_20260501101212.pcap"),
      ("host-10-0-0-5.pcap", "host-10-0-0-9.pcap"),
    ])
  func `captures whose names do not count on are not one`(first: String, second: String) throws {
    #expect(try groups([(first, capture(100)), (second, capture(110))]).count == 2)
  }

  @Test(
    arguments: [
      ("a1.pcap", "a2.pcap"), ("a9.pcap", "a10.pcap"), ("a09.pcap", "a10.pcap"), ("t.pcap", "t.pcap1"),
      ("t.pcap", "t0.pcap"), ("log-20260430.pcap", "log-20260501.pcap"),
      ("log-2026-05-01_23-59-30.pcap", "log-2026-05-02_00-00-30.pcap"),
      ("log-1700000000.pcap", "log-1700000060.pcap"),
      ("a_00001_20260501101112.pcap", "a_00002_20260501101212.pcap"),
      // dumpcap with `nametimenum:1`.
      ("a_20260501101112_00001.pcap", "a_20260501101212_00002.pcap"),
    ])
  func `captures whose names count on are one`(first: String, second: String) throws {
    #expect(try groups([(first, capture(100)), (second, capture(110))]).count == 1)
  }

  @Test func `a ring of files begins anew behind its last one`() throws {
    let parts = [("r0.pcap", capture(130)), ("r1.pcap", capture(110)), ("r2.pcap", capture(120))]
    #expect(try groups(parts) == [["r1.pcap", "r2.pcap", "r0.pcap"]])
  }

  @Test func `captures that overlap in time are not one`() throws {
    let parts = [("a1.pcap", capture(100, packets: 9)), ("a2.pcap", capture(105))]
    #expect(try groups(parts) == [["a1.pcap"], ["a2.pcap"]])
    #expect(try groups(parts, .always) == [["a1.pcap", "a2.pcap"]])
  }

  @Test func `captures of different link types are not one`() throws {
    let parts = [("a1.pcap", capture(100)), ("a2.pcap", capture(110, linkType: 101))]
    #expect(try groups(parts) == [["a1.pcap"], ["a2.pcap"]])
    #expect(try groups(parts, .always) == [["a1.pcap", "a2.pcap"]])
  }

  @Test func `names have to differ in digits alone, within one folder`() throws {
    let parts = [
      ("a1.pcap", capture(100)), ("b2.pcap", capture(110)), ("c/a3.pcap", capture(120)),
      ("a4.cap", capture(130)),
    ]
    #expect(try groups(parts).count == 4)
  }

  @Test func `nothing is a series when that is not wanted`() throws {
    #expect(try groups([("a1.pcap", capture(100)), ("a2.pcap", capture(110))], .never).count == 2)
  }

  @Test func `a part without packets is left by itself, and a cut one counts as far as it goes`() throws {
    let cut = Bytes(capture(210).dropLast(5))
    let parts = [("a1.pcap", emptyCapture), ("a2.pcap", capture(200)), ("a3.pcap", cut)]
    #expect(try groups(parts) == [["a1.pcap"], ["a2.pcap", "a3.pcap"]])
  }

  @Test func `a file that is named twice is no series`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a1.pcap", capture(100, packets: 1))
    #expect(InputFinder().find([path, path]).groups.count == 2)
  }

  @Test func `files that are named one by one are a series where that is wanted`() throws {
    let folder = try TemporaryFolder()
    let second = try folder.write("a2.pcap", capture(110))
    let first = try folder.write("a1.pcap", capture(100))
    func groups(_ mode: SeriesMode?) -> [[String]] {
      InputFinder(series: mode).find([second, first]).groups.map { $0.files.map(\.displayName) }
    }
    #expect(groups(.auto) == [[first, second]])
    #expect(groups(nil) == [[second], [first]])
    #expect(groups(.never) == [[second], [first]])
    // A folder that is named beside them is searched as ever.
    let files = InputFinder(series: nil).find([folder.path]).groups.map(\.files.count)
    #expect(files == [2])
  }

  @Test func `captures that do not follow one another within a minute are not one`() throws {
    // Each has packets for two seconds.
    #expect(try groups([("ios17.pcap", capture(100)), ("ios18.pcap", capture(161))]).count == 1)
    #expect(try groups([("ios17.pcap", capture(100)), ("ios18.pcap", capture(162))]).count == 2)
    #expect(try groups([("ios17.pcap", capture(100)), ("ios18.pcap", capture(3600))]).count == 2)
    // A break ends one series and may begin another.
    let parts = [(100, "1"), (110, "2"), (500, "3"), (510, "4"), (900, "5")].map {
      ("t\($0.1).pcap", capture($0.0))
    }
    #expect(try groups(parts) == [["t1.pcap", "t2.pcap"], ["t3.pcap", "t4.pcap"], ["t5.pcap"]])
  }

  @Test(
    arguments: [
      ["a-2026-05-01_10-11-12.pcap", "a-2026-05-01_10-12-12.pcap", "a-2026-05-01_11-00-12.pcap"],
      ["a-2026-05-01_10:11.pcap", "a-2026-05-02_11:12.pcap"],
      ["a_20260501101112_00001.pcap", "a_20260501101212_00002.pcap"],
      ["a_1777630272.pcap", "a_1777630332.pcap"],
      ["run7.pcap001", "run7.pcap002"],
    ])
  func `names may differ in a time stamp, in a counter, or in both as dumpcap has them`(names: [String])
    throws
  {
    let parts = names.enumerated().map { ($0.element, capture(100 + 10 * UInt32($0.offset))) }
    #expect(try groups(parts) == [names])
  }

  @Test func `names that differ in two counters are of several series`() throws {
    let parts = [
      ("run1-1.pcap", capture(100)), ("run1-2.pcap", capture(110)), ("run2-1.pcap", capture(120)),
      ("run2-2.pcap", capture(130)), ("run3-7.pcap", capture(140)),
    ]
    #expect(
      try groups(parts) == [
        ["run1-1.pcap", "run1-2.pcap"], ["run2-1.pcap", "run2-2.pcap"], ["run3-7.pcap"],
      ])
  }
}
