import ByteParsing
package import HandshakeDecryption
import QUICParsing
import TLSParsing
import Values

/// Reads the frames of packets that were opened, and gives the messages in them.
extension QUICConnection {
  mutating func receive(
    _ opened: PacketProtection.Opened, isFromClient: Bool, _ frame: UInt64, _ secrets: SecretStore
  ) {
    receiveFrames(opened, isFromClient: isFromClient, isInitial: true, frame)
    if isFromClient, clientRandom.count == 0 {
      // Of a hello whose end is lost the random is there all the same.
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

  /// The random of a client's hello; empty where it is not there.
  static func random(of stream: CryptoStream) -> ShortBytes {
    let hello = stream.contiguous
    guard hello.count >= 38, hello[0] == HandshakeType.clientHello.rawValue else { return ShortBytes() }
    return ShortBytes(hello.span.extracting(6..<38))
  }

  mutating func makeHandshakeSession(
    _ opened: PacketProtection.Opened, isFromClient: Bool, _ frame: UInt64
  ) {
    receiveFrames(opened, isFromClient: isFromClient, isInitial: false, frame)
    while let message = nextMessage(isFromClient: isFromClient, isInitial: false) {
      guard message.type == .finished else { continue }
      self[isFromClient: isFromClient].opening = .finished
      // Both have said all of the handshake, whether or not the capture shows what follows it.
      if client.isFinished, server.isFinished { establish(frame) }
    }
  }

  private mutating func receiveFrames(
    _ opened: PacketProtection.Opened, isFromClient: Bool, isInitial: Bool, _ frame: UInt64
  ) {
    self[isFromClient: isFromClient][isInitial: isInitial].note(packetNumber: opened.number)
    let payload = opened.payload.span
    var reader = FrameReader(payload)
    // A frame that breaks its rule spoils what follows it in the packet, and nothing before.
    while let next = try? reader.next() {
      switch next {
      case .crypto(let offset, let data):
        self[isFromClient: isFromClient][isInitial: isInitial].insert(
          payload.extracting(data), at: offset, frame: frame)
      case .connectionClose(let code, let isApplication, _):
        guard !isClosed else { continue }
        isClosed = true
        events.append(
          .close(QUICClose(isFromClient: isFromClient, code: code, isApplication: isApplication, frame: frame)))
      case .padding, .ping, .acknowledgment:
        continue
      }
    }
  }

  /// Takes the next whole message of a side out of its bytes.
  private mutating func nextMessage(
    isFromClient: Bool, isInitial: Bool
  ) -> (type: HandshakeType, body: Bytes, frames: [UInt64])? {
    guard let message = self[isFromClient: isFromClient][isInitial: isInitial].next() else { return nil }
    // Messages without a body could come by the thousand.
    if events.count < QUICLimits.events { emit(message, isFromClient: isFromClient, isWhole: true) }
    return message
  }

  private mutating func takeServerHello(_ body: Bytes) {
    guard !hasServerHello, let hello = try? ServerHello(parsing: body.span), !hello.isHelloRetryRequest
    else { return }
    handshakeKeys = .awaitingRandom(SealedSuite(hello.cipherSuite))
  }

  /// Makes the keys of Handshake packets, once the server has chosen the suite and the client's random is there: its hello may
  /// end after the answer where packets changed places.
  private mutating func prepareHandshakeKeys(_ secrets: SecretStore) {
    guard case .awaitingRandom(let suite) = handshakeKeys, clientRandom.count > 0 || secrets.isEmpty else { return }
    switch (suite, secrets.secrets(ofRandom: clientRandom)) {
    case (let suite?, let known?): use(known, suite)
    // Where the server accepts Encrypted ClientHello, the log names the secrets by the inner hello's random.
    case (let suite?, nil) where offersInnerHello && !secrets.isEmpty: handshakeKeys = .sought(suite)
    case (_, nil) where !secrets.isEmpty: handshakeKeys = .missing(isSearchUnfinished: false)
    default: handshakeKeys = .none
    }
    releaseHeld(secrets)
  }

  private mutating func use(_ secrets: HandshakeSecrets, _ suite: SealedSuite, innerRandom: ShortBytes? = nil) {
    client.use(secrets.client, suite, version)
    server.use(secrets.server, suite, version)
    handshakeKeys = .derived(innerRandom: innerRandom)
  }

  /// Searches for the secrets that open the server's first Handshake packet, where none is named by the client's random and the client
  /// offered Encrypted ClientHello; then opens what was held.
  package mutating func seekSecrets(with search: inout SecretSearch, in store: SecretStore) {
    guard case .sought(let suite) = handshakeKeys, let clientDirection else { return }
    let version = version
    for packet in held where packet.direction != clientDirection {
      let bytes = packet.bytes
      guard let header = try? LongHeader(parsing: bytes.span), header.type == .handshake else { continue }
      let result = search.search(in: store) { secret in
        PacketProtection(secret: secret, suite: suite, version: version)?
          .open(header, in: bytes.span, largest: nil) != nil
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
