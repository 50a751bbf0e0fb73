package import ByteParsing
package import TLSParsing

/// Opens what one side sends of a TLS 1.3 handshake under its handshake keys, and stops at its Finished.
///
/// What follows is under other keys, which are never derived here: no application data is opened.
package struct SealedHandshake: Sendable {
  /// What a record held.
  package enum Event: Sendable {
    /// A whole message.
    case message(HandshakeType, body: Bytes)
    /// An alert that was sent under protection.
    case alert(level: UInt8, AlertDescription)
  }

  /// How far the opening has come.
  package enum State: Hashable, Sendable {
    /// Records are still being opened.
    case open
    /// The side's Finished has been seen.
    case finished
    /// The secrets do not open what is there.
    case failed
  }

  /// How far the opening has come.
  package private(set) var state = State.open

  /// Records that were opened.
  package private(set) var openedCount = 0

  /// Whether any record was opened.
  package var hasOpened: Bool { openedCount > 0 }

  /// Whether a message was longer, or the records were more, than is read.
  package private(set) var hitLimit = false

  /// Bytes of a message that is not whole yet.
  package var heldBytes: Int { unread.count }

  /// Records that did not open and are skipped, as a server skips the early data of a client (RFC 8446
  /// §4.2.10). A server that accepts early data takes some tens of records of it.
  package static let maximumSkippedRecordCount = 256

  /// Records that may be opened without a Finished: a handshake needs a few.
  package static let maximumOpenedRecordCount = 1024

  /// One, or several of which the first record that opens tells the right one.
  private var protections: [RecordProtection]
  private var unread = Bytes()
  private var skipped = 0

  /// Derives the keys; nil where the secret has not the length that the suite requires.
  package init?(secret: Bytes, suite: SealedSuite) { self.init(secrets: [secret], suite: suite) }

  /// Derives the keys of secrets of which one at most is right; nil where none has the length that the suite requires.
  package init?(secrets: [Bytes], suite: SealedSuite) {
    protections = secrets.compactMap { RecordProtection(secret: $0, suite: suite) }
    if protections.isEmpty { return nil }
  }

  /// What a record of type `application_data`, header included, holds of the handshake.
  package mutating func open(_ record: Span<UInt8>) -> [Event] {
    guard state == .open else { return [] }
    guard let inner = openProtected(record) else {
      skipped += 1
      if skipped > SealedHandshake.maximumSkippedRecordCount { state = .failed }
      return []
    }
    openedCount += 1
    if openedCount > SealedHandshake.maximumOpenedRecordCount { (state, hitLimit) = (.failed, true) }
    switch inner.type {
    case .handshake:
      return readMessages(inner.content)
    case .alert:
      guard let alert = try? Alert(parsing: inner.content.span) else { return [] }
      return [.alert(level: alert.level, alert.description)]
    default:
      // Application data has no place under these keys; should any come, it is dropped unread.
      state = .failed
      return []
    }
  }

  private mutating func openProtected(_ record: Span<UInt8>) -> RecordProtection.Opened? {
    for index in protections.indices {
      guard let inner = protections[index].open(record) else { continue }
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
    if state == .open, let next = try? HandshakeHeader(parsing: unread.span),
      next.length > HandshakeHeader.maximumLength
    {
      (state, hitLimit, unread) = (.failed, true, [])
    }
    return events
  }
}
