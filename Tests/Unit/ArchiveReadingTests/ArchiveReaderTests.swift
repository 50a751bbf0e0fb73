import ArchiveReading
import ByteParsing
import CaptureFormats
import SeededRandom
import TestBytes
import Testing

@Suite struct ArchiveReaderTests {
  private static let members: [(name: String, bytes: Bytes)] = [
    ("a/first.txt", Bytes("first".utf8)),
    ("../evil", Bytes(repeating: 7, count: 700)),
    ("naïve.txt", Bytes("third".utf8)),
  ]

  private static func read(_ bytes: Bytes, _ format: ArchiveReader.Format, chunk: Int = .max)
    throws(ArchiveError) -> [(ArchiveMember, Bytes)]
  {
    let archive = ArchiveReader(MemorySource(bytes, chunk: chunk), format: format)
    var all: [(ArchiveMember, Bytes)] = []
    while let member = try archive.next() { all.append((member, try archive.contents(limit: 1 << 20))) }
    return all
  }

  @Test(arguments: [false, true], [1, 512, 1 << 20])
  func `members of a ZIP are read in order`(lengthsBehind: Bool, chunk: Int) throws {
    let zip = ArchiveBuilder.zip(ArchiveReaderTests.members, lengthsBehind: lengthsBehind)
    let found = try ArchiveReaderTests.read(zip, .zip, chunk: chunk)
    #expect(found.map(\.0.displayName) == ArchiveReaderTests.members.map(\.name))
    #expect(found.map(\.1) == ArchiveReaderTests.members.map(\.bytes))
    #expect(found.map(\.0.index) == [0, 1, 2])
    #expect(found.map(\.0.kind) == [.regular, .regular, .regular])
    if !lengthsBehind { #expect(found.map(\.0.size) == [5, 700, 5]) }
  }

  @Test func `members of a tar are read with their kinds`() throws {
    let tar = ArchiveBuilder.tar([
      ("folder/", [], "5"), ("folder/file", Bytes("content".utf8), "0"), ("folder/link", [], "2"),
    ])
    let found = try ArchiveReaderTests.read(tar, .tar)
    #expect(found.map(\.0.displayName) == ["folder/", "folder/file", "folder/link"])
    #expect(found.map(\.0.kind) == [.directory, .regular, .link])
    #expect(found[1].1 == Bytes("content".utf8))
  }

  @Test func `members can be skipped without being read`() throws {
    let zip = ArchiveBuilder.zip(ArchiveReaderTests.members)
    let archive = ArchiveReader(MemorySource(zip), format: .zip)
    _ = try archive.next()
    _ = try archive.next()
    let third = try archive.next()
    #expect(third?.displayName == "naïve.txt")
    var source = archive.member
    #expect(source.readAll().bytes == Bytes("third".utf8))
    #expect(try archive.next() == nil)
  }

  @Test func `a member longer than the caller's limit is an error, and the next one can be read`() throws {
    let archive = ArchiveReader(MemorySource(ArchiveBuilder.zip(ArchiveReaderTests.members)), format: .zip)
    _ = try archive.next()
    _ = try archive.next()
    let error = #expect(throws: ArchiveError.self) { _ = try archive.contents(limit: 699) }
    #expect(error?.reason == .tooLong(limit: 699))
    #expect(try archive.next()?.displayName == "naïve.txt")
  }

  @Test func `an empty ZIP has no members`() throws {
    #expect(try ArchiveReaderTests.read(ArchiveBuilder.zip([]), .zip).isEmpty)
  }

  @Test func `a member with a wrong checksum is an error`() {
    let zip = ArchiveBuilder.zip(ArchiveReaderTests.members, damagedChecksum: true)
    #expect(throws: ArchiveError.self) { _ = try ArchiveReaderTests.read(zip, .zip) }
  }

  @Test func `an encrypted member is reported as encrypted`() throws {
    let archive = ArchiveReader(
      MemorySource(ArchiveBuilder.zip([("secret", Bytes(repeating: 1, count: 100))], flags: 1)), format: .zip)
    let error = #expect(throws: ArchiveError.self) {
      _ = try archive.next()
      _ = try archive.contents(limit: 1000)
    }
    #expect(error?.reason == .encrypted)
  }

  @Test(arguments: [ArchiveReader.Format.zip, .tar])
  func `an archive truncated anywhere never traps, and the members read from it are intact`(
    format: ArchiveReader.Format
  ) {
    let whole =
      format == .zip
      ? ArchiveBuilder.zip(ArchiveReaderTests.members)
      : ArchiveBuilder.tar(ArchiveReaderTests.members.map { ($0.name, $0.bytes, "0") }, ended: false)
    for count in stride(from: 0, to: whole.count, by: 13) {
      let archive = ArchiveReader(MemorySource(Bytes(whole.prefix(count))), format: format)
      var found: [Bytes] = []
      do throws(ArchiveError) {
        while try archive.next() != nil { found.append(try archive.contents(limit: 1 << 20)) }
      } catch {
        #expect(error.isFatal || format == .zip)
      }
      let isPrefix = zip(found, ArchiveReaderTests.members).allSatisfy { $0 == $1.bytes }
      #expect(isPrefix)
    }
  }

  @Test(arguments: [600, 50_000, 200_000, 512 + 300_000])
  func `a truncated tar member is read up to the last byte of the file`(length: Int) throws {
    let bytes = Bytes((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    let whole = ArchiveBuilder.tar([("a", bytes, "0")])
    let archive = ArchiveReader(MemorySource(Bytes(whole.prefix(length))), format: .tar)
    _ = try archive.next()
    var buffer = Bytes(repeating: 0, count: 1 << 20)
    var count = 0
    let error = #expect(throws: ArchiveError.self) {
      while case let read = try archive.read(into: &buffer, from: count), read > 0 { count += read }
      _ = try archive.next()
    }
    #expect(error?.reason == .truncated)
    #expect(buffer.prefix(count) == bytes.prefix(length - 512))
    var member = archive.member
    #expect(member.readAll().error?.reason == .archiveTruncated)
  }

  @Test(arguments: [false, true], [0, 40])
  func `a ZIP truncated anywhere is an error`(lengthsBehind: Bool, commentLength: Int) {
    var whole = ArchiveBuilder.zip(ArchiveReaderTests.members, lengthsBehind: lengthsBehind)
    whole[whole.count - 2] = UInt8(commentLength)
    whole += Bytes(repeating: 0x2A, count: commentLength)
    for count in 1..<whole.count {
      #expect(throws: ArchiveError.self, "\(count) of \(whole.count) bytes") {
        _ = try ArchiveReaderTests.read(Bytes(whole.prefix(count)), .zip)
      }
    }
    #expect(throws: Never.self) { _ = try ArchiveReaderTests.read(whole, .zip, chunk: 7) }
    #expect(throws: Never.self) {
      _ = try ArchiveReaderTests.read(whole + Bytes(repeating: 0, count: 1000), .zip)
    }
  }

  @Test func `a ZIP without its end of central directory is truncated`() throws {
    let whole = ArchiveBuilder.zip(ArchiveReaderTests.members)
    let archive = ArchiveReader(MemorySource(Bytes(whole.dropLast(30))), format: .zip)
    let error = #expect(throws: ArchiveError.self) { _ = try archive.next() }
    #expect(error?.reason == .truncated)
  }

  @Test func `bytes after a ZIP and a wrong number of members are errors`() {
    let whole = ArchiveBuilder.zip(ArchiveReaderTests.members)
    // Another archive after the first: only one of the two would be read.
    #expect(throws: ArchiveError.self) { _ = try ArchiveReaderTests.read(whole + whole, .zip) }
    #expect(throws: ArchiveError.self) { _ = try ArchiveReaderTests.read(whole + Bytes("x".utf8), .zip) }
    // A directory that lists one member more.
    var listed = whole
    listed[whole.count - 12] += 1
    #expect(throws: ArchiveError.self) { _ = try ArchiveReaderTests.read(listed, .zip) }
  }

  @Test func `a fault of the compressed data names the offset that was reached`() {
    let error = ArchiveError(.unreadable(CaptureError(.packedDataTruncated, at: 0)), at: 4793)
    #expect(error.description == "the compressed data is truncated; unpacked up to byte 4793")
  }

  @Test(arguments: [1, 512, 1 << 20])
  func `a tar without its end or with data after it is an error`(chunk: Int) throws {
    let members = ArchiveReaderTests.members.map { ($0.name, $0.bytes, Character("0")) }
    let open = ArchiveBuilder.tar(members, ended: false)
    let error = #expect(throws: ArchiveError.self) {
      _ = try ArchiveReaderTests.read(open, .tar, chunk: chunk)
    }
    #expect(error?.reason == .truncated)
    #expect(error?.description.hasPrefix("the archive is truncated within the first ") == true)
    for zeros in [512, 1024, 20 * 512, 1 << 20] {
      let whole = open + Bytes(repeating: 0, count: zeros)
      #expect(try ArchiveReaderTests.read(whole, .tar, chunk: chunk).count == 3)
    }
    let two = ArchiveBuilder.tar(members) + ArchiveBuilder.tar(members)
    #expect(throws: ArchiveError.self) { _ = try ArchiveReaderTests.read(two, .tar, chunk: chunk) }
    let late = ArchiveBuilder.tar(members) + Bytes(repeating: 0, count: 1 << 19) + two
    #expect(throws: ArchiveError.self) { _ = try ArchiveReaderTests.read(late, .tar, chunk: chunk) }
  }

  @Test(arguments: [700, 1 << 20])
  func `a tar with a damaged header is an error after the members that can be read`(length: Int) throws {
    var damaged = ArchiveBuilder.tar([
      ("a/first.txt", Bytes("first".utf8), "0"), ("second", Bytes(repeating: 7, count: length), "0"),
      ("naïve.txt", Bytes("third".utf8), "0"),
    ])
    // The header of the second member; the first has one block.
    damaged[1024 + 10] ^= 0x55
    let archive = ArchiveReader(MemorySource(damaged), format: .tar)
    #expect(try archive.next()?.displayName == "a/first.txt")
    #expect(try archive.next()?.displayName == "naïve.txt")
    #expect(try archive.contents(limit: 100) == Bytes("third".utf8))
    let error = #expect(throws: ArchiveError.self) { _ = try archive.next() }
    #expect(error?.isFatal == true)
    #expect(error?.description.contains("a header is damaged") == true)
  }

  /// A tar of a sparse file, 512 bytes at offset 100 and then a hole, and another file. `size` has eleven octal digits.
  private static func sparseTar(size: String) -> Bytes {
    var tar = ArchiveBuilder.tar([("sparse", Bytes(repeating: 7, count: 512), "S"), ("next", [1, 2, 3], "0")])
    func put(_ text: String, at offset: Int) {
      for (index, byte) in text.utf8.enumerated() { tar[offset + index] = byte }
    }
    // GNU's format: offsets and lengths of data, of which the last is the end, and the size.
    put("ustar  \u{0}", at: 257)
    put("00000000144\u{0}00000001000\u{0}\(size)\u{0}00000000000\u{0}", at: 386)
    put(size + "\u{0}", at: 483)
    put("        ", at: 148)
    let sum = String(tar.prefix(512).reduce(0) { $0 + Int($1) }, radix: 8)
    put(String(repeating: "0", count: 6 - sum.count) + sum + "\u{0} ", at: 148)
    return tar
  }

  @Test(arguments: [1, 100, 1 << 12])
  func `a sparse member that ends in a hole has zeros there`(piece: Int) throws {
    let archive = ArchiveReader(MemorySource(ArchiveReaderTests.sparseTar(size: "00000003720")), format: .tar)
    #expect(try archive.next()?.displayName == "sparse")
    var member = archive.member
    let (bytes, error) = member.readAll(piece: piece)
    #expect(error == nil)
    let expected = Bytes(repeating: 0, count: 100) + Bytes(repeating: 7, count: 512) + Bytes(repeating: 0, count: 2000 - 612)
    #expect(bytes == expected)
    #expect(try archive.next()?.displayName == "next")
    #expect(try archive.contents(limit: 100) == [1, 2, 3])
    #expect(try archive.next() == nil)
  }

  @Test func `a sparse member with a hole that is too long leaves the next one readable`() throws {
    // 4 GiB.
    let archive = ArchiveReader(MemorySource(ArchiveReaderTests.sparseTar(size: "40000000000")), format: .tar)
    #expect(try archive.next()?.displayName == "sparse")
    var member = archive.member
    var buffer = Bytes(repeating: 0, count: 1 << 20)
    #expect(throws: CaptureError.self) {
      while try member.read(into: &buffer, from: 0) > 0 {}
    }
    #expect(try archive.next()?.displayName == "next")
    #expect(try archive.contents(limit: 100) == [1, 2, 3])
    #expect(try archive.next() == nil)
  }

  @Test func `the end of central directory of a ZIP64 is read`() throws {
    var whole = ArchiveBuilder.zip(ArchiveReaderTests.members)
    let end = Bytes(whole.suffix(22))
    whole.removeLast(22)
    let record = whole.count
    func number(_ range: Range<Int>) -> Int { range.reversed().reduce(0) { $0 << 8 | Int(end[$1]) } }
    whole += [0x50, 0x4B, 6, 6] + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8)
    whole += little(3, 8) + little(3, 8) + little(number(12..<16), 8) + little(number(16..<20), 8)
    whole += [0x50, 0x4B, 6, 7] + little(0, 4) + little(record, 8) + little(1, 4)
    whole += end.prefix(8) + Bytes(repeating: 0xFF, count: 12) + [0, 0]
    #expect(try ArchiveReaderTests.read(whole, .zip).count == 3)
    whole[record + 32] = 4
    let other = whole
    #expect(throws: ArchiveError.self) { _ = try ArchiveReaderTests.read(other, .zip) }
  }

  @Test(arguments: [ArchiveReader.Format.zip, .tar])
  func `damaged archives never trap`(format: ArchiveReader.Format) {
    let whole =
      format == .zip
      ? ArchiveBuilder.zip(ArchiveReaderTests.members)
      : ArchiveBuilder.tar(ArchiveReaderTests.members.map { ($0.name, $0.bytes, "0") })
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<1500 {
      var damaged = whole
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        damaged[Int.random(in: 0..<damaged.count, using: &generator)] =
          UInt8.random(in: 0...255, using: &generator)
      }
      let archive = ArchiveReader(MemorySource(damaged), format: format)
      var count = 0
      // A member's fault leaves the next one readable, so errors alone do not end the loop.
      while count < 100 {
        count += 1
        do throws(ArchiveError) {
          guard try archive.next() != nil else { break }
          _ = try archive.contents(limit: 1 << 16)
        } catch  where error.isFatal {
          break
        } catch {}
      }
      #expect(count < 100)
    }
  }

  @Test func `a member beyond the limit is an error`() throws {
    var limits = ArchiveLimits()
    limits.members = 2
    let archive = ArchiveReader(
      MemorySource(ArchiveBuilder.zip(ArchiveReaderTests.members)), format: .zip, limits: limits)
    _ = try archive.next()
    _ = try archive.next()
    let error = #expect(throws: ArchiveError.self) { _ = try archive.next() }
    #expect(error?.reason == .tooManyMembers(limit: 2))
  }

  @Test func `a tar is read from a compressed stream`() throws {
    let tar = ArchiveBuilder.tar([("x.pcap", Bytes("capture".utf8), "0")])
    let archive = ArchiveReader(DecompressingSource(MemorySource(ArchiveBuilder.gzip(tar)), format: .gzip), format: .tar)
    #expect(try archive.next()?.displayName == "x.pcap")
    #expect(try archive.contents(limit: 100) == Bytes("capture".utf8))
    #expect(try archive.next() == nil)
  }
}
