import ByteParsing
import Values

/// The process information in Apple's PKTAP header, versions 1 and 2.
///
/// Version 1 has 108 or 156 bytes. In version 2, which a flag indicates, the names follow the fixed part, at offsets stored in it.
///
///     0 length (4)        12 interface name (24)   52 process (4)        84 effective process (4)
///     4 what follows (4)  36 flags (4)             56 its name (17)      88 its name (17)
///     8 link type (4)
struct PKTAPHeader {
  var interfaceName: String
  var process: NamedProcess
  var effectiveProcess: NamedProcess

  /// A number, and a name that may be empty.
  struct NamedProcess: Hashable {
    var pid: Int32
    var name: String

    /// Whether the process is unknown: its number is -1 or 0 and it has no name.
    var isUnknown: Bool { name.isEmpty && pid <= 0 }
  }

  private static let shortest = 108
  private static let version2Flag: UInt32 = 0x80000

  /// Whether the header at `start` has the second version.
  static func isVersion2(_ bytes: RawSpan, at start: Int, count: Int) -> Bool {
    count >= 40 && bytes.uint32(at: start + 36, .littleEndian) & version2Flag != 0
  }

  /// The bytes that determine process and interface, which are equal for packets of one program on one interface.
  ///
  /// Nil if the packet is too short for a header.
  static func key(_ bytes: RawSpan, at start: Int, count: Int) -> Bytes? {
    var ranges = [12..<36, 52..<73, 84..<105]
    if isVersion2(bytes, at: start, count: count) {
      let length = Int(bytes.byte(start))
      guard length >= 40, length <= count else { return nil }
      ranges = [3..<6, 28..<36, 40..<length]
    } else if count < shortest {
      return nil
    }
    var key = Bytes()
    for range in ranges {
      for index in range { key.append(bytes.byte(start + index)) }
    }
    return key
  }

  /// Parses the header of a packet of `count` bytes; nil if there is none.
  init?(_ bytes: RawSpan, at start: Int, count: Int) {
    if PKTAPHeader.isVersion2(bytes, at: start, count: count) {
      self.init(version2: bytes, at: start, count: count)
    } else {
      self.init(version1: bytes, at: start, count: count)
    }
  }

  private init?(version1 bytes: RawSpan, at start: Int, count: Int) {
    guard count >= PKTAPHeader.shortest else { return nil }
    // Little-endian in practice; an implausible length shows the opposite.
    let order: ByteOrder = bytes.uint32(at: start, .littleEndian) <= 0xFFFF ? .littleEndian : .bigEndian
    let length = bytes.uint32(at: start, order)
    guard length >= PKTAPHeader.shortest, length <= 4096, bytes.uint32(at: start + 4, order) <= 1 else { return nil }
    interfaceName = bytes.text(at: start + 12, count: 24)
    process = NamedProcess(pid: Int32(bitPattern: bytes.uint32(at: start + 52, order)), name: bytes.text(at: start + 56, count: 17))
    effectiveProcess = NamedProcess(
      pid: Int32(bitPattern: bytes.uint32(at: start + 84, order)), name: bytes.text(at: start + 88, count: 17))
  }

  private init?(version2 bytes: RawSpan, at start: Int, count: Int) {
    let length = Int(bytes.byte(start))
    guard length >= 40, length <= count else { return nil }
    func text(_ offsetField: Int, limit: Int) -> String {
      let offset = Int(bytes.byte(start + offsetField))
      guard offset >= 40, offset < length else { return "" }
      return bytes.text(at: start + offset, count: min(limit, length - offset))
    }
    interfaceName = text(3, limit: 24)
    process = NamedProcess(pid: Int32(bitPattern: bytes.uint32(at: start + 28, .littleEndian)), name: text(4, limit: 32))
    effectiveProcess = NamedProcess(pid: Int32(bitPattern: bytes.uint32(at: start + 32, .littleEndian)), name: text(5, limit: 32))
  }
}

extension CapturedProcess {
  /// Creates the effective process if there is one, or else the one that handled the packet; nil if neither is known.
  convenience init?(_ process: PKTAPHeader.NamedProcess, effective: PKTAPHeader.NamedProcess?, source: Source) {
    var chosen = process
    var isEffective = false
    // A number alone is less useful than a number and a name.
    if let effective, !effective.isUnknown, !effective.name.isEmpty || process.name.isEmpty {
      chosen = effective
      isEffective = true
    }
    guard !chosen.isUnknown else { return nil }
    self.init(
      name: chosen.name.isEmpty ? nil : chosen.name, pid: chosen.pid >= 0 ? chosen.pid : nil, isEffective: isEffective,
      service: isEffective && !process.name.isEmpty ? process.name : nil, source: source)
  }
}
