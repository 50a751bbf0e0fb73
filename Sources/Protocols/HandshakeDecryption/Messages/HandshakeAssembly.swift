package import ByteParsing
package import TLSParsing

/// Cuts the bytes of a handshake, in order, into messages.
package struct HandshakeAssembly: Sendable {
  /// The longest message that is gathered; a longer one ends the reading.
  package static let messageLimit = 256 * 1024

  /// Whether a message was longer than the limit.
  package private(set) var hitLimit = false

  private var gathered = Bytes()
  private var start = 0

  /// Creates an assembly that has seen nothing.
  package init() {}

  /// How many bytes are held.
  package var heldBytes: Int { gathered.count }

  /// Takes the next bytes.
  package mutating func append(_ bytes: Span<UInt8>) {
    guard !hitLimit else { return }
    if start > 0 {
      gathered.removeFirst(start)
      start = 0
    }
    gathered.append(copying: bytes)
  }

  /// The next whole message: its type and its body.
  package mutating func next() -> (type: HandshakeType, body: Bytes)? {
    let available = gathered.count - start
    guard !hitLimit, available >= HandshakeHeader.byteCount,
      let header = try? HandshakeHeader(parsing: gathered.span.extracting(start..<gathered.count))
    else { return nil }
    guard header.length <= HandshakeAssembly.messageLimit else {
      hitLimit = true
      gathered = []
      start = 0
      return nil
    }
    guard available - HandshakeHeader.byteCount >= header.length else { return nil }
    let body = (start + HandshakeHeader.byteCount)..<(start + HandshakeHeader.byteCount + header.length)
    start = body.upperBound
    return (header.type, Bytes(gathered[body]))
  }
}
