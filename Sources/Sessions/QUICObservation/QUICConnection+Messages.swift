import ByteParsing
package import HandshakeDecryption
import QUICParsing
import TLSParsing
import Values

/// Reads the frames of packets that were opened, and gives the messages in them.
extension QUICConnection {
  mutating func take(
    _ opened: PacketProtection.Opened, isFromClient: Bool, _ frame: UInt64, _ secrets: SecretStore
  ) {
    if isFromClient {
      client.largestInitial = max(client.largestInitial ?? 0, opened.number)
    } else {
      server.largestInitial = max(server.largestInitial ?? 0, opened.number)
    }
    takeFrames(opened.payload, isFromClient: isFromClient, isInitial: true, frame)
    if isFromClient, clientRandom.count == 0 {
      // Of a hello whose end is lost the random is there all the same.
      clientRandom = QUICConnection.random(of: client.initial)
    }
    while let message = isFromClient ? client.initial.next() : server.initial.next() {
      emit(message, isFromClient: isFromClient, isDecrypted: false)
      if isFromClient, !secrets.isEmpty, message.type == .clientHello {
        offersInnerHello = ClientHello(parsingPrefix: message.body.span).encryptedClientHello != nil
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

  mutating func takeHandshake(
    _ opened: PacketProtection.Opened, isFromClient: Bool, _ frame: UInt64
  ) {
    if isFromClient {
      client.largestHandshake = max(client.largestHandshake ?? 0, opened.number)
    } else {
      server.largestHandshake = max(server.largestHandshake ?? 0, opened.number)
    }
    takeFrames(opened.payload, isFromClient: isFromClient, isInitial: false, frame)
    while let message = isFromClient ? client.handshake.next() : server.handshake.next() {
      emit(message, isFromClient: isFromClient, isDecrypted: true)
      guard message.type == .finished else { continue }
      if isFromClient { client.isFinished = true } else { server.isFinished = true }
      // Both have said all of the handshake, whether or not the capture shows what follows it.
      if client.isFinished, server.isFinished, !isEstablished {
        isEstablished = true
        events.append(.established(frame: frame))
      }
    }
  }

  private mutating func takeFrames(
    _ payload: Bytes, isFromClient: Bool, isInitial: Bool, _ frame: UInt64
  ) {
    var reader = FrameReader(payload.span)
    // A frame that breaks its rule spoils what follows it in the packet, and nothing before.
    while let next = try? reader.next() {
      switch next {
      case .crypto(let offset, let data):
        let bytes = payload.span.extracting(data)
        switch (isFromClient, isInitial) {
        case (true, true): client.initial.insert(bytes, at: offset, frame: frame)
        case (true, false): client.handshake.insert(bytes, at: offset, frame: frame)
        case (false, true): server.initial.insert(bytes, at: offset, frame: frame)
        case (false, false): server.handshake.insert(bytes, at: offset, frame: frame)
        }
      case .connectionClose(let code, let isApplication, _):
        guard !isClosed else { continue }
        isClosed = true
        events.append(
          .close(
            QUICClose(
              isFromClient: isFromClient, code: code, isApplication: isApplication,
              isDecrypted: !isInitial, frame: frame)))
      case .padding, .ping, .acknowledgment:
        continue
      }
    }
  }

  private mutating func emit(
    _ message: (type: HandshakeType, body: Bytes, frames: [UInt64]), isFromClient: Bool, isDecrypted: Bool
  ) {
    // Messages without a body could come by the thousand.
    guard events.count < QUICLimits.events else { return }
    events.append(
      .message(
        QUICMessage(
          isFromClient: isFromClient, type: message.type, body: message.body, isWhole: true,
          isDecrypted: isDecrypted, frames: message.frames)))
  }

  private mutating func takeServerHello(_ body: Bytes) {
    guard !hasServerHello, let hello = try? ServerHello(parsing: body.span), !hello.isHelloRetryRequest
    else { return }
    hasServerHello = true
    answeredSuite = SealedSuite(hello.cipherSuite)
  }

  /// Makes the keys of Handshake packets, once the server has chosen the suite and the client's random is there: its hello may
  /// end behind the answer where packets changed places.
  private mutating func prepareHandshakeKeys(_ secrets: SecretStore) {
    guard hasServerHello, !isPrepared, clientRandom.count > 0 || secrets.isEmpty else { return }
    isPrepared = true
    lacksSecrets = !secrets.isEmpty && secrets.secrets(ofRandom: clientRandom) == nil
    if let suite = answeredSuite {
      if let known = secrets.secrets(ofRandom: clientRandom) {
        use(known, suite)
      } else {
        // Where the server accepts Encrypted ClientHello, the log names the secrets by the inner hello's random.
        isSeeking = offersInnerHello && lacksSecrets
      }
    }
    releaseHeld(secrets)
  }

  private mutating func use(_ secrets: HandshakeSecrets, _ suite: SealedSuite) {
    client.protections = secrets.client.compactMap {
      PacketProtection(secret: $0, suite: suite, version: version)
    }
    server.protections = secrets.server.compactMap {
      PacketProtection(secret: $0, suite: suite, version: version)
    }
    hasUselessSecrets = !hasHandshakeKeys
  }

  /// Searches for the secrets that open the server's first Handshake packet, where none is named by the client's random and the client
  /// offered Encrypted ClientHello; then opens what was held.
  package mutating func seekSecrets(with search: inout SecretSearch, in store: SecretStore) {
    guard isSeeking, let suite = answeredSuite, let clientDirection else { return }
    let version = version
    for packet in held where packet.direction != clientDirection {
      let bytes = packet.bytes
      guard let header = try? LongHeader(parsing: bytes.span), header.type == .handshake else { continue }
      isSeeking = false
      let result = search.search(in: store) { secret in
        PacketProtection(secret: secret, suite: suite, version: version)?
          .open(header, in: bytes.span, largest: nil) != nil
      }
      switch result {
      case .found(let random, let secrets):
        innerRandom = random
        lacksSecrets = false
        use(secrets, suite)
      case .unfinished: isSearchUnfinished = true
      case .none: break
      }
      return releaseHeld(store)
    }
  }
}
