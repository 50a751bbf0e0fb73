import ByteParsing
import HandshakeDecryption
import QUICParsing

/// Zeros QUIC's address validation tokens (RFC 9000 §8.1), in which servers encode the client's address.
///
/// The tags of Retry and Initial packets are recomputed, so that the copy is read like the original. One value clears the datagrams of one
/// capture, in order.
struct TokenClearing {
  /// Destination Connection IDs of clients, newest last; a Retry packet is bound to one of them.
  private var destinations: [ConnectionID] = []

  /// Keys that decrypted packets with tokens, newest last.
  private var keys: [InitialKeys] = []

  /// The maximum numbers of connection IDs and keys remembered.
  private static let maximumCount = 64

  /// Returns the payload of a datagram with its tokens zeroed. A token is zeroed even if no new tag can be computed.
  mutating func cleared(_ payload: Bytes) -> Bytes {
    var result = payload
    var position = 0
    while position < result.count, result[position] & 0x80 != 0, let header = try? LongHeader(parsing: result.span, from: position) {
      switch header.type {
      case .initial:
        if header.token.isEmpty {
          remember(header.destination)
        } else {
          result = clearedInitial(header, result)
        }
      case .retry: result = clearedRetry(header, result)
      case .zeroRTT, .handshake, .versionNegotiation: break
      }
      guard header.packet.upperBound > position else { break }
      position = header.packet.upperBound
    }
    return result
  }

  private mutating func clearedInitial(_ header: LongHeader, _ datagram: Bytes) -> Bytes {
    for known in keys.reversed() {
      if let result = known.client.clearingToken(of: header, in: datagram.span) { return result }
    }
    for derived in InitialKeys.candidates(version: header.version, connectionID: header.destination) {
      guard let result = derived.client.clearingToken(of: header, in: datagram.span) else { continue }
      if keys.count == TokenClearing.maximumCount { keys.removeFirst() }
      keys.append(derived)
      return result
    }
    return TokenClearing.zeroed(header.token, datagram)
  }

  private func clearedRetry(_ header: LongHeader, _ datagram: Bytes) -> Bytes {
    let original = destinations.last {
      RetryIntegrity.isValid(header, in: datagram.span, original: $0) == true
    }
    var result = TokenClearing.zeroed(header.token, datagram)
    if let original, let tag = RetryIntegrity.tag(header, in: result.span, original: original) {
      result.replaceSubrange(header.payloadStart..<(header.payloadStart + tag.count), with: tag)
    }
    return result
  }

  private mutating func remember(_ destination: ConnectionID) {
    guard destinations.last != destination else { return }
    if destinations.count == TokenClearing.maximumCount { destinations.removeFirst() }
    destinations.append(destination)
  }

  private static func zeroed(_ range: Range<Int>, _ datagram: Bytes) -> Bytes {
    var result = datagram
    for index in range where result.indices.contains(index) { result[index] = 0 }
    return result
  }
}
