package import ByteParsing
import DNSParsing
package import Values

/// DNS messages on one TCP connection, each after a two-byte length (RFC 1035 §4.2.2).
///
/// A class: few connections carry DNS, and the others should not reserve memory for it.
package final class DNSStreams {
  private var held = BothDirections(Bytes())

  /// Whether bytes were missing, so that message boundaries are unknown.
  private(set) var isLost = false

  /// Whether either direction began like DNS messages.
  package private(set) var areDNS = false

  /// Reads on in one direction. At most one message, which is shorter than 64 KiB, and one piece are held.
  package func consume(_ piece: Span<UInt8>, in direction: Direction, frame: UInt64, into names: inout NameTable) {
    guard !isLost else { return }
    if !areDNS {
      areDNS = DNSStreams.beginLikeDNS(held[direction], followedBy: piece)
    }
    DNSStreams.consume(piece, &held[direction], frame, &names)
  }

  /// The number of bytes of incomplete messages.
  package var heldBytes: Int { held.fromLower.count + held.fromUpper.count }

  /// Records bytes that the capture lacks.
  package func lose() { isLost = true }

  /// The number of bytes needed to recognize DNS: length, ID and the first half of the flags.
  package static let recognitionByteCount = 5

  /// Whether a message may begin with this byte, when too few bytes are available to decide. The first byte of a TLS record, or a letter,
  /// would begin the length of a very long message.
  package static func mayBegin(with first: UInt8) -> Bool { first != 22 && !(0x41...0x5A).contains(first) }

  /// Whether bytes begin like a message: with a length that allows a header, and a known opcode (RFC 1035 §4.1.1, RFC 6895 §2.2).
  package static func beginLikeDNS(_ first: Bytes, followedBy piece: Span<UInt8>) -> Bool {
    var bytes = Bytes(first.prefix(recognitionByteCount))
    bytes.append(copying: piece.extracting(first: recognitionByteCount))
    guard bytes.count >= recognitionByteCount, let length = DNSMessage.lengthOverTCP(bytes.span) else { return false }
    return length >= DNSMessage.headerByteCount && bytes[4] >> 3 & 0xF <= 6
  }

  private static func consume(_ piece: Span<UInt8>, _ held: inout Bytes, _ frame: UInt64, _ names: inout NameTable) {
    held.append(copying: piece)
    var position = 0
    while let length = DNSMessage.lengthOverTCP(held.span.extracting(position..<held.count)), held.count - position - 2 >= length {
      let start = position + 2
      names.learn(from: held.span.extracting(start..<(start + length)), frame: frame)
      position = start + length
    }
    held.removeFirst(position)
  }

  package init() {}
}
