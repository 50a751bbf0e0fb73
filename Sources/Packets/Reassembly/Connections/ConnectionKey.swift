public import PacketParsing
public import Values

/// The two ends of a connection in a fixed order, so that both directions have the same key.
public struct ConnectionKey: Equatable, Sendable {
  /// The lesser end.
  public var lower: Endpoint

  /// The greater end.
  public var upper: Endpoint

  /// The key of the connection between two ends.
  public init(_ a: Endpoint, _ b: Endpoint) {
    (lower, upper) = ConnectionKey.isOrdered(a, b) ? (a, b) : (b, a)
  }

  /// The key of the packet's connection, and whether the packet comes from the lesser end.
  @inline(__always)
  public static func make(_ headers: borrowing PacketHeaders) -> (key: ConnectionKey, isFromLower: Bool) {
    let source = Endpoint(address: headers.source, port: headers.sourcePort)
    let destination = Endpoint(address: headers.destination, port: headers.destinationPort)
    let isFromLower = isOrdered(source, destination)
    return (
      isFromLower
        ? ConnectionKey(lower: source, upper: destination) : ConnectionKey(lower: destination, upper: source),
      isFromLower
    )
  }

  @inline(__always)
  private init(lower: Endpoint, upper: Endpoint) {
    self.lower = lower
    self.upper = upper
  }

  @inline(__always)
  private static func isOrdered(_ a: Endpoint, _ b: Endpoint) -> Bool {
    if a.address.high != b.address.high { return a.address.high < b.address.high }
    if a.address.low != b.address.low { return a.address.low < b.address.low }
    return a.port <= b.port
  }

  /// A hash that a file cannot aim at: mixed with `seed`, which differs from run to run.
  @inline(__always)
  func hash(seed: UInt64) -> UInt64 {
    let ports = UInt64(lower.port) << 16 | UInt64(upper.port)
    var value = mix(lower.address.low ^ seed, upper.address.low ^ 0x9E37_79B9_7F4A_7C15)
    if lower.address.isIPv6 {
      value = mix(value ^ lower.address.high, upper.address.high ^ 0xD6E8_FEB8_6659_FD93)
    }
    return mix(value ^ ports, seed ^ 0xA076_1D64_78BD_642F)
  }

  @inline(__always)
  private func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }
}
