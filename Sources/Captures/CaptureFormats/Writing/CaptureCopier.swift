package import ByteParsing
import Values

/// Copies a capture as pcapng, block by block, and adds comments to its packets.
///
/// Blocks of pcapng are copied byte for byte; comments are added after a packet's existing options, and may replace existing comments. A
/// pcap file becomes one section with one interface, in the byte order of the file, since link-layer headers may depend on it.
package struct CaptureCopier: ~Copyable {
  private var reader: CaptureReader

  /// Whether the initial blocks have been written.
  private var hasBegun = false

  /// The name of the program, for the section of a pcap file.
  private let application: String

  /// Whether an existing comment is removed.
  private let isReplaced: (String) -> Bool

  private var writer: BlockWriter { BlockWriter(byteOrder: reader.byteOrder) }

  package private(set) var added = 0

  /// The number of existing comments that were removed.
  package private(set) var removed = 0

  /// The number of comments that could not be written: those on Simple Packet Blocks, and those that would make a block too long.
  package private(set) var leftOut = 0

  package var packetCount: UInt64 { reader.packetCount }

  /// The number of the last frame copied; the next packet has the number after it.
  package var frameCount: UInt64 { reader.frameCount }

  /// Creates a copier of a source. Throws if it is not a capture.
  package init(
    _ source: consuming any ByteSource, application: String, isReplaced: @escaping (String) -> Bool = { _ in false }
  ) throws(CaptureError) {
    reader = try CaptureReader(source)
    self.application = application
    self.isReplaced = isReplaced
  }

  /// Appends the next block, or the next packet of a pcap file; returns false at the end of the capture.
  ///
  /// `comments` returns the comments to add to a frame; one that the packet already has is not added again.
  package mutating func copyNext(to output: inout Bytes, adding comments: (UInt64) -> [String]) throws(CaptureError) -> Bool {
    if !hasBegun {
      hasBegun = true
      if reader.metadata.format == .pcap {
        appendSection(to: &output)
      } else {
        appendFirstSection(to: &output)
      }
      return true
    }
    guard reader.state != .ended else { return false }
    do throws(CaptureError) {
      if reader.metadata.format == .pcap { return try copyRecord(to: &output, adding: comments) }
      return try copyBlock(to: &output, adding: comments)
    } catch {
      reader.state = .ended
      throw error
    }
  }

  // MARK: pcapng

  private mutating func copyBlock(to output: inout Bytes, adding comments: (UInt64) -> [String]) throws(CaptureError) -> Bool {
    guard let block = try reader.nextBlock() else { return false }
    if block.type == BlockType.sectionHeader {
      try reader.readSection(block)
      appendSection(block, to: &output)
      return true
    }
    guard reader.state == .pcapng else {
      append(block.start, block.length, to: &output)
      return true
    }
    switch block.type {
    case BlockType.enhancedPacket, BlockType.packet:
      guard try reader.readPacket(in: block) else { break }
      append(block, adding: comments(reader.frameCount), to: &output)
      return true
    case BlockType.simplePacket:
      if try reader.readSimplePacket(in: block) { leftOut += comments(reader.frameCount).count }
    case BlockType.interfaceDescription: try reader.readInterface(block)
    default:
      if BlockType.isOtherFrame(block.type) { reader.otherFrames += 1 }
    }
    append(block.start, block.length, to: &output)
    return true
  }

  private func append(_ start: Int, _ count: Int, to output: inout Bytes) {
    output.append(copying: reader.input.span(from: start, count: count))
  }

  /// Appends the section header that the reader has already read.
  private func appendFirstSection(to output: inout Bytes) {
    let end = reader.input.position
    let length = Int(reader.input.bytes.uint32(at: end - 4, reader.byteOrder))
    appendSection(CaptureReader.Block(type: BlockType.sectionHeader, start: end - length, length: length), to: &output)
  }

  /// Appends a section header with its length set to unspecified (-1), since the section grows (§4.1).
  private func appendSection(_ block: CaptureReader.Block, to output: inout Bytes) {
    append(block.start, 16, to: &output)
    output.append(contentsOf: repeatElement(0xFF, count: 8))
    append(block.start + 24, block.length - 24, to: &output)
  }

  /// Appends the block of the current packet, with further comments after its options and without those that they replace.
  private mutating func append(_ block: CaptureReader.Block, adding comments: [String], to output: inout Bytes) {
    let record = reader.record
    let end = block.start + block.length - 4
    let wanted = comments.map(CaptureCopier.value(of:))
    var list = OptionList(from: record.optionsStart, to: record.optionsStart + record.optionsLength)
    var known: Set<Bytes> = []
    var replaced = 0
    var options = Bytes()
    // Other readers stop at an option that extends beyond the end, so comments are inserted before it.
    var insertion = list.position
    while let option = list.next(in: reader.input.bytes, reader.byteOrder) {
      let start = insertion
      insertion = list.position
      if option.code == OptionCode.comment {
        let value = Bytes(copying: reader.input.span(from: option.start, count: option.count))
        if isReplaced(String(decoding: value, as: UTF8.self)) {
          replaced += 1
          continue
        }
        known.insert(value)
      }
      append(start, insertion - start, to: &options)
    }
    let further = wanted.filter { !known.contains($0) }
    for comment in further { writer.append(option: OptionCode.comment, comment, to: &options) }
    if insertion == end, !further.isEmpty { writer.appendEndOfOptions(to: &options) }
    // Without any option left, the end of the options goes too.
    if replaced > 0, options.isEmpty, end - insertion == 4 { insertion = end }
    let length = block.length - (insertion - record.optionsStart) + options.count
    guard !further.isEmpty || replaced > 0, length <= CaptureLimits.blockLength else {
      leftOut += further.count
      append(block.start, block.length, to: &output)
      return
    }
    added += further.count
    removed += replaced
    append(block.start, 4, to: &output)
    writer.append(UInt32(truncatingIfNeeded: length), to: &output)
    append(block.start + 8, record.optionsStart - block.start - 8, to: &output)
    output.append(contentsOf: options)
    append(insertion, end - insertion, to: &output)
    writer.append(UInt32(truncatingIfNeeded: length), to: &output)
  }

  // MARK: pcap

  private mutating func copyRecord(to output: inout Bytes, adding comments: (UInt64) -> [String]) throws(CaptureError) -> Bool {
    guard try reader.advance() else { return false }
    let record = reader.record
    var options = Bytes()
    for comment in comments(record.frameNumber) {
      added += 1
      writer.append(option: OptionCode.comment, CaptureCopier.value(of: comment), to: &options)
    }
    if !options.isEmpty { writer.appendEndOfOptions(to: &options) }
    guard BlockWriter.packetLength(of: record.capturedLength, options: options) <= CaptureLimits.blockLength else {
      throw CaptureError(.packetTooLong(length: record.capturedLength, limit: CaptureLimits.blockLength - 32), at: reader.offset)
    }
    writer.appendPacket(
      reader.packet(), originalLength: UInt32(truncatingIfNeeded: record.originalLength), interface: 0, ticks: ticks(of: record),
      options: options, to: &output)
    return true
  }

  /// The time of a record in ticks of its interface; seconds have 32 bits.
  private func ticks(of record: PacketRecord) -> UInt64 {
    let seconds = UInt64(clamping: record.timestamp.seconds)
    let nanoseconds = UInt64(record.timestamp.nanoseconds)
    return hasNanoseconds ? seconds &* 1_000_000_000 &+ nanoseconds : seconds &* 1_000_000 &+ nanoseconds / 1000
  }

  private var hasNanoseconds: Bool { reader.metadata.interfaces.first?.timestampUnit == .nanoseconds }

  /// Appends a section header and the interface of a pcap file.
  private func appendSection(to output: inout Bytes) {
    writer.appendSection([(OptionCode.sectionApplication, Bytes(application.utf8))], to: &output)
    guard let interface = reader.metadata.interfaces.first else { return }
    var options: [(code: UInt16, value: Bytes)] = [(OptionCode.interfaceTimestampResolution, [hasNanoseconds ? 9 : 6])]
    if let length = interface.fcsLength { options.append((OptionCode.interfaceFCSLength, [length])) }
    writer.appendInterface(interface.linkType.rawValue, snapshotLength: interface.snapshotLength, options, to: &output)
  }

  /// The value of a comment: at most `CaptureLimits.textLength` bytes, truncated between characters.
  private static func value(of comment: String) -> Bytes {
    var value = Bytes(comment.utf8)
    guard value.count > CaptureLimits.textLength else { return value }
    value.removeLast(value.count - CaptureLimits.textLength)
    while let last = value.popLast(), last & 0xC0 == 0x80 {}
    return value
  }
}
