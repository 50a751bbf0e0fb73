package import ByteParsing
import DNSParsing
package import Values

/// Messages of DNS on one TCP connection, each after two bytes of length (RFC 1035 §4.2.2).
///
/// A class: few connections are of this kind, and the others should not carry room for it.
package final class NameStreams {
  private var held = BothDirections(Bytes())

  /// Bytes were missing, so that it is not known any more where messages begin.
  private(set) var isLost = false

  /// Whether either direction began like messages of DNS.
  package private(set) var areOfDNS = false

  /// Continues reading in one direction. What is held never exceeds one message, which has less than 64 KiB, and one piece.
  package func consume(
    _ piece: Span<UInt8>, in direction: Direction, frame: UInt64, into names: inout NameTable
  ) {
    guard !isLost else { return }
    if !areOfDNS {
      areOfDNS = NameStreams.beginLikeDNS(held[direction], followedBy: piece)
    }
    NameStreams.consume(piece, &held[direction], frame, &names)
  }

  /// Bytes of messages that are not whole yet.
  package var heldBytes: Int { held.fromLower.count + held.fromUpper.count }

  /// Records bytes that the capture lacks.
  package func lose() { isLost = true }

  /// The bytes that tell: length, identification and the first half of the flags.
  package static let tellingCount = 5

  /// Whether a stream may begin with a message whose first byte this is, where too few bytes are there to tell: the first byte of a
  /// record of TLS, or a letter, as the first half of a length would announce a very long message.
  package static func mayBegin(with first: UInt8) -> Bool { first != 22 && !(0x41...0x5A).contains(first) }

  /// Whether bytes begin like a message: a length that its header fits in, and a known kind of query (RFC 1035 §4.1.1, RFC 6895 §2.2).
  package static func beginLikeDNS(_ first: Bytes, followedBy piece: Span<UInt8>) -> Bool {
    var bytes = Bytes(first.prefix(tellingCount))
    bytes.append(copying: piece.extracting(first: tellingCount))
    guard bytes.count >= tellingCount, let length = DNSMessage.lengthOverTCP(bytes.span) else { return false }
    return length >= DNSMessage.headerByteCount && bytes[4] >> 3 & 0xF <= 6
  }

  private static func consume(
    _ piece: Span<UInt8>, _ held: inout Bytes, _ frame: UInt64, _ names: inout NameTable
  ) {
    held.append(copying: piece)
    var position = 0
    while let length = DNSMessage.lengthOverTCP(held.span.extracting(position..<held.count)),
      held.count - position - 2 >= length
    {
      let start = position + 2
      names.learn(from: held.span.extracting(start..<(start + length)), frame: frame)
      position = start + length
    }
    held.removeFirst(position)
  }

  /// Creates streams of which nothing was read.
  package init() {}
}
