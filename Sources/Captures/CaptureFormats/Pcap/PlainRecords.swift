public import ByteParsing
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
public struct PlainRecord: ~Escapable {
  /// The bytes that the capture holds of the packet.
  public let packet: Span<UInt8>
  /// Its captured length and its original one, in the order of the file.
  @usableFromInline
  let lengths: UInt64
  /// Seconds, and fractions of a second in the higher half.
  @usableFromInline
  let time: UInt64
  @usableFromInline
  let nanosecondsPerFraction: UInt64

  @inlinable
  @inline(__always)
  @_lifetime(copy packet)
  init(packet: Span<UInt8>, lengths: UInt64, time: UInt64, nanosecondsPerFraction: UInt64) {
    self.packet = packet
    self.lengths = lengths
    self.time = time
    self.nanosecondsPerFraction = nanosecondsPerFraction
  }

  /// Bytes that the packet had on the network.
  @inlinable
  public var originalLength: Int { Int(truncatingIfNeeded: lengths >> 32) }

  /// When the packet was captured.
  @inlinable
  public var timestamp: Timestamp {
    @inline(__always)
    get {
      Timestamp(
        seconds: Int64(truncatingIfNeeded: time & 0xFFFF_FFFF),
        nanosecondsWithin: UInt32(truncatingIfNeeded: (time >> 32) &* nanosecondsPerFraction))
    }
  }
}

/// Goes from one plain record to the next where they lie, for as long as they are whole in the reader's buffer.
///
/// The reader itself stays where it is until it is told how far this came: its numbers need not be stored for each packet.
public struct PlainRecordIterator: ~Escapable {
  @usableFromInline
  var rest: Span<UInt8>
  @usableFromInline
  let records: PlainRecords

  /// Bytes behind the records so far.
  @inlinable
  public var unread: Int { rest.count }

  @usableFromInline
  var passed: UInt64 = 0

  /// Records so far.
  @inlinable
  public var count: UInt64 { passed }

  /// Bytes of the headers of those records.
  @inlinable
  public var headerBytes: Int { 16 &* Int(truncatingIfNeeded: passed) }

  /// The link type of the packets.
  @inlinable
  public var linkType: LinkType { records.traits.linkType }

  @inlinable
  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>, _ records: PlainRecords) {
    rest = bytes
    self.records = records
  }

  /// The next record; nil before the first that is not plain, or not whole.
  @inlinable
  @inline(__always)
  @_lifetime(copy self)
  public mutating func next() -> PlainRecord? {
    guard rest.count >= 16 else { return nil }
    let (time, lengths) = (rest.raw.little64(0), rest.raw.little64(8))
    let length = Int(truncatingIfNeeded: lengths & 0xFFFF_FFFF)
    guard length <= records.longestPacket, length <= rest.count &- 16, time >> 32 < records.fractionsPerSecond
    else { return nil }
    let packet = rest.extracting(16..<(16 &+ length))
    rest = rest.extracting(droppingFirst: 16 &+ length)
    passed &+= 1
    return PlainRecord(
      packet: packet, lengths: lengths, time: time, nanosecondsPerFraction: records.nanosecondsPerFraction)
  }
}

extension CaptureReader {
  /// The plain records from here on, as far as they are in memory; `pass` is to be called with where it ends.
  public var plainRecords: PlainRecordIterator {
    @_lifetime(borrow self)
    @inlinable
    @inline(__always)
    get {
      PlainRecordIterator(input.storage.span.extracting(input.position..<input.end), plain)
    }
  }

  /// Moves on behind `count` plain records, to where `unread` bytes of what is in memory are left.
  public mutating func pass(over count: UInt64, leaving unread: Int) {
    input.position = max(input.position, input.end - max(unread, 0))
    packets &+= count
  }

  /// The header of the next record, if it is a plain one: its time, and its lengths.
  @usableFromInline
  var plainHeader: (time: UInt64, lengths: UInt64)? {
    @inlinable
    @inline(__always)
    get {
      var records = plainRecords
      guard let next = records.next() else { return nil }
      return (next.time, next.lengths)
    }
  }

  /// Reads a plain record in one straight line that becomes part of the caller's loop; false, and nothing is changed, for any other.
  @inlinable
  @inline(__always)
  mutating func readPlainRecord() -> Bool {
    guard let (time, lengths) = plainHeader else { return false }
    let start = input.position &+ 16
    input.position = start &+ Int(truncatingIfNeeded: lengths & 0xFFFF_FFFF)
    packets &+= 1
    present = PacketRecord(
      frameNumber: packetCount, seconds: Int64(truncatingIfNeeded: time & 0xFFFF_FFFF),
      nanoseconds: (time >> 32) &* plain.nanosecondsPerFraction, traits: plain.traits,
      lengths: lengths, start: start)
    return true
  }
}
