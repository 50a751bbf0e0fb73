package import ByteParsing
package import QUICParsing

/// Redacts everything but handshakes from QUIC datagrams: early data and 1-RTT packets.
///
/// They become zeros, because their number and length show how the handshake ended.
package struct QUICReduction: Sendable {
  /// The connection IDs in use; a short header does not contain the length of its connection ID.
  package let connectionIDs: Set<ConnectionID>

  /// Creates a redaction for connections with these connection IDs.
  package init(connectionIDs: Set<ConnectionID>) { self.connectionIDs = connectionIDs }

  /// The redacted payload of a datagram, of which `lengthOnWire` bytes were sent.
  package func reduced(_ payload: Bytes, lengthOnWire: Int) -> Bytes {
    var result = payload
    // The missing part of a truncated packet counts as zeros, so that its header can be parsed.
    var whole = payload
    if lengthOnWire > payload.count, lengthOnWire <= 0xFFFF {
      whole += Bytes(repeating: 0, count: lengthOnWire - payload.count)
    }
    var position = 0
    while position < payload.count {
      guard payload[position] & 0x80 != 0 else {
        clear(&result, from: position + 1 + connectionIDLength(payload, at: position + 1))
        break
      }
      guard let header = try? LongHeader(parsing: whole.span, from: position) else {
        clear(&result, from: position + QUICReduction.invariantLength(payload, at: position))
        break
      }
      if header.type == .zeroRTT { clear(&result, from: header.payloadStart, to: header.packet.upperBound) }
      position = header.packet.upperBound
    }
    return result
  }

  private func clear(_ bytes: inout Bytes, from start: Int, to end: Int = .max) {
    var index = start
    while index < min(end, bytes.count) {
      bytes[index] = 0
      index += 1
    }
  }

  /// The length of the longest known connection ID at an offset.
  private func connectionIDLength(_ payload: Bytes, at start: Int) -> Int {
    var count = min(ConnectionID.maximumByteCount, payload.count - start)
    while count > 0, !connectionIDs.contains(ConnectionID(payload[start..<(start + count)])) { count -= 1 }
    return max(0, count)
  }

  /// The length of the part of a long header that all versions share (RFC 8999 §5.1).
  private static func invariantLength(_ payload: Bytes, at start: Int) -> Int {
    var length = 5
    for _ in 0..<2 {
      guard start + length < payload.count else { break }
      length += 1 + Int(payload[start + length])
    }
    return length
  }
}
