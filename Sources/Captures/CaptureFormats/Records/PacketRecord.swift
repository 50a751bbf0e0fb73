public import Values

/// One packet of a capture: everything about it but the bytes, which `CaptureReader.bytes(of:)` lends.
///
/// Kept in few words, because one is handed on for every packet: as separate fields it took a fifth more
/// instructions to read one.
@usableFromInline package struct PacketRecord: Sendable {
  /// Counts the frames of the file from 1, as Wireshark does: packets, and the custom blocks of pcapng between them.
  @usableFromInline package let frameNumber: UInt64

  @usableFromInline
  let seconds: Int64

  /// Nanoseconds in the upper half, `PacketTraits` in the lower.
  @usableFromInline
  let nanosecondsAndTraits: UInt64

  /// The original length in the upper half, the captured one in the lower.
  @usableFromInline
  let lengths: UInt64

  /// Bytes of options in the upper half, in the lower where the packet is in the reader's buffer.
  @usableFromInline
  let offsets: UInt64

  /// The capturing interface: counts those of the file from 0, over all its sections.
  ///
  /// This is the index in `CaptureMetadata.interfaces`, which may hold fewer than the file describes.
  @usableFromInline package let interface: Int

  /// All numbers come from the file as 32 bits, or are below the longest block.
  @inline(__always)
  init(
    frameNumber: UInt64, timestamp: Timestamp, traits: PacketTraits, interface: Int, captured: UInt32,
    original: UInt32, start: Int, optionsLength: Int
  ) {
    self.frameNumber = frameNumber
    seconds = timestamp.seconds
    nanosecondsAndTraits = UInt64(timestamp.nanoseconds) << 32 | UInt64(traits.rawValue)
    self.interface = interface
    lengths = UInt64(original) << 32 | UInt64(captured)
    offsets = UInt64(truncatingIfNeeded: optionsLength) << 32 | UInt64(truncatingIfNeeded: start)
  }

  /// A packet without options, of the file's first interface; `lengths` as it is kept, `nanoseconds` below a second.
  @inlinable
  @inline(__always)
  init(
    frameNumber: UInt64, seconds: Int64, nanoseconds: UInt64, traits: PacketTraits, lengths: UInt64,
    start: Int
  ) {
    self.frameNumber = frameNumber
    self.seconds = seconds
    nanosecondsAndTraits = nanoseconds << 32 | UInt64(traits.rawValue)
    self.lengths = lengths
    offsets = UInt64(truncatingIfNeeded: start)
    interface = 0
  }
}

extension PacketRecord {
  /// The record of a reader that has not read a packet yet.
  static let none = PacketRecord(
    frameNumber: 0, seconds: 0, nanoseconds: 0, traits: PacketTraits(rawValue: 0), lengths: 0, start: 0)

  /// When the packet was captured; of no meaning without `hasTimestamp`.
  @inlinable
  package var timestamp: Timestamp {
    Timestamp(seconds: seconds, nanoseconds: UInt32(truncatingIfNeeded: nanosecondsAndTraits >> 32))
  }

  /// Bytes that the capture holds of the packet, link-layer header included.
  @inlinable
  package var capturedLength: Int { Int(UInt32(truncatingIfNeeded: lengths)) }

  /// Bytes that the packet had on the network; some writers give less than they captured.
  @inlinable
  package var originalLength: Int { Int(lengths >> 32) }

  @inlinable
  package var linkType: LinkType { traits.linkType }

  /// Whether the packet has a time; Simple Packet Blocks have none.
  @inlinable
  package var hasTimestamp: Bool { traits.rawValue & PacketTraits.timestamp != 0 }

  /// When the packet was captured; nil without a time.
  @inlinable
  package var time: Timestamp? { hasTimestamp ? timestamp : nil }

  /// Bytes of frame check sequence at the packet's end; 0 unless the file specifies them.
  @inlinable
  package var fcsLength: Int { Int(traits.rawValue >> 16 & 0xFF) }

  /// The order of numbers in the packet's options, and in link-layer headers that follow the capturing machine.
  @inlinable
  package var byteOrder: ByteOrder {
    traits.rawValue & PacketTraits.bigEndian != 0 ? .bigEndian : .littleEndian
  }

  /// Bytes of options after the packet; 0 in formats without options.
  @inlinable
  package var optionsLength: Int { Int(offsets >> 32) }

  @inlinable
  var traits: PacketTraits { PacketTraits(rawValue: UInt32(truncatingIfNeeded: nanosecondsAndTraits)) }

  /// Where the packet's bytes are in the reader's buffer.
  @inlinable
  var start: Int { Int(UInt32(truncatingIfNeeded: offsets)) }

  /// The index of the options in the reader's buffer, after the packet's padding.
  var optionsStart: Int { start + (capturedLength + 3) / 4 * 4 }
}

/// What all packets of an interface share, in 32 bits.
///
///     | flags (8) | FCS length (8) | link type (16) |
@usableFromInline
struct PacketTraits {
  @inlinable
  static var timestamp: UInt32 { 1 << 24 }

  @inlinable
  static var bigEndian: UInt32 { 1 << 25 }

  @usableFromInline
  var rawValue: UInt32

  @inlinable
  init(rawValue: UInt32) { self.rawValue = rawValue }

  init(linkType: LinkType, fcsLength: UInt8, byteOrder: ByteOrder) {
    rawValue =
      UInt32(linkType.rawValue) | UInt32(fcsLength) << 16 | PacketTraits.timestamp
      | (byteOrder == .bigEndian ? PacketTraits.bigEndian : 0)
  }

  @inlinable
  var linkType: LinkType { LinkType(rawValue: UInt16(truncatingIfNeeded: rawValue)) }

  var withoutTimestamp: PacketTraits { PacketTraits(rawValue: rawValue & ~PacketTraits.timestamp) }
}

/// The order of a number's bytes.
@usableFromInline package enum ByteOrder: Hashable, Sendable {
  /// The least significant byte comes first.
  case littleEndian

  /// The most significant byte comes first.
  case bigEndian

  /// The order in which this machine keeps numbers.
  static var ofThisMachine: ByteOrder {
    @inline(__always)
    get { UInt16(1).bigEndian == 1 ? .bigEndian : .littleEndian }
  }
}
