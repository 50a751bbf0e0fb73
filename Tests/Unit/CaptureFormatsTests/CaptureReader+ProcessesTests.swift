import ByteParsing
import CaptureFormats
import TestBytes
import Testing
import Values

@Suite struct CaptureReaderProcessesTests {
  /// The process of each packet, as `name pid uid effective source certainty` with its service, or nil if the capture contains none.
  static func processes(_ bytes: Bytes) -> [String?] {
    var found: [String?] = []
    guard var reader = try? CaptureReader(MemorySource(bytes)) else { return found }
    while let record = try? reader.next() {
      guard reader.mayNameProcesses, let process = reader.process(of: record) else {
        found.append(nil)
        continue
      }
      let numbers = [process.pid, process.uid].map { $0.map { "\($0)" } ?? "-" }.joined(separator: " ")
      found.append(
        "\(process.name ?? "-") \(numbers) \(process.isEffective) \(process.source.rawValue) "
          + process.certainty.rawValue + (process.service.map { " via \($0)" } ?? ""))
    }
    return found
  }

  static func text(_ text: String, _ count: Int) -> Bytes {
    Bytes(text.utf8) + Bytes(repeating: 0, count: count - text.utf8.count)
  }

  static func pktap(
    _ name: String, _ pid: Int32, effective: String = "", _ effectivePID: Int32 = -1, length: Int = 156,
    byteOrder: ByteOrder = .littleEndian
  ) -> Bytes {
    var writer = CaptureWriter(byteOrder)
    for value in [UInt32(length), 1, 12] { writer.write(value) }
    writer.bytes += text("en0", 24)
    for value: UInt32 in [2, 2, 0, 0] { writer.write(value) }
    writer.write(pid)
    writer.bytes += text(name, 20)
    for value: UInt32 in [0, 0] { writer.write(value) }
    writer.write(effectivePID)
    writer.bytes += text(effective, 20)
    writer.bytes += Bytes(repeating: 0, count: length - 108)
    return writer.bytes
  }

  static func pktap2(_ name: String, _ pid: Int32, effective: String = "", _ effectivePID: Int32 = -1)
    -> Bytes
  {
    let strings = Bytes("en0\0\(name)\0\(effective)\0".utf8)
    var writer = CaptureWriter(.littleEndian)
    let nameOffset = 44
    let effectiveOffset = effective.isEmpty ? 0 : nameOffset + name.utf8.count + 1
    writer.bytes = [UInt8(40 + strings.count), 0, 0, 40, UInt8(nameOffset), UInt8(effectiveOffset)]
    for value: UInt16 in [12, 0, 0, 6, 6] { writer.write(value) }
    for value: UInt32 in [2, 0, 7] { writer.write(value) }
    writer.write(pid)
    writer.write(effectivePID)
    writer.write(UInt32(0x80002))
    return writer.bytes + strings
  }

  static func pcap(network: UInt32, _ packets: [Bytes]) -> Bytes {
    var file = CaptureWriter.pcap(network: network)
    for packet in packets { file.record(packet) }
    return file.bytes
  }

  @Test(arguments: [258, 149] as [UInt32])
  func `PKTAP headers name the effective process, or else the process`(network: UInt32) {
    let packets = [
      Self.pktap("Safari", 300), Self.pktap("nsurlsessiond", 101, effective: "MyApp", 412),
      Self.pktap("", -1),
      Self.pktap("kernel_task", 0), Self.pktap("old", 7, length: 108),
      Self.pktap("", 55), Self.pktap("big", 8, byteOrder: .bigEndian), [], Bytes(repeating: 7, count: 60),
    ]
    let isSame =
      Self.processes(Self.pcap(network: network, packets)) == [
        "Safari 300 - false pktap high", "MyApp 412 - true pktap high via nsurlsessiond", nil,
        "kernel_task 0 - false pktap high",
        "old 7 - false pktap high", "- 55 - false pktap high", "big 8 - false pktap high", nil, nil,
      ]
    #expect(isSame)
  }

  @Test func `PKTAP version 2 headers are read`() {
    let packets = [
      Self.pktap2("Safari", 300), Self.pktap2("nsurlsessiond", 101, effective: "MyApp", 412),
      Self.pktap2("Safari", 300),
    ]
    #expect(
      Self.processes(Self.pcap(network: 258, packets)) == [
        "Safari 300 - false pktap high", "MyApp 412 - true pktap high via nsurlsessiond",
        "Safari 300 - false pktap high",
      ])
  }

  @Test func `an interface named only in packet headers is kept once`() throws {
    let bytes = Self.pcap(network: 258, [Self.pktap("a", 1), Self.pktap("b", 2)])
    var reader = try CaptureReader(MemorySource(bytes))
    while let record = try reader.next() { _ = reader.process(of: record) }
    #expect(reader.metadata.packetInterfaces == ["en0"])
  }

  @Test(arguments: [ByteOrder.littleEndian, .bigEndian])
  func `the indices of process blocks start at 0 in each section`(byteOrder: ByteOrder) {
    func number(_ value: UInt32) -> Bytes {
      var writer = CaptureWriter(byteOrder)
      writer.write(value)
      return writer.bytes
    }
    var file = CaptureWriter.pcapng(byteOrder)
    func process(_ pid: UInt32, _ name: String) {
      file.block(
        0x8000_0001,
        file.body {
          $0.write(pid)
          $0.options([(2, Bytes(name.utf8)), (4, Bytes(repeating: 1, count: 16))])
        })
    }
    file.interface(linkType: 101)
    process(101, "nsurlsessiond")
    file.enhancedPacket(counting(4), options: [(0x8001, number(0))])
    file.enhancedPacket(counting(4), options: [(0x8001, number(0)), (0x8003, number(1))])
    process(412, "MyApp")
    file.enhancedPacket(counting(5), options: [(2, number(2)), (0x8001, number(0)), (0x8003, number(1))])
    file.enhancedPacket(counting(4), options: [(0x8003, number(1))])
    file.enhancedPacket(counting(4))
    file.section()
    file.interface(linkType: 101)
    file.enhancedPacket(counting(4), options: [(0x8001, number(0))])
    process(5, "other")
    file.enhancedPacket(counting(4), options: [(0x8001, number(0))])
    let system = "nsurlsessiond 101 - false processBlock high"
    let app = "MyApp 412 - true processBlock high"
    let isSame =
      Self.processes(file.bytes) == [
        system, system, app + " via nsurlsessiond", app, nil, nil, "other 5 - false processBlock high",
      ]
    #expect(isSame)
  }

  @Test func `a process index without a process block is counted as an anomaly`() throws {
    var file = CaptureWriter.pcapng()
    file.interface()
    file.enhancedPacket(counting(4), options: [(0x8001, [9, 0, 0, 0])])
    var reader = try CaptureReader(MemorySource(file.bytes))
    let record = try #require(try reader.next())
    #expect(reader.process(of: record) == nil)
    #expect(reader.metadata.anomalies.processesWithoutBlock == 1)
  }

  @Test(
    arguments: [
      ("PID: 412, ProcName: MyApp, EPID: 0, EProcName: , SVC: 0", "MyApp 412 - false comment high"),
      (
        "PID: 101, ProcName: nsurlsessiond, EPID: 412, EProcName: My, App, SVC: 3",
        "My, App 412 - true comment high via nsurlsessiond"
      ),
      (
        "PID: 7, ProcName: a, EPID: b, EPID: 0, EProcName: , SVC: 0", nil
      ),
      ("PID: 1, ProcName: Example, App, EPID: -1, EProcName: ", "Example, App 1 - false comment high"),
      ("PID: -1, ProcName: , EPID: -1, EProcName: , SVC: 0", nil), ("PID: x, ProcName: a", nil),
      ("PID=4242", "- 4242 - false etl low"), ("PID=12 ProcessorNumber=3", "- 12 - false etl low"),
      ("PID=", nil),
      ("u-10123", "- - 10123 false pcapdroid high"), ("u--1", nil), ("u-", nil), ("until later", nil),
      ("Picked by hand", nil), ("", nil),
    ] as [(String, String?)])
  func `processes are read from the comments of known writers`(comment: String, expected: String?) {
    var file = CaptureWriter.pcapng()
    file.interface()
    file.enhancedPacket(counting(4), options: [(1, Bytes(comment.utf8))])
    #expect(Self.processes(file.bytes) == [expected])
  }

  @Test func `PCAPdroid's blocks map a UID to the name of an app`() {
    var file = CaptureWriter.pcapng()
    func app(_ uid: Int32, _ package: String, _ name: String, enterprise: UInt32 = 62_652) {
      file.block(
        0x0BAD,
        file.body {
          $0.write(enterprise)
          $0.write(UInt16(1))
          $0.bytes += [1, 0]
          $0.write(uid)
          $0.bytes += [UInt8(package.utf8.count), UInt8(name.utf8.count)]
          $0.bytes += Bytes((package + name).utf8)
        })
    }
    func packet(_ uid: Int32) { file.enhancedPacket(counting(4), options: [(1, Bytes("u-\(uid)".utf8))]) }
    file.interface(linkType: 101)
    packet(10_123)
    app(10_123, "com.example.app", "Example")
    app(10_124, "com.example.other", "")
    app(10_125, "com.example.wrong", "Wrong", enterprise: 1)
    packet(10_123)
    packet(10_124)
    packet(10_125)
    #expect(
      Self.processes(file.bytes) == [
        "- - 10123 false pcapdroid high", "Example - 10123 false pcapdroid high",
        "com.example.other - 10124 false pcapdroid high", "- - 10125 false pcapdroid high",
      ])
  }

  static func droid(_ uid: Int32, _ name: String) -> Bytes {
    var writer = CaptureWriter(.bigEndian)
    writer.bytes = Bytes(repeating: 0, count: 36)
    writer.write(UInt32(0x0107_2021))
    writer.write(uid)
    writer.bytes += text(name, 20)
    writer.write(UInt32(0))
    return writer.bytes
  }

  @Test func `PCAPdroid's trailer names the app`() {
    let packets = [
      Self.droid(10_123, "Example App"), Self.droid(10_123, "Example App"), counting(40),
      Self.droid(0, "root"),
      Self.droid(-1, ""),
    ]
    #expect(
      Self.processes(Self.pcap(network: 1, packets)) == [
        "Example App - 10123 false pcapdroid high", "Example App - 10123 false pcapdroid high", nil,
        "root - 0 false pcapdroid high", nil,
      ])
    // The trailer is read only with link type Ethernet, and only if the first packet has one.
    #expect(Self.processes(Self.pcap(network: 101, packets)) == [nil, nil, nil, nil, nil])
    #expect(Self.processes(Self.pcap(network: 1, [counting(40), packets[0]])) == [nil, nil])
  }

  @Test func `a capture that cannot name processes is recognized at its first packet or earlier`() throws {
    var reader = try CaptureReader(MemorySource(Self.pcap(network: 1, [counting(60)])))
    let record = try #require(try reader.next())
    #expect(reader.process(of: record) == nil)
    var mayName = reader.mayNameProcesses
    #expect(!mayName)
    reader = try CaptureReader(MemorySource(Self.pcap(network: 101, [])))
    mayName = reader.mayNameProcesses
    #expect(!mayName)
  }

  @Test func `truncated and changed process headers never trap`() {
    let header = Self.pktap2("nsurlsessiond", 101, effective: "MyApp", 412)
    for packet in [
      Self.pktap("nsurlsessiond", 101, effective: "MyApp", 412), header, Self.droid(10_123, "a"),
    ] {
      let network: UInt32 = packet.count == 68 ? 1 : 258
      for count in 0..<packet.count {
        _ = Self.processes(Self.pcap(network: network, [Bytes(packet.prefix(count))]))
      }
      for index in packet.indices {
        for value: UInt8 in [0, 1, 39, 40, 41, 0x7F, 0xFF] {
          var changed = packet
          changed[index] = value
          _ = Self.processes(Self.pcap(network: network, [changed]))
        }
      }
    }
  }

  @Test(arguments: [
    (1, "ETHERNET"), (127, "IEEE802_11_RADIOTAP"), (150, "USER3"), (147, "USER0"), (258, "PKTAP"),
  ])
  func `link types have their registered names`(number: Int, name: String) {
    #expect(LinkType(rawValue: UInt16(number)).name == name)
    #expect(LinkType(rawValue: 60_000).name == nil)
  }
}
