import ByteParsing
import CaptureFormats
import Values

/// Builds captures for tests, in one byte order.
struct CaptureWriter {
  var bytes = Bytes()
  let byteOrder: ByteOrder

  init(_ byteOrder: ByteOrder) { self.byteOrder = byteOrder }

  mutating func write<Number: FixedWidthInteger>(_ number: Number) {
    let shifts = stride(from: 0, to: Number.bitWidth, by: 8)
    for shift in byteOrder == .littleEndian ? Array(shifts) : shifts.reversed() {
      bytes.append(UInt8(truncatingIfNeeded: number >> Number(shift)))
    }
  }

  mutating func pad() {
    while bytes.count % 4 != 0 { bytes.append(0) }
  }
}

// MARK: - pcap

extension CaptureWriter {
  /// A pcap file header.
  static func pcap(
    _ byteOrder: ByteOrder = .littleEndian, magic: UInt32 = 0xA1B2_C3D4, version: (UInt16, UInt16) = (2, 4),
    snapshotLength: UInt32 = 262_144, network: UInt32 = 1
  ) -> CaptureWriter {
    var writer = CaptureWriter(byteOrder)
    writer.write(magic)
    writer.write(version.0)
    writer.write(version.1)
    writer.write(UInt64(0))
    writer.write(snapshotLength)
    writer.write(network)
    return writer
  }

  /// Appends a record, with `extra` between its header and its packet.
  mutating func record(
    _ packet: Bytes, seconds: UInt32 = 1_700_000_000, fraction: UInt32 = 5, first: UInt32? = nil,
    second: UInt32? = nil, extra: Bytes = []
  ) {
    write(seconds)
    write(fraction)
    write(first ?? UInt32(packet.count))
    write(second ?? UInt32(packet.count))
    bytes += extra + packet
  }
}

// MARK: - pcapng

extension CaptureWriter {
  typealias Option = (code: UInt16, value: Bytes)

  /// A pcapng file that begins with a section header.
  static func pcapng(
    _ byteOrder: ByteOrder = .littleEndian, version: (UInt16, UInt16) = (1, 0), options: [Option] = []
  ) -> CaptureWriter {
    var writer = CaptureWriter(byteOrder)
    writer.section(version: version, options: options)
    return writer
  }

  /// Appends a block of any type.
  mutating func block(_ type: UInt32, _ body: Bytes) {
    let length = UInt32(12 + (body.count + 3) / 4 * 4)
    write(type)
    write(length)
    bytes += body
    pad()
    write(length)
  }

  /// The bytes that a closure writes in this writer's byte order.
  func body(_ write: (inout CaptureWriter) -> Void) -> Bytes {
    var writer = CaptureWriter(byteOrder)
    write(&writer)
    return writer.bytes
  }

  mutating func options(_ options: [Option]) {
    for option in options {
      write(option.code)
      write(UInt16(option.value.count))
      bytes += option.value
      pad()
    }
    if !options.isEmpty { write(UInt32(0)) }
  }

  mutating func section(version: (UInt16, UInt16) = (1, 0), options: [Option] = []) {
    block(
      0x0A0D_0D0A,
      body {
        $0.write(UInt32(0x1A2B_3C4D))
        $0.write(version.0)
        $0.write(version.1)
        $0.write(UInt64.max)
        $0.options(options)
      })
  }

  mutating func interface(
    linkType: UInt16 = 1, snapshotLength: UInt32 = 0, options: [Option] = []
  ) {
    block(
      1,
      body {
        $0.write(linkType)
        $0.write(UInt16(0))
        $0.write(snapshotLength)
        $0.options(options)
      })
  }

  mutating func enhancedPacket(
    _ packet: Bytes, interface: UInt32 = 0, ticks: UInt64 = 1_700_000_000_000_005, captured: UInt32? = nil,
    options: [Option] = []
  ) {
    block(
      6,
      body {
        $0.write(interface)
        $0.write(UInt32(ticks >> 32))
        $0.write(UInt32(truncatingIfNeeded: ticks))
        $0.write(captured ?? UInt32(packet.count))
        $0.write(UInt32(packet.count))
        $0.bytes += packet
        $0.pad()
        $0.options(options)
      })
  }

  mutating func simplePacket(_ packet: Bytes, originalLength: UInt32? = nil) {
    block(
      3,
      body {
        $0.write(originalLength ?? UInt32(packet.count))
        $0.bytes += packet
      })
  }

  mutating func obsoletePacket(_ packet: Bytes, interface: UInt16 = 0, ticks: UInt64 = 1_700_000_000_000_005) {
    block(
      2,
      body {
        $0.write(interface)
        $0.write(UInt16.max)
        $0.write(UInt32(ticks >> 32))
        $0.write(UInt32(truncatingIfNeeded: ticks))
        $0.write(UInt32(packet.count))
        $0.write(UInt32(packet.count))
        $0.bytes += packet
      })
  }
}

// MARK: - Reading

/// The packets, metadata and error that a reader returns for a capture.
struct Reading {
  struct Packet: Equatable {
    var frame: UInt64
    var time: String?
    var bytes: Bytes
    var options: Bytes
    var originalLength: Int
    var linkType: LinkType
    var fcsLength: Int
    var byteOrder: ByteOrder
  }

  var packets: [Packet] = []
  var error: CaptureError?
  var metadata: CaptureMetadata?
  var offset = 0

  /// Reads to the end or the first error.
  init(_ source: any ByteSource, readSize: Int = 256 * 1024) {
    do throws(CaptureError) {
      var reader = try CaptureReader(source, readSize: readSize)
      do throws(CaptureError) {
        while let record = try reader.next() {
          packets.append(
            Packet(
              frame: record.frameNumber, time: record.hasTimestamp ? record.timestamp.description : nil,
              bytes: Bytes(copying: reader.bytes(of: record)),
              options: Bytes(copying: reader.options(of: record)), originalLength: record.originalLength,
              linkType: record.linkType, fcsLength: record.fcsLength, byteOrder: record.byteOrder))
        }
      } catch {
        self.error = error
        // After an error the reader returns neither a packet nor a second error.
        if try reader.next() != nil { fatalError("a packet after an error") }
      }
      metadata = reader.metadata
      offset = reader.offset
    } catch {
      self.error = error
    }
  }

  init(_ bytes: Bytes, chunk: Int = .max, readSize: Int = 256 * 1024) {
    self.init(MemorySource(bytes, chunk: chunk), readSize: readSize)
  }
}

/// The bytes 1, 2, 3 and so on.
func counting(_ count: Int) -> Bytes {
  Bytes((0..<count).map { UInt8(truncatingIfNeeded: $0 + 1) })
}
