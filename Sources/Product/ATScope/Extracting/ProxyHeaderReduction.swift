package import ByteParsing

/// Takes the addresses out of what a load balancer puts in front of a connection's own bytes, the header of the PROXY
/// protocol.
///
/// It takes more for such a header than observation does: nothing that may hold an address is to be copied.
package enum ProxyHeaderReduction {
  private static let line = Bytes("PROXY ".utf8)
  private static let signature = Bytes([13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10])

  /// How many bytes the header takes with which a payload begins; nil where there is none.
  private static func byteCount(_ payload: Bytes) -> Int? {
    if payload.starts(with: line), let end = payload.firstIndex(of: 0x0A) { return end + 1 }
    guard payload.starts(with: signature), payload.count >= 16 else { return nil }
    let count = 16 + (Int(payload[14]) << 8 | Int(payload[15]))
    return count <= payload.count ? count : nil
  }

  /// Whether a payload begins with such a header.
  static func holdsAddresses(_ payload: Span<UInt8>) -> Bool {
    let bytes = Bytes(copying: payload)
    var hidden = bytes
    hideAddresses(&hidden)
    return hidden != bytes
  }

  /// Makes zeros of the addresses in the header of the PROXY protocol with which a payload begins.
  package static func hideAddresses(_ payload: inout Bytes) {
    guard let count = byteCount(payload) else { return }
    if payload[0] == line[0] {
      for index in line.count..<count where ![0x0D, 0x0A].contains(payload[index]) { payload[index] = 0x30 }
    } else {
      for index in 16..<count { payload[index] = 0 }
    }
  }
}
