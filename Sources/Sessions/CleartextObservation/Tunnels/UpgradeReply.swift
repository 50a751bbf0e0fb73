package import ByteParsing
import TLSParsing
package import Values

/// The server's reply to a request to change to TLS, if the client's hello precedes it in the capture.
///
/// A class, like the other layers with a state.
package final class UpgradeReply {
  /// The direction in which the server sends.
  package let direction: Direction

  /// Whether the server's hello is still to come.
  package private(set) var awaitsReply = true

  private var kept = Bytes()

  /// The number of bytes kept because they may precede the hello.
  package var byteCount: Int { kept.count }

  /// The maximum length of a reply; longer ones are not expected.
  private static let maximumByteCount = 1024

  /// Creates the reply of a server that sends in `direction`; nil if the hello in `parts` is not a client's.
  package init?(before parts: [CleartextDialogue.Part], from direction: Direction) {
    let hello = StreamBeginning.joined(parts)
    guard hello.count > 5, hello[0] == ContentType.handshake.rawValue, hello[5] == HandshakeType.clientHello.rawValue else { return nil }
    self.direction = direction
  }

  /// Reads on. Returns the length of the reply and the bytes after it; nil while the reply may continue.
  package func consume(_ piece: Span<UInt8>) -> (replyLength: Int, rest: Bytes)? {
    kept.append(copying: piece)
    guard let end = endOfReply else { return nil }
    return (end, take(from: end))
  }

  /// Ends the wait for the rest of the reply. Returns the number of its bytes.
  package func end() -> Int {
    defer { _ = take(from: kept.count) }
    return kept.count
  }

  private func take(from end: Int) -> Bytes {
    defer { (awaitsReply, kept) = (false, Bytes()) }
    return Bytes(kept[end...])
  }

  /// The offset at which TLS begins; nil if it does not yet.
  private var endOfReply: Int? {
    let bytes = kept
    guard let first = bytes.first, !StreamBeginning.mayBeRecord(beginningWith: first) else { return 0 }
    for start in bytes.indices where bytes[start] == ContentType.handshake.rawValue {
      switch TLSRecognition.handshakeStart(bytes.span.extracting(start..<bytes.count)) {
      case .no: continue
      case .needMore: return nil
      case .yes:
        guard start + 5 < bytes.count else { return nil }
        if bytes[start + 5] == HandshakeType.serverHello.rawValue { return start }
      }
    }
    return bytes.count > UpgradeReply.maximumByteCount ? bytes.count : nil
  }
}
