import ByteParsing
import HandshakeDecryption
import SessionModel
import TLSParsing

/// Decrypts the protected records of one TLS 1.3 handshake with the user's secrets.
///
/// It receives the bytes that `RecordStream` skips. Only sessions with secrets have one.
final class HandshakeDecryptor {
  private var client = Side()
  private var server = Side()

  private var search = Search.notNeeded

  /// The search for secrets that the key log identifies by a random which was not captured.
  private enum Search {
    /// The random is known, or the secrets were found.
    case notNeeded
    /// The server's first record, which the secrets must decrypt, has not been read.
    case awaitingRecord(DecryptableSuite)
    /// No secrets decrypt that record, or the capture lacks it.
    case failed
  }

  /// Whether the secrets had to be searched for, and none were found.
  var hasNoSecrets: Bool { if case .notNeeded = search { false } else { true } }

  /// The result of decrypting a complete record.
  struct Outcome {
    /// The messages and alerts in the record.
    var events: [ProtectedHandshake.Event] = []
    /// The packets that carry them.
    var frames = FrameList()
    /// Whether the record was decrypted.
    var isDecrypted = false
    var type = ContentType.applicationData
    /// The length of its fragment in bytes.
    var length = 0
  }

  private struct Side {
    /// The decryption state; nil if there is no secret for the side.
    var handshake: ProtectedHandshake?
    /// The current record, including its header.
    var record = Bytes()
    /// The number of bytes that the record still lacks; nil outside a record.
    var missing: Int?
    /// The packets since the last whole message.
    var frames = FrameList()
    /// Decrypts alerts after the handshake; nil for the client, and without the secret of the server's application data.
    var lateAlerts: LateAlerts?
    /// Whether bytes are missing, so that the next record's sequence number is unknown.
    var isLost = false
    /// Whether a complete record could not be decrypted.
    var hasFailed = false

    var hasDecrypted: Bool { handshake?.hasDecrypted == true }

    var isOpen: Bool { !isLost && handshake?.state == .open }

    /// Receives the following bytes; returns the outcome once the record is complete.
    mutating func feed(_ bytes: Span<UInt8>, _ frame: UInt64) -> Outcome? {
      guard let missing else { return nil }
      let count = min(missing, bytes.count)
      record.append(copying: bytes.extracting(0..<count))
      if count > 0 { frames.insert(frame) }
      self.missing = count < missing ? missing - count : nil
      guard count == missing else { return nil }
      var outcome = Outcome()
      outcome.type = ContentType(rawValue: record.first ?? 0)
      outcome.length = record.count - RecordHeader.byteCount
      let whole = exchange(&record, with: [])
      if handshake?.state == .finished, let alert = lateAlerts?.decrypt(whole.span) {
        outcome.events = [.alert(level: alert.level, alert.description)]
        outcome.isDecrypted = true
      }
      guard isOpen else { return outcome }
      let before = handshake?.decryptedCount
      outcome.events = handshake?.decrypt(whole.span) ?? []
      outcome.isDecrypted = handshake?.decryptedCount != before
      if !outcome.isDecrypted { hasFailed = true }
      outcome.frames = frames
      if !outcome.events.isEmpty { frames = FrameList() }
      return outcome
    }
  }

  private subscript(isClient isClient: Bool) -> Side {
    _read { if isClient { yield client } else { yield server } }
    _modify { if isClient { yield &client } else { yield &server } }
  }

  /// Creates a decryptor; nil if the suite is unsupported, or no secret fits it.
  init?(_ secrets: HandshakeSecrets, suite: CipherSuite) {
    guard let suite = DecryptableSuite(suite) else { return nil }
    use(secrets, suite)
    if client.handshake == nil, server.handshake == nil { return nil }
  }

  /// Creates a decryptor that searches for its secrets, because the key log identifies them by a random that was not captured; nil if the
  /// suite is unsupported.
  init?(seeking suite: CipherSuite) {
    guard let suite = DecryptableSuite(suite) else { return nil }
    search = .awaitingRecord(suite)
  }

  private func use(_ secrets: HandshakeSecrets, _ suite: DecryptableSuite) {
    client.handshake = ProtectedHandshake(secrets: secrets.client, suite: suite)
    server.handshake = ProtectedHandshake(secrets: secrets.server, suite: suite)
    server.lateAlerts = secrets.serverApplication.flatMap { LateAlerts(secret: $0, suite: suite) }
  }

  /// Whether the server's secret is missing, so that its certificates remain hidden.
  var lacksServerSecret: Bool { server.handshake == nil && !hasNoSecrets }

  /// Whether there is a secret for the server's flight up to its Finished, but not all of the flight could be read.
  var isServerFlightUnread: Bool {
    server.handshake.map { $0.state == .open || $0.hitLimit } == true
      && !(server.hasFailed && !server.hasDecrypted)
  }

  /// Whether a limit was exceeded, so that not all messages were read.
  var hitLimit: Bool { server.handshake?.hitLimit == true || client.handshake?.hitLimit == true }

  /// Whether the secrets fail to decrypt complete records. Client records before the first decrypted one may be early data, and do not
  /// count alone.
  var isRefuted: Bool { server.hasFailed && !server.hasDecrypted || hasFailed && !hasDecrypted }

  private var hasDecrypted: Bool { client.hasDecrypted || server.hasDecrypted }

  private var hasFailed: Bool { client.hasFailed || server.hasFailed }

  /// The memory that incomplete records and messages take, in bytes.
  var heldBytes: Int {
    client.record.count + server.record.count + (client.handshake?.heldBytes ?? 0)
      + (server.handshake?.heldBytes ?? 0)
  }

  /// Whether further records of a side are to be decrypted.
  func isOpen(forClient isClient: Bool) -> Bool {
    if isClient { return client.isOpen }
    if case .awaitingRecord = search { return true }
    return server.isOpen || mayDecryptLateAlert
  }

  /// Whether an alert of the server after its Finished may still be decrypted.
  var mayDecryptLateAlert: Bool { !server.isLost && server.handshake?.state == .finished && server.lateAlerts?.isOpen == true }

  /// Begins a protected record.
  func begin(_ header: RecordHeader, isClient: Bool) {
    var record: Bytes = [header.contentType.rawValue]
    record.append(big: header.version.rawValue)
    record.append(big: UInt16(truncatingIfNeeded: header.length))
    self[isClient: isClient].record = record
    self[isClient: isClient].missing = header.length
  }

  /// Receives the following bytes, as far as they belong to the record; returns the outcome once it is complete.
  func feed(_ bytes: Span<UInt8>, isClient: Bool, frame: UInt64) -> Outcome? {
    self[isClient: isClient].feed(bytes, frame)
  }

  /// Searches for the secrets if the bytes complete the server's first record, before `feed` decrypts it. Nil if no search is due.
  func search(_ bytes: Span<UInt8>, with search: inout SecretSearch, in store: borrowing SecretStore) -> SecretSearch.Outcome? {
    guard case .awaitingRecord(let suite) = self.search, let missing = server.missing, bytes.count >= missing else { return nil }
    self.search = .failed
    var record = server.record
    record.append(copying: bytes.extracting(0..<missing))
    let result = search.search(record.span, suite: suite, in: store)
    if case .found(_, let secrets) = result {
      self.search = .notNeeded
      use(secrets, suite)
    }
    return result
  }

  /// The header of an incomplete record; nil if there is none.
  func unfinished(isClient: Bool) -> RecordHeader? {
    let side = self[isClient: isClient]
    guard side.missing != nil else { return nil }
    return try? RecordHeader(parsing: side.record.span)
  }

  /// Records that bytes are missing; later records cannot be decrypted.
  func lose(isClient: Bool) {
    self[isClient: isClient].isLost = true
    self[isClient: isClient].missing = nil
    // The next record of the server would not be its first.
    if !isClient, case .awaitingRecord = search { search = .failed }
  }
}
