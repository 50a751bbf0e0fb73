package import ByteParsing
package import Values

/// Writes one section of pcapng (draft-ietf-opsawg-pcapng), little-endian, with times in nanoseconds.
package struct PcapngWriter {
  private let writer = BlockWriter(byteOrder: .littleEndian)

  private var interfaces: [UInt16] = []

  /// The indices of Apple's process information blocks, by process number and name; packets refer to them by index.
  private var processes: [PKTAPHeader.NamedProcess: UInt32] = [:]

  /// Android users whose app has been written.
  private var androidUsers: Set<Int32> = []

  package init() {}

  /// Appends the section header, with the application and the comment as options.
  package mutating func begin(application: String, comment: String, to output: inout Bytes) {
    writer.appendSection(
      [(OptionCode.comment, Bytes(comment.utf8)), (OptionCode.sectionApplication, Bytes(application.utf8))], to: &output)
  }

  /// The index of the interface for a link type, whose block is appended if it is new.
  package mutating func interface(for linkType: LinkType, to output: inout Bytes) -> Int {
    if let index = interfaces.firstIndex(of: linkType.rawValue) { return index }
    interfaces.append(linkType.rawValue)
    // No snapshot length; packets that were truncated before have their original length.
    writer.appendInterface(linkType.rawValue, snapshotLength: 0, [(OptionCode.interfaceTimestampResolution, [9])], to: &output)
    return interfaces.count - 1
  }

  /// Appends the names of addresses as one Name Resolution Block (§4.5); names that such a block cannot contain are omitted.
  package func names(_ known: [(address: IPAddress, names: [String])], to output: inout Bytes) {
    var body = Bytes()
    for (address, names) in known {
      var record = Bytes(address.bytes)
      for name in names where !name.isEmpty && !name.utf8.contains(0) {
        guard record.count + name.utf8.count < Int(UInt16.max) else { break }
        record.append(contentsOf: name.utf8)
        record.append(0)
      }
      // Records have the format of options (§4.5).
      writer.append(option: address.isIPv6 ? 2 : 1, record, to: &body)
    }
    writer.appendEndOfOptions(to: &body)
    writer.append(block: BlockType.nameResolution, body, to: &output)
  }

  /// Appends secrets, before the packets that they decrypt.
  package func secrets(_ type: SecretsType, _ data: Bytes, to output: inout Bytes) {
    var body = Bytes()
    body.append(little: type.rawValue)
    body.append(little: UInt32(truncatingIfNeeded: data.count))
    body.append(contentsOf: data)
    writer.append(block: BlockType.decryptionSecrets, body, to: &output)
  }

  /// Appends a packet. Without a time, it becomes a Simple Packet Block if it belongs to the first interface, the only one that such blocks
  /// can refer to. Otherwise its time is the start of 1970, which is recognizably not real.
  ///
  /// The process is written in the format of Apple's or PCAPdroid's writer; a Simple Packet Block cannot contain one.
  package mutating func packet(
    _ bytes: Span<UInt8>, originalLength: Int, interface: Int, time: Timestamp?, process: CapturedProcess? = nil, to output: inout Bytes
  ) {
    var options = Bytes()
    if let process { name(process, in: &options, to: &output) }
    let original = UInt32(clamping: max(originalLength, bytes.count))
    if time == nil, interface == 0, options.isEmpty {
      // A Simple Packet Block has no captured length, so the padding of a truncated packet would count as its bytes.
      let count = Int(original) > bytes.count ? bytes.count & ~3 : bytes.count
      var body = Bytes()
      body.append(little: original)
      body.append(copying: bytes.extracting(first: count))
      writer.append(block: BlockType.simplePacket, body, to: &output)
      return
    }
    if !options.isEmpty { writer.appendEndOfOptions(to: &options) }
    writer.appendPacket(
      bytes, originalLength: original, interface: UInt32(truncatingIfNeeded: interface), ticks: PcapngWriter.nanoseconds(time),
      options: options, to: &output)
  }

  // MARK: Processes

  /// Adds the options that name a packet's process, and before it appends the block that they need if it is new.
  private mutating func name(_ process: CapturedProcess, in options: inout Bytes, to output: inout Bytes) {
    switch process.source {
    case .pktap, .processBlock, .comment:
      if let service = process.service {
        append(OptionCode.packetProcess, PKTAPHeader.NamedProcess(pid: -1, name: service), to: &options, &output)
      }
      append(
        process.isEffective ? OptionCode.packetEffectiveProcess : OptionCode.packetProcess,
        PKTAPHeader.NamedProcess(pid: process.pid ?? -1, name: process.name ?? ""), to: &options, &output)
    case .pcapdroid:
      guard let uid = process.uid else { return }
      if let name = process.name, androidUsers.count < CaptureLimits.processes, androidUsers.insert(uid).inserted {
        appendAndroidApp(uid, name, to: &output)
      }
      writer.append(option: OptionCode.comment, Bytes("u-\(uid)".utf8), to: &options)
    case .eventTrace:
      guard let pid = process.pid else { return }
      writer.append(option: OptionCode.comment, Bytes("PID=\(pid)".utf8), to: &options)
    }
  }

  /// Adds an option that names a process by its block; none if the maximum number of blocks is reached.
  private mutating func append(_ code: UInt16, _ named: PKTAPHeader.NamedProcess, to options: inout Bytes, _ output: inout Bytes) {
    guard let index = index(of: named, to: &output) else { return }
    var value = Bytes()
    value.append(little: index)
    writer.append(option: code, value, to: &options)
  }

  /// The index of a process's information block, which is appended if it is new; nil if the maximum is reached.
  private mutating func index(of named: PKTAPHeader.NamedProcess, to output: inout Bytes) -> UInt32? {
    if let known = processes[named] { return known }
    guard processes.count < CaptureLimits.processes else { return nil }
    let index = UInt32(truncatingIfNeeded: processes.count)
    processes[named] = index
    var body = Bytes()
    body.append(little: named.pid)
    if !named.name.isEmpty {
      writer.append(option: OptionCode.processName, Bytes(named.name.utf8), to: &body)
      writer.appendEndOfOptions(to: &body)
    }
    writer.append(block: BlockType.appleProcess, body, to: &output)
    return index
  }

  /// Appends PCAPdroid's custom block with the app name of a user.
  private func appendAndroidApp(_ uid: Int32, _ name: String, to output: inout Bytes) {
    let name = Bytes(name.utf8.prefix(Int(UInt8.max)))
    var body = Bytes()
    body.append(little: UInt32(62_652))
    body.append(little: UInt16(1))
    body += [1, 0]
    body.append(little: uid)
    body += [0, UInt8(truncatingIfNeeded: name.count)]
    body += name
    writer.append(block: BlockType.custom, body, to: &output)
  }

  /// Nanoseconds since 1970; times that 64 bits cannot represent become the nearest that they can.
  private static func nanoseconds(_ time: Timestamp?) -> UInt64 {
    guard let time, time.seconds >= 0 else { return 0 }
    let (ticks, isOver) = UInt64(time.seconds).multipliedReportingOverflow(by: 1_000_000_000)
    if isOver { return .max }
    let (sum, isBeyond) = ticks.addingReportingOverflow(UInt64(time.nanoseconds))
    return isBeyond ? .max : sum
  }
}
