import ByteParsing
import SessionModel

/// The bytes that a client sends after a CONNECT before the proxy has responded. They are for the server if the tunnel opens, and for the
/// proxy if it does not.
package struct EarlyTunnelBytes {
  /// The recipient that the bytes indicate.
  package enum Kind {
    /// Another request to the proxy.
    case toProxy
    /// A hello or a request to the server.
    case throughTunnel
    /// Unknown so far, or not all bytes were kept.
    case undecided
  }

  /// The maximum number of bytes kept; a hello sent before the response is shorter.
  private static let maximumByteCount = 16_384

  /// Whether the bytes may begin with the rest of the CONNECT, because its end is unknown.
  var mayBeginWithRest = false

  /// The number of bytes received, kept or not.
  private(set) var byteCount = 0

  private var kept = KeptBytes()

  var heldBytes: Int { kept.heldBytes }

  /// Adds the next bytes. Returns what all of them are, and how many turned out to be the rest of the CONNECT, which is not read.
  mutating func add(_ piece: Span<UInt8>, at reference: PacketReference) -> (kind: Kind, forgotten: Int) {
    let isWhole = kept.count == byteCount
    byteCount += piece.count
    guard isWhole, byteCount <= EarlyTunnelBytes.maximumByteCount else {
      kept = KeptBytes()
      return (.undecided, mayBeginWithRest ? forget() : 0)
    }
    var forgotten = 0
    var kind = kept.kind(with: piece)
    if mayBeginWithRest, kind == .foreign, !kept.isEmpty {
      byteCount -= piece.count
      forgotten = forget()
      byteCount = piece.count
      kind = kept.kind(with: piece)
    }
    kept.append(piece, at: reference)
    if mayBeginWithRest, kind == .foreign { forgotten += forget() }
    switch kind {
    case .httpRequest:
      return (EarlyTunnelBytes.isForProxy(kept.bytes) ? .toProxy : .throughTunnel, forgotten)
    case .hello: return (.throughTunnel, forgotten)
    default: return (.undecided, forgotten)
    }
  }

  /// Records bytes that the capture lacks.
  mutating func lose(_ count: Int) {
    byteCount += count
    kept = KeptBytes()
  }

  /// Treats all bytes as the rest of the CONNECT, and returns their number.
  mutating func forget() -> Int {
    defer { (kept, byteCount) = (KeptBytes(), 0) }
    return byteCount
  }

  /// Removes and returns the kept bytes; nothing if some were not kept.
  mutating func takeParts() -> [(bytes: Bytes, reference: PacketReference)] { kept.take() }

  /// Removes and returns the kept bytes, and the number of bytes after them that were not kept.
  mutating func takeAll() -> (parts: [(bytes: Bytes, reference: PacketReference)], missing: Int) {
    let missing = byteCount - kept.count
    byteCount = 0
    return (kept.take(), missing)
  }

  /// Whether a request is for a proxy: a CONNECT, or one that names its target as a URL.
  private static func isForProxy(_ request: Bytes) -> Bool {
    let target = request.drop { !isWSP($0) }.drop(while: isWSP)
    return request.starts(with: Bytes("CONNECT ".utf8)) || target.first != 0x2F && target.first != 0x2A
  }
}
