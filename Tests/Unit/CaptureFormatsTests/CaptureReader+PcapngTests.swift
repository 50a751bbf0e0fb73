import ByteParsing
import CaptureFormats
import TestBytes
import Testing
import Values

@Suite struct CaptureReaderPcapngTests {
  @Test(arguments: [ByteOrder.littleEndian, .bigEndian])
  func `every kind of packet block is read in either byte order`(byteOrder: ByteOrder) throws {
    var file = CaptureWriter.pcapng(
      byteOrder, options: [(2, Bytes("Mac".utf8)), (3, Bytes("macOS".utf8)), (4, Bytes("tcpdump\0x".utf8))])
    file.interface(
      linkType: 1, snapshotLength: 9,
      options: [(2, Bytes("en0".utf8)), (3, Bytes("Wi-Fi".utf8)), (12, Bytes("iOS 26".utf8)), (13, [4])])
    file.enhancedPacket(counting(5), options: [(1, Bytes("PID: 4".utf8)), (0x8001, [0, 0, 0, 0])])
    file.interface(linkType: 101)
    file.enhancedPacket(counting(6), interface: 1)
    file.obsoletePacket(counting(7), interface: 1)
    file.simplePacket(counting(9), originalLength: 40)
    let reading = Reading(file.bytes)
    #expect(reading.error == nil)
    #expect(reading.packets.map(\.bytes) == [5, 6, 7, 9].map(counting))
    #expect(reading.packets.map(\.originalLength) == [5, 6, 7, 40])
    #expect(reading.packets.map(\.linkType) == [.ethernet, .raw, .raw, .ethernet])
    #expect(reading.packets.map(\.fcsLength) == [4, 0, 0, 4])
    let time = "2023-11-14T22:13:20.000005Z"
    #expect(reading.packets.map(\.time) == [time, time, time, nil])
    #expect(reading.packets.allSatisfy { $0.byteOrder == byteOrder })
    let metadata = try #require(reading.metadata)
    #expect(metadata.hardware == "Mac")
    #expect(metadata.operatingSystem == "macOS")
    #expect(metadata.application == "tcpdump")
    #expect(metadata.interfaces.map(\.name) == ["en0", nil])
    #expect(metadata.interfaces.first?.operatingSystem == "iOS 26")
    #expect(metadata.anomalies.isEmpty)
  }

  @Test func `a packet's options are read after its padding`() throws {
    for length in 0..<9 {
      var file = CaptureWriter.pcapng()
      file.interface()
      file.enhancedPacket(counting(length), options: [(1, [0x61, 0x62, 0x63])])
      file.enhancedPacket(counting(length))
      let packets = Reading(file.bytes).packets
      #expect(packets.map(\.options) == [[1, 0, 3, 0, 0x61, 0x62, 0x63, 0, 0, 0, 0, 0], []])
    }
  }

  @Test func `sections have their own byte order and interfaces`() throws {
    var first = CaptureWriter.pcapng(.bigEndian)
    first.interface(linkType: 1, options: [(2, Bytes("a".utf8))])
    first.interface(linkType: 9)
    first.enhancedPacket(counting(4), interface: 1)
    var second = CaptureWriter.pcapng(.littleEndian, version: (1, 2))
    second.interface(linkType: 113, options: [(2, Bytes("b".utf8))])
    second.enhancedPacket(counting(5))
    second.enhancedPacket(counting(6), interface: 1)
    let reading = Reading(first.bytes + second.bytes)
    #expect(reading.error == nil)
    #expect(reading.packets.map(\.linkType) == [.ppp, .linuxSLL])
    let metadata = try #require(reading.metadata)
    #expect(metadata.sections.map(\.byteOrder) == [.bigEndian, .littleEndian])
    #expect(metadata.sections.map(\.offset) == [0, first.bytes.count])
    #expect(metadata.byteOrder == .bigEndian)
    #expect(metadata.interfaces.map(\.name) == ["a", nil, "b"])
    #expect(metadata.anomalies.packetsWithoutInterface == 1)
  }

  @Test func `a section of an unknown version is skipped, and later sections are read`() throws {
    var file = CaptureWriter.pcapng()
    file.interface()
    file.enhancedPacket(counting(4))
    file.section(version: (2, 0))
    file.interface()
    file.enhancedPacket(counting(5))
    file.section()
    file.interface()
    file.enhancedPacket(counting(6))
    let reading = Reading(file.bytes)
    #expect(reading.error == nil)
    #expect(reading.packets.map(\.bytes) == [counting(4), counting(6)])
    #expect(reading.packets.map(\.frame) == [1, 2])
    let metadata = try #require(reading.metadata)
    #expect(metadata.sectionCount == 3)
    #expect(metadata.anomalies.unreadableSections == 1)
    var reader = try CaptureReader(MemorySource(file.bytes))
    while try reader.advance() {}
    #expect(reader.skipFault == CaptureError(.skippedSection(major: 2, minor: 0), at: metadata.sections[1].offset))
  }

  @Test(arguments: [(1, 1), (2, 0), (0, 0)] as [(UInt16, UInt16)])
  func `a file without a section of a known version is an error`(version: (UInt16, UInt16)) {
    var file = CaptureWriter.pcapng(version: version)
    file.interface()
    file.enhancedPacket(counting(4))
    let reading = Reading(file.bytes)
    #expect(reading.packets.isEmpty)
    #expect(reading.error == CaptureError(.unsupportedVersion(major: version.0, minor: version.1), at: 0))
  }

  @Test func `packets without an interface are skipped and counted`() {
    var file = CaptureWriter.pcapng()
    file.enhancedPacket(counting(4))
    file.simplePacket(counting(4))
    file.obsoletePacket(counting(4))
    file.interface()
    file.enhancedPacket(counting(5))
    file.enhancedPacket(counting(6), interface: .max)
    let reading = Reading(file.bytes)
    #expect(reading.error == nil)
    #expect(reading.packets.map(\.bytes) == [counting(5)])
    #expect(reading.packets.map(\.frame) == [1])
    #expect(reading.metadata?.anomalies.packetsWithoutInterface == 4)
  }

  @Test(
    arguments: [
      (0, 20, 20, 20), (0, 20, 21, 20), (10, 12, 20, 10), (30, 20, 20, 20), (30, 20, 100, 20),
      (0, 20, 18, 18),
    ] as [(UInt32, Int, UInt32, Int)])
  func `a simple packet's length is the least of its original, snapshot and block lengths`(
    snapshotLength: UInt32, there: Int, original: UInt32, captured: Int
  ) {
    var file = CaptureWriter.pcapng()
    file.interface(snapshotLength: snapshotLength)
    file.simplePacket(counting(there), originalLength: original)
    let reading = Reading(file.bytes)
    #expect(reading.packets.map(\.bytes) == [counting(captured)])
    let promised = snapshotLength == 0 ? original : min(original, snapshotLength)
    #expect(reading.metadata?.anomalies.shortSimplePackets == (Int(promised) > there ? 1 : 0))
  }

  @Test func `names, statistics, secrets and comments are kept`() throws {
    var file = CaptureWriter.pcapng(options: [(1, Bytes("made for a test".utf8))])
    file.interface()
    file.enhancedPacket(counting(4))
    file.block(
      4,
      file.body {
        $0.options([
          (1, [192, 0, 2, 7] + Bytes("a.example\0b.example\0".utf8)),
          (2, [0x20, 1, 0x0D, 0xB8] + Bytes(repeating: 0, count: 11) + [9] + Bytes("c.example\0".utf8)),
          (3, [2, 0xCA, 0xFF, 0xEE, 0xF0, 0x0D] + Bytes("teapot\0".utf8)),
        ])
        $0.options([(1, Bytes("asked at home".utf8)), (2, Bytes("ns".utf8))])
      })
    file.block(
      5,
      file.body {
        $0.write(UInt32(0))
        $0.write(UInt64(0))
        $0.options([(4, $0.body { $0.write(UInt64(1000)) }), (5, $0.body { $0.write(UInt64(7)) })])
      })
    file.block(5, file.body { $0.bytes += Bytes(repeating: 9, count: 12) })
    let log = Bytes("CLIENT_RANDOM 00 11\n".utf8)
    file.block(
      10,
      file.body {
        $0.write(UInt32(0x544C_534B))
        $0.write(UInt32(log.count))
        $0.bytes += log
      })
    file.block(0x0BAD, [0, 0, 0xF4, 0xBC])
    file.block(0x4000_0BAD, [0, 0, 0xF4, 0xBC])
    file.block(0x8000_0002, Bytes(repeating: 0, count: 20))
    file.block(0x8000_0009, [1, 0, 0, 0])
    let reading = Reading(file.bytes)
    #expect(reading.error == nil)
    let metadata = try #require(reading.metadata)
    #expect(
      metadata.names.map { "\($0.address) \($0.name)" } == [
        "192.0.2.7 a.example", "192.0.2.7 b.example", "2001:db8::9 c.example",
      ])
    #expect(metadata.interfaces.first?.statistics?.received == 1000)
    #expect(metadata.interfaces.first?.statistics?.droppedByInterface == 7)
    #expect(metadata.interfaces.first?.statistics?.droppedBySystem == nil)
    #expect(metadata.secrets.map(\.type) == [.tlsKeyLog])
    #expect(metadata.secrets.map(\.data) == [log])
    #expect(metadata.secrets.map(\.precedingPackets) == [1])
    #expect(metadata.sections.first?.comments == ["made for a test"])
    #expect(metadata.unknownBlockCount == 1)
  }

  @Test(
    arguments: [
      // Custom blocks, a systemd journal entry and sysdig events count; sysdig events with flags and the sysdig process list do not.
      (0x0BAD, true), (0x4000_0BAD, true), (9, true), (0x204, true), (0x216, true), (0x221, true), (0x208, false), (0x217, false),
      (0x222, false), (0x202, false), (7, false), (10, false), (0x8000_0001, false),
    ] as [(UInt32, Bool)])
  func `only blocks that Wireshark counts as frames get a frame number`(type: UInt32, isFrame: Bool) {
    var file = CaptureWriter.pcapng()
    file.interface()
    file.enhancedPacket(counting(4))
    file.block(type, Bytes(repeating: 0, count: 40))
    file.enhancedPacket(counting(4))
    #expect(Reading(file.bytes).packets.map(\.frame) == [1, isFrame ? 3 : 2])
  }

  @Test func `malformed options, names and secrets are counted, and packets are read`() throws {
    var file = CaptureWriter.pcapng()
    file.interface(options: [(2, Bytes("en0".utf8))])
    // An option, a name record, secrets and the address in a name record, each longer than its container.
    file.block(1, [1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 99, 0, 0x61, 0x62, 0x63, 0x64])
    file.block(4, [1, 0, 99, 0, 192, 0, 2, 7])
    file.block(10, [0x4B, 0x53, 0x4C, 0x54, 99, 0, 0, 0])
    file.block(10, [0x4B, 0x53, 0x4C, 0x54])
    file.block(4, [1, 0, 3, 0, 192, 0, 2, 0, 0, 0, 0, 0])
    file.block(5, [0, 0, 0, 0])
    file.enhancedPacket(counting(4), interface: 1)
    let reading = Reading(file.bytes)
    #expect(reading.error == nil)
    #expect(reading.packets.map(\.bytes) == [counting(4)])
    let metadata = try #require(reading.metadata)
    #expect(metadata.anomalies.malformedOptions == 1)
    #expect(metadata.anomalies.malformedBlocks == 5)
    #expect(metadata.names.isEmpty && metadata.secrets.isEmpty)
  }

  @Test(arguments: [
    (Bytes("KSLT".utf8) + [99, 0, 0, 0, 1, 2, 3, 4], CaptureError(.secretsBeyondBlock(length: 99, available: 4), at: 84)),
    (Bytes("KSLT".utf8), CaptureError(.blockLength(16), at: 84)),
  ])
  func `the first unreadable secrets block is reported, and packets after it are read`(
    body: Bytes, fault: CaptureError
  ) throws {
    var file = CaptureReaderPcapngDamageTests.small
    file.block(10, body)
    file.block(10, [])
    file.enhancedPacket(counting(5))
    var reader = try CaptureReader(MemorySource(file.bytes))
    while try reader.next() != nil {}
    #expect(reader.packetCount == 2)
    #expect(reader.skipFault == fault)
  }

  @Test func `the number of kept comments, names and interfaces is limited`() throws {
    let comments = (0..<1000).map { _ in CaptureWriter.Option(code: 1, value: [0x78]) }
    var file = CaptureWriter.pcapng(options: comments)
    file.interface()
    let names = Bytes((0..<32_000).flatMap { _ in [0x61, 0] as Bytes })
    for _ in 0..<4 {
      file.block(4, file.body { $0.options([(1, [192, 0, 2, 7] + names)]) })
    }
    file.interface(linkType: 101)
    file.enhancedPacket(counting(4), interface: 1)
    let reading = Reading(file.bytes)
    #expect(reading.packets.map(\.linkType) == [.raw])
    let metadata = try #require(reading.metadata)
    #expect(metadata.sections.first?.comments.count == CaptureLimits.comments)
    #expect(metadata.names.count < 70_000)
    #expect(metadata.interfaces.count == 1)
    #expect(metadata.interfaceCount == 2)
    #expect(metadata.anomalies.leftOut == 4 * 32_000 - metadata.names.count + 1)
  }
}

@Suite struct CaptureReaderPcapngDamageTests {
  /// A section, an interface and one packet, of 28, 20 and 36 bytes.
  static var small: CaptureWriter {
    var file = CaptureWriter.pcapng()
    file.interface()
    file.enhancedPacket(counting(4))
    return file
  }

  @Test func `a block whose two lengths differ is an error`() {
    var bytes = CaptureReaderPcapngDamageTests.small.bytes
    bytes[bytes.count - 4] = 40
    let reading = Reading(bytes)
    #expect(reading.packets.isEmpty)
    #expect(reading.error == CaptureError(.blockLengthMismatch(start: 36, end: 40), at: 48))
  }

  @Test(arguments: [0, 4, 8, 11, 13, 14, 15, 37] as [UInt32])
  func `a block length that is too small or not a multiple of 4 is an error`(length: UInt32) {
    var file = CaptureReaderPcapngDamageTests.small
    file.write(UInt32(6))
    file.write(length)
    file.bytes += Bytes(repeating: 0, count: 100)
    let reading = Reading(file.bytes)
    #expect(reading.packets.count == 1)
    #expect(reading.error == CaptureError(.blockLength(Int(length)), at: 84))
  }

  @Test(arguments: [1, 2, 3, 6, 0x0A0D_0D0A] as [UInt32])
  func `a section, interface or packet block that is too short is an error`(type: UInt32) {
    var file = CaptureReaderPcapngDamageTests.small
    file.block(type, type == 3 ? [] : [0x4D, 0x3C, 0x2B, 0x1A])
    let reading = Reading(file.bytes)
    #expect(reading.packets.count == 1)
    #expect(reading.error == CaptureError(.blockLength(type == 3 ? 12 : 16), at: 84))
  }

  @Test(arguments: [16 * 1024 * 1024 + 4, 0xFFFF_FFFC] as [UInt32])
  func `a block longer than the limit is rejected before its bytes are read`(length: UInt32) {
    var file = CaptureReaderPcapngDamageTests.small
    file.write(UInt32(6))
    file.write(length)
    file.bytes += Bytes(repeating: 0, count: 100)
    let error = Reading(file.bytes).error
    #expect(error == CaptureError(.blockTooLong(length: Int(length), limit: 16 * 1024 * 1024), at: 84))
  }

  @Test func `a packet longer than its block is an error`() {
    var file = CaptureWriter.pcapng()
    file.interface()
    file.enhancedPacket(counting(4))
    file.enhancedPacket(counting(6), captured: 8)
    file.enhancedPacket(counting(6), captured: 9)
    let reading = Reading(file.bytes)
    #expect(reading.packets.map(\.bytes.count) == [4, 8])
    #expect(reading.error == CaptureError(.packetBeyondBlock(length: 9, available: 8), at: 124))
  }

  @Test func `an unknown byte-order magic is an error`() {
    var file = CaptureReaderPcapngDamageTests.small
    file.block(0x0A0D_0D0A, Bytes(repeating: 7, count: 16))
    let reading = Reading(file.bytes)
    #expect(reading.packets.count == 1)
    #expect(reading.error == CaptureError(.byteOrderMagic(0x0707_0707), at: 84))
  }

  @Test func `the error for a truncated block contains its offset and the bytes needed`() {
    let bytes = CaptureReaderPcapngDamageTests.small.bytes
    #expect(
      Reading(Bytes(bytes.dropLast())).error == CaptureError(.truncated(needed: 36, available: 35), at: 48))
    #expect(
      Reading(Bytes(bytes.prefix(50))).error == CaptureError(.truncated(needed: 12, available: 2), at: 48))
  }

  @Test func `more interfaces in a section than the limit are an error`() {
    var file = CaptureWriter.pcapng()
    for _ in 0...CaptureLimits.interfacesInSection { file.interface() }
    let reading = Reading(file.bytes)
    #expect(reading.error?.reason == .tooManyInterfaces(limit: CaptureLimits.interfacesInSection))
    #expect(reading.metadata?.interfaceCount == CaptureLimits.interfacesInSection)
  }
}
