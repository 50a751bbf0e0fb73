import ByteParsing
import Values

/// The structure of every block (draft-ietf-opsawg-pcapng §3.1).
///
///     +---------------+---------------+---------------+---------------+
///     |                          block type                           |
///     |                      block total length                       |
///     |                 body, padded to four bytes                    |
///     |                      block total length                       |
///     +---------------+---------------+---------------+---------------+
enum BlockLayout {
  /// The minimum length of a block: type, and total length twice.
  static let shortest = 12

  /// The offset of the body.
  static let body = 8
}

/// The start of every block, as in the file.
struct BlockHeader: WireLayout {
  var type: UInt32
  var length: UInt32

  var byteSwapped: BlockHeader { BlockHeader(type: type.byteSwapped, length: length.byteSwapped) }
}

/// The start of an enhanced packet block's body, as in the file.
///
/// In the obsolete block, two 16-bit numbers, interface and drops, replace the first.
struct PacketBlockHeader: WireLayout {
  var interface: UInt32
  var timeHigh: UInt32
  var timeLow: UInt32
  var captured: UInt32
  var original: UInt32

  var byteSwapped: PacketBlockHeader {
    PacketBlockHeader(
      interface: interface.byteSwapped, timeHigh: timeHigh.byteSwapped, timeLow: timeLow.byteSwapped,
      captured: captured.byteSwapped, original: original.byteSwapped)
  }
}

extension CaptureReader {
  /// Reads blocks up to the next packet; returns false at the end of the file.
  @inline(__always)
  mutating func nextPacketBlock() throws(CaptureError) -> Bool {
    while true {
      guard let block = try nextBlock() else { return false }
      switch block.type {
      case BlockType.enhancedPacket, BlockType.packet:
        if try readPacket(in: block) { return true }
      case BlockType.simplePacket:
        if try readSimplePacket(in: block) { return true }
      default:
        try readDescription(block)
        if state == .unreadableSection { return try nextReadableSection() }
      }
    }
  }

  /// Skips blocks up to the next supported section, and reads its first packet.
  @inline(never)
  mutating func nextReadableSection() throws(CaptureError) -> Bool {
    while state == .unreadableSection {
      guard let block = try nextBlock() else {
        if metadata.anomalies.unreadableSections == metadata.sectionCount, let first = metadata.sections.first {
          throw CaptureError(.unsupportedVersion(major: first.majorVersion, minor: first.minorVersion), at: first.offset)
        }
        return false
      }
      if block.type == BlockType.sectionHeader { try readSection(block) }
    }
    return try nextPacketBlock()
  }

  /// A complete block in the buffer.
  struct Block {
    var type: UInt32

    /// The index of its first byte.
    var start: Int

    /// Its total length, at least 12 and a multiple of four.
    var length: Int
  }

  /// Reads the next block into the buffer, checks its framing and advances past it; nil at the end.
  @inline(__always)
  mutating func nextBlock() throws(CaptureError) -> Block? {
    if input.available < BlockLayout.shortest {
      guard try input.fill(to: BlockLayout.shortest) else {
        _ = try endOfInput(needed: BlockLayout.shortest)
        return nil
      }
    }
    var start = input.position
    var header = input.bytes.load(BlockHeader.self, at: start, byteOrder)
    if header.type == BlockType.sectionHeader {
      try chooseByteOrder()
      header = input.bytes.load(BlockHeader.self, at: start, byteOrder)
    }
    let length = Int(header.length)
    guard length >= BlockLayout.shortest, length % 4 == 0 else { throw CaptureError(.blockLength(length), at: input.offset) }
    guard length <= CaptureLimits.blockLength else {
      throw CaptureError(.blockTooLong(length: length, limit: CaptureLimits.blockLength), at: input.offset)
    }
    if input.available < length {
      guard try input.fill(to: length) else { throw input.truncated(needed: length) }
      start = input.position
    }
    let repeated = input.bytes.uint32(at: start + length - 4, byteOrder)
    guard repeated == header.length else {
      throw CaptureError(.blockLengthMismatch(start: header.length, end: repeated), at: input.offset)
    }
    input.position = start + length
    return Block(type: header.type, start: start, length: length)
  }

  /// An error about a block that has been read.
  func error(_ reason: CaptureError.Reason, in block: Block) -> CaptureError {
    CaptureError(reason, at: input.offset - block.length)
  }

  /// Reads the packet of an enhanced or obsolete packet block; returns false, and counts it, if its interface is unknown.
  @inline(__always)
  mutating func readPacket(in block: Block) throws(CaptureError) -> Bool {
    guard block.length >= 32 else { throw error(.blockLength(block.length), in: block) }
    let header = input.bytes.load(PacketBlockHeader.self, at: block.start + BlockLayout.body, byteOrder)
    var interface = Int(header.interface)
    if block.type == BlockType.packet {
      interface = Int(input.bytes.uint16(at: block.start + BlockLayout.body, byteOrder))
    }
    let captured = Int(header.captured)
    guard captured <= block.length - 32 else { throw error(.packetBeyondBlock(length: captured, available: block.length - 32), in: block) }
    guard interface < interfaces.count else {
      metadata.anomalies.packetsWithoutInterface += 1
      return false
    }
    let state = interfaces[interface]
    let ticks = UInt64(header.timeHigh) << 32 | UInt64(header.timeLow)
    packetCount += 1
    record = PacketRecord(
      frameNumber: frameCount, timestamp: state.timestampUnit.timestamp(ticks: ticks, offset: state.timestampOffset), traits: state.traits,
      captured: header.captured, original: header.original, start: block.start + 28,
      // The block's length is a multiple of four, so the packet's padding is inside it.
      optionsLength: block.length - 32 - (captured + 3) / 4 * 4)
    return true
  }

  /// Reads the packet of a Simple Packet Block, which belongs to the section's first interface.
  @inline(never)
  mutating func readSimplePacket(in block: Block) throws(CaptureError) -> Bool {
    guard block.length >= 16 else { throw error(.blockLength(block.length), in: block) }
    let original = input.bytes.uint32(at: block.start + 8, byteOrder)
    guard let interface = interfaces.first else {
      metadata.anomalies.packetsWithoutInterface += 1
      return false
    }
    // Its captured length is not stored, and follows from the other two.
    let limit = interface.snapshotLength
    var captured = limit == 0 ? original : min(original, limit)
    let room = UInt32(block.length - 16)
    if captured > room {
      metadata.anomalies.shortSimplePackets += 1
      captured = room
    }
    packetCount += 1
    record = PacketRecord(
      frameNumber: frameCount, timestamp: Timestamp(seconds: 0), traits: interface.traits.withoutTimestamp,
      captured: captured, original: original, start: block.start + 12, optionsLength: 0)
    return true
  }
}
