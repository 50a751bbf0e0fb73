import ByteParsing
import HandshakeDecryption
import SessionModel
import TLSParsing

/// Opens the protected records of one TLS 1.3 handshake with secrets that the user holds.
///
/// It is fed the bytes that `RecordStream` steps over. Only sessions for which there are secrets have one.
final class HandshakeOpening {
  private var client: Side
  private var server: Side

  private var search = Search.notNeeded

  /// The search for secrets that the log names by a random which the capture does not show.
  private enum Search {
    /// The random is known, or the secrets were found.
    case notNeeded
    /// The server's first record is awaited, which the secrets have to open.
    case awaitingRecord(SealedSuite)
    /// No secrets open that record, or it is not in the capture.
    case failed
  }

  /// Whether the secrets had to be searched for, and none were found.
  var hasNoSecrets: Bool { if case .notNeeded = search { false } else { true } }

  /// What a record, once whole, turned out to be.
  struct Outcome {
    /// What was inside.
    var events: [SealedHandshake.Event] = []
    /// The packets that carry what was inside.
    var frames = FrameList()
    /// Whether the keys fit.
    var isOpened = false
    /// The type of the record.
    var type = ContentType.applicationData
    /// Bytes of its fragment.
    var length = 0
  }

  private struct Side {
    /// Nil where there is no secret for the side.
    var handshake: SealedHandshake?
    /// The current record, header included.
    var record = Bytes()
    /// Bytes of it that are still to come; nil outside a record.
    var missing: Int?
    /// The packets since the last whole message.
    var frames = FrameList()
    /// Whether bytes are missing, so that the number of the next record is not known.
    var isLost = false
    /// Whether a whole record did not open.
    var hasFailed = false

    var hasOpened: Bool { handshake?.hasOpened == true }

    var isOpen: Bool { !isLost && handshake?.state == .open }
  }

  /// Nil where the suite is not one that is opened, or no secret fits it.
  init?(_ secrets: HandshakeSecrets, suite: CipherSuite) {
    guard let suite = SealedSuite(suite) else { return nil }
    client = Side(handshake: SealedHandshake(secrets: secrets.client, suite: suite))
    server = Side(handshake: SealedHandshake(secrets: secrets.server, suite: suite))
    if client.handshake == nil, server.handshake == nil { return nil }
  }

  /// For a session whose secrets the log names by a random that the capture does not show; nil where the suite is not one that is opened.
  init?(seeking suite: CipherSuite) {
    guard let suite = SealedSuite(suite) else { return nil }
    client = Side()
    server = Side()
    search = .awaitingRecord(suite)
  }

  /// Whether the log has no secret of the server's that fits, without which its certificates stay hidden.
  var lacksServerSecret: Bool { server.handshake == nil && !hasNoSecrets }

  /// Whether there is a secret for what the server sends up to its Finished, but not all of that could be read.
  var isServerFlightUnread: Bool {
    server.handshake.map { $0.state == .open || $0.hitLimit } == true
      && !(server.hasFailed && !server.hasOpened)
  }

  /// Whether more was sent than is read.
  var hitLimit: Bool { server.handshake?.hitLimit == true || client.handshake?.hitLimit == true }

  /// Whether there are whole records that the secrets ought to open and do not. What comes of a client that is still
  /// to open something may be its early data.
  var isRefuted: Bool { server.hasFailed && !server.hasOpened || hasFailed && !hasOpened }

  private var hasOpened: Bool { client.hasOpened || server.hasOpened }

  private var hasFailed: Bool { client.hasFailed || server.hasFailed }

  /// Bytes of records and of messages that are not whole yet.
  var heldBytes: Int {
    client.record.count + server.record.count + (client.handshake?.heldBytes ?? 0)
      + (server.handshake?.heldBytes ?? 0)
  }

  /// Whether records of a side are still to be opened.
  func isOpen(forClient isClient: Bool) -> Bool {
    if isClient { return client.isOpen }
    if case .awaitingRecord = search { return true }
    return server.isOpen
  }

  /// Begins a protected record.
  func begin(_ header: RecordHeader, isClient: Bool) {
    let version = header.version.rawValue
    let record: Bytes = [
      header.contentType.rawValue, UInt8(version >> 8), UInt8(version & 0xFF),
      UInt8(truncatingIfNeeded: header.length >> 8), UInt8(truncatingIfNeeded: header.length),
    ]
    if isClient {
      (client.record, client.missing) = (record, header.length)
    } else {
      (server.record, server.missing) = (record, header.length)
    }
  }

  /// Takes the bytes that follow, as far as they belong to the record; an outcome once it is whole.
  func feed(_ bytes: Span<UInt8>, isClient: Bool, frame: UInt64) -> Outcome? {
    isClient
      ? HandshakeOpening.feed(bytes, &client, frame) : HandshakeOpening.feed(bytes, &server, frame)
  }

  /// Searches for the secrets where the bytes make the server's first record whole, before `feed` opens it. Nil where nothing is searched
  /// for.
  func search(
    _ bytes: Span<UInt8>, with search: inout SecretSearch, in store: borrowing SecretStore
  ) -> SecretSearch.Result? {
    guard case .awaitingRecord(let suite) = self.search, let missing = server.missing, bytes.count >= missing
    else { return nil }
    self.search = .failed
    var record = server.record
    record.append(copying: bytes.extracting(0..<missing))
    let result = search.search(record.span, suite: suite, in: store)
    if case .found(_, let secrets) = result {
      self.search = .notNeeded
      client.handshake = SealedHandshake(secrets: secrets.client, suite: suite)
      server.handshake = SealedHandshake(secrets: secrets.server, suite: suite)
    }
    return result
  }

  private static func feed(_ bytes: Span<UInt8>, _ side: inout Side, _ frame: UInt64) -> Outcome? {
    guard let missing = side.missing else { return nil }
    let count = min(missing, bytes.count)
    side.record.append(copying: bytes.extracting(0..<count))
    if count > 0 { side.frames.insert(frame) }
    side.missing = missing - count
    guard count == missing else { return nil }
    side.missing = nil
    var outcome = Outcome()
    outcome.type = ContentType(rawValue: side.record.first ?? 0)
    outcome.length = side.record.count - RecordHeader.byteCount
    let record = side.record
    side.record = []
    guard side.isOpen else { return outcome }
    let before = side.handshake?.openedCount
    outcome.events = side.handshake?.open(record.span) ?? []
    outcome.isOpened = side.handshake?.openedCount != before
    if !outcome.isOpened { side.hasFailed = true }
    outcome.frames = side.frames
    if !outcome.events.isEmpty { side.frames = FrameList() }
    return outcome
  }

  /// The record that has been begun and has no end.
  func unfinished(isClient: Bool) -> (type: ContentType, length: Int)? {
    let side = isClient ? client : server
    guard side.missing != nil, let header = try? RecordHeader(parsing: side.record.span) else { return nil }
    return (header.contentType, header.length)
  }

  /// Records that bytes are missing: what follows cannot be opened.
  func lose(isClient: Bool) {
    if isClient { client.isLost = true } else { server.isLost = true }
    // The next record of the server is then not its first.
    if !isClient, case .awaitingRecord = search { search = .failed }
    if isClient { client.missing = nil } else { server.missing = nil }
  }
}
