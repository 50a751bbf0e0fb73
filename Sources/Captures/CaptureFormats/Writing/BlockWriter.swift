import ByteParsing

/// Appends blocks of pcapng in the byte order of their section (draft-ietf-opsawg-pcapng §3 and §4).
struct BlockWriter {
  let byteOrder: ByteOrder

  func append(_ number: some FixedWidthInteger & BitwiseCopyable, to output: inout Bytes) {
    switch byteOrder {
    case .littleEndian: output.append(little: number)
    case .bigEndian: output.append(big: number)
    }
  }

  /// Appends a block; the body is padded.
  func append(block type: UInt32, _ body: Bytes, to output: inout Bytes) {
    let padding = -body.count & 3
    let length = UInt32(truncatingIfNeeded: body.count + padding + 12)
    append(type, to: &output)
    append(length, to: &output)
    output.append(contentsOf: body)
    output.append(contentsOf: repeatElement(0, count: padding))
    append(length, to: &output)
  }

  /// Appends an option; a value that is too long for one is truncated.
  func append(option code: UInt16, _ value: Bytes, to options: inout Bytes) {
    let kept = value.prefix(Int(UInt16.max))
    append(code, to: &options)
    append(UInt16(truncatingIfNeeded: kept.count), to: &options)
    options.append(contentsOf: kept)
    options.append(contentsOf: repeatElement(0, count: -kept.count & 3))
  }

  /// Appends the end of a list of options.
  func appendEndOfOptions(to options: inout Bytes) { append(UInt32(0), to: &options) }

  /// Appends a section header without the length of its section.
  func appendSection(_ options: [(code: UInt16, value: Bytes)], to output: inout Bytes) {
    var body = Bytes()
    append(UInt32(0x1A2B_3C4D), to: &body)
    append(UInt16(1), to: &body)
    append(UInt16(0), to: &body)
    body.append(contentsOf: repeatElement(0xFF, count: 8))
    append(options, to: &body)
    append(block: BlockType.sectionHeader, body, to: &output)
  }

  /// Appends the description of an interface; a snapshot length of 0 is none.
  func appendInterface(_ linkType: UInt16, snapshotLength: UInt32, _ options: [(code: UInt16, value: Bytes)], to output: inout Bytes) {
    var body = Bytes()
    append(linkType, to: &body)
    append(UInt16(0), to: &body)
    append(snapshotLength, to: &body)
    append(options, to: &body)
    append(block: BlockType.interfaceDescription, body, to: &output)
  }

  /// The length of a packet's block.
  static func packetLength(of byteCount: Int, options: Bytes) -> Int { 32 + byteCount + (-byteCount & 3) + options.count }

  /// Appends a packet, directly to the output; options, if there are any, already include their end.
  func appendPacket(_ bytes: Span<UInt8>, originalLength: UInt32, interface: UInt32, ticks: UInt64, options: Bytes, to output: inout Bytes)
  {
    let length = UInt32(truncatingIfNeeded: BlockWriter.packetLength(of: bytes.count, options: options))
    append(BlockType.enhancedPacket, to: &output)
    append(length, to: &output)
    append(interface, to: &output)
    append(UInt32(truncatingIfNeeded: ticks >> 32), to: &output)
    append(UInt32(truncatingIfNeeded: ticks), to: &output)
    append(UInt32(clamping: bytes.count), to: &output)
    append(originalLength, to: &output)
    output.append(copying: bytes)
    output.append(contentsOf: repeatElement(0, count: -bytes.count & 3))
    output.append(contentsOf: options)
    append(length, to: &output)
  }

  private func append(_ options: [(code: UInt16, value: Bytes)], to body: inout Bytes) {
    for option in options { append(option: option.code, option.value, to: &body) }
    appendEndOfOptions(to: &body)
  }
}
