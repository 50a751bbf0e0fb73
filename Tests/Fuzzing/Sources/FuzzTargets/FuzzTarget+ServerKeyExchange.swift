import ByteParsing
import TLSParsing

extension FuzzTarget {
  /// Any bytes either parse or throw. The first three choose the cipher suite and the version.
  static let serverKeyExchange = FuzzTarget("ServerKeyExchange") { bytes in
    guard bytes.count >= 3 else { return }
    let suite = CipherSuite(rawValue: UInt16(bytes[0]) << 8 | UInt16(bytes[1]))
    let version = TLSVersion(rawValue: 0x0300 | UInt16(bytes[2] & 3))
    _ = try? ServerKeyExchange(parsing: bytes.extracting(droppingFirst: 3), suite: suite, version: version)
  }
}
