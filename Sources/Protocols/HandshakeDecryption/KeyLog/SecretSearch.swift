package import ByteParsing

/// Finds the secrets of sessions whose random in the key log was not captured, by trial decryption.
///
/// If a server accepts Encrypted ClientHello, the key log identifies the secrets by the random of the inner hello (RFC 9850 §2.1). A secret
/// is tried on the server's first protected record or Handshake packet. The AEAD makes the result certain, so the order of trials affects
/// only their number.
package struct SecretSearch: Sendable {
  /// The maximum number of secrets tried for one capture. A capture and its log usually have the same order of sessions, so one or two
  /// trials suffice; the limit is for sessions that are not in the log.
  package static let maximumTrialCount = 262_144

  /// The outcome of a search.
  package enum Outcome: Sendable {
    /// The random in the log, and its secrets.
    case found(random: ShortBytes, HandshakeSecrets)
    /// No secret decrypts the record.
    case none
    /// The limit was reached.
    case unfinished
  }

  /// The number of trials left.
  private var trialsLeft: Int

  /// The number of searches that reached the limit.
  package private(set) var unfinishedCount: UInt64 = 0

  /// A linked list of the log's sessions to try first: `next[number]` is the one after `number`, and the last element is the end. It begins
  /// at `first`.
  private var next: [Int] = []
  private var first = 0

  /// Sessions of the log whose random was captured; they are never tried.
  private var shown: Set<Int> = []

  /// Sessions that a search found. They are tried last, since a connection may be captured twice.
  private var found: [Int] = []

  package init(maximumTrialCount: Int = SecretSearch.maximumTrialCount) { trialsLeft = maximumTrialCount }

  /// Excludes the secrets of a captured random.
  package mutating func exclude(_ random: ShortBytes, of store: borrowing SecretStore) {
    if let number = store.number(ofRandom: random) { shown.insert(number) }
  }

  /// Searches for the secrets that decrypt a server's first record, including its header.
  package mutating func search(_ record: Span<UInt8>, suite: DecryptableSuite, in store: borrowing SecretStore) -> Outcome {
    let record = Bytes(copying: record)
    return search(in: store) { secret in
      var protection = RecordProtection(secret: secret, suite: suite)
      return protection?.decrypt(record.span) != nil
    }
  }

  /// Searches for secrets of which one of the server's passes a test. Each session visited counts as a trial, unless it leaves the list.
  package mutating func search(in store: borrowing SecretStore, _ decrypts: (Bytes) -> Bool) -> Outcome {
    while next.count < store.sessionCount { next.append(next.count + 1) }
    var previous: Int?
    var number = first
    while number < next.count {
      let following = next[number]
      let isShown = shown.contains(number)
      if !isShown {
        guard spendTrial() else { return .unfinished }
        if let result = match(number, in: store, decrypts) {
          unlink(number, after: previous)
          found.append(number)
          return result
        }
        previous = number
      } else {
        unlink(number, after: previous)
      }
      number = following
    }
    for number in found {
      guard spendTrial() else { return .unfinished }
      if let result = match(number, in: store, decrypts) { return result }
    }
    return .none
  }

  private mutating func spendTrial() -> Bool {
    guard trialsLeft > 0 else {
      unfinishedCount &+= 1
      return false
    }
    trialsLeft -= 1
    return true
  }

  private mutating func unlink(_ number: Int, after previous: Int?) {
    if let previous { next[previous] = next[number] } else { first = next[number] }
  }

  private func match(_ number: Int, in store: borrowing SecretStore, _ decrypts: (Bytes) -> Bool) -> Outcome? {
    let random = store.random(ofNumber: number)
    guard let secrets = store.secrets(ofRandom: random), secrets.server.contains(where: decrypts) else { return nil }
    return .found(random: random, secrets)
  }
}
