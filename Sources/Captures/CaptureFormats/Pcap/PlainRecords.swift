import ByteParsing

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

extension CaptureReader {
  /// Reads a plain record that is whole in the buffer, in one straight line that becomes part of the caller's loop; false, and
  /// nothing is changed, for any other.
  @inlinable
  @inline(__always)
  mutating func readPlainRecord() -> Bool {
    let start = input.position
    let available = input.available
    guard available >= 16 else { return false }
    let time = input.bytes.littleEndian64(at: start)
    let lengths = input.bytes.littleEndian64(at: start &+ 8)
    let captured = Int(truncatingIfNeeded: lengths & 0xFFFF_FFFF)
    guard captured <= plain.longestPacket, captured <= available &- 16,
      time >> 32 < plain.fractionsPerSecond
    else { return false }
    input.position = start &+ 16 &+ captured
    packets &+= 1
    present = PacketRecord(
      frameNumber: packetCount, seconds: Int64(truncatingIfNeeded: time & 0xFFFF_FFFF),
      nanoseconds: (time >> 32) &* plain.nanosecondsPerFraction, traits: plain.traits, lengths: lengths,
      start: start &+ 16)
    return true
  }
}
