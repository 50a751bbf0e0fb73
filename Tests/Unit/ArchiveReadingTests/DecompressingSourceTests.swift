import ArchiveReading
import ByteParsing
import CaptureFormats
import SeededRandom
import TestBytes
import Testing

@Suite struct DecompressingSourceTests {
  @Test(arguments: PackedSamples.all.indices, [1, 7, 4096])
  func `every format is decompressed, however its bytes arrive`(index: Int, chunk: Int) {
    var source = DecompressingSource(
      MemorySource(PackedSamples.all[index].bytes, chunk: chunk), format: PackedSamples.all[index].format)
    let (bytes, error) = source.readAll()
    #expect(error == nil)
    #expect(bytes == PackedSamples.text)
  }

  @Test(arguments: [0, 1])
  func `consecutive gzip members or zstd frames are one stream`(index: Int) {
    let packed = PackedSamples.all[index].bytes
    var source = DecompressingSource(MemorySource(packed + packed), format: PackedSamples.all[index].format)
    let (bytes, error) = source.readAll()
    #expect(error == nil)
    #expect(bytes == PackedSamples.text + PackedSamples.text)
  }

  @Test(arguments: PackedSamples.all.indices)
  func `a stream truncated anywhere gives a prefix of the data and an error`(index: Int) {
    let packed = PackedSamples.all[index].bytes
    for count in 8..<packed.count {
      var source = DecompressingSource(
        MemorySource(Bytes(packed.prefix(count))), format: PackedSamples.all[index].format)
      let (bytes, error) = source.readAll()
      let isPart = PackedSamples.text.starts(with: bytes)
      #expect(isPart)
      // The last bytes of a format may be only a checksum or an index.
      #expect(error != nil || bytes == PackedSamples.text, "\(count) bytes")
    }
  }

  @Test(arguments: PackedSamples.all.indices, [1, 7, 4096])
  func `data after the compressed data is an error`(index: Int, chunk: Int) {
    let packed = PackedSamples.all[index].bytes
    for rest in ["x", "something else", String(repeating: "long ", count: 2000)] {
      var source = DecompressingSource(
        MemorySource(packed + Bytes(rest.utf8), chunk: chunk), format: PackedSamples.all[index].format)
      let (bytes, error) = source.readAll()
      #expect(error != nil)
      #expect(bytes == PackedSamples.text)
    }
  }

  @Test(arguments: [0, 1, 3])
  func `all data is kept if the checksum or the index is truncated`(index: Int) {
    let packed = PackedSamples.all[index].bytes
    var source = DecompressingSource(
      MemorySource(Bytes(packed.dropLast(4))), format: PackedSamples.all[index].format)
    let (bytes, error) = source.readAll()
    #expect(bytes == PackedSamples.text)
    #expect(error?.reason == .packedDataTruncated)
  }

  @Test func `a longer prefix of a truncated xz file never gives less data`() {
    let packed = PackedSamples.all[3].bytes
    let lengths = (8..<packed.count).map { count in
      var source = DecompressingSource(MemorySource(Bytes(packed.prefix(count))), format: .xz)
      return source.readAll().bytes.count
    }
    #expect(lengths == lengths.sorted())
    #expect(Set(lengths).count > 10)
  }

  @Test func `an xz dictionary that requires too much memory is rejected`() {
    // Block header, the size of the dictionary (4 GiB − 1), padding, CRC.
    let header: Bytes = [0x02, 0x00, 0x21, 0x01, 0x28, 0x00, 0x00, 0x00]
    let checksum: Bytes = [0xE6, 0xA0, 0x11, 0xB3]
    let packed =
      Bytes(PackedSamples.all[3].bytes.prefix(12)) + header + checksum + [0xE0, 0, 0x6F, 0, 0x14, 0x5D]
    var source = DecompressingSource(MemorySource(packed), format: .xz)
    guard case .packedData(let words)? = source.readAll().error?.reason else {
      Issue.record("the stream was unpacked")
      return
    }
    #expect(words.contains("requires a dictionary of more than 256 MiB"), "\(words)")
  }

  @Test func `a zstd frame with a window beyond the limit is not reported as damaged`() {
    // A frame without content: descriptor, window (2 GiB, then 128 MiB), and an empty last block.
    var source = DecompressingSource(MemorySource([0x28, 0xB5, 0x2F, 0xFD, 0, 0xA8, 1, 0, 0]), format: .zstd)
    let error = source.readAll().error
    #expect(
      error?.description
        == "the compressed data requires a window of more than 128 MiB, which is the limit: unpack the file first; unpacked up to byte 0")
    var largest = DecompressingSource(MemorySource([0x28, 0xB5, 0x2F, 0xFD, 0, 0x88, 1, 0, 0]), format: .zstd)
    #expect(largest.readAll().error == nil)
  }

  @Test(arguments: PackedSamples.all.indices)
  func `damaged compressed data never traps`(index: Int) {
    let packed = PackedSamples.all[index].bytes
    for position in packed.indices {
      for bit in 0..<8 {
        var damaged = packed
        damaged[position] ^= 1 << UInt8(bit)
        var source = DecompressingSource(MemorySource(damaged), format: PackedSamples.all[index].format)
        #expect(source.readAll().bytes.count < 1 << 20)
      }
    }
  }

  @Test func `data that expands beyond the ratio is abandoned`() {
    let packed = PackedSamples.bomb(blocks: 4000)
    var limits = ArchiveLimits()
    limits.freeBytes = 1 << 20
    limits.ratio = 100
    var source = DecompressingSource(MemorySource(packed), format: .zstd, limits: limits)
    let (bytes, error) = source.readAll(piece: 64 * 1024)
    guard case .packedData = error?.reason else {
      Issue.record("the stream was unpacked: \(bytes.count) bytes")
      return
    }
    #expect(bytes.count <= max(limits.freeBytes, packed.count * 101))
  }

  @Test func `highly compressed zeros below the limits are decompressed`() {
    var source = DecompressingSource(MemorySource(PackedSamples.bomb(blocks: 8)), format: .zstd)
    let (bytes, error) = source.readAll(piece: 64 * 1024)
    #expect(error == nil)
    #expect(bytes.count == 8 * 128 * 1024)
  }

  @Test func `an error of the source is rethrown`() {
    let part = Bytes(PackedSamples.all[0].bytes.prefix(20))
    var source = DecompressingSource(FailingSource(part), format: .gzip)
    #expect(source.readAll().error?.reason == .readFailed(code: 5))
  }

  @Test func `random bytes after a signature never trap`() {
    var generator = SeededGenerator(seed: 6)
    for round in 0..<400 {
      let signature = PackedSamples.all[round % 5].bytes.prefix(round % 3 == 0 ? 12 : 6)
      let rest = (0..<Int.random(in: 0..<300, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      var source = DecompressingSource(
        MemorySource(Bytes(signature) + rest), format: PackedSamples.all[round % 5].format)
      #expect(source.readAll().bytes.count < 1 << 24)
    }
  }

  @Test func `a truncated gzip file gives every byte that it contains`() {
    // Stored blocks: the file contains the content byte by byte.
    let text = PackedSamples.text
    let length = UInt16(text.count)
    let packed: Bytes =
      [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1, UInt8(length & 0xFF), UInt8(length >> 8)]
      + [UInt8(~length & 0xFF), UInt8(~length >> 8)] + text
    for count in 15...packed.count {
      var source = DecompressingSource(MemorySource(Bytes(packed.prefix(count))), format: .gzip)
      let (bytes, error) = source.readAll()
      #expect(bytes.count == count - 15)
      #expect(error?.reason == .packedDataTruncated)
    }
  }

  @Test func `a gzip file with a wrong checksum is damaged, after all its bytes`() {
    var packed = PackedSamples.all[0].bytes
    packed[packed.count - 5] ^= 1
    var source = DecompressingSource(MemorySource(packed), format: .gzip)
    let (bytes, error) = source.readAll()
    #expect(bytes == PackedSamples.text)
    guard case .packedData = error?.reason else {
      Issue.record("the checksum was not looked at")
      return
    }
  }

  @Test func `data after a gzip file is an error unless it is zeros`() {
    let packed = PackedSamples.all[0].bytes
    var padded = DecompressingSource(MemorySource(packed + Bytes(repeating: 0, count: 500)), format: .gzip)
    #expect(padded.readAll().error == nil)
    var followed = DecompressingSource(MemorySource(packed + Bytes("more".utf8)), format: .gzip)
    let (bytes, error) = followed.readAll()
    #expect(bytes == PackedSamples.text)
    #expect(error != nil)
  }
}
