import ArchiveReading
import ByteParsing
import CaptureFormats
import Testing

@Suite struct DecompressingSourceTests {
  @Test(arguments: PackedSamples.all.indices, [1, 7, 4096])
  func `every form is unpacked, however its bytes arrive`(index: Int, chunk: Int) {
    var source = DecompressingSource(MemorySource(PackedSamples.all[index].bytes, chunk: chunk))
    let (bytes, error) = source.readAll()
    #expect(error == nil)
    #expect(bytes == PackedSamples.text)
  }

  @Test(arguments: [0, 1])
  func `members that follow one another are one stream`(index: Int) {
    let packed = PackedSamples.all[index].bytes
    var source = DecompressingSource(MemorySource(packed + packed))
    let (bytes, error) = source.readAll()
    #expect(error == nil)
    #expect(bytes == PackedSamples.text + PackedSamples.text)
  }

  @Test(arguments: PackedSamples.all.indices)
  func `a stream that is cut off anywhere gives a part and an error`(index: Int) {
    let packed = PackedSamples.all[index].bytes
    for count in 8..<packed.count {
      var source = DecompressingSource(MemorySource(Bytes(packed.prefix(count))))
      let (bytes, error) = source.readAll()
      let isPart = PackedSamples.text.starts(with: bytes)
      #expect(isPart)
      // The last bytes of a form may be no more than a checksum or an index.
      #expect(error != nil || bytes == PackedSamples.text, "\(count) bytes")
    }
  }

  @Test(arguments: PackedSamples.all.indices)
  func `damaged bytes give an error or a text and never end the process`(index: Int) {
    let packed = PackedSamples.all[index].bytes
    for position in packed.indices {
      for bit in 0..<8 {
        var damaged = packed
        damaged[position] ^= 1 << UInt8(bit)
        var source = DecompressingSource(MemorySource(damaged))
        #expect(source.readAll().bytes.count < 1 << 20)
      }
    }
  }

  @Test func `what expands beyond the ratio is given up`() {
    let packed = PackedSamples.bomb(blocks: 4000)
    var limits = ArchiveLimits()
    limits.freeBytes = 1 << 20
    limits.ratio = 100
    var source = DecompressingSource(MemorySource(packed), limits: limits)
    let (bytes, error) = source.readAll(piece: 64 * 1024)
    guard case .packedData = error?.reason else {
      Issue.record("the stream was unpacked: \(bytes.count) bytes")
      return
    }
    #expect(bytes.count <= max(limits.freeBytes, packed.count * 101))
  }

  @Test func `zeros stay zeros and are no archive`() {
    var source = DecompressingSource(MemorySource(PackedSamples.bomb(blocks: 8)))
    let (bytes, error) = source.readAll(piece: 64 * 1024)
    #expect(error == nil)
    #expect(bytes.count == 8 * 128 * 1024)
  }

  @Test func `an error of the source is passed on`() {
    let part = Bytes(PackedSamples.all[0].bytes.prefix(20))
    var source = DecompressingSource(FailingSource(source: MemorySource(part)))
    #expect(source.readAll().error?.reason == .readFailed(code: 5))
  }

  @Test func `random bytes behind a signature never end the process`() {
    var generator = SeededGenerator(seed: 6)
    for round in 0..<400 {
      let signature = PackedSamples.all[round % 5].bytes.prefix(round % 3 == 0 ? 12 : 6)
      let rest = (0..<Int.random(in: 0..<300, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      var source = DecompressingSource(MemorySource(Bytes(signature) + rest))
      #expect(source.readAll().bytes.count < 1 << 24)
    }
  }
}
