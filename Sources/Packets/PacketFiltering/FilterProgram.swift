import CPcap

/// A filter compiled for packets that begin in one way.
///
/// The only file that calls libpcap. Each `unsafe` below is safe because the program is freed exactly once, after its last use, and
/// because the library keeps neither the expression nor a packet.
@safe
final class FilterProgram {
  private var program = unsafe bpf_program()

  /// Compiles an expression for packets of a link type, in the numbers that the library has for them (DLT).
  init(_ expression: FilterExpression, dataLinkType: Int32) throws(FilterError) {
    guard let handle = unsafe pcap_open_dead(dataLinkType, FilterProgram.snapshotLength) else {
      throw FilterError("cannot be compiled")
    }
    defer { unsafe pcap_close(handle) }
    // No network's mask is known, so `ip broadcast` is refused.
    let status = unsafe pcap_compile(handle, &program, expression.compilable, 1, FilterProgram.noNetmask)
    guard status == 0 else {
      let reason = unsafe String(cString: pcap_geterr(handle))
      throw FilterError(reason)
    }
  }

  deinit { unsafe pcap_freecode(&program) }

  /// Whether a packet matches; `originalLength` is what it had on the network.
  func matches(_ packet: Span<UInt8>, originalLength: Int) -> Bool {
    var header = pcap_pkthdr()
    header.caplen = UInt32(clamping: packet.count)
    header.len = UInt32(clamping: max(originalLength, packet.count))
    return unsafe packet.withUnsafeBufferPointer { bytes in
      // An empty packet has no address; the library wants one all the same.
      guard let start = bytes.baseAddress else { return false }
      return unsafe pcap_offline_filter(&program, &header, start) != 0
    }
  }

  /// As tcpdump has it.
  private static let snapshotLength: Int32 = 262_144

  /// `PCAP_NETMASK_UNKNOWN`, a macro that Swift does not see.
  private static let noNetmask: UInt32 = 0xFFFF_FFFF
}
