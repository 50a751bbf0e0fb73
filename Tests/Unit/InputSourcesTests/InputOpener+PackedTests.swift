import ArchiveReading
import ByteParsing
import CaptureFormats
import Foundation
import InputSources
import TestBytes
import TestFiles
import Testing

@Suite struct InputOpenerPackedTests {
  /// A capture of packets of ten bytes each, one second apart.
  static func capture(from seconds: UInt32 = 1_700_000_000, packets: UInt32 = 3, linkType: UInt32 = 1) -> Bytes {
    var file = CaptureWriter.pcap(network: linkType)
    for second in seconds..<(seconds + packets) { file.record(Bytes(repeating: 0, count: 10), seconds: second, fraction: 0) }
    return file.bytes
  }

  private static func contents(_ files: [InputFile]) throws -> [Bytes] {
    let opener = InputOpener()
    return try files.map { try InputFileTests.bytes(of: try opener.open($0).source) }
  }

  @Test func `a compressed capture is detected and decompressed`() throws {
    let folder = try TemporaryFolder()
    let content = InputOpenerPackedTests.capture(packets: 5000)
    let path = try folder.write("trace", ArchiveBuilder.gzip(content))
    let opened = try InputFileTests.file(path).open()
    #expect(opened.kind == .capture(.pcap))
    #expect(opened.compression == .gzip)
    #expect(try InputFileTests.bytes(of: opened.source) == content)
    #expect(InputFinder().find([AuditInput(path: folder.path)]).files.map(\.displayName) == [path])
  }

  @Test(arguments: [[], [4], [0, 300, 7], [60_000]])
  func `skippable frames before an LZ4 frame are skipped`(lengths: [Int]) throws {
    let content = InputOpenerPackedTests.capture()
    var file = Bytes()
    for length in lengths {
      file += hex("5f2a4d18")
      file += [UInt8(length & 0xFF), UInt8(length >> 8), 0, 0] as Bytes
      file += Bytes(repeating: 7, count: length)
    }
    // A frame with one stored block of less than 256 bytes.
    file += hex("04224d18 604082")
    file += [UInt8(content.count), 0, 0, 0x80] as Bytes
    file += content + hex("00000000")
    let folder = try TemporaryFolder()
    let opened = try InputFileTests.file(try folder.write("trace", file)).open()
    #expect(opened.compression == .lz4)
    #expect(try InputFileTests.bytes(of: opened.source) == content)
  }

  @Test func `a file compressed twice is reported as such, not as truncated`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("trace.gz", ArchiveBuilder.gzip(ArchiveBuilder.gzip(InputOpenerPackedTests.capture())))
    let error = #expect(throws: InputError.self) { _ = try InputFileTests.file(path).open() }
    #expect(error?.reason == .packedTwice)
  }

  @Test func `the watched source of a compressed capture counts compressed bytes`() throws {
    final class Seen { var count = 0 }
    struct Watch: ByteSource {
      var source: any ByteSource
      let seen: Seen
      mutating func read(into buffer: inout Bytes, from start: Int) throws(CaptureError) -> Int {
        let count = try source.read(into: &buffer, from: start)
        seen.count += count
        return count
      }
    }
    let folder = try TemporaryFolder()
    let packed = ArchiveBuilder.gzip(InputOpenerPackedTests.capture(packets: 5000))
    let file = try InputFileTests.file(try folder.write("trace", packed))
    let seen = Seen()
    let opened = try InputOpener().open(file) { Watch(source: $0, seen: seen) }
    _ = try InputFileTests.bytes(of: opened.source)
    #expect(seen.count == packed.count)
  }

  static let members: [(name: String, bytes: Bytes)] = [
    ("logs/b.pcap", capture()), ("logs/notes.txt", Bytes("dear diary".utf8)),
    ("a.pcap.gz", ArchiveBuilder.gzip(capture(from: 1_700_000_100))), ("logs/inner.zip", ArchiveBuilder.zip([])),
    ("saved.ndjson", Bytes(#"{"schema":"atscope.run/1"}"#.utf8)), ("../c.pcap", capture(from: 5)),
  ]

  @Test(arguments: ["zip", "tar", "tgz"])
  func `captures in an archive are listed by name, and other members are skipped`(format: String) throws {
    let folder = try TemporaryFolder()
    let tar = ArchiveBuilder.tar(InputOpenerPackedTests.members.map { ($0.name, $0.bytes, "0") } + [("l", [], "2")])
    let archive =
      format == "zip" ? ArchiveBuilder.zip(InputOpenerPackedTests.members) : format == "tar" ? tar : ArchiveBuilder.gzip(tar)
    let path = try folder.write("bundle", archive)
    for (argument, prefix) in [(path, path), (folder.path, path)] {
      let found = InputFinder().find([AuditInput(path: argument)])
      #expect(found.errors.isEmpty)
      #expect(
        found.files.map(\.displayName) == ["../c.pcap", "a.pcap.gz", "logs/b.pcap"].map { "\(prefix)!\($0)" })
      #expect(found.skippedCount == (format == "zip" ? 3 : 4))
      #expect(found.skipped.first?.displayName == "\(prefix)!logs/notes.txt")
      let contents = try InputOpenerPackedTests.contents(found.files)
      #expect(
        contents == [
          InputOpenerPackedTests.members[5].bytes, InputOpenerPackedTests.capture(from: 1_700_000_100),
          InputOpenerPackedTests.members[0].bytes,
        ])
    }
  }

  @Test func `tar members keep their order if sorting needs too many passes, ZIP members are sorted`() throws {
    let folder = try TemporaryFolder()
    let names = "tsrqponmlkjihgfedcba".map { String($0) }
    let path = try folder.write(
      "bundle.tar",
      ArchiveBuilder.tar(names.enumerated().map { ($1, InputOpenerPackedTests.capture(from: UInt32($0)), "0") }))
    let files = InputFinder().find([AuditInput(path: path)]).files
    #expect(files.map(\.displayName) == names.map { path + "!" + $0 })
    #expect(try InputOpenerPackedTests.contents(files).count == 20)
    // The central directory of a ZIP gives direct access to each member.
    let zip = try folder.write(
      "bundle.zip", ArchiveBuilder.zip(names.enumerated().map { ($1, InputOpenerPackedTests.capture(from: UInt32($0))) }))
    let sorted = InputFinder().find([AuditInput(path: zip)]).files
    #expect(sorted.map(\.displayName) == names.sorted().map { zip + "!" + $0 })
    #expect(
      try InputOpenerPackedTests.contents(sorted)
        == (0..<20).reversed().map { InputOpenerPackedTests.capture(from: UInt32($0)) })
  }

  @Test func `a truncated archive yields the captures before the truncation, and an error`() throws {
    let folder = try TemporaryFolder()
    let whole = ArchiveBuilder.tar([
      ("a.pcap", InputOpenerPackedTests.capture(), "0"), ("b.pcap", InputOpenerPackedTests.capture(from: 9), "0"),
    ])
    let path = try folder.write("cut.tar", Bytes(whole.prefix(512 + 512 + 300)))
    let found = InputFinder().find([AuditInput(path: path)])
    #expect(found.files.map(\.displayName) == [path + "!a.pcap"])
    guard case .archive(let error) = found.errors.first?.reason else {
      Issue.record("\(found.errors)")
      return
    }
    #expect(error.reason == .truncated)
    #expect(found.errors.first?.path == path)
  }

  @Test func `an archive argument without captures is an error`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a.zip", ArchiveBuilder.zip([("notes.txt", Bytes("dear diary".utf8))]))
    #expect(InputFinder().find([AuditInput(path: path)]).errors == [InputError(.noCapturesInArchive, path: path)])
    #expect(InputFinder().find([AuditInput(path: folder.path)]).errors == [InputError(.noCaptures, path: folder.path)])
  }

  @Test func `an archive from a pipe is read in the order of its members`() throws {
    let folder = try TemporaryFolder()
    let file = try InputFileTests.file(try folder.write("not-an-archive", emptyCapture))
    let path = try folder.write("not-an-archive", ArchiveBuilder.zip(InputOpenerPackedTests.members))
    let walk = ArchiveWalk(try file.open(), displayName: "-")
    var captures: [String] = []
    var others = 0
    while let step = walk.next() {
      guard case .capture(let opened, let name, _) = step else {
        others += 1
        continue
      }
      captures.append(name)
      #expect(try InputFileTests.bytes(of: opened.source).starts(with: emptyCapture.prefix(20)))
    }
    #expect(captures == ["-!logs/b.pcap", "-!a.pcap.gz", "-!../c.pcap"])
    #expect(others == 3)
    #expect(FileManager.default.fileExists(atPath: path))
  }
}
