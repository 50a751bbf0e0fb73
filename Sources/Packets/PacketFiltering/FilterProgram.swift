import CPcap

/// A filter compiled for packets of one link type.
///
/// The only file that calls libpcap. Each `unsafe` below is safe because the program is freed exactly once, after its last use, and because
/// the library keeps neither the expression nor a packet.
@safe
final class FilterProgram {
  private var program = unsafe bpf_program()

  /// Compiles an expression for packets of a link type, which is given as libpcap's number (DLT).
  init(_ expression: FilterExpression, dataLinkType: Int32) throws(PacketFilterError) {
    guard let handle = unsafe pcap_open_dead(dataLinkType, FilterProgram.snapshotLength) else {
      throw PacketFilterError("cannot be compiled")
    }
    defer { unsafe pcap_close(handle) }
    // The network mask is unknown, so `ip broadcast` is rejected.
    let status = unsafe pcap_compile(handle, &program, expression.compilable, 1, FilterProgram.noNetmask)
    guard status == 0 else {
      let reason = unsafe String(cString: pcap_geterr(handle))
      throw PacketFilterError(reason)
    }
  }

  deinit { unsafe pcap_freecode(&program) }

  /// Whether a packet matches; `originalLength` is its length on the network.
  func matches(_ packet: Span<UInt8>, originalLength: Int) -> Bool {
    var header = pcap_pkthdr()
    header.caplen = UInt32(clamping: packet.count)
    header.len = UInt32(clamping: max(originalLength, packet.count))
    return unsafe packet.withUnsafeBufferPointer { bytes in
      // An empty packet has no address, but the library requires one.
      guard let start = bytes.baseAddress else { return false }
      return unsafe pcap_offline_filter(&program, &header, start) != 0
    }
  }

  /// The snapshot length for compiling filters, equal to that of tcpdump.
  private static let snapshotLength: Int32 = 262_144

  /// `PCAP_NETMASK_UNKNOWN`, a macro that Swift does not import.
  private static let noNetmask: UInt32 = 0xFFFF_FFFF
}
