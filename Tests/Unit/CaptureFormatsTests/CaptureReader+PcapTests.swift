import ByteParsing
import CaptureFormats
import TestBytes
import Testing
import Values

@Suite struct CaptureReaderPcapTests {
  @Test(arguments: [ByteOrder.littleEndian, .bigEndian])
  func `a pcap file is read in either byte order`(byteOrder: ByteOrder) throws {
    var file = CaptureWriter.pcap(byteOrder, network: 101)
    file.record(counting(3), seconds: 1_777_630_272, fraction: 123_456)
    file.record(counting(60), seconds: 1_777_630_273, fraction: 0, second: 1500)
    file.record([])
    let reading = Reading(file.bytes)
    #expect(reading.error == nil)
    #expect(reading.packets.map(\.bytes) == [counting(3), counting(60), []])
    #expect(reading.packets.map(\.frame) == [1, 2, 3])
    #expect(reading.packets.map(\.originalLength) == [3, 1500, 0])
    #expect(reading.packets.first?.time == "2026-05-01T10:11:12.123456Z")
    #expect(
      reading.packets.allSatisfy { $0.linkType == .raw && $0.byteOrder == byteOrder })
    let metadata = try #require(reading.metadata)
    #expect(metadata.format == .pcap)
    #expect(metadata.byteOrder == byteOrder)
    #expect(metadata.interfaces.map(\.linkType) == [.raw])
    #expect(metadata.interfaces.map(\.snapshotLength) == [262_144])
    #expect(metadata.anomalies.isEmpty)
    #expect(reading.offset == file.bytes.count)
  }

  @Test(
    arguments: [
      (0xA1B2_C3D4, 0, "2023-11-14T22:13:20.000005Z"), (0xA1B2_3C4D, 0, "2023-11-14T22:13:20.000000005Z"),
      (0x1C00_01AC, 4, "2023-11-14T22:13:20.000000005Z"), (0x1C00_01AB, 4, "2023-11-14T22:13:20.000005Z"),
    ] as [(UInt32, Int, String)])
  func `the magic number determines the time unit and the length of the file header`(magic: UInt32, more: Int, time: String) {
    for byteOrder in [ByteOrder.littleEndian, .bigEndian] {
      var file = CaptureWriter.pcap(byteOrder, magic: magic)
      file.bytes += Bytes(repeating: 0, count: more)
      file.record(counting(5))
      #expect(Reading(file.bytes).packets.map(\.time) == [time])
    }
  }

  @Test(arguments: [24, 28], [0, 1, 2, 5])
  func `both record header lengths of modified pcap are recognized`(headerLength: Int, count: Int) {
    var file = CaptureWriter.pcap(magic: 0xA1B2_CD34)
    let extra: Bytes = [2, 0, 0, 0, 0, 8, 4, 0, 1, 0, 0, 0]
    for index in 0..<count {
      // A processor number and the packet after it are not plausible as the time of the next record.
      file.record(counting(60 + index), extra: Bytes(extra.prefix(headerLength - 16)))
    }
    let reading = Reading(file.bytes)
    #expect(reading.error == nil)
    #expect(reading.packets.map(\.bytes) == (0..<count).map { counting(60 + $0) })
  }

  @Test func `modified pcap that fits neither record header length is rejected`() {
    var file = CaptureWriter.pcap(magic: 0xA1B2_CD34)
    file.record(counting(60))
    file.record(counting(60))
    let error = Reading(file.bytes).error
    #expect(error == CaptureError(.unsupportedVariant("this variant of modified pcap"), at: 0))
    #expect(error?.description == "this variant of modified pcap is not supported")
  }

  @Test(
    arguments: [
      ((2, 4), 4, 100), ((2, 3), 4, 100), ((2, 3), 100, 4), ((2, 2), 100, 4), ((543, 0), 100, 4),
    ] as [((UInt16, UInt16), UInt32, UInt32)])
  func `old versions may have the two lengths of a record swapped`(
    version: (UInt16, UInt16), first: UInt32, second: UInt32
  ) {
    var file = CaptureWriter.pcap(version: version)
    file.record(counting(4), first: first, second: second)
    let reading = Reading(file.bytes)
    #expect(reading.packets.map(\.bytes) == [counting(4)])
    #expect(reading.packets.map(\.originalLength) == [100])
  }

  @Test(arguments: [(1, 4), (2, 5), (3, 0), (543, 1), (0, 0)] as [(UInt16, UInt16)])
  func `unknown versions are rejected`(version: (UInt16, UInt16)) {
    let error = Reading(CaptureWriter.pcap(version: version).bytes).error
    #expect(error == CaptureError(.unsupportedVersion(major: version.0, minor: version.1), at: 0))
  }

  @Test(arguments: [0xA1B2_34CD, 0xA12B_3C4D] as [UInt32])
  func `unpublished pcap variants are rejected as unsupported variants`(magic: UInt32) {
    guard case .unsupportedVariant = Reading(CaptureWriter.pcap(magic: magic).bytes).error?.reason else {
      Issue.record("read all the same")
      return
    }
  }

  @Test(arguments: [6, 9, 15, 24] as [UInt32])
  func `AIX captures are rejected, because their link type numbers differ`(network: UInt32) {
    let old = CaptureWriter.pcap(version: (2, 2), network: network)
    #expect(Reading(old.bytes).error?.reason == .unsupportedVariant("AIX's pcap"))
    #expect(Reading(CaptureWriter.pcap(network: network).bytes).error == nil)
  }

  @Test(
    arguments: [
      (0x2400_0001, 4), (0x4400_0001, 8), (0x2000_0001, 0), (0x0001_0001, 0), (0x0800_0001, 0), (0x0000_0001, 0),
    ] as [(UInt32, Int)])
  func `the link type field may contain the length of the frame check sequence`(network: UInt32, length: Int) {
    var file = CaptureWriter.pcap(network: network)
    file.record(counting(4))
    let reading = Reading(file.bytes)
    #expect(reading.packets.map(\.linkType) == [.ethernet])
    #expect(reading.packets.map(\.fcsLength) == [length])
  }

  @Test(
    arguments: [(999_999, "20.999999Z"), (1_000_000, "21Z"), (3_500_001, "23.500001Z")] as [(UInt32, String)])
  func `a fraction of one second or more is carried into the seconds`(fraction: UInt32, end: String) {
    var file = CaptureWriter.pcap()
    file.record([], fraction: fraction)
    #expect(Reading(file.bytes).packets.map(\.time) == ["2023-11-14T22:13:" + end])
  }

  @Test(arguments: [0, 60, 65_535, 262_144, 16 * 1024 * 1024 + 1, .max] as [UInt32])
  func `a packet longer than the snapshot length is read, up to 262,144 bytes`(snapshotLength: UInt32) {
    var file = CaptureWriter.pcap(snapshotLength: snapshotLength)
    file.record(counting(262_144))
    file.record(counting(7))
    let reading = Reading(file.bytes)
    #expect(reading.error == nil)
    #expect(reading.packets.map(\.bytes.count) == [262_144, 7])
  }

  @Test(
    arguments: [
      (262_144, 262_145, false), (300_000, 300_000, true), (300_000, 300_001, false), (.max, 262_145, false),
      (16 * 1024 * 1024, 600_000, true),
    ] as [(UInt32, UInt32, Bool)])
  func `a packet above 262,144 bytes is read only if the snapshot length allows it`(
    snapshotLength: UInt32, length: UInt32, isRead: Bool
  ) {
    var file = CaptureWriter.pcap(snapshotLength: snapshotLength)
    file.record(counting(10))
    file.record(counting(Int(length)))
    file.record(counting(11))
    let reading = Reading(file.bytes, chunk: 70_000)
    #expect(reading.packets.map(\.bytes.count) == (isRead ? [10, Int(length), 11] : [10]))
    #expect(reading.packets.dropFirst().first?.bytes == (isRead ? counting(Int(length)) : nil))
    if isRead {
      #expect(reading.error == nil)
    } else {
      #expect(reading.error?.offset == 24 + 26)
      guard case .packetTooLong(length: Int(length), limit: _) = reading.error?.reason else {
        Issue.record("another reason: \(String(describing: reading.error))")
        return
      }
    }
  }

  @Test func `the error for a truncated file contains the offset of the record and the bytes needed`() {
    var file = CaptureWriter.pcap()
    file.record(counting(10))
    file.record(counting(20))
    #expect(
      Reading(Bytes(file.bytes.dropLast(3))).error
        == CaptureError(.truncated(needed: 36, available: 33), at: 50))
    #expect(
      Reading(Bytes(file.bytes.dropLast(30))).error
        == CaptureError(.truncated(needed: 16, available: 6), at: 50))
    #expect(Reading(Bytes(file.bytes.dropLast(36))).error == nil)
    #expect(
      Reading(Bytes(file.bytes.prefix(20))).error
        == CaptureError(.truncated(needed: 24, available: 20), at: 0))
  }

  @Test func `a file that is not a capture is rejected, and the error shows its first bytes`() {
    #expect(Reading([]).error == CaptureError(.empty, at: 0))
    #expect(
      Reading([0x7F, 0x45, 0x4C, 0x46, 2]).error == CaptureError(.unknownFormat(magic: 0x7F45_4C46), at: 0))
    #expect(
      CaptureError(.unknownFormat(magic: 0x000B_CDEF), at: 0).description
        == "not a capture: starts with 00 0b cd ef")
    #expect(
      CaptureError(.truncated(needed: 66, available: 13), at: 120).description
        == "truncated at byte 120: 66 bytes needed, 13 available")
  }
}
