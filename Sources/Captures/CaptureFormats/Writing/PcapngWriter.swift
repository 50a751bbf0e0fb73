public import ByteParsing
public import Values

/// Writes one section of pcapng (draft-ietf-opsawg-pcapng), little-endian, with times in nanoseconds.
public struct PcapngWriter {
  private var interfaces: [UInt16] = []

  /// Creates a writer that has written nothing.
  public init() {}

  /// Appends the section header; the application and the comment go into its options.
  public mutating func begin(application: String, comment: String, to output: inout Bytes) {
    var body = Bytes()
    body.appendLittle(UInt32(0x1A2B_3C4D))
    body.appendLittle(UInt16(1))
    body.appendLittle(UInt16(0))
    // The length of the section is not told.
    body.append(contentsOf: repeatElement(0xFF, count: 8))
    PcapngWriter.appendOption(1, Bytes(comment.utf8), to: &body)
    PcapngWriter.appendOption(4, Bytes(application.utf8), to: &body)
    body.appendLittle(UInt32(0))
    PcapngWriter.append(0x0A0D_0D0A, body, to: &output)
  }

  /// The number of the interface for a link type; its block is appended where it is new.
  public mutating func interface(for linkType: LinkType, to output: inout Bytes) -> Int {
    if let index = interfaces.firstIndex(of: linkType.rawValue) { return index }
    interfaces.append(linkType.rawValue)
    var body = Bytes()
    body.appendLittle(linkType.rawValue)
    body.appendLittle(UInt16(0))
    // No limit on packets; those that were cut before say so themselves.
    body.appendLittle(UInt32(0))
    PcapngWriter.appendOption(9, [9], to: &body)
    body.appendLittle(UInt32(0))
    PcapngWriter.append(1, body, to: &output)
    return interfaces.count - 1
  }

  /// Appends secrets; the packets they open come behind them.
  public func secrets(_ type: SecretsType, _ data: Bytes, to output: inout Bytes) {
    var body = Bytes()
    body.appendLittle(type.rawValue)
    body.appendLittle(UInt32(truncatingIfNeeded: data.count))
    body.append(contentsOf: data)
    body.pad()
    PcapngWriter.append(10, body, to: &output)
  }

  /// Appends a packet. One without a time becomes a Simple Packet Block where it is of the first interface, the only one
  /// that such blocks can name; else its time is the beginning of 1970, which nobody takes for real.
  public func packet(
    _ bytes: Span<UInt8>, originalLength: Int, interface: Int, time: Timestamp?, to output: inout Bytes
  ) {
    var body = Bytes()
    let original = UInt32(clamping: max(originalLength, bytes.count))
    if time == nil, interface == 0 {
      body.appendLittle(original)
      body.append(copying: bytes)
      body.pad()
      PcapngWriter.append(3, body, to: &output)
      return
    }
    let ticks = PcapngWriter.nanoseconds(time)
    body.appendLittle(UInt32(truncatingIfNeeded: interface))
    body.appendLittle(UInt32(truncatingIfNeeded: ticks >> 32))
    body.appendLittle(UInt32(truncatingIfNeeded: ticks))
    body.appendLittle(UInt32(clamping: bytes.count))
    body.appendLittle(original)
    body.append(copying: bytes)
    body.pad()
    PcapngWriter.append(6, body, to: &output)
  }

  /// Nanoseconds since 1970; times before it or beyond what 64 bits hold become the nearest that fits.
  private static func nanoseconds(_ time: Timestamp?) -> UInt64 {
    guard let time, time.seconds >= 0 else { return 0 }
    let (ticks, isOver) = UInt64(time.seconds).multipliedReportingOverflow(by: 1_000_000_000)
    if isOver { return .max }
    let (sum, isBeyond) = ticks.addingReportingOverflow(UInt64(time.nanoseconds))
    return isBeyond ? .max : sum
  }

  private static func appendOption(_ code: UInt16, _ value: Bytes, to body: inout Bytes) {
    let kept = value.prefix(Int(UInt16.max))
    body.appendLittle(code)
    body.appendLittle(UInt16(truncatingIfNeeded: kept.count))
    body.append(contentsOf: kept)
    body.pad()
  }

  private static func append(_ type: UInt32, _ body: Bytes, to output: inout Bytes) {
    let length = UInt32(truncatingIfNeeded: body.count + 12)
    output.appendLittle(type)
    output.appendLittle(length)
    output.append(contentsOf: body)
    output.appendLittle(length)
  }
}

extension ContiguousArray where Element == UInt8 {
  fileprivate mutating func appendLittle(_ value: some FixedWidthInteger) {
    var rest = value
    for _ in 0..<(value.bitWidth / 8) {
      append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }

  /// Fills up to a multiple of four.
  fileprivate mutating func pad() {
    while count % 4 != 0 { append(0) }
  }
}
