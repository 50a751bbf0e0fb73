import ByteParsing
import SessionModel

/// What a client says after a CONNECT before the proxy has answered: for the server if the tunnel opens, for the proxy if it does not.
package struct AheadOfAnswer {
  /// What the bytes are.
  package enum Kind {
    /// Another request to the proxy.
    case askingProxy
    /// A hello or a request to the server after it.
    case throughTunnel
    /// Not known yet, or not all of it was kept.
    case undecided
  }

  /// More is not kept: a hello that is sent before the response is shorter.
  private static let maximumByteCount = 16_384

  /// Whether the rest of the CONNECT may come first, since the capture does not show where it ends.
  var mayBeginWithRest = false

  /// Bytes of it, those that were not kept included.
  private(set) var byteCount = 0

  private var kept = KeptBytes()

  /// Bytes that are kept of it.
  var heldBytes: Int { kept.heldBytes }

  /// Adds what comes next, and tells what all of it is, and how many bytes turn out to be the rest of the CONNECT, which is not read.
  mutating func add(_ piece: Span<UInt8>, at reference: PacketReference) -> (kind: Kind, forgotten: Int) {
    let isWhole = kept.count == byteCount
    byteCount += piece.count
    guard isWhole, byteCount <= AheadOfAnswer.maximumByteCount else {
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
      return (AheadOfAnswer.isForProxy(kept.bytes) ? .askingProxy : .throughTunnel, forgotten)
    case .hello: return (.throughTunnel, forgotten)
    default: return (.undecided, forgotten)
    }
  }

  /// Records bytes that the capture lacks.
  mutating func lose(_ count: Int) {
    byteCount += count
    kept = KeptBytes()
  }

  /// Treats all of it as the rest of the CONNECT, and returns its number of bytes.
  mutating func forget() -> Int {
    defer { (kept, byteCount) = (KeptBytes(), 0) }
    return byteCount
  }

  /// Returns what was kept; nothing if not all of it was.
  mutating func takeParts() -> [(bytes: Bytes, reference: PacketReference)] { kept.take() }

  /// Returns all of it, and how many bytes after it were not kept.
  mutating func takeAll() -> (parts: [(bytes: Bytes, reference: PacketReference)], missing: Int) {
    let missing = byteCount - kept.count
    byteCount = 0
    return (kept.take(), missing)
  }

  /// Whether a request is for a proxy: a CONNECT, or one that names its target as a URL.
  private static func isForProxy(_ request: Bytes) -> Bool {
    let target = request.drop { $0 != 0x20 }.dropFirst()
    return request.starts(with: Bytes("CONNECT ".utf8)) || target.first != 0x2F && target.first != 0x2A
  }
}
