import ByteParsing
public import Values

/// The records that nearly every pcap file consists of: a header of 16 bytes with its numbers in the order of x86 and ARM, and
/// the captured length before the original one.
@usableFromInline
struct PlainRecords {
  /// Fractions of a second in a whole one; 0 where the file has other records.
  @usableFromInline
  var fractionsPerSecond: UInt64 = 0

  @usableFromInline
  var nanosecondsPerFraction: UInt64 = 0

  @usableFromInline
  var traits = PacketTraits(rawValue: 0)

  /// The longest packet that is believed.
  @usableFromInline
  var longestPacket = 0

  /// No record is plain.
  static var none: PlainRecords { PlainRecords() }
}

extension PlainRecords {
  /// The plain records of a file with this layout; `none` where its records are others.
  init(_ layout: PcapLayout, _ byteOrder: ByteOrder) {
    guard byteOrder == .littleEndian, layout.recordHeaderLength == 16, layout.lengthOrder == .capturedFirst
    else { return }
    fractionsPerSecond = UInt64(layout.fractionsPerSecond)
    nanosecondsPerFraction = UInt64(layout.nanosecondsPerFraction)
    traits = layout.traits
    longestPacket = layout.longestPacket
  }
}

/// A record of a pcap file without peculiarities that is whole in the reader's buffer.
public struct PlainRecord {
  @usableFromInline
  var start: Int
  @usableFromInline
  var lengths: UInt64
  @usableFromInline
  var time: UInt64

  @inlinable
  init(start: Int, lengths: UInt64, time: UInt64) {
    self.start = start
    self.lengths = lengths
    self.time = time
  }

  /// Bytes that the capture holds of the packet.
  @inlinable
  public var capturedLength: Int { Int(truncatingIfNeeded: lengths & 0xFFFF_FFFF) }

  /// Bytes that the packet had on the network.
  @inlinable
  public var originalLength: Int { Int(truncatingIfNeeded: lengths >> 32) }

  @inlinable
  var seconds: Int64 { Int64(truncatingIfNeeded: time & 0xFFFF_FFFF) }
}

extension CaptureReader {
  /// The next record, if it is a plain one; it is not moved on to.
  @inlinable
  public var nextPlainRecord: PlainRecord? {
    @inline(__always)
    get {
      let start = input.position
      let available = input.available
      guard available >= 16 else { return nil }
      let record = PlainRecord(
        start: start &+ 16, lengths: input.bytes.littleEndian64(at: start &+ 8),
        time: input.bytes.littleEndian64(at: start))
      guard record.capturedLength <= plain.longestPacket, record.capturedLength <= available &- 16,
        record.time >> 32 < plain.fractionsPerSecond
      else { return nil }
      return record
    }
  }

  /// The link type of plain records.
  @inlinable
  public var plainLinkType: LinkType { plain.traits.linkType }

  /// The bytes of a plain record's packet.
  @_lifetime(borrow self)
  @inlinable
  @inline(__always)
  public func packet(of record: PlainRecord) -> Span<UInt8> {
    input.span(from: record.start, count: record.capturedLength)
  }

  /// When the packet of a plain record was captured.
  @inlinable
  @inline(__always)
  public func time(of record: PlainRecord) -> Timestamp {
    Timestamp(
      seconds: record.seconds,
      nanoseconds: UInt32(truncatingIfNeeded: (record.time >> 32) &* plain.nanosecondsPerFraction))
  }

  /// Moves on behind a plain record; `record` stays what it was, and the packet where it lies.
  @inlinable
  @inline(__always)
  public mutating func pass(over record: PlainRecord) {
    input.position = record.start &+ record.capturedLength
    packets &+= 1
  }

  /// Reads a plain record in one straight line that becomes part of the caller's loop; false, and nothing is changed, for any other.
  @inlinable
  @inline(__always)
  mutating func readPlainRecord() -> Bool {
    guard let next = nextPlainRecord else { return false }
    pass(over: next)
    present = PacketRecord(
      frameNumber: packetCount, seconds: next.seconds,
      nanoseconds: (next.time >> 32) &* plain.nanosecondsPerFraction, traits: plain.traits,
      lengths: next.lengths, start: next.start)
    return true
  }
}
