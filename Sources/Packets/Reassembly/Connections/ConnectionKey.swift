public import ByteParsing
package import PacketParsing
public import Values

/// The two endpoints of a connection in a fixed order, so that both directions have the same key.
@usableFromInline package struct ConnectionKey: Hashable, Sendable {
  package var lower: Endpoint
  package var upper: Endpoint

  package init(_ a: Endpoint, _ b: Endpoint) {
    (lower, upper) = ConnectionKey.isOrdered(a, b) ? (a, b) : (b, a)
  }

  /// The endpoint that sends in a direction.
  package subscript(sender: Direction) -> Endpoint { sender == .fromLower ? lower : upper }

  /// The direction in which the client sends, if nothing better is known: clients usually have the larger port.
  package var probableClient: Direction { lower.port > upper.port ? .fromLower : .fromUpper }

  /// The key of a packet's connection, and the direction of the packet.
  package static func make(_ headers: borrowing PacketHeaders) -> (key: ConnectionKey, direction: Direction) {
    (ConnectionKey(headers.sender, headers.receiver), direction(from: headers.sender, to: headers.receiver))
  }

  /// The direction from one endpoint to another; `fromLower` if both are the same.
  static func direction(from source: Endpoint, to destination: Endpoint) -> Direction {
    isOrdered(source, destination) ? .fromLower : .fromUpper
  }

  /// Whether the first endpoint is the lower one, or both are the same.
  @inline(__always)
  private static func isOrdered(_ a: Endpoint, _ b: Endpoint) -> Bool {
    if a.address.high != b.address.high { return a.address.high < b.address.high }
    if a.address.low != b.address.low { return a.address.low < b.address.low }
    return a.port <= b.port
  }

  /// The hash of the key of two endpoints in either order: the order of a product's factors does not matter. No input can predict it: it is
  /// mixed with `seed`, which differs in each run.
  @inlinable
  @inline(__always)
  static func hash(_ a: Endpoint, _ b: Endpoint, seed: UInt64) -> UInt64 {
    a.address.isIPv6 ? folded(longWord(a, seed) ^ seed, longWord(b, seed) ^ seed) : folded(word(a) ^ seed, word(b) ^ seed)
  }

  /// An IPv4 endpoint as one number. The bytes are in packet order where that is cheaper.
  @inlinable
  @inline(__always)
  static func word(_ end: Endpoint) -> UInt64 {
    UInt64(UInt32(truncatingIfNeeded: end.address.low).byteSwapped) | UInt64(end.port.byteSwapped) << 32
  }

  /// An IPv6 endpoint as one number. The seed is mixed in before the halves are combined, so that no choice of addresses can cancel it out.
  @inlinable
  @inline(__always)
  static func longWord(_ end: Endpoint, _ seed: UInt64) -> UInt64 {
    folded(
      end.address.high.byteSwapped ^ seed.byteSwapped ^ 0x9E37_79B9_7F4A_7C15,
      end.address.low.byteSwapped ^ seed ^ 0xD6E8_FEB8_6659_FD93) ^ UInt64(end.port.byteSwapped)
  }
}
