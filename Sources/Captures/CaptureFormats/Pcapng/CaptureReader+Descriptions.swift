import ByteParsing
import Values

extension CaptureReader {
  /// Reads a block that is not a packet, or counts it.
  @inline(never)
  mutating func readDescription(_ block: Block) throws(CaptureError) {
    if BlockType.isOtherFrame(block.type) { otherFrames += 1 }
    switch block.type {
    case BlockType.sectionHeader: try readSection(block)
    case BlockType.interfaceDescription: try readInterface(block)
    case BlockType.interfaceStatistics: readStatistics(block)
    case BlockType.nameResolution: readNames(block)
    case BlockType.decryptionSecrets: readSecrets(block)
    case BlockType.custom, BlockType.customNotCopied: readCustom(block)
    case BlockType.appleProcess: readProcess(block)
    case BlockType.appleEvent: break
    default: metadata.unknownBlockCount += 1
    }
  }

  /// Reads the section header that every pcapng file starts with.
  mutating func readFirstSection() throws(CaptureError) {
    if let block = try nextBlock() { try readSection(block) }
  }

  /// Determines the byte order of the section whose header is next; its first twelve bytes are in the buffer.
  @inline(never)
  mutating func chooseByteOrder() throws(CaptureError) {
    let magic = input.bytes.uint32(at: input.position + 8, .bigEndian)
    switch magic {
    case 0x1A2B_3C4D: byteOrder = .bigEndian
    case 0x4D3C_2B1A: byteOrder = .littleEndian
    default: throw CaptureError(.byteOrderMagic(magic), at: input.offset)
    }
  }

  /// Reads a Section Header Block (§4.1): magic (4), major (2), minor version (2), section length (8), options.
  ///
  /// The section length is not needed, and often wrong.
  mutating func readSection(_ block: Block) throws(CaptureError) {
    guard block.length >= 28 else { throw error(.blockLength(block.length), in: block) }
    var section = CaptureSection(
      offset: input.offset - block.length, byteOrder: byteOrder, majorVersion: input.bytes.uint16(at: block.start + 12, byteOrder),
      minorVersion: input.bytes.uint16(at: block.start + 14, byteOrder))
    metadata.sectionCount += 1
    interfaces.removeAll(keepingCapacity: true)
    sectionProcesses.removeAll(keepingCapacity: true)
    firstInterface = metadata.interfaceCount
    // Minor version 2 was written by mistake and means 0. Any other may have another format (§4.1).
    let isReadable = section.majorVersion == 1 && (section.minorVersion == 0 || section.minorVersion == 2)
    state = isReadable ? .pcapng : .unreadableSection
    var cost = 0
    if isReadable {
      var options = OptionList(from: block.start + 24, to: block.start + block.length - 4)
      while let option = options.next(in: input.bytes, byteOrder) {
        let text = input.bytes.text(at: option.start, count: option.count)
        cost += text.utf8.count
        switch option.code {
        case OptionCode.sectionHardware: section.hardware = text
        case OptionCode.sectionOperatingSystem: section.operatingSystem = text
        case OptionCode.sectionApplication: section.application = text
        case OptionCode.comment:
          if section.comments.count < CaptureLimits.comments { section.comments.append(text) }
        default: break
        }
      }
      if options.isMalformed { metadata.anomalies.malformedOptions += 1 }
    } else {
      metadata.anomalies.unreadableSections += 1
      if skipFault == nil {
        skipFault = error(.skippedSection(major: section.majorVersion, minor: section.minorVersion), in: block)
      }
    }
    if mayKeep(cost) { metadata.sections.append(section) }
  }

  /// Reads an Interface Description Block (§4.2): link type (2), reserved (2), snapshot length (4), options.
  ///
  /// A block that is too short is an error, because packets refer to interfaces by index.
  mutating func readInterface(_ block: Block) throws(CaptureError) {
    guard block.length >= 20 else { throw error(.blockLength(block.length), in: block) }
    guard interfaces.count < CaptureLimits.interfacesInSection else {
      throw error(.tooManyInterfaces(limit: CaptureLimits.interfacesInSection), in: block)
    }
    var interface = CaptureInterface(
      linkType: LinkType(rawValue: input.bytes.uint16(at: block.start + 8, byteOrder)),
      snapshotLength: input.bytes.uint32(at: block.start + 12, byteOrder))
    var cost = 0
    var options = OptionList(from: block.start + 16, to: block.start + block.length - 4)
    while let option = options.next(in: input.bytes, byteOrder) {
      cost += readInterfaceOption(option, into: &interface)
    }
    if options.isMalformed { metadata.anomalies.malformedOptions += 1 }
    interfaces.append(InterfaceState(interface, byteOrder: byteOrder))
    metadata.interfaceCount += 1
    if mayKeep(cost) { metadata.interfaces.append(interface) }
  }

  /// Stores one option, and returns the length of its text in bytes.
  private mutating func readInterfaceOption(_ option: OptionList.Item, into interface: inout CaptureInterface) -> Int {
    switch option.code {
    case OptionCode.interfaceTimestampResolution where option.count >= 1:
      interface.timestampUnit = TimestampUnit(option: input.bytes.byte(option.start))
    case OptionCode.interfaceTimestampOffset where option.count >= 8:
      interface.timestampOffset = Int64(bitPattern: input.bytes.uint64(at: option.start, byteOrder))
    case OptionCode.interfaceFCSLength where option.count >= 1:
      // The draft says bits, but its example and the writers use bytes. No link has more than 8 bytes.
      let length = input.bytes.byte(option.start)
      interface.fcsLength = length > 8 ? length / 8 : length
    case OptionCode.interfaceName, OptionCode.interfaceDescription, OptionCode.interfaceOperatingSystem,
      OptionCode.interfaceHardware, OptionCode.comment:
      let text = input.bytes.text(at: option.start, count: option.count)
      switch option.code {
      case OptionCode.interfaceName: interface.name = text
      case OptionCode.interfaceOperatingSystem: interface.operatingSystem = text
      default: break
      }
      return text.utf8.count
    default: break
    }
    return 0
  }

  /// Reads an Interface Statistics Block (§4.6): interface (4), time (8), options. The last one counts.
  private mutating func readStatistics(_ block: Block) {
    guard block.length >= 24 else {
      metadata.anomalies.malformedBlocks += 1
      return
    }
    var statistics = InterfaceStatistics()
    var options = OptionList(from: block.start + 20, to: block.start + block.length - 4)
    while let option = options.next(in: input.bytes, byteOrder) {
      guard option.count == 8 else { continue }
      let count = input.bytes.uint64(at: option.start, byteOrder)
      switch option.code {
      case OptionCode.statisticsReceived: statistics.received = count
      case OptionCode.statisticsDroppedByInterface: statistics.droppedByInterface = count
      case OptionCode.statisticsDroppedBySystem: statistics.droppedBySystem = count
      default: break
      }
    }
    if options.isMalformed { metadata.anomalies.malformedOptions += 1 }
    let interface = Int(input.bytes.uint32(at: block.start + 8, byteOrder))
    if interface < interfaces.count, firstInterface + interface < metadata.interfaces.count {
      metadata.interfaces[firstInterface + interface].statistics = statistics
    }
  }
}
