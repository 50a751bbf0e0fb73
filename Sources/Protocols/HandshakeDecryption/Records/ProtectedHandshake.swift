package import ByteParsing
package import TLSParsing

/// Decrypts what one side sends of a TLS 1.3 handshake under its handshake keys, and stops at its Finished.
///
/// Later records use other keys. `LateAlerts` decrypts alerts among them; application data is never decrypted.
package struct ProtectedHandshake: Sendable {
  /// The contents of a record.
  package enum Event: Sendable {
    /// A whole message.
    case message(HandshakeType, body: Bytes)
    /// An encrypted alert.
    case alert(level: UInt8, AlertDescription)
  }

  /// The progress of decryption.
  package enum State: Hashable, Sendable {
    /// Records are still to be decrypted.
    case open
    /// The side's Finished was read.
    case finished
    /// The secrets do not decrypt the records.
    case failed
  }

  package private(set) var state = State.open

  /// The number of records decrypted.
  package private(set) var decryptedCount = 0

  package var hasDecrypted: Bool { decryptedCount > 0 }

  /// Whether a message, or the number of records, exceeded the limit.
  package private(set) var hitLimit = false

  /// The number of bytes of an incomplete message.
  package var heldBytes: Int { unread.count }

  /// The maximum number of records that are skipped because they do not decrypt, as a server skips a client's early data (RFC 8446
  /// §4.2.10). A server that accepts early data receives several dozen such records.
  package static let maximumSkippedRecordCount = 256

  /// The maximum number of records decrypted without a Finished; a handshake needs a few.
  package static let maximumDecryptedRecordCount = 1024

  /// One protection, or several until the first decrypted record shows the right one.
  private var protections: [RecordProtection]
  private var unread = Bytes()
  private var skipped = 0

  /// Derives the keys of secrets at most one of which is right; nil if none has the length that the suite requires.
  package init?(secrets: [Bytes], suite: DecryptableSuite) {
    protections = secrets.compactMap { RecordProtection(secret: $0, suite: suite) }
    if protections.isEmpty { return nil }
  }

  /// The handshake messages and alerts in a record of type `application_data`, which is passed with its header.
  package mutating func decrypt(_ record: Span<UInt8>) -> [Event] {
    guard state == .open else { return [] }
    guard let inner = decryptRecord(record) else {
      skipped += 1
      if skipped > ProtectedHandshake.maximumSkippedRecordCount { state = .failed }
      return []
    }
    decryptedCount += 1
    if decryptedCount > ProtectedHandshake.maximumDecryptedRecordCount { (state, hitLimit) = (.failed, true) }
    switch inner.type {
    case .handshake:
      return readMessages(inner.content)
    case .alert:
      guard let alert = try? Alert(parsing: inner.content.span) else { return [] }
      return [.alert(level: alert.level, alert.description)]
    default:
      // Application data is not allowed under these keys; if it occurs, it is dropped.
      state = .failed
      return []
    }
  }

  private mutating func decryptRecord(_ record: Span<UInt8>) -> RecordProtection.Decrypted? {
    for index in protections.indices {
      guard let inner = protections[index].decrypt(record) else { continue }
      if protections.count > 1 { protections = [protections[index]] }
      return inner
    }
    return nil
  }

  private mutating func readMessages(_ content: Bytes) -> [Event] {
    unread.append(contentsOf: content)
    var events: [Event] = []
    var start = 0
    while state == .open, let (type, body) = HandshakeHeader.message(in: unread.span, from: start) {
      events.append(.message(type, body: Bytes(unread[body])))
      start = body.upperBound
      if type == .finished { state = .finished }
    }
    unread.removeFirst(start)
    if state == .open, let next = try? HandshakeHeader(parsing: unread.span), next.length > HandshakeHeader.maximumLength {
      (state, hitLimit, unread) = (.failed, true, [])
    }
    return events
  }
}
