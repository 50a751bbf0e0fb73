package import ByteParsing
package import Values

/// Writes one section of pcapng (draft-ietf-opsawg-pcapng), little-endian, with times in nanoseconds.
package struct PcapngWriter {
  private var interfaces: [UInt16] = []

  /// The indices of Apple's process information blocks, by process number and name; packets refer to them by index.
  private var processes: [NamedProcess: UInt32] = [:]

  /// Android users whose app has been written.
  private var androidUsers: Set<Int32> = []

  private struct NamedProcess: Hashable {
    var pid: Int32
    var name: String
  }

  package init() {}

  /// Appends the section header, with the application and the comment as options.
  package mutating func begin(application: String, comment: String, to output: inout Bytes) {
    var body = Bytes()
    body.append(little: UInt32(0x1A2B_3C4D))
    body.append(little: UInt16(1))
    body.append(little: UInt16(0))
    // The length of the section is not specified.
    body.append(contentsOf: repeatElement(0xFF, count: 8))
    PcapngWriter.appendOption(1, Bytes(comment.utf8), to: &body)
    PcapngWriter.appendOption(4, Bytes(application.utf8), to: &body)
    body.append(little: UInt32(0))
    PcapngWriter.append(0x0A0D_0D0A, body, to: &output)
  }

  /// The index of the interface for a link type, whose block is appended if it is new.
  package mutating func interface(for linkType: LinkType, to output: inout Bytes) -> Int {
    if let index = interfaces.firstIndex(of: linkType.rawValue) { return index }
    interfaces.append(linkType.rawValue)
    var body = Bytes()
    body.append(little: linkType.rawValue)
    body.append(little: UInt16(0))
    // No snapshot length; packets that were truncated earlier have their original length.
    body.append(little: UInt32(0))
    PcapngWriter.appendOption(9, [9], to: &body)
    body.append(little: UInt32(0))
    PcapngWriter.append(1, body, to: &output)
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
      body.append(little: UInt16(address.isIPv6 ? 2 : 1))
      body.append(little: UInt16(clamping: record.count))
      body.append(contentsOf: record)
      body.pad()
    }
    body.append(little: UInt32(0))
    PcapngWriter.append(4, body, to: &output)
  }

  /// Appends secrets, before the packets that they decrypt.
  package func secrets(_ type: SecretsType, _ data: Bytes, to output: inout Bytes) {
    var body = Bytes()
    body.append(little: type.rawValue)
    body.append(little: UInt32(truncatingIfNeeded: data.count))
    body.append(contentsOf: data)
    body.pad()
    PcapngWriter.append(10, body, to: &output)
  }

  /// Appends a packet. Without a time, it becomes a Simple Packet Block if it belongs to the first interface, the only one that such blocks
  /// can refer to. Otherwise its time is the start of 1970, which is recognizably not real.
  ///
  /// The process is written in the format of Apple's or PCAPdroid's writer; a Simple Packet Block cannot contain one.
  package mutating func packet(
    _ bytes: Span<UInt8>, originalLength: Int, interface: Int, time: Timestamp?,
    process: CapturedProcess? = nil, to output: inout Bytes
  ) {
    var options = Bytes()
    if let process { name(process, in: &options, to: &output) }
    var body = Bytes()
    let original = UInt32(clamping: max(originalLength, bytes.count))
    if time == nil, interface == 0, options.isEmpty {
      // A Simple Packet Block has no captured length, so the padding of a truncated packet would count as its bytes.
      let count = Int(original) > bytes.count ? bytes.count & ~3 : bytes.count
      body.append(little: original)
      body.append(copying: bytes.extracting(first: count))
      body.pad()
      PcapngWriter.append(3, body, to: &output)
      return
    }
    let ticks = PcapngWriter.nanoseconds(time)
    body.append(little: UInt32(truncatingIfNeeded: interface))
    body.append(little: UInt32(truncatingIfNeeded: ticks >> 32))
    body.append(little: UInt32(truncatingIfNeeded: ticks))
    body.append(little: UInt32(clamping: bytes.count))
    body.append(little: original)
    body.append(copying: bytes)
    body.pad()
    if !options.isEmpty {
      body.append(contentsOf: options)
      body.append(little: UInt32(0))
    }
    PcapngWriter.append(6, body, to: &output)
  }

  // MARK: Processes

  /// Adds the options that name a packet's process, and before it appends the block that they need if it is new.
  private mutating func name(_ process: CapturedProcess, in options: inout Bytes, to output: inout Bytes) {
    switch process.source {
    case .pktap, .processBlock, .comment:
      if let service = process.service {
        append(0x8001, NamedProcess(pid: -1, name: service), to: &options, &output)
      }
      append(
        process.isEffective ? 0x8003 : 0x8001, NamedProcess(pid: process.pid ?? -1, name: process.name ?? ""),
        to: &options, &output)
    case .pcapdroid:
      guard let uid = process.uid else { return }
      if let name = process.name, androidUsers.count < CaptureLimits.processes,
        androidUsers.insert(uid).inserted
      {
        PcapngWriter.appendAndroidApp(uid, name, to: &output)
      }
      PcapngWriter.appendOption(1, Bytes("u-\(uid)".utf8), to: &options)
    case .eventTrace:
      guard let pid = process.pid else { return }
      PcapngWriter.appendOption(1, Bytes("PID=\(pid)".utf8), to: &options)
    }
  }

  /// Adds an option that names a process by its block; none if the maximum number of blocks is reached.
  private mutating func append(
    _ code: UInt16, _ named: NamedProcess, to options: inout Bytes, _ output: inout Bytes
  ) {
    guard let index = index(of: named, to: &output) else { return }
    var value = Bytes()
    value.append(little: index)
    PcapngWriter.appendOption(code, value, to: &options)
  }

  /// The index of a process's information block, which is appended if it is new; nil if the maximum is reached.
  private mutating func index(of named: NamedProcess, to output: inout Bytes) -> UInt32? {
    if let known = processes[named] { return known }
    guard processes.count < CaptureLimits.processes else { return nil }
    let index = UInt32(truncatingIfNeeded: processes.count)
    processes[named] = index
    var body = Bytes()
    body.append(little: named.pid)
    if !named.name.isEmpty {
      PcapngWriter.appendOption(2, Bytes(named.name.utf8), to: &body)
      body.append(little: UInt32(0))
    }
    PcapngWriter.append(0x8000_0001, body, to: &output)
    return index
  }

  /// Appends PCAPdroid's custom block with the app name of a user.
  private static func appendAndroidApp(_ uid: Int32, _ name: String, to output: inout Bytes) {
    let name = Bytes(name.utf8.prefix(Int(UInt8.max)))
    var body = Bytes()
    body.append(little: UInt32(62_652))
    body.append(little: UInt16(1))
    body += [1, 0]
    body.append(little: uid)
    body += [0, UInt8(truncatingIfNeeded: name.count)]
    body += name
    body.pad()
    append(0x0000_0BAD, body, to: &output)
  }

  /// Nanoseconds since 1970; times that 64 bits cannot represent become the nearest that they can.
  private static func nanoseconds(_ time: Timestamp?) -> UInt64 {
    guard let time, time.seconds >= 0 else { return 0 }
    let (ticks, isOver) = UInt64(time.seconds).multipliedReportingOverflow(by: 1_000_000_000)
    if isOver { return .max }
    let (sum, isBeyond) = ticks.addingReportingOverflow(UInt64(time.nanoseconds))
    return isBeyond ? .max : sum
  }

  private static func appendOption(_ code: UInt16, _ value: Bytes, to body: inout Bytes) {
    let kept = value.prefix(Int(UInt16.max))
    body.append(little: code)
    body.append(little: UInt16(truncatingIfNeeded: kept.count))
    body.append(contentsOf: kept)
    body.pad()
  }

  private static func append(_ type: UInt32, _ body: Bytes, to output: inout Bytes) {
    let length = UInt32(truncatingIfNeeded: body.count + 12)
    output.append(little: type)
    output.append(little: length)
    output.append(contentsOf: body)
    output.append(little: length)
  }
}

extension ContiguousArray where Element == UInt8 {
  /// Pads to a multiple of four.
  fileprivate mutating func pad() {
    while count % 4 != 0 { append(0) }
  }
}
