import ArchiveReading
import ByteParsing
import CaptureFormats
import TestBytes
import Testing

@Suite struct ZIPDirectoryTests {
  private static let members: [(name: String, bytes: Bytes)] = [
    ("a.txt", Bytes("first".utf8)), ("b.txt", Bytes("second".utf8)), ("c.txt", Bytes("third".utf8)),
  ]

  /// The readable members of an archive, and the errors.
  private static func read(_ bytes: Bytes) -> (contents: [String: Bytes], errors: [ArchiveError]) {
    let archive = ArchiveReader(MemorySource(bytes), format: .zip)
    var contents: [String: Bytes] = [:]
    var errors: [ArchiveError] = []
    while true {
      do throws(ArchiveError) {
        guard let member = try archive.next() else { break }
        contents[member.displayName] = try archive.contents(limit: 1 << 20)
      } catch {
        errors.append(error)
        if error.isFatal { break }
      }
    }
    return (contents, errors)
  }

  private static func isDamage(_ error: ArchiveError) -> Bool {
    if case .damaged = error.reason { true } else { false }
  }

  /// The offset of the local header (0) or the central directory header (1) of a member.
  private static func offset(_ name: String, _ occurrence: Int, in zip: Bytes) -> Int {
    let name = Array(name.utf8)
    let offsets = zip.indices.filter { zip[$0...].starts(with: name) }
    return offsets[occurrence] - (occurrence == 0 ? 30 : 46)
  }

  /// The arguments are an offset in the local header, and the field that the error names.
  @Test(arguments: [
    (30, "name"), (8, "method"), (6, "encryption"), (18, "size"), (22, "size"), (14, "checksum"),
  ])
  func `a member whose local header contradicts the directory is damaged, the others are read`(field: Int, word: String) {
    var zip = ArchiveBuilder.zip(ZIPDirectoryTests.members)
    zip[ZIPDirectoryTests.offset("b.txt", 0, in: zip) + field] ^= 1
    let (contents, errors) = ZIPDirectoryTests.read(zip)
    #expect(Set(contents.keys) == ["a.txt", "c.txt"])
    #expect(errors.count == 1)
    #expect(errors.allSatisfy { ZIPDirectoryTests.isDamage($0) && $0.description.contains(word) })
  }

  /// The arguments are the system, and the offset and value of a byte of its attributes.
  @Test(arguments: [(0, 38, 0x10), (3, 41, 0x40)] as [(UInt8, Int, UInt8)])
  func `a member with content is a file although its attributes are those of a folder`(system: UInt8, field: Int, value: UInt8) throws {
    var zip = ArchiveBuilder.zip([("a.txt", Bytes("first".utf8)), ("b.txt", [])])
    for name in ["a.txt", "b.txt"] {
      let offset = ZIPDirectoryTests.offset(name, 1, in: zip)
      zip[offset + 5] = system
      zip[offset + field] = value
    }
    let archive = ArchiveReader(MemorySource(zip), format: .zip)
    #expect(try archive.next()?.kind == .regular)
    #expect(try archive.contents(limit: 100) == Bytes("first".utf8))
    #expect(try archive.next()?.kind == .directory)
  }

  @Test func `sizes in a data descriptor are accepted, and must match the directory`() {
    var zip = ArchiveBuilder.zip(ZIPDirectoryTests.members, lengthsBehind: true)
    #expect(ZIPDirectoryTests.read(zip).errors.isEmpty)
    // The descriptor after the six bytes of the second member.
    let descriptor = ZIPDirectoryTests.offset("b.txt", 0, in: zip) + 30 + 5 + 6
    zip[descriptor + 8] += 1
    let (contents, errors) = ZIPDirectoryTests.read(zip)
    #expect(Set(contents.keys) == ["a.txt", "c.txt"])
    #expect(errors.count == 1)
    #expect(errors.allSatisfy(ZIPDirectoryTests.isDamage))
  }

  @Test func `members that overlap are damaged`() {
    var zip = ArchiveBuilder.zip(ZIPDirectoryTests.members)
    // The directory gives the second member the offset of the first.
    let field = ZIPDirectoryTests.offset("b.txt", 1, in: zip) + 42
    for index in 0..<4 { zip[field + index] = 0 }
    let (contents, errors) = ZIPDirectoryTests.read(zip)
    #expect(Set(contents.keys) == ["c.txt"])
    #expect(!errors.isEmpty)
    #expect(errors.allSatisfy(ZIPDirectoryTests.isDamage))
  }

  @Test func `a member that the directory does not list is not read and is reported`() {
    let hidden = Bytes(ArchiveBuilder.zip([("evil.txt", Bytes("evil".utf8))]).prefix(30 + 8 + 4))
    let zip = hidden + ArchiveBuilder.zip(ZIPDirectoryTests.members)
    let (contents, errors) = ZIPDirectoryTests.read(zip)
    #expect(Set(contents.keys) == ["a.txt", "b.txt", "c.txt"])
    #expect(errors.count == 1)
    #expect(errors.first?.description.contains("not in its directory") == true)
  }

  @Test(arguments: [false, true])
  func `an archive after other bytes is read, with adjusted offsets or not`(areMoved: Bool) {
    let program = Bytes("#!/bin/sh\nexec unzip \"$0\"\n".utf8)
    var zip = ArchiveBuilder.zip(ZIPDirectoryTests.members)
    if areMoved {
      for name in ["a.txt", "b.txt", "c.txt"] {
        zip[ZIPDirectoryTests.offset(name, 1, in: zip) + 42] += UInt8(program.count)
      }
      zip[zip.count - 6] += UInt8(program.count)
    }
    let (contents, errors) = ZIPDirectoryTests.read(program + zip)
    #expect(errors.isEmpty)
    #expect(contents["c.txt"] == Bytes("third".utf8))
  }

  @Test func `the last of two end records is used, and the archive is damaged`() {
    let first = ArchiveBuilder.zip([("a.txt", Bytes("one".utf8))])
    let second = ArchiveBuilder.zip([("b.txt", Bytes("two".utf8))])
    // The second archive is the comment of the first.
    var both = first
    both[first.count - 2] = UInt8(second.count)
    both += second
    let (contents, errors) = ZIPDirectoryTests.read(both)
    #expect(contents == ["b.txt": Bytes("two".utf8)])
    #expect(errors.contains(where: ZIPDirectoryTests.isDamage))
  }

  @Test func `two directories are an error even if the end record leads to either`() {
    // The end record has the offset of the first directory, but follows the second.
    let first = ArchiveBuilder.zip([("a.txt", Bytes("one".utf8))])
    let second = ArchiveBuilder.zip([("b.txt", Bytes("two".utf8))])
    let (contents, errors) = ZIPDirectoryTests.read(Bytes(first.dropLast(22)) + second)
    #expect(contents == ["b.txt": Bytes("two".utf8)])
    #expect(errors.contains { $0.description.contains("two directories") })
  }

  @Test func `a name that is listed twice is reported`() {
    let zip = ArchiveBuilder.zip([("a.txt", Bytes("one".utf8)), ("a.txt", Bytes("two".utf8))])
    let errors = ZIPDirectoryTests.read(zip).errors
    #expect(errors.count == 1)
    #expect(errors.first?.description.contains("twice") == true)
  }

  /// A file of zeros, except for some parts.
  private struct SparseSource: SeekableSource {
    let parts: [(offset: Int, bytes: Bytes)]
    let byteCount: Int?

    mutating func read(into _: inout Bytes, from _: Int) throws(CaptureError) -> Int { 0 }

    func read(into buffer: inout Bytes, from start: Int, at offset: Int) throws(CaptureError) -> Int {
      let range = offset..<min(offset + buffer.count - start, byteCount ?? 0)
      for index in range.indices { buffer[start + index - offset] = 0 }
      for part in parts {
        for index in range.clamped(to: part.offset..<(part.offset + part.bytes.count)) {
          buffer[start + index - offset] = part.bytes[index - part.offset]
        }
      }
      return range.count
    }
  }

  @Test func `an offset from a zip64 field is invalid if the offsets have lost their upper bits and the sum overflows`() throws {
    var zip = ArchiveBuilder.zip([("a", []), ("b", []), ("c", [])])
    func put(_ value: Int, at offset: Int) {
      for index in 0..<4 { zip[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
    }
    // The first member ends at 4 GiB, where the second begins.
    for offset in [18, 22, 93 + 20, 93 + 24] { put(0xFFFF_FEE1, at: offset) }
    put(0x100, at: 93 + 42)
    put(0, at: 140 + 42)
    put(0xFFFF_FFFF, at: 187 + 42)
    zip[187 + 30] = 12
    put(3 * 47 + 12, at: 234 + 12)
    put(31, at: 234 + 16)
    zip.insert(contentsOf: [1, 0, 8, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], at: 234)
    let tail = Bytes(zip[31..<62]) + zip[93...]
    let source = SparseSource(parts: [(0x100, Bytes(zip[..<31])), (1 << 32, tail)], byteCount: (1 << 32) + tail.count)
    let archive = ArchiveReader(source, format: .zip)
    #expect(try archive.seek(to: 1))
    #expect(try archive.next()?.displayName == "b")
    #expect(try archive.contents(limit: 100).isEmpty)
    #expect(try archive.next()?.displayName == "c")
    let error = #expect(throws: ArchiveError.self) { _ = try archive.contents(limit: 100) }
    #expect(error?.description.contains("points to no local header") == true)
  }

  @Test func `members are read in any order`() throws {
    let archive = ArchiveReader(MemorySource(ArchiveBuilder.zip(ZIPDirectoryTests.members)), format: .zip)
    for index in [2, 0, 1, 1] {
      #expect(try archive.seek(to: index))
      #expect(try archive.next()?.index == index)
      #expect(try archive.contents(limit: 100) == ZIPDirectoryTests.members[index].bytes)
    }
  }

  /// A source that can be read only forwards.
  private struct Pipe: ByteSource {
    var source: MemorySource
    mutating func read(into buffer: inout Bytes, from start: Int) throws(CaptureError) -> Int {
      try source.read(into: &buffer, from: start)
    }
  }

  @Test func `a ZIP from a pipe is held in memory, up to a limit`() throws {
    let zip = ArchiveBuilder.zip(ZIPDirectoryTests.members)
    var limits = ArchiveLimits()
    limits.heldBytes = zip.count
    let archive = ArchiveReader(Pipe(source: MemorySource(zip, chunk: 5)), format: .zip, limits: limits)
    #expect(try archive.next()?.displayName == "a.txt")
    limits.heldBytes -= 1
    let other = ArchiveReader(Pipe(source: MemorySource(zip, chunk: 5)), format: .zip, limits: limits)
    let error = #expect(throws: ArchiveError.self) { _ = try other.next() }
    #expect(error?.reason == .tooLongToHold(limit: zip.count - 1))
  }
}
