package import ByteParsing

/// Handshake secrets and the server's first one for application data, by client random, in a compact format: a session takes 179 bytes and
/// a table entry.
package struct SecretStore: Sendable {
  /// The result of adding a secret.
  package enum Addition: Hashable, Sendable {
    /// It was stored.
    case taken
    /// It was already stored.
    case repeated
    /// The session has a different one. Both are stored, and the records show which is right.
    case conflicting
    /// There is no room for another session.
    case full
  }

  /// The maximum number of sessions with secrets. A log of a gigabyte contains more than a million; these take 50 MB.
  package static let maximumSessionCount = 262_144

  /// The hash lengths of TLS 1.3's suites.
  package static let secretLengths: Set<Int> = [32, 48]

  /// The maximum numbers of alternative secrets for one side, and of sessions with alternatives. Valid logs have none.
  private static let maximumAlternatives = (secrets: 3, sessions: 4096)

  /// The number of sessions with secrets.
  package var sessionCount: Int { slots.count / Layout.byteCount }

  /// The maximum length of an ECHConfig that is stored; one with a post-quantum key has 1,500 bytes.
  package static let maximumConfigLength = 2048

  /// The maximum total size of secrets and configurations for Encrypted ClientHello: for about 100,000 sessions.
  private static let maximumInnerKeyByteCount = 16 << 20

  /// The lengths of HPKE KEM shared secrets (RFC 9180 §7.1).
  static let sharedSecretLengths: Set<Int> = [32, 48, 64]

  /// Whether a secret was left out because there was no room for it.
  package private(set) var isTruncated = false

  /// Whether nothing is stored.
  package var isEmpty: Bool { slots.isEmpty && innerKeys.isEmpty }

  private var slots = Bytes()
  /// Secrets that differ from the first one of their session and side.
  private var alternatives: [ShortBytes: HandshakeSecrets] = [:]
  /// The keys of inner hellos, by the random of the outer one.
  private var innerKeys: [ShortBytes: EncryptedClientHelloKeys] = [:]
  private var innerKeyBytes = 0
  /// The offsets of the sessions' slots.
  private var table = HashTable()
  private let seed: UInt64
  private let limit: Int

  /// The layout of a slot: random (32), length and bytes of the client's secret (1 + 48), of the server's (1 + 48), of the server's for
  /// application data (1 + 48).
  private enum Layout {
    static let client = 32
    static let server = client + 49
    static let application = server + 49
    static let byteCount = application + 49
  }

  package init(maximumSessionCount: Int = SecretStore.maximumSessionCount) {
    // The log determines the randoms, so their hashes must be unpredictable.
    seed = UInt64.random(in: 0 ... .max)
    limit = min(max(0, maximumSessionCount), SecretStore.maximumSessionCount)
  }

  /// The secrets of the session with this client random; nil if there are none.
  package func secrets(ofRandom random: ShortBytes) -> HandshakeSecrets? {
    guard random.count == 32, let slot = find(random) else { return nil }
    let others = alternatives[random]
    return HandshakeSecrets(
      client: [secret(at: slot + Layout.client)].compactMap { $0 } + (others?.client ?? []),
      server: [secret(at: slot + Layout.server)].compactMap { $0 } + (others?.server ?? []),
      serverApplication: secret(at: slot + Layout.application))
  }

  /// The number of the session with this client random, in the order of the log; nil if there is none.
  func number(ofRandom random: ShortBytes) -> Int? {
    guard random.count == 32 else { return nil }
    return find(random).map { $0 / Layout.byteCount }
  }

  /// The client random of a session, by its number.
  func random(ofNumber number: Int) -> ShortBytes {
    let slot = number * Layout.byteCount
    guard number >= 0, slot + Layout.byteCount <= slots.count else { return ShortBytes() }
    return ShortBytes(slots[slot..<(slot + 32)])
  }

  /// Stores a secret of 32 or 48 bytes for the session with a client random of 32.
  package mutating func add(_ secret: Bytes, ofClient isClient: Bool, random: ShortBytes) -> Addition {
    guard random.count == 32, SecretStore.secretLengths.contains(secret.count) else { return .conflicting }
    let field = isClient ? Layout.client : Layout.server
    if let slot = find(random) {
      if let known = self.secret(at: slot + field) {
        return known == secret ? .repeated : addAlternative(secret, ofClient: isClient, random)
      }
      write(secret, at: slot + field)
      return .taken
    }
    guard sessionCount < limit else { return leaveOut() }
    let slot = slots.count
    slots.append(contentsOf: random)
    slots.append(contentsOf: repeatElement(0, count: Layout.byteCount - 32))
    write(secret, at: slot + field)
    table.insert(slot, for: random.seededHash(seed))
    return .taken
  }

  /// Stores the server's secret for application data, of 32 or 48 bytes, if the session has a handshake secret. The first one is kept.
  package mutating func addApplication(_ secret: Bytes, random: ShortBytes) {
    guard SecretStore.secretLengths.contains(secret.count), let slot = find(random), self.secret(at: slot + Layout.application) == nil
    else { return }
    write(secret, at: slot + Layout.application)
  }

  /// The keys of the inner hello of the outer one with this random; nil if there are none.
  package func innerKeys(ofRandom random: ShortBytes) -> EncryptedClientHelloKeys? { innerKeys[random] }

  /// Stores part of an inner hello's keys, for an outer hello with a random of 32 bytes. Of two different values the first is kept.
  package mutating func add(
    _ bytes: Bytes, _ part: WritableKeyPath<EncryptedClientHelloKeys, Bytes>, ofOuterRandom random: ShortBytes
  ) -> Addition {
    let known = innerKeys[random]
    if let value = known?[keyPath: part], !value.isEmpty { return value == bytes ? .repeated : .conflicting }
    let cost = bytes.count + (known == nil ? 128 : 0)
    guard cost <= SecretStore.maximumInnerKeyByteCount - innerKeyBytes else { return leaveOut() }
    innerKeyBytes += cost
    innerKeys[random, default: EncryptedClientHelloKeys()][keyPath: part] = bytes
    return .taken
  }

  private mutating func addAlternative(_ secret: Bytes, ofClient isClient: Bool, _ random: ShortBytes) -> Addition {
    let limit = SecretStore.maximumAlternatives
    guard alternatives[random] != nil || alternatives.count < limit.sessions else { return leaveOut() }
    var others = alternatives[random] ?? HandshakeSecrets(client: [], server: [])
    let known = isClient ? others.client : others.server
    if known.contains(secret) { return .repeated }
    guard known.count < limit.secrets else { return leaveOut() }
    if isClient { others.client.append(secret) } else { others.server.append(secret) }
    alternatives[random] = others
    return .conflicting
  }

  private mutating func leaveOut() -> Addition {
    isTruncated = true
    return .full
  }

  private func secret(at offset: Int) -> Bytes? {
    let count = Int(slots[offset])
    guard count > 0 else { return nil }
    return Bytes(slots[(offset + 1)..<(offset + 1 + count)])
  }

  private mutating func write(_ secret: Bytes, at offset: Int) {
    slots[offset] = UInt8(truncatingIfNeeded: secret.count)
    for (index, byte) in secret.enumerated() { slots[offset + 1 + index] = byte }
  }

  /// The offset of the session's slot; nil if there is none.
  private func find(_ random: ShortBytes) -> Int? {
    table.first(of: random.seededHash(seed)) { slots[$0..<($0 + 32)].elementsEqual(random) }
  }
}
