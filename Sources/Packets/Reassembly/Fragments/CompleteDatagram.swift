import ByteParsing
import PacketParsing

/// A datagram that was reassembled, kept to recognize further copies of its fragments, such as those of a capture at two interfaces.
struct CompleteDatagram {
  /// The time of its first fragment in the capture, in seconds.
  let begun: Int64

  /// The captured bytes, up to the first gap.
  let payload: Bytes

  /// The original length in bytes.
  let length: Int

  /// Whether its checksum is valid; nil if it has none, or if part of it was not captured.
  let isValid: Bool?

  /// Whether a fragment repeats a part of it.
  func contains(_ bytes: Span<UInt8>, _ headers: PacketHeaders) -> Bool {
    let start = headers.fragment.offset
    let end = start + headers.payloadLengthOnWire
    guard headers.fragment.isLast ? end == length : end <= length else { return false }
    for index in 0..<max(0, min(bytes.count, payload.count - start)) where bytes[index] != payload[start + index] { return false }
    return true
  }
}
