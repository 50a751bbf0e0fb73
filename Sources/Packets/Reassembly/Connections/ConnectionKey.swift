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
  public static func make(_ headers: borrowing PacketHeaders) -> (key: ConnectionKey, isFromLower: Bool) {
    make(
      Endpoint(address: headers.source, port: headers.sourcePort),
      Endpoint(address: headers.destination, port: headers.destinationPort))
  }

  /// The key of the connection between two ends, and whether the first is the lesser one.
  @inlinable
  @inline(__always)
  static func make(_ source: Endpoint, _ destination: Endpoint) -> (key: ConnectionKey, isFromLower: Bool) {
    let isFromLower = isOrdered(source, destination)
    return (
      isFromLower
        ? ConnectionKey(lower: source, upper: destination) : ConnectionKey(lower: destination, upper: source),
      isFromLower
    )
  }

  @inlinable
  @inline(__always)
  init(lower: Endpoint, upper: Endpoint) {
    self.lower = lower
    self.upper = upper
  }

  @inlinable
  @inline(__always)
  static func isOrdered(_ a: Endpoint, _ b: Endpoint) -> Bool {
    if a.address.high != b.address.high { return a.address.high < b.address.high }
    if a.address.low != b.address.low { return a.address.low < b.address.low }
    return a.port <= b.port
  }

  /// A hash that a file cannot aim at: mixed with `seed`, which differs from run to run.
  @inlinable
  @inline(__always)
  func hash(seed: UInt64) -> UInt64 {
    guard lower.address.isIPv6 else {
      return ConnectionKey.hash(ConnectionKey.word(lower), ConnectionKey.word(upper), seed: seed)
    }
    // What is joined without the seed could be chosen so that it cancels out: each part has a round of its own.
    let hosts = ConnectionKey.mix(
      lower.address.low ^ seed, upper.address.low ^ seed.byteSwapped ^ 0x9E37_79B9_7F4A_7C15)
    let networks = ConnectionKey.mix(
      hosts ^ lower.address.high, upper.address.high ^ seed ^ 0xD6E8_FEB8_6659_FD93)
    let ports = UInt64(lower.port) << 16 | UInt64(upper.port)
    return ConnectionKey.mix(networks ^ ports, seed.byteSwapped ^ 0xA076_1D64_78BD_642F)
  }

  /// An end as one number: all of it for IPv4, in the order of ends.
  @inlinable
  @inline(__always)
  static func word(_ end: Endpoint) -> UInt64 { end.address.low << 16 | UInt64(end.port) }

  /// The hash of the key of two ends with addresses of IPv4.
  @inlinable
  @inline(__always)
  static func hash(_ lower: UInt64, _ upper: UInt64, seed: UInt64) -> UInt64 {
    mix(lower ^ seed, upper ^ seed.byteSwapped ^ 0x9E37_79B9_7F4A_7C15)
  }

  @inlinable
  @inline(__always)
  static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }
}

extension Endpoint {
  /// Whether it has this address and port; asked without a branch for each part.
  @inline(__always)
  func isEqual(_ address: IPAddress, _ port: UInt16) -> Bool {
    (self.address.high ^ address.high) | (self.address.low ^ address.low) | UInt64(self.port ^ port) == 0
      && self.address.isIPv6 == address.isIPv6
  }
}
