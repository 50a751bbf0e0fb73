public import ByteParsing
public import Values

/// The records of nearly all pcap files: a little-endian header of 16 bytes, with the captured length before the original one.
@usableFromInline struct FastRecordLayout {
  /// Fractions in a second; 0 if the file has other records.
  @usableFromInline var fractionsPerSecond: UInt64 = 0

  @usableFromInline var nanosecondsPerFraction: UInt64 = 0

  @usableFromInline var traits = PacketTraits(rawValue: 0)

  /// The maximum packet length; longer ones are treated as damage.
  @usableFromInline var maximumPacketLength = 0
}

extension FastRecordLayout {
  /// The fast path for a file with this layout; it accepts no record if its records differ.
  init(_ layout: PcapLayout, _ byteOrder: ByteOrder) {
    guard byteOrder == .littleEndian, layout.recordHeaderLength == 16, layout.lengthOrder == .capturedFirst else { return }
    fractionsPerSecond = UInt64(layout.fractionsPerSecond)
    nanosecondsPerFraction = UInt64(layout.nanosecondsPerFraction)
    traits = layout.traits
    maximumPacketLength = layout.maximumPacketLength
  }
}

/// A record of an ordinary pcap file that is completely in the reader's buffer.
@usableFromInline package struct PcapRecord: ~Escapable {
  /// The captured bytes of the packet.
  @usableFromInline package let packet: Span<UInt8>
  /// Its captured and its original length, in the order of the file.
  @usableFromInline let lengths: UInt64
  /// Seconds, with the fraction in the upper half.
  @usableFromInline let time: UInt64
  @usableFromInline let nanosecondsPerFraction: UInt64

  @inlinable
  @inline(__always)
  @_lifetime(copy packet)
  init(packet: Span<UInt8>, lengths: UInt64, time: UInt64, nanosecondsPerFraction: UInt64) {
    self.packet = packet
    self.lengths = lengths
    self.time = time
    self.nanosecondsPerFraction = nanosecondsPerFraction
  }

  /// The original length of the packet in bytes.
  @inlinable
  package var originalLength: Int { Int(truncatingIfNeeded: lengths >> 32) }

  @inlinable
  package var timestamp: Timestamp {
    @inline(__always)
    get {
      Timestamp(
        seconds: Int64(truncatingIfNeeded: time & 0xFFFF_FFFF),
        nanoseconds: UInt32(truncatingIfNeeded: (time >> 32) &* nanosecondsPerFraction))
    }
  }
}

/// Iterates over records in place, as long as they are complete in the reader's buffer.
///
/// The reader does not advance until `pass` receives the iterator's position, so that its counters are not stored for each packet.
@usableFromInline package struct PcapRecordIterator: ~Escapable {
  @usableFromInline var rest: Span<UInt8>
  @usableFromInline let records: FastRecordLayout

  @inlinable
  package var unread: Int { rest.count }

  @usableFromInline package var count: UInt64 = 0

  @inlinable
  package var linkType: LinkType { records.traits.linkType }

  @inlinable
  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>, _ records: FastRecordLayout) {
    rest = bytes
    self.records = records
  }

  /// The next record; nil before one that needs the general path or is incomplete.
  @inlinable
  @inline(__always)
  @_lifetime(copy self)
  package mutating func next() -> PcapRecord? {
    guard rest.count >= 16 else { return nil }
    let (time, lengths) = (rest.raw.little64(0), rest.raw.little64(8))
    let length = Int(truncatingIfNeeded: lengths & 0xFFFF_FFFF)
    guard length <= records.maximumPacketLength, length <= rest.count &- 16, time >> 32 < records.fractionsPerSecond else { return nil }
    let packet = rest.extracting(16..<(16 &+ length))
    rest = rest.extracting(droppingFirst: 16 &+ length)
    count &+= 1
    return PcapRecord(packet: packet, lengths: lengths, time: time, nanosecondsPerFraction: records.nanosecondsPerFraction)
  }
}

extension CaptureReader {
  /// The records from here on that are in memory. Pass the iterator's final position to `pass`.
  @usableFromInline package var bufferedRecords: PcapRecordIterator {
    @_lifetime(borrow self)
    @inlinable
    @inline(__always)
    get {
      PcapRecordIterator(input.storage.span.extracting(input.position..<input.end), fastLayout)
    }
  }

  /// Advances past `count` records, until `unread` bytes in memory are left.
  package mutating func pass(over count: UInt64, leaving unread: Int) {
    input.position = max(input.position, input.end - max(unread, 0))
    packetCount &+= count
  }
}
