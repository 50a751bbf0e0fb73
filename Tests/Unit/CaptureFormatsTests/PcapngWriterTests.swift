import ByteParsing
import CaptureFormats
import Testing
import Values

@Suite struct PcapngWriterTests {
  private let packet = Bytes([0x45, 0, 0, 20, 1, 2, 3])
  private let moment = Timestamp(seconds: 1_777_630_272, nanoseconds: 123_456_789)

  /// A section header and the output of a closure.
  private func written(_ write: (inout PcapngWriter, inout Bytes) -> Void) -> Bytes {
    var output = Bytes()
    var writer = PcapngWriter()
    writer.begin(application: "atscope test", comment: "a note", to: &output)
    write(&writer, &output)
    return output
  }

  private func records(_ bytes: Bytes) throws -> [(packet: Bytes, record: PacketRecord)] {
    var reader = try CaptureReader(MemorySource(bytes))
    var found: [(Bytes, PacketRecord)] = []
    while let record = try reader.next() { found.append((Bytes(copying: reader.bytes(of: record)), record)) }
    return found
  }

  @Test func `packets are read back with their bytes, lengths, times and link types`() throws {
    let bytes = written { writer, output in
      for (linkType, original) in [(LinkType.raw, 7), (.ethernet, 1500), (.raw, 3)] {
        let interface = writer.interface(for: linkType, to: &output)
        writer.packet(packet.span, originalLength: original, interface: interface, time: moment, to: &output)
      }
    }
    let found = try records(bytes)
    #expect(found.map(\.packet) == [packet, packet, packet])
    #expect(found.map(\.record.linkType) == [.raw, .ethernet, .raw])
    // An original length below the captured length is replaced by the captured length.
    #expect(found.map(\.record.originalLength) == [7, 1500, 7])
    #expect(found.allSatisfy { $0.record.timestamp == moment })
  }

  @Test(arguments: [(7, 7), (9, 4)])
  func `packets without a time are read back without one and without added bytes`(
    original: Int, kept: Int
  ) throws {
    let bytes = written { writer, output in
      let interface = writer.interface(for: .raw, to: &output)
      writer.packet(packet.span, originalLength: original, interface: interface, time: nil, to: &output)
    }
    let found = try records(bytes)
    #expect(found.map(\.packet) == [Bytes(packet.prefix(kept))])
    #expect(found.map(\.record.hasTimestamp) == [false])
    #expect(found.map(\.record.originalLength) == [original])
  }

  @Test(arguments: [
    (Timestamp(seconds: -5), Timestamp(seconds: 0)),
    (
      Timestamp(seconds: .max, nanoseconds: 999_999_999),
      Timestamp(seconds: 18_446_744_073, nanoseconds: 709_551_615)
    ),
  ])
  func `times outside the range of the format are clamped to it`(time: Timestamp, kept: Timestamp)
    throws
  {
    let bytes = written { writer, output in
      let interface = writer.interface(for: .raw, to: &output)
      writer.packet(packet.span, originalLength: 7, interface: interface, time: time, to: &output)
    }
    #expect(try records(bytes).map(\.record.timestamp) == [kept])
  }

  @Test func `secrets are read back byte for byte`() throws {
    let log = Bytes("CLIENT_HANDSHAKE_TRAFFIC_SECRET aa bb\n".utf8)
    let bytes = written { writer, output in writer.secrets(.tlsKeyLog, log, to: &output) }
    var reader = try CaptureReader(MemorySource(bytes))
    while try reader.next() != nil {}
    #expect(reader.metadata.secrets.map(\.data) == [log])
    #expect(reader.metadata.secrets.map(\.type) == [.tlsKeyLog])
  }

  @Test func `processes are read back with their names, numbers and certainty`() {
    let processes: [CapturedProcess?] = [
      CapturedProcess(name: "MyApp", pid: 412, source: .processBlock),
      CapturedProcess(name: "MyApp", pid: 412, isEffective: true, source: .pktap),
      CapturedProcess(name: "MyApp", pid: 412, source: .comment), nil,
      CapturedProcess(
        name: "MyApp", pid: 412, isEffective: true, service: "com.apple.WebKit", source: .pktap),
      CapturedProcess(name: "Browser, the ünusual", uid: 10_123, source: .pcapdroid),
      CapturedProcess(name: nil, uid: 10_124, source: .pcapdroid),
      CapturedProcess(name: nil, pid: 77, source: .eventTrace),
    ]
    let bytes = written { writer, output in
      let interface = writer.interface(for: .raw, to: &output)
      for process in processes + processes {
        writer.packet(
          packet.span, originalLength: 7, interface: interface, time: moment, process: process, to: &output)
      }
    }
    let expected: [String?] = [
      "MyApp 412 - false processBlock high", "MyApp 412 - true processBlock high",
      "MyApp 412 - false processBlock high", nil,
      "MyApp 412 - true processBlock high via com.apple.WebKit",
      "Browser, the ünusual - 10123 false pcapdroid high",
      "- - 10124 false pcapdroid high", "- 77 - false etl low",
    ]
    #expect(CaptureReaderProcessesTests.processes(bytes) == expected + expected)
    // Each process is written once, however many packets it has.
    #expect(bytes.windows(ofBytes: Bytes("MyApp".utf8)) == 1)
  }

  @Test func `a truncated capture yields the packets before the truncation`() {
    let bytes = written { writer, output in
      let interface = writer.interface(for: .raw, to: &output)
      let process = CapturedProcess(name: "MyApp", pid: 1, source: .processBlock)
      for _ in 0..<3 {
        writer.packet(
          packet.span, originalLength: 7, interface: interface, time: moment, process: process, to: &output)
      }
    }
    var most = 0
    for count in 0..<bytes.count {
      guard var reader = try? CaptureReader(MemorySource(Bytes(bytes.prefix(count)))) else { continue }
      var packets = 0
      while let record = try? reader.next() {
        packets += 1
        #expect(Bytes(copying: reader.bytes(of: record)) == packet)
      }
      #expect(packets >= most)
      most = max(most, packets)
    }
    #expect(most == 2)
  }
}

extension ContiguousArray where Element == UInt8 {
  /// The number of occurrences of `bytes`.
  fileprivate func windows(ofBytes bytes: Bytes) -> Int {
    guard count >= bytes.count else { return 0 }
    return (0...(count - bytes.count)).filter { self[$0..<($0 + bytes.count)].elementsEqual(bytes) }.count
  }
}
