import ByteParsing
import CaptureFormats
import SeededRandom
import TestBytes
import Testing
import Values

/// Records the largest size of the reader's buffer.
final class WatchedSource: ByteSource {
  var source: MemorySource
  var largestBuffer = 0

  init(_ bytes: Bytes, chunk: Int) { source = MemorySource(bytes, chunk: chunk) }

  func read(into buffer: inout Bytes, from start: Int) throws(CaptureError) -> Int {
    largestBuffer = max(largestBuffer, buffer.count)
    return try source.read(into: &buffer, from: start)
  }
}

@Suite struct CaptureReaderTests {
  /// Captures with every kind of block, in both formats and byte orders.
  static var samples: [Bytes] {
    var samples: [Bytes] = []
    for byteOrder in [ByteOrder.littleEndian, .bigEndian] {
      for magic in [0xA1B2_C3D4, 0xA1B2_3C4D] as [UInt32] {
        var file = CaptureWriter.pcap(byteOrder, magic: magic)
        for length in [0, 60, 1, 33] { file.record(counting(length)) }
        samples.append(file.bytes)
      }
      var file = CaptureWriter.pcapng(byteOrder, options: [(1, [0x61]), (4, Bytes("writer".utf8))])
      file.interface(options: [(2, Bytes("en0".utf8)), (9, [9]), (14, file.body { $0.write(Int64(7)) })])
      file.enhancedPacket(counting(33), options: [(1, Bytes("note".utf8))])
      file.block(4, file.body { $0.options([(1, [192, 0, 2, 7, 0x61, 0])]) })
      file.simplePacket(counting(6))
      file.block(10, file.body { $0.bytes += [0x4B, 0x53, 0x4C, 0x54, 2, 0, 0, 0, 0x61, 0x62] })
      file.block(5, file.body { $0.bytes += Bytes(repeating: 0, count: 12) })
      file.obsoletePacket(counting(7))
      file.block(0x0BAD, [1, 2, 3, 4])
      samples.append(file.bytes)
    }
    return samples
  }

  @Test(arguments: [1, 2, 3, 7, 16, 61, 1000], [64, 96, 200, 1000])
  func `a capture read in pieces gives the same packets as a capture read at once`(chunk: Int, readSize: Int) {
    for bytes in CaptureReaderTests.samples {
      let whole = Reading(bytes)
      let pieces = Reading(bytes, chunk: chunk, readSize: readSize)
      #expect(whole.error == nil && pieces.error == nil)
      #expect(whole.packets == pieces.packets)
      #expect(whole.metadata == pieces.metadata)
    }
  }

  @Test(arguments: [Int.max, 65_536, 4096, 100, 1], [64, 1000, 4096, 262_144])
  func `packets that cross the end of the buffer are read unchanged`(chunk: Int, readSize: Int) throws {
    var random = SeededGenerator(seed: UInt64(readSize))
    var file = CaptureWriter.pcap()
    var lengths: [Int] = []
    while file.bytes.count < 2 * readSize + 100_000 {
      let length = Int(random.next() % (random.next() % 50 == 0 ? 60_000 : 1500))
      lengths.append(length)
      file.record(counting(length), seconds: UInt32(lengths.count))
    }
    var reader = try CaptureReader(MemorySource(file.bytes, chunk: chunk), readSize: readSize)
    var index = 0
    while let record = try reader.next() {
      let bytes = reader.bytes(of: record)
      #expect(bytes.count == lengths[index])
      #expect(record.timestamp.seconds == Int64(index + 1))
      if bytes.count > 0 {
        #expect(bytes[0] == 1)
        #expect(bytes[bytes.count - 1] == UInt8(truncatingIfNeeded: bytes.count))
      }
      index += 1
    }
    #expect(index == lengths.count)
    #expect(reader.packetCount == UInt64(index))
  }

  @Test func `a truncated capture yields the packets before the truncation`() {
    for bytes in CaptureReaderTests.samples {
      let whole = Reading(bytes).packets
      for count in 0..<bytes.count {
        let reading = Reading(Bytes(bytes.prefix(count)), readSize: 64)
        #expect(reading.packets.elementsEqual(whole.prefix(reading.packets.count)))
        if let error = reading.error { #expect(error.offset <= count) }
      }
    }
  }

  @Test func `random bytes never trap`() {
    var random = SeededGenerator(seed: 2)
    let starts: [Bytes] = [
      [], [0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0], [0xA1, 0xB2, 0x3C, 0x4D, 0, 2, 0, 3],
      [0x34, 0xCD, 0xB2, 0xA1, 2, 0, 4, 0], CaptureWriter.pcapng().bytes,
      CaptureWriter.pcapng(.bigEndian).bytes,
    ]
    for _ in 0..<TestEffort.rounds(20_000) {
      var bytes = starts[Int(random.next() % UInt64(starts.count))]
      let zeros = random.next() % 4
      for _ in 0..<(random.next() % 120) {
        // Zeros make small lengths, which the reader accepts more often than random ones.
        bytes.append(random.next() % 4 < zeros ? 0 : UInt8(truncatingIfNeeded: random.next()))
      }
      _ = Reading(bytes, chunk: 1 + Int(random.next() % 40), readSize: 64)
    }
  }

  @Test func `captures with flipped bits never trap`() {
    var random = SeededGenerator(seed: 3)
    let samples = CaptureReaderTests.samples
    for _ in 0..<TestEffort.rounds(20_000) {
      var bytes = samples[Int(random.next() % UInt64(samples.count))]
      for _ in 0...(random.next() % 3) {
        bytes[Int(random.next() % UInt64(bytes.count))] ^= 1 << UInt8(random.next() % 8)
      }
      _ = Reading(bytes, readSize: 64)
    }
  }

  @Test(arguments: [1000, 262_144])
  func `the buffer does not grow for a length whose bytes are missing`(chunk: Int) {
    var pcap = CaptureWriter.pcap(snapshotLength: 16 * 1024 * 1024)
    pcap.record(counting(1000), first: 16 * 1024 * 1024)
    var pcapng = CaptureWriter.pcapng()
    pcapng.write(UInt32(6))
    pcapng.write(UInt32(16 * 1024 * 1024))
    pcapng.bytes += counting(1000)
    for bytes in [pcap.bytes, pcapng.bytes] {
      let whole = bytes + counting(100_000)
      let source = WatchedSource(whole, chunk: chunk)
      let reading = Reading(source, readSize: 4096)
      guard case .truncated(needed: _, let available) = reading.error?.reason else {
        Issue.record("not cut off: \(String(describing: reading.error))")
        continue
      }
      #expect(available >= 101_000)
      #expect(source.largestBuffer <= 2 * 101_500)
    }
  }

  @Test func `the buffer grows as the bytes of a long record arrive, and shrinks again`() throws {
    var file = CaptureWriter.pcapng()
    file.interface()
    file.enhancedPacket(counting(600_000))
    for _ in 0..<2000 { file.enhancedPacket(counting(1000)) }
    let source = WatchedSource(file.bytes, chunk: .max)
    var reader = try CaptureReader(source)
    var lengths: [Int] = []
    while let record = try reader.next() {
      lengths.append(record.capturedLength)
      #expect(
        reader.bytes(of: record)[record.capturedLength - 1]
          == UInt8(truncatingIfNeeded: record.capturedLength))
      if lengths.count == 1 {
        #expect(source.largestBuffer <= 700_000)
        source.largestBuffer = 0
      }
    }
    #expect(lengths == [600_000] + Array(repeating: 1000, count: 2000))
    #expect(source.largestBuffer <= 700_000)
    source.largestBuffer = 0
    _ = try reader.next()
    #expect(source.largestBuffer <= 320 * 1024)
  }

  @Test func `a record that left the buffer has no bytes and no options`() throws {
    var file = CaptureWriter.pcapng()
    file.interface()
    file.enhancedPacket(counting(600_000), options: [(1, [0x61])])
    for _ in 0..<600 { file.enhancedPacket(counting(1000)) }
    var reader = try CaptureReader(MemorySource(file.bytes))
    let first = try #require(try reader.next())
    while try reader.next() != nil {}
    #expect(reader.bytes(of: first).count == 0)
    #expect(reader.options(of: first).count == 0)
  }

  @Test func `a read error of the source is reported after the packets before it`() {
    for bytes in CaptureReaderTests.samples {
      let whole = Reading(bytes)
      let reading = Reading(FailingSource(bytes))
      #expect(reading.error == CaptureError(.readFailed(code: 5), at: bytes.count))
      #expect(reading.packets == whole.packets)
    }
  }

  @Test(
    arguments: [
      (0xD4C3_B2A1, .pcap), (0xA1B2_C3D4, .pcap), (0x4D3C_B2A1, .pcap), (0x34CD_B2A1, .pcap),
      (0x0A0D_0D0A, .pcapng), (0x1F8B_0800, nil), (0, nil),
    ] as [(UInt32, CaptureFormat?)])
  func `the format is recognized by the first four bytes`(magic: UInt32, format: CaptureFormat?) {
    #expect(CaptureFormat(magic: magic) == format)
  }
}
