import ByteParsing
import TestBytes
import Testing

@testable import CaptureFormats

@Suite struct CaptureCopierTests {
  /// A copy with added comments, and the copier's counts.
  private func copy(
    _ capture: Bytes, _ comments: [UInt64: [String]] = [:]
  ) throws -> (bytes: Bytes, added: Int, leftOut: Int, isWhole: Bool) {
    var copier = try CaptureCopier(MemorySource(capture), application: "atscope test")
    var output = Bytes()
    var isWhole = true
    do throws(CaptureError) {
      while try copier.copyNext(to: &output, adding: { comments[$0] ?? [] }) {}
    } catch {
      isWhole = false
      #expect((try? copier.copyNext(to: &output, adding: { _ in [] })) == false)
    }
    return (output, copier.added, copier.leftOut, isWhole)
  }

  /// The comments in each packet's options.
  private func comments(_ bytes: Bytes) -> [[String]] {
    Reading(bytes).packets.map { packet in
      var list = OptionList(from: 0, to: packet.options.count)
      var found: [String] = []
      while let option = list.next(in: packet.options.raw, packet.byteOrder) {
        if option.code == 1 {
          found.append(packet.options.raw.text(at: option.start, count: option.count))
        }
      }
      return found
    }
  }

  /// The packets without their options: a copy must have the same.
  private func facts(_ bytes: Bytes) -> [Reading.Packet] {
    Reading(bytes).packets.map { packet in
      var packet = packet
      packet.options = []
      return packet
    }
  }

  /// The metadata of a capture, without the offsets of its sections.
  private func metadata(_ bytes: Bytes) -> CaptureMetadata? {
    var metadata = Reading(bytes).metadata
    for index in metadata?.sections.indices ?? 0..<0 { metadata?.sections[index].offset = 0 }
    return metadata
  }

  /// A capture with every kind of block, in several sections.
  private static func everything(_ byteOrder: ByteOrder) -> Bytes {
    var file = CaptureWriter.pcapng(byteOrder, options: [(4, Bytes("dumpcap".utf8))])
    file.interface(linkType: 1, snapshotLength: 9, options: [(9, [0x83]), (14, [0, 0, 0, 0, 0, 0, 0, 7])])
    file.block(0x0A, file.body { $0.bytes += [0x4B, 0x53, 0x4C, 0x54, 0, 0, 0, 0] })
    file.enhancedPacket(counting(5), options: [(1, Bytes("mine".utf8)), (2, [0, 0, 0, 1])])
    file.block(0x0BAD, counting(8))
    file.block(0x4000_0BAD, counting(7))
    file.block(4, Bytes([0, 0, 0, 0]))
    file.enhancedPacket(counting(6))
    file.block(0x8000_0001, Bytes([1, 0, 0, 0]))
    file.obsoletePacket(counting(7))
    file.simplePacket(counting(8))
    file.block(5, Bytes(repeating: 0, count: 12))
    file.section()
    file.interface(linkType: 101)
    file.block(9, Bytes("MESSAGE=one\n".utf8))
    file.block(0x204, Bytes(repeating: 0, count: 24))
    file.enhancedPacket(counting(9))
    return file.bytes
  }

  @Test(arguments: [ByteOrder.littleEndian, .bigEndian])
  func `a pcapng capture without comments to add is copied byte for byte`(byteOrder: ByteOrder) throws {
    let capture = Self.everything(byteOrder)
    let copied = try copy(capture)
    #expect(copied.bytes == capture)
    #expect(copied.isWhole)
  }

  @Test(arguments: [ByteOrder.littleEndian, .bigEndian])
  func `added comments are written after a packet's existing comments`(byteOrder: ByteOrder) throws {
    let capture = Self.everything(byteOrder)
    let (bytes, added, leftOut, _) = try copy(
      capture, [1: ["one", "two"], 4: ["three"], 5: ["four"], 6: ["five"], 9: ["six"]])
    #expect(comments(bytes) == [["mine", "one", "two"], ["three"], ["four"], [], ["six"]])
    #expect(added == 5)
    // The fourth packet, frame 6, is in a Simple Packet Block.
    #expect(leftOut == 1)
    #expect(facts(bytes) == facts(capture))
    #expect(metadata(bytes) == metadata(capture))
  }

  @Test func `comments that a packet already has are not added again`() throws {
    let capture = Self.everything(.littleEndian)
    let added: [UInt64: [String]] = [1: ["one", "mine"], 9: ["six"]]
    let once = try copy(capture, added).bytes
    #expect(try copy(once, added).bytes == once)
  }

  @Test(arguments: [ByteOrder.littleEndian, .bigEndian])
  func `comments to be replaced are removed, and no others`(byteOrder: ByteOrder) throws {
    let capture = Self.everything(byteOrder)
    let before = try copy(capture, [1: ["old one", "old two"], 4: ["old three"], 9: ["old four", "new"]]).bytes
    var copier = try CaptureCopier(MemorySource(before), application: "atscope test") { $0.hasPrefix("old") }
    let wanted = [1: ["old two", "five"], 9: ["six"]]
    var after = Bytes()
    while try copier.copyNext(to: &after, adding: { wanted[Int($0)] ?? [] }) {}
    #expect(comments(after) == [["mine", "old two", "five"], [], [], [], ["new", "six"]])
    let (removed, added) = (copier.removed, copier.added)
    #expect((removed, added) == (4, 3))
    #expect(facts(after) == facts(capture))
    #expect(metadata(after) == metadata(capture))
  }

  @Test(arguments: [
    (ByteOrder.littleEndian, UInt32(0xA1B2_C3D4)), (.bigEndian, 0xA1B2_C3D4), (.littleEndian, 0xA1B2_3C4D),
    (.bigEndian, 0xA1B2_3C4D),
  ])
  func `a pcap capture is copied as pcapng with the same packets`(byteOrder: ByteOrder, magic: UInt32) throws {
    // A frame check sequence of four bytes.
    var file = CaptureWriter.pcap(byteOrder, magic: magic, snapshotLength: 96, network: 0x2400_0001)
    file.record(counting(5), fraction: 999_999)
    file.record(counting(6), seconds: .max, second: 1500)
    file.record(counting(7), fraction: 3_000_001)
    let (bytes, added, leftOut, _) = try copy(file.bytes, [2: ["hello"]])
    #expect(facts(bytes) == facts(file.bytes))
    #expect(comments(bytes) == [[], ["hello"], []])
    #expect((added, leftOut) == (1, 0))
    let metadata = try #require(Reading(bytes).metadata)
    #expect(metadata.anomalies.isEmpty)
    #expect(metadata.interfaces == Reading(file.bytes).metadata?.interfaces)
    #expect(metadata.application == "atscope test")
  }

  @Test func `a comment is added before an option that is longer than its block`() throws {
    var file = CaptureWriter.pcapng()
    file.interface()
    file.block(
      6,
      file.body {
        $0.bytes += Bytes(repeating: 0, count: 12)
        $0.write(UInt32(4))
        $0.write(UInt32(4))
        $0.bytes += counting(4)
        $0.write(UInt16(1))
        $0.write(UInt16(2))
        $0.bytes += [0x61, 0x62, 0, 0]
        $0.write(UInt16(1))
        $0.write(UInt16(900))
      })
    #expect(comments(try copy(file.bytes, [1: ["c"]]).bytes) == [["ab", "c"]])
  }

  @Test func `a long comment is truncated at a character boundary`() throws {
    var file = CaptureWriter.pcapng()
    file.interface()
    file.enhancedPacket(counting(4))
    let long = "a" + String(repeating: "ü", count: 4000)
    let found = comments(try copy(file.bytes, [1: [long]]).bytes)
    #expect(found.first?.first == "a" + String(repeating: "ü", count: 2047))
    let once = try copy(file.bytes, [1: [long]]).bytes
    #expect(try copy(once, [1: [long]]).bytes == once)
  }

  @Test(arguments: [ByteOrder.littleEndian, .bigEndian])
  func `a truncated capture is copied up to the truncation`(byteOrder: ByteOrder) {
    let capture = Self.everything(byteOrder)
    for count in 0..<capture.count {
      let truncated = Bytes(capture.prefix(count))
      guard let copied = try? copy(truncated, [1: ["one"]]) else {
        #expect(facts(truncated).isEmpty)
        continue
      }
      #expect(facts(copied.bytes) == facts(truncated))
    }
  }
}
