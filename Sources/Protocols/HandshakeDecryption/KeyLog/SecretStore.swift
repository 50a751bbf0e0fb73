package import ByteParsing

/// Handshake secrets by the client's random, packed: a session takes 130 bytes and a place in a table.
package struct SecretStore: Sendable {
  /// What became of a secret.
  package enum Addition: Hashable, Sendable {
    /// It is kept.
    case taken
    /// It was there already.
    case repeated
    /// The session has another one; both are kept, and the records tell which is right.
    case conflicting
    /// There is no room for another session.
    case full
  }

  /// Sessions whose secrets are kept at once. A log of a gigabyte names more than a million; these take 40 MB.
  package static let maximumSessionCount = 262_144

  /// The lengths of the hashes of TLS 1.3's suites.
  package static let secretLengths: Set<Int> = [32, 48]

  /// Secrets kept of one side beside the first one, and sessions that may have such: nothing honest has any.
  private static let maximumAlternatives = (secrets: 3, sessions: 4096)

  /// Sessions of which a secret is kept.
  package var sessionCount: Int { slots.count / Layout.byteCount }

  /// The longest ECHConfig that is kept: one with a post-quantum key has 1,500 bytes.
  package static let maximumConfigLength = 2048

  /// Bytes of secrets and configurations for Encrypted ClientHello that are kept at once: of some 100,000 sessions.
  private static let maximumInnerKeyByteCount = 16 << 20

  /// The lengths of the shared secrets of HPKE's KEMs (RFC 9180 §7.1).
  static let sharedSecretLengths: Set<Int> = [32, 48, 64]

  /// Whether nothing is kept.
  package var isEmpty: Bool { slots.isEmpty && innerKeys.isEmpty }

  private var slots = Bytes()
  /// Secrets that differ from the first one of their session and side.
  private var alternatives: [ShortBytes: HandshakeSecrets] = [:]
  /// What opens inner hellos, by the random of the outer one.
  private var innerKeys: [ShortBytes: EncryptedClientHelloKeys] = [:]
  private var innerKeyBytes = 0
  /// Where the slots of sessions begin.
  private var table = HashTable()
  private let seed: UInt64
  private let limit: Int

  /// A slot: random (32), length and bytes of the client's secret (1 + 48), of the server's (1 + 48).
  private enum Layout {
    static let client = 32
    static let server = client + 49
    static let byteCount = server + 49
  }

  /// Creates an empty store.
  package init(maximumSessionCount: Int = SecretStore.maximumSessionCount) {
    // The log chooses the randoms: what it hashes to must not be foreseen.
    seed = UInt64.random(in: 0 ... .max)
    limit = min(max(0, maximumSessionCount), SecretStore.maximumSessionCount)
  }

  /// The secrets of the session with this client random; nil where there are none.
  package func secrets(ofRandom random: ShortBytes) -> HandshakeSecrets? {
    guard random.count == 32, let slot = find(random) else { return nil }
    let others = alternatives[random]
    return HandshakeSecrets(
      client: [secret(at: slot + Layout.client)].compactMap { $0 } + (others?.client ?? []),
      server: [secret(at: slot + Layout.server)].compactMap { $0 } + (others?.server ?? []))
  }

  /// The number of the session with this client random, in the order in which the log names sessions; nil where there is none.
  func number(ofRandom random: ShortBytes) -> Int? {
    guard random.count == 32 else { return nil }
    return find(random).map { $0 / Layout.byteCount }
  }

  /// The client random of a session by its number.
  func random(ofNumber number: Int) -> ShortBytes {
    let slot = number * Layout.byteCount
    guard number >= 0, slot + Layout.byteCount <= slots.count else { return ShortBytes() }
    return ShortBytes(slots[slot..<(slot + 32)])
  }

  /// Keeps a secret of 32 or 48 bytes for the session with a client random of 32.
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
    guard sessionCount < limit else { return .full }
    let slot = slots.count
    slots.append(contentsOf: random)
    slots.append(contentsOf: repeatElement(0, count: Layout.byteCount - 32))
    write(secret, at: slot + field)
    table.insert(slot, for: random.seededHash(seed))
    return .taken
  }

  /// What opens the inner hello of the outer one with this random; nil where there is nothing.
  package func innerKeys(ofRandom random: ShortBytes) -> EncryptedClientHelloKeys? { innerKeys[random] }

  /// Keeps a part of what opens an inner hello, for the outer one with a random of 32 bytes; of two that differ the first stays.
  package mutating func add(
    _ bytes: Bytes, _ part: WritableKeyPath<EncryptedClientHelloKeys, Bytes>, ofOuterRandom random: ShortBytes
  ) -> Addition {
    let known = innerKeys[random]
    if let value = known?[keyPath: part], !value.isEmpty { return value == bytes ? .repeated : .conflicting }
    let cost = bytes.count + (known == nil ? 128 : 0)
    guard cost <= SecretStore.maximumInnerKeyByteCount - innerKeyBytes else { return .full }
    innerKeyBytes += cost
    innerKeys[random, default: EncryptedClientHelloKeys()][keyPath: part] = bytes
    return .taken
  }

  private mutating func addAlternative(
    _ secret: Bytes, ofClient isClient: Bool, _ random: ShortBytes
  ) -> Addition {
    let limit = SecretStore.maximumAlternatives
    guard alternatives[random] != nil || alternatives.count < limit.sessions else { return .full }
    var others = alternatives[random] ?? HandshakeSecrets(client: [], server: [])
    let known = isClient ? others.client : others.server
    if known.contains(secret) { return .repeated }
    guard known.count < limit.secrets else { return .full }
    if isClient { others.client.append(secret) } else { others.server.append(secret) }
    alternatives[random] = others
    return .conflicting
  }

  private func secret(at place: Int) -> Bytes? {
    let count = Int(slots[place])
    guard count > 0 else { return nil }
    return Bytes(slots[(place + 1)..<(place + 1 + count)])
  }

  private mutating func write(_ secret: Bytes, at place: Int) {
    slots[place] = UInt8(truncatingIfNeeded: secret.count)
    for (index, byte) in secret.enumerated() { slots[place + 1 + index] = byte }
  }

  /// Where the session's slot begins.
  private func find(_ random: ShortBytes) -> Int? {
    table.first(of: random.seededHash(seed)) { slots[$0..<($0 + 32)].elementsEqual(random) }
  }
}
