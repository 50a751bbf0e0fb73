import ByteParsing
import CaptureFormats
import InputSources
import Testing

@Suite struct SeriesTests {
  /// Writes captures and tells the groups that they make, by the names of the files.
  private func groups(
    _ captures: [(name: String, bytes: Bytes)], _ mode: SeriesMode = .auto, archive: String? = nil
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
      ("t.pcap", capture(100)), ("t.pcap1", capture(200)), ("t.pcap10", capture(400)),
      ("t.pcap2", capture(300)),
      ("u.pcap", capture(100)),
    ]
    #expect(
      try groups(parts, archive: archive) == [["t.pcap", "t.pcap1", "t.pcap2", "t.pcap10"], ["u.pcap"]])
  }

  @Test func `the names of dumpcap and of tcpdump's -G are parts too`() throws {
    let parts = [
      ("a_00001_20260501101112.pcapng", capture(200)), ("a_00002_20260501101212.pcapng", capture(300)),
      ("log-09.cap.gz", Packed.gzip(capture(2))), ("log-10.cap.gz", Packed.gzip(capture(6))),
    ]
    #expect(try groups(parts).map(\.count) == [2, 2])
  }

  @Test func `captures that overlap in time are not one`() throws {
    let parts = [("a1.pcap", capture(100, packets: 9)), ("a2.pcap", capture(105))]
    #expect(try groups(parts) == [["a1.pcap"], ["a2.pcap"]])
    #expect(try groups(parts, .always) == [["a1.pcap", "a2.pcap"]])
  }

  @Test func `captures of different link types are not one`() throws {
    let parts = [("a1.pcap", capture(100)), ("a2.pcap", capture(200, linkType: 101))]
    #expect(try groups(parts) == [["a1.pcap"], ["a2.pcap"]])
    #expect(try groups(parts, .always) == [["a1.pcap", "a2.pcap"]])
  }

  @Test func `names have to differ in digits alone, within one folder`() throws {
    let parts = [
      ("a1.pcap", capture(100)), ("b2.pcap", capture(200)), ("c/a3.pcap", capture(300)),
      ("a4.cap", capture(400)),
    ]
    #expect(try groups(parts).count == 4)
  }

  @Test func `nothing is a series when that is not wanted`() throws {
    #expect(try groups([("a1.pcap", capture(100)), ("a2.pcap", capture(200))], .never).count == 2)
  }

  @Test func `a part without packets is left by itself, and a cut one counts as far as it goes`() throws {
    let cut = Bytes(capture(300).dropLast(5))
    let parts = [("a1.pcap", emptyCapture), ("a2.pcap", capture(200)), ("a3.pcap", cut)]
    #expect(try groups(parts) == [["a1.pcap"], ["a2.pcap", "a3.pcap"]])
  }

  @Test func `a file that is named twice is no series`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a1.pcap", capture(100, packets: 1))
    #expect(InputFinder().find([path, path]).groups.count == 2)
  }

  @Test func `files that are named one by one can be a series`() throws {
    let folder = try TemporaryFolder()
    let second = try folder.write("a2.pcap", capture(200))
    let first = try folder.write("a1.pcap", capture(100))
    #expect(
      InputFinder().find([second, first]).groups.map { $0.files.map(\.displayName) } == [[first, second]])
  }
}
