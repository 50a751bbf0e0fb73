import ByteParsing
import CaptureFormats
import Foundation
import InputSources
import TestBytes
import TestFiles
import Testing

@Suite struct InputFileTests {
  /// The file that the finder returns for a path.
  static func file(_ path: String) throws -> InputFile {
    let found = InputFinder().find([AuditInput(path: path)])
    if let error = found.errors.first { throw error }
    return try #require(found.files.first)
  }

  /// All bytes of a source.
  static func bytes(of source: any ByteSource) throws -> Bytes {
    var source = source
    var bytes = Bytes()
    var buffer = Bytes(repeating: 0, count: 1000)
    while true {
      let count = try source.read(into: &buffer, from: 7)
      if count == 0 { return bytes }
      bytes += buffer[7..<(7 + count)]
    }
  }

  @Test(arguments: [24, 4095, 4096, 4097, 300_000])
  func `detecting the kind of a file consumes none of its bytes`(count: Int) throws {
    let folder = try TemporaryFolder()
    let content = emptyCapture + Bytes((0..<(count - 24)).map { UInt8(truncatingIfNeeded: $0) })
    let opened = try InputFileTests.file(try folder.write("a.pcap", content)).open()
    #expect(opened.kind == .capture(.pcap))
    #expect(try InputFileTests.bytes(of: opened.source) == content)
  }

  @Test func `a capture file is read with CaptureReader`() throws {
    let folder = try TemporaryFolder()
    var content = emptyCapture
    for index in 0..<2000 as Range<UInt32> {
      content += [1, 0, 0, 0, 0, 0, 0, 0, 0xE8, 3, 0, 0, 0xE8, 3, 0, 0]
      content += Bytes(repeating: UInt8(truncatingIfNeeded: index), count: 1000)
    }
    let opened = try InputFileTests.file(try folder.write("a.pcap", content)).open()
    var reader = try CaptureReader(opened.source)
    var count = 0
    while let record = try reader.next() {
      let bytes = reader.bytes(of: record)
      #expect(bytes[0] == UInt8(truncatingIfNeeded: count) && bytes[999] == bytes[0])
      count += 1
    }
    #expect(count == 2000)
    #expect(reader.offset == content.count)
  }

  @Test func `a FIFO given as an argument is read, however its bytes arrive`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.fifo("pipe")
    let content = emptyCapture + Bytes(repeating: 0, count: 100_000)
    // Not a task: the thread that opens the FIFO may be the only one that is free to run it.
    Thread.detachNewThread {
      guard let handle = FileHandle(forWritingAtPath: path) else { return }
      for start in [0, 1, 5, 24, 30_000] {
        let end = [0: 1, 1: 5, 5: 24, 24: 30_000][start] ?? content.count
        try? handle.write(contentsOf: Data(content[start..<end]))
      }
      try? handle.close()
    }
    let opened = try InputFileTests.file(path).open()
    #expect(opened.kind == .capture(.pcap))
    #expect(try InputFileTests.bytes(of: opened.source) == content)
  }

  @Test(
    arguments: [
      ([], .empty), ([0x41, 0x42, 0x43, 0x44, 0x45], .notACapture(start: [0x41, 0x42, 0x43, 0x44])),
      ([0x1F, 0x8B, 8, 0], .unreadable(CaptureError(.packedDataTruncated, at: 0))),
    ] as [(Bytes, InputError.Reason)])
  func `a file argument that is not a capture is rejected`(bytes: Bytes, reason: InputError.Reason) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("file", bytes)
    #expect(throws: InputError(reason, path: path)) { try InputFileTests.file(path).open() }
  }

  @Test(arguments: ["/dev/null", "/dev/zero"])
  func `devices are not opened`(path: String) {
    #expect(throws: InputError(.specialFile, path: path)) { try InputFileTests.file(path).open() }
  }

  @Test func `a file that was removed or replaced since it was found is an error`() throws {
    let folder = try TemporaryFolder()
    let target = try folder.write("target", emptyCapture)
    let names = ["gone", "link", "pipe"]
    for name in names { try folder.write("below/" + name, emptyCapture) }
    let files = InputFinder().find([AuditInput(path: folder.path + "/below")]).files
    #expect(files.count == 3)
    for name in names { try FileManager.default.removeItem(atPath: folder.path + "/below/" + name) }
    try folder.link("below/link", to: target)
    _ = try folder.fifo("below/pipe")
    #expect(throws: InputError(.noSuchFile, path: folder.path + "/below/gone")) { try files[0].open() }
    #expect(throws: InputError.self) { try files[1].open() }
    #expect(throws: InputError(.specialFile, path: folder.path + "/below/pipe")) { try files[2].open() }
  }

  @Test(arguments: [1, 4095, 4096, 4097, 40_000])
  func `files up to the limit are read whole, longer ones are rejected`(count: Int) throws {
    let folder = try TemporaryFolder()
    let content = Bytes((0..<count).map { UInt8(truncatingIfNeeded: $0) })
    let path = try folder.write("file", content)
    #expect(try FileContents.read(path, limit: 1 << 30) == content)
    #expect(try FileContents.read(path, limit: count) == content)
    #expect(throws: InputError(.tooLong(limit: count - 1), path: path)) {
      try FileContents.read(path, limit: count - 1)
    }
    #expect(try FileContents.read(folder.write("empty", []), limit: 0) == [])
    #expect(throws: InputError(.isDirectory, path: folder.path)) {
      try FileContents.read(folder.path, limit: 10)
    }
    #expect(throws: InputError(.noSuchFile, path: path + "x")) {
      try FileContents.read(path + "x", limit: 10)
    }
  }

  @Test(
    arguments: [
      (.noSuchFile, "t.pcap: no such file or directory"), (.permissionDenied, "t.pcap: permission denied"),
      (.empty, "t.pcap: is empty"),
      (
        .notACapture(start: [0x7F, 0x45, 0x4C, 0x06]),
        "t.pcap: is not a capture (pcap or pcapng) and not saved sessions (NDJSON); it begins with 7f 45 4c 06"
      ),
      (
        .notACapture(start: [0x73, 0x6E, 0x6F, 0x6F]),
        "t.pcap: is a capture in snoop format, which is not supported; convert it with Wireshark's editcap -F pcapng"
      ),
      (
        .notACapture(start: [0x37, 0x7A, 0xBC, 0xAF]),
        "t.pcap: is a 7z archive, which is not supported; unpack it to read the captures in it"
      ),
      (
        .unreadable(CaptureError(.packedDataTruncated, at: 0)),
        "t.pcap: the compressed data is truncated; unpacked up to byte 0"
      ),
    ] as [(InputError.Reason, String)])
  func `an error description names the file and the problem`(reason: InputError.Reason, text: String) {
    #expect(InputError(reason, path: "t.pcap").description == text)
  }

  @Test(
    arguments: [
      ("x.pem", "----", "is a PEM file"), ("x", "CLIE", "is a key log"), ("x", "# SS", "is a key log"),
      ("x.plist", "<?xm", "--info-plist"), ("x", "<?xm", "is XML"), ("x", "bpli", "--info-plist"),
      ("x.HAR", "{\n  ", "is a HAR"), ("x", "{\"lo", "is a HAR"), ("x.json", "[{\"a", "is JSON without"),
      ("x.erf", "\u{1}\u{2}\u{3}\u{4}", "Endace"), ("x.pcap", "ELFF", "begins with 'ELFF'"),
      ("x", "Rar!", "is a RAR archive"), ("x", "!<ar", "is an ar archive"), ("x", "0707", "is a cpio archive"),
    ])
  func `known file types that are not captures are named in the error`(name: String, start: String, words: String) {
    let error = InputError(.notACapture(start: Bytes(start.utf8)), path: name)
    #expect(error.explanation.contains(words))
  }
}
