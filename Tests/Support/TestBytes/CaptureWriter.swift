package import ByteParsing
package import CaptureFormats

/// The header of a pcap file without packets.
package let emptyCapture = CaptureWriter.pcap().bytes

/// Builds captures for tests, in one byte order.
package struct CaptureWriter {
  package var bytes = Bytes()
  package let byteOrder: ByteOrder

  package init(_ byteOrder: ByteOrder) { self.byteOrder = byteOrder }

  package mutating func write<Number: FixedWidthInteger>(_ number: Number) {
    let shifts = stride(from: 0, to: Number.bitWidth, by: 8)
    for shift in byteOrder == .littleEndian ? Array(shifts) : shifts.reversed() {
      bytes.append(UInt8(truncatingIfNeeded: number >> Number(shift)))
    }
  }

  package mutating func pad() {
    while bytes.count % 4 != 0 { bytes.append(0) }
  }
}

// MARK: - pcap

extension CaptureWriter {
  /// A pcap file header.
  package static func pcap(
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
  package mutating func record(
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
  package typealias Option = (code: UInt16, value: Bytes)

  /// A pcapng file that begins with a section header.
  package static func pcapng(
    _ byteOrder: ByteOrder = .littleEndian, version: (UInt16, UInt16) = (1, 0), options: [Option] = []
  ) -> CaptureWriter {
    var writer = CaptureWriter(byteOrder)
    writer.section(version: version, options: options)
    return writer
  }

  /// Appends a block of any type.
  package mutating func block(_ type: UInt32, _ body: Bytes) {
    let length = UInt32(12 + (body.count + 3) / 4 * 4)
    write(type)
    write(length)
    bytes += body
    pad()
    write(length)
  }

  /// The bytes that a closure writes in this writer's byte order.
  package func body(_ write: (inout CaptureWriter) -> Void) -> Bytes {
    var writer = CaptureWriter(byteOrder)
    write(&writer)
    return writer.bytes
  }

  package mutating func options(_ options: [Option]) {
    for option in options {
      write(option.code)
      write(UInt16(option.value.count))
      bytes += option.value
      pad()
    }
    if !options.isEmpty { write(UInt32(0)) }
  }

  package mutating func section(version: (UInt16, UInt16) = (1, 0), options: [Option] = []) {
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

  package mutating func interface(
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

  package mutating func enhancedPacket(
    _ packet: Bytes, interface: UInt32 = 0, ticks: UInt64 = 1_700_000_000_000_005, captured: UInt32? = nil,
    originalLength: UInt32? = nil, options: [Option] = []
  ) {
    block(
      6,
      body {
        $0.write(interface)
        $0.write(UInt32(ticks >> 32))
        $0.write(UInt32(truncatingIfNeeded: ticks))
        $0.write(captured ?? UInt32(packet.count))
        $0.write(originalLength ?? UInt32(packet.count))
        $0.bytes += packet
        $0.pad()
        $0.options(options)
      })
  }

  package mutating func simplePacket(_ packet: Bytes, originalLength: UInt32? = nil) {
    block(
      3,
      body {
        $0.write(originalLength ?? UInt32(packet.count))
        $0.bytes += packet
      })
  }

  package mutating func obsoletePacket(_ packet: Bytes, interface: UInt16 = 0, ticks: UInt64 = 1_700_000_000_000_005) {
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
