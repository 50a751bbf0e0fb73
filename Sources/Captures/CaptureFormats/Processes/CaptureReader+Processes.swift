import ByteParsing
package import Values

extension CaptureReader {
  /// The process of the packet that the last call of `next()` returned; nil if the capture does not name it.
  ///
  /// Always nil unless `mayNameProcesses`.
  package mutating func process(of record: PacketRecord) -> CapturedProcess? {
    if record.linkType == .pktap || record.linkType == .user2 {
      if let process = pktapProcess(of: record) { return process }
    }
    if record.optionsLength > 0, let process = optionProcess(of: record) { return process }
    guard mayHaveTrailers, record.linkType == .ethernet else { return nil }
    if let process = trailerProcess(of: record) { return process }
    // The first packet decides: PCAPdroid writes its trailer after every packet or none. It only writes pcap, which other programs may
    // convert to pcapng.
    if packetCount == 1, !hasTrailer(record) {
      mayHaveTrailers = false
      if metadata.format == .pcap { mayNameProcesses = false }
    }
    return nil
  }

  /// The shared object for a process; nil, and counted, if the table is full.
  private mutating func share(_ process: CapturedProcess?) -> CapturedProcess? {
    guard let process else { return nil }
    if let index = processes.firstIndex(of: process) { return processes[index] }
    guard processes.count < CaptureLimits.processes else {
      metadata.anomalies.leftOut += 1
      return nil
    }
    return processes.insert(process).memberAfterInsert
  }

  // MARK: PKTAP

  private mutating func pktapProcess(of record: PacketRecord) -> CapturedProcess? {
    guard let key = PKTAPHeader.key(input.bytes, at: record.start, count: record.capturedLength) else { return nil }
    if let known = processCache.process(for: key, source: .pktap) { return known }
    guard let header = PKTAPHeader(input.bytes, at: record.start, count: record.capturedLength) else { return nil }
    keep(interface: header.interfaceName)
    let process = share(CapturedProcess(header.process, effective: header.effectiveProcess, source: .pktap))
    processCache.remember(process, for: key, source: .pktap)
    return process
  }

  /// Stores the name of an interface that only packets name.
  private mutating func keep(interface name: String) {
    guard !name.isEmpty, !metadata.packetInterfaces.contains(name) else { return }
    let hasRoom = metadata.packetInterfaces.count < CaptureLimits.packetInterfaces
    if mayKeep(name.utf8.count, hasRoom: hasRoom) { metadata.packetInterfaces.append(name) }
  }

  // MARK: Options

  /// The process from the options of a packet's block: Apple's indices take precedence over comments.
  private mutating func optionProcess(of record: PacketRecord) -> CapturedProcess? {
    var list = OptionList(from: record.optionsStart, to: record.optionsStart + record.optionsLength)
    var index: UInt32?
    var effectiveIndex: UInt32?
    var comment: OptionList.Item?
    while let option = list.next(in: input.bytes, byteOrder) {
      switch option.code {
      case OptionCode.packetProcess where option.count >= 4:
        index = input.bytes.uint32(at: option.start, byteOrder)
      case OptionCode.packetEffectiveProcess where option.count >= 4:
        effectiveIndex = input.bytes.uint32(at: option.start, byteOrder)
      case OptionCode.comment where comment == nil:
        comment = option
      default: break
      }
    }
    if index != nil || effectiveIndex != nil { return blockProcess(index, effectiveIndex) }
    return comment.flatMap { commentProcess($0) }
  }

  private mutating func blockProcess(_ index: UInt32?, _ effectiveIndex: UInt32?) -> CapturedProcess? {
    func block(_ index: UInt32?) -> PKTAPHeader.NamedProcess? {
      guard let index, index < sectionProcesses.count else { return nil }
      return sectionProcesses[Int(index)]
    }
    for case let missing? in [index, effectiveIndex] where missing >= sectionProcesses.count {
      metadata.anomalies.processesWithoutBlock += 1
    }
    let unknown = PKTAPHeader.NamedProcess(pid: -1, name: "")
    return share(CapturedProcess(block(index) ?? unknown, effective: block(effectiveIndex), source: .processBlock))
  }

  private mutating func commentProcess(_ option: OptionList.Item) -> CapturedProcess? {
    // These writers have no longer comments; comments written by people are not parsed.
    guard option.count >= 3, option.count <= 512 else { return nil }
    let first = input.bytes.byte(option.start)
    guard first == 0x50 || first == 0x75 else { return nil }
    let key = Bytes(copying: input.span(from: option.start, count: option.count))
    if let known = processCache.process(for: key, source: .comment) { return known }
    var process: CapturedProcess?
    var isFinal = true
    switch PacketComment(input.bytes.text(at: option.start, count: option.count)) {
    case .device(let named, let effective):
      process = CapturedProcess(named, effective: effective, source: .comment)
    case .androidUser(let uid) where uid >= 0:
      process = CapturedProcess(name: androidApps[uid], uid: uid, source: .pcapdroid)
      // The block with its name may come later.
      isFinal = androidApps[uid] != nil
    case .eventTrace(let pid): process = CapturedProcess(name: nil, pid: pid, source: .eventTrace)
    default: break
    }
    process = share(process)
    if isFinal { processCache.remember(process, for: key, source: .comment) }
    return process
  }

  // MARK: Trailer

  /// The length of PCAPdroid's trailer in bytes: magic (4), user (4), app name (20), checksum (4).
  private static var trailerLength: Int { 32 }

  private func hasTrailer(_ record: PacketRecord) -> Bool {
    let count = record.capturedLength
    // At least Ethernet's header and the trailer, padded to a multiple of four.
    guard count >= 14 + CaptureReader.trailerLength, count % 4 == 0 else { return false }
    let start = record.start + count - CaptureReader.trailerLength
    return input.bytes.uint32(at: start, .bigEndian) == 0x0107_2021
  }

  private mutating func trailerProcess(of record: PacketRecord) -> CapturedProcess? {
    guard hasTrailer(record) else { return nil }
    let start = record.start + record.capturedLength - CaptureReader.trailerLength
    let key = Bytes(copying: input.span(from: start + 4, count: 24))
    if let known = processCache.process(for: key, source: .pcapdroid) { return known }
    let uid = Int32(bitPattern: input.bytes.uint32(at: start + 4, .bigEndian))
    let name = input.bytes.text(at: start + 8, count: 20)
    var process: CapturedProcess?
    if uid >= 0 || !name.isEmpty {
      process = share(CapturedProcess(name: name.isEmpty ? nil : name, uid: uid >= 0 ? uid : nil, source: .pcapdroid))
    }
    processCache.remember(process, for: key, source: .pcapdroid)
    return process
  }

  // MARK: Blocks

  /// Reads Apple's process information block: process (4), then options with its name.
  mutating func readProcess(_ block: Block) {
    guard block.length >= 16 else {
      metadata.anomalies.malformedBlocks += 1
      return
    }
    var process = PKTAPHeader.NamedProcess(pid: Int32(bitPattern: input.bytes.uint32(at: block.start + 8, byteOrder)), name: "")
    var options = OptionList(from: block.start + 12, to: block.start + block.length - 4)
    while let option = options.next(in: input.bytes, byteOrder) {
      if option.code == OptionCode.processName {
        process.name = input.bytes.text(at: option.start, count: min(option.count, CaptureLimits.processName))
      }
    }
    if options.isMalformed { metadata.anomalies.malformedOptions += 1 }
    // Packets refer to the blocks of their section by index, so none may be stored after one that was dropped.
    if mayKeep(process.name.utf8.count, hasRoom: sectionProcesses.count < CaptureLimits.processes) { sectionProcesses.append(process) }
  }

  /// Reads a custom block; PCAPdroid's contains the app of a user ID.
  ///
  /// Enterprise (4), version (2), kind (1), padding (1), user (4), lengths of package and app name (1 each), both names.
  mutating func readCustom(_ block: Block) {
    let start = block.start + BlockLayout.body
    let end = block.start + block.length - 4
    guard end - start >= 14, input.bytes.uint32(at: start, byteOrder) == 62_652,
      input.bytes.uint16(at: start + 4, byteOrder) == 1, input.bytes.byte(start + 6) == 1
    else { return }
    let uid = Int32(bitPattern: input.bytes.uint32(at: start + 8, byteOrder))
    let packageLength = Int(input.bytes.byte(start + 12))
    let appLength = Int(input.bytes.byte(start + 13))
    guard end - start - 14 >= packageLength + appLength else {
      metadata.anomalies.malformedBlocks += 1
      return
    }
    let app = input.bytes.text(at: start + 14 + packageLength, count: appLength)
    let name = app.isEmpty ? input.bytes.text(at: start + 14, count: packageLength) : app
    guard !name.isEmpty else { return }
    if mayKeep(name.utf8.count) { androidApps[uid] = name }
  }
}

/// The last attribution. Consecutive packets often belong to one program, and decoding names takes longer than comparing bytes.
struct ProcessCache {
  private var key = Bytes()
  private var source = CapturedProcess.Source.pktap
  private var process: CapturedProcess?

  /// The process for the same bytes; nil if they differ, or nothing was found.
  func process(for key: Bytes, source: CapturedProcess.Source) -> CapturedProcess? {
    source == self.source && key == self.key ? process : nil
  }

  mutating func remember(_ process: CapturedProcess?, for key: Bytes, source: CapturedProcess.Source) {
    self.key = key
    self.source = source
    self.process = process
  }
}
