import ByteParsing
package import HandshakeDecryption
import QUICParsing
import TLSParsing

/// Reads the frames of decrypted packets, and emits the messages in them.
extension QUICConnection {
  mutating func receive(_ decrypted: PacketProtection.Decrypted, isFromClient: Bool, _ frame: UInt64, _ secrets: SecretStore) {
    receiveFrames(decrypted, isFromClient: isFromClient, isInitial: true, frame)
    if isFromClient, clientRandom.count == 0 {
      // A hello without its end still contains the random.
      clientRandom = QUICConnection.random(of: client.initial)
    }
    while let message = nextMessage(isFromClient: isFromClient, isInitial: true) {
      if isFromClient, !secrets.isEmpty, message.type == .clientHello {
        offersInnerHello = HelloFields(ofClient: message.body.span).body(of: .encryptedClientHello) != nil
      }
      if !isFromClient, message.type == .serverHello { takeServerHello(message.body) }
    }
    prepareHandshakeKeys(secrets)
  }

  /// The random of a client's hello; empty if it is missing.
  static func random(of stream: CryptoStream) -> ShortBytes {
    let hello = stream.contiguous
    guard hello.count >= 38, hello[0] == HandshakeType.clientHello.rawValue else { return ShortBytes() }
    return ShortBytes(hello.span.extracting(6..<38))
  }

  mutating func receiveHandshake(_ decrypted: PacketProtection.Decrypted, isFromClient: Bool, _ frame: UInt64) {
    receiveFrames(decrypted, isFromClient: isFromClient, isInitial: false, frame)
    while let message = nextMessage(isFromClient: isFromClient, isInitial: false) {
      guard message.type == .finished else { continue }
      self[isFromClient: isFromClient].decryption = .finished
      // Both sides have completed the handshake, whether or not the capture shows what follows.
      if client.isFinished, server.isFinished { establish(frame) }
    }
  }

  private mutating func receiveFrames(_ decrypted: PacketProtection.Decrypted, isFromClient: Bool, isInitial: Bool, _ frame: UInt64) {
    self[isFromClient: isFromClient][isInitial: isInitial].note(packetNumber: decrypted.number)
    let payload = decrypted.payload.span
    var reader = FrameReader(payload)
    // A malformed frame makes the rest of the packet unreadable, but not the frames before it.
    while let next = try? reader.next() {
      switch next {
      case .crypto(let offset, let data):
        self[isFromClient: isFromClient][isInitial: isInitial].insert(payload.extracting(data), at: offset, frame: frame)
      case .connectionClose(let code, let isApplication, _):
        guard !isClosed else { continue }
        isClosed = true
        // In Initial and Handshake packets, APPLICATION_ERROR replaces the code of an application (RFC 9000 §10.2.3).
        let isByApplication = isApplication || code == 0x0C
        events.append(.close(QUICClose(isFromClient: isFromClient, code: code, isApplication: isByApplication, frame: frame)))
      case .padding, .ping, .acknowledgment:
        continue
      }
    }
  }

  /// Removes and returns the next whole message of a side.
  private mutating func nextMessage(isFromClient: Bool, isInitial: Bool) -> (type: HandshakeType, body: Bytes, frames: [UInt64])? {
    guard let message = self[isFromClient: isFromClient][isInitial: isInitial].next() else { return nil }
    // A limit, because messages without a body can be very numerous.
    if events.count < QUICLimits.events { emit(message, isFromClient: isFromClient, isWhole: true) }
    return message
  }

  private mutating func takeServerHello(_ body: Bytes) {
    guard !hasServerHello, let hello = try? ServerHello(parsing: body.span), !hello.isHelloRetryRequest else { return }
    handshakeKeys = .awaitingRandom(DecryptableSuite(hello.cipherSuite))
  }

  /// Derives the keys of Handshake packets, once the server has chosen the suite and the client's random is known. In a reordered capture,
  /// the client's hello may be complete only after the ServerHello.
  private mutating func prepareHandshakeKeys(_ secrets: SecretStore) {
    guard case .awaitingRandom(let suite) = handshakeKeys, clientRandom.count > 0 || secrets.isEmpty else { return }
    switch (suite, secrets.secrets(ofRandom: clientRandom)) {
    case (let suite?, let known?): use(known, suite)
    // If the server accepts Encrypted ClientHello, the key log identifies the secrets by the inner hello's random.
    case (let suite?, nil) where offersInnerHello && !secrets.isEmpty: handshakeKeys = .sought(suite)
    case (_, nil) where !secrets.isEmpty: handshakeKeys = .missing(isSearchUnfinished: false)
    default: handshakeKeys = .none
    }
    releaseHeld(secrets)
  }

  private mutating func use(_ secrets: HandshakeSecrets, _ suite: DecryptableSuite, innerRandom: ShortBytes? = nil) {
    client.use(secrets.client, suite, version)
    server.use(secrets.server, suite, version)
    handshakeKeys = .derived(innerRandom: innerRandom)
  }

  /// Searches for the secrets that decrypt the server's first Handshake packet, and then reads the held packets. This is necessary if the
  /// client offered Encrypted ClientHello and the key log has no secrets for its outer random.
  package mutating func seekSecrets(with search: inout SecretSearch, in store: SecretStore) {
    guard case .sought(let suite) = handshakeKeys, let clientDirection else { return }
    let version = version
    for packet in held where packet.direction != clientDirection {
      let bytes = packet.bytes
      guard let header = try? LongHeader(parsing: bytes.span), header.type == .handshake else { continue }
      let result = search.search(in: store) { secret in
        PacketProtection(secret: secret, suite: suite, version: version)?.decrypt(header, in: bytes.span, largest: nil) != nil
      }
      switch result {
      case .found(let random, let secrets): use(secrets, suite, innerRandom: random)
      case .unfinished: handshakeKeys = .missing(isSearchUnfinished: true)
      case .none: handshakeKeys = .missing(isSearchUnfinished: false)
      }
      return releaseHeld(store)
    }
  }
}
