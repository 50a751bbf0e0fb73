import ByteParsing
import Values

extension CaptureReader {
  /// Reads the file header, of which only the magic has been checked.
  mutating func readPcapHeader(variant: PcapVariant) throws(CaptureError) {
    let length = variant.headerLength
    guard try input.fill(to: length) else { throw input.truncated(needed: length) }
    let header = try PcapHeader(input.bytes, from: input.position, variant: variant, byteOrder)
    layout = header.layout(byteOrder: byteOrder)
    metadata.sections = [
      CaptureSection(offset: 0, byteOrder: metadata.byteOrder, majorVersion: header.majorVersion, minorVersion: header.minorVersion)
    ]
    metadata.sectionCount = 1
    var interface = CaptureInterface(linkType: header.linkType, snapshotLength: header.snapshotLength)
    interface.timestampUnit = variant.timestampUnit
    mayNameProcesses = [.ethernet, .pktap, .user2].contains(header.linkType)
    interface.fcsLength = header.fcsLength
    metadata.interfaces = [interface]
    metadata.interfaceCount = 1
    input.position += length
    if variant == .modified { try chooseModifiedLayout() }
    fastLayout = FastRecordLayout(layout, byteOrder)
  }

  /// Reads one record; false at the end of the file.
  mutating func nextRecord() throws(CaptureError) -> Bool {
    let headerLength = layout.recordHeaderLength
    if input.available < headerLength {
      guard try input.fill(to: headerLength) else { return try endOfInput(needed: headerLength) }
    }
    var start = input.position
    let header = input.bytes.load(PcapRecordHeader.self, at: start, byteOrder)
    var captured = header.captured
    var original = header.original
    if layout.lengthOrder != .capturedFirst, layout.lengthOrder == .originalFirst || captured > original {
      swap(&captured, &original)
    }
    guard captured <= layout.maximumPacketLength else {
      throw CaptureError(.packetTooLong(length: Int(captured), limit: layout.maximumPacketLength), at: input.offset)
    }
    let length = headerLength + Int(captured)
    if input.available < length {
      guard try input.fill(to: length) else { throw input.truncated(needed: length) }
      start = input.position
    }
    input.position = start + length
    packetCount += 1
    record = PacketRecord(
      frameNumber: packetCount, timestamp: layout.timestamp(header), traits: layout.traits,
      captured: captured, original: original, start: start + headerLength, optionsLength: 0)
    return true
  }

  /// Distinguishes the two record headers of files with the modified magic.
  ///
  /// Both add the interface, the protocol and the packet's direction; the patch of September 1999 also adds the processor. The one that
  /// makes the first records plausible is used; a file that fits neither is rejected.
  private mutating func chooseModifiedLayout() throws(CaptureError) {
    for length in [24, 28] {
      layout.recordHeaderLength = length
      if try checkRecords() { return }
    }
    throw CaptureError(.unsupportedVariant("this variant of modified pcap"), at: 0)
  }

  /// Whether up to three records are plausible with the current layout.
  private mutating func checkRecords() throws(CaptureError) -> Bool {
    let headerLength = layout.recordHeaderLength
    var ahead = 0
    for _ in 0..<3 {
      // A file that ends here must end between two records.
      guard try input.fill(to: ahead + headerLength) else { return input.available == ahead }
      let start = input.position + ahead
      let header = input.bytes.load(PcapRecordHeader.self, at: start, byteOrder)
      let interface = input.bytes.uint32(at: start + 16, byteOrder)
      let direction = input.bytes.byte(start + 22)
      // Linux had six packet types at the time, and no machine with ten thousand interfaces.
      guard header.fraction < layout.fractionsPerSecond, header.captured <= header.original,
        header.captured <= layout.maximumPacketLength, interface < 10_000, direction <= 6
      else { return false }
      ahead += headerLength + Int(header.captured)
    }
    return true
  }
}
