public import Values

/// One packet of a capture, without its bytes, which `CaptureReader.bytes(of:)` lends.
///
/// Packed into few words, because one is passed on for every packet: as separate fields, reading one took a fifth more instructions.
@usableFromInline package struct PacketRecord: Sendable {
  /// The frame number in the file, from 1. Like Wireshark, it counts packets, and pcapng's custom and event blocks between
  /// them.
  @usableFromInline package let frameNumber: UInt64

  @usableFromInline let seconds: Int64

  /// Nanoseconds in the upper half, `PacketTraits` in the lower.
  @usableFromInline let nanosecondsAndTraits: UInt64

  /// The original length in the upper half, the captured one in the lower.
  @usableFromInline let lengths: UInt64

  /// The length of the options in the upper half, the packet's index in the reader's buffer in the lower.
  @usableFromInline let offsets: UInt64

  /// All numbers are 32 bits in the file, or less than the maximum block length.
  @inline(__always)
  init(
    frameNumber: UInt64, timestamp: Timestamp, traits: PacketTraits, captured: UInt32, original: UInt32, start: Int, optionsLength: Int
  ) {
    self.frameNumber = frameNumber
    seconds = timestamp.seconds
    nanosecondsAndTraits = UInt64(timestamp.nanoseconds) << 32 | UInt64(traits.rawValue)
    lengths = UInt64(original) << 32 | UInt64(captured)
    offsets = UInt64(truncatingIfNeeded: optionsLength) << 32 | UInt64(truncatingIfNeeded: start)
  }
}

extension PacketRecord {
  /// The record of a reader that has not read a packet yet.
  static let none = PacketRecord(
    frameNumber: 0, timestamp: Timestamp(seconds: 0), traits: PacketTraits(rawValue: 0), captured: 0, original: 0, start: 0,
    optionsLength: 0)

  /// The capture time; meaningless without `hasTimestamp`.
  @inlinable
  package var timestamp: Timestamp {
    Timestamp(seconds: seconds, nanoseconds: UInt32(truncatingIfNeeded: nanosecondsAndTraits >> 32))
  }

  /// The captured length in bytes, including the link-layer header.
  @inlinable
  package var capturedLength: Int { Int(UInt32(truncatingIfNeeded: lengths)) }

  /// The original length in bytes; some writers state less than they captured.
  @inlinable
  package var originalLength: Int { Int(lengths >> 32) }

  @inlinable
  package var linkType: LinkType { traits.linkType }

  /// Whether the packet has a time; Simple Packet Blocks have none.
  @inlinable
  package var hasTimestamp: Bool { traits.rawValue & PacketTraits.timestamp != 0 }

  /// The capture time; nil if there is none.
  @inlinable
  package var time: Timestamp? { hasTimestamp ? timestamp : nil }

  /// The length of the frame check sequence at the packet's end in bytes; 0 if unspecified.
  @inlinable
  package var fcsLength: Int { Int(traits.rawValue >> 16 & 0xFF) }

  /// The byte order of the packet's options, and of link-layer headers that depend on the capturing machine.
  @inlinable
  package var byteOrder: ByteOrder {
    traits.rawValue & PacketTraits.bigEndian != 0 ? .bigEndian : .littleEndian
  }

  /// The length of the options after the packet in bytes; 0 in formats without options.
  @inlinable
  package var optionsLength: Int { Int(offsets >> 32) }

  @inlinable
  var traits: PacketTraits { PacketTraits(rawValue: UInt32(truncatingIfNeeded: nanosecondsAndTraits)) }

  /// The index of the packet's bytes in the reader's buffer.
  @inlinable
  var start: Int { Int(UInt32(truncatingIfNeeded: offsets)) }

  /// The index of the options in the reader's buffer, after the packet's padding.
  var optionsStart: Int { start + (capturedLength + 3) / 4 * 4 }
}

/// The properties that all packets of an interface share, in 32 bits.
///
///     | flags (8) | FCS length (8) | link type (16) |
@usableFromInline struct PacketTraits {
  @inlinable
  static var timestamp: UInt32 { 1 << 24 }

  @inlinable
  static var bigEndian: UInt32 { 1 << 25 }

  @usableFromInline var rawValue: UInt32

  @inlinable
  init(rawValue: UInt32) { self.rawValue = rawValue }

  init(linkType: LinkType, fcsLength: UInt8, byteOrder: ByteOrder) {
    rawValue =
      UInt32(linkType.rawValue) | UInt32(fcsLength) << 16 | PacketTraits.timestamp | (byteOrder == .bigEndian ? PacketTraits.bigEndian : 0)
  }

  @inlinable
  var linkType: LinkType { LinkType(rawValue: UInt16(truncatingIfNeeded: rawValue)) }

  var withoutTimestamp: PacketTraits { PacketTraits(rawValue: rawValue & ~PacketTraits.timestamp) }
}

/// The order of a number's bytes.
@usableFromInline package enum ByteOrder: Hashable, Sendable {
  /// The least significant byte is first.
  case littleEndian

  /// The most significant byte is first.
  case bigEndian

  static var ofThisMachine: ByteOrder {
    @inline(__always)
    get { UInt16(1).bigEndian == 1 ? .bigEndian : .littleEndian }
  }
}
