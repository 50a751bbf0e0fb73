struct PKTAPFrame {
  let offset: Int
  let linkType: UInt16

  /// Parses a PKTAP header; nil if the packet does not begin with one. Old systems used its link type for other headers, too.
  init?(_ packet: Span<UInt8>) {
    guard packet.count >= 40 else { return nil }
    func number(_ offset: Int, _ count: Int) -> UInt32 {
      (0..<count).reduce(0) { $0 | UInt32(packet[offset + $1]) << UInt32(8 * $1) }
    }
    let isSecondVersion = number(36, 4) & 0x80000 != 0
    let length = isSecondVersion ? UInt32(packet[0]) : number(0, 4)
    let type = isSecondVersion ? number(6, 2) : number(8, 4)
    guard length >= 40, length <= 4096, Int(length) <= packet.count, type <= 0xFFFF else { return nil }
    // A version 1 header has a record type, which shows whether a packet follows.
    guard isSecondVersion || number(4, 4) == 1 else { return nil }
    offset = Int(length)
    linkType = UInt16(truncatingIfNeeded: type)
  }
}
