import ByteParsing
import HandshakeDecryption
import QUICParsing
import Values

/// Assigns packets to a connection, and decrypts them.
extension QUICConnection {
  mutating func receive(_ header: LongHeader, _ datagram: Span<UInt8>, _ direction: Direction, _ frame: UInt64, _ secrets: SecretStore)
    -> Disposition
  {
    switch header.type {
    case .initial:
      return receiveInitial(header, datagram, direction, frame, secrets)
    case .handshake:
      receiveHandshake(header, datagram, direction, frame, secrets)
      return .taken
    case .zeroRTT:
      return .taken
    case .retry:
      return receiveRetry(header, datagram, direction)
    case .versionNegotiation:
      return receiveVersionNegotiation(header, datagram, direction)
    }
  }

  private mutating func receiveInitial(
    _ header: LongHeader, _ datagram: Span<UInt8>, _ direction: Direction, _ frame: UInt64, _ secrets: SecretStore
  ) -> Disposition {
    if let clientDirection, clientDirection != direction { return receiveServerInitial(header, datagram, frame, secrets) }
    if let decrypted = decryptWithKnownKeys(header, datagram, isFromClient: true) {
      guard client.isAccepted(from: header.source) else { return .ignored }
      receive(decrypted, isFromClient: true, frame, secrets)
      return .taken
    }
    if isOfAbandonedHello(header, datagram, isFromClient: true) { return .taken }
    guard failures < QUICLimits.failures else { return .ignored }
    guard let (newKeys, decrypted) = decryptWithNewKeys(header, header.destination, datagram, isFromClient: true) else {
      // The server's first packet may precede the client's in the capture.
      fail(datagram, header, direction, frame)
      return clientDirection == nil ? .taken : .ignored
    }
    if clientDirection != nil {
      if isBeforeRetry(header, decrypted) {
        abandon([newKeys], for: header.destination)
        wasRetried = true
        return .taken
      }
      guard continues(header) else { return .startsAnother }
      // The hello is sent again from its first byte, and may differ.
      restart()
    }
    if keys.count == QUICLimits.keySets { keys.removeFirst() }
    keys.append(newKeys)
    version = newKeys.version
    clientDirection = direction
    if originalDestination == nil { originalDestination = header.destination }
    client.source = header.source
    client.numberWithToken = header.token.isEmpty ? nil : decrypted.number
    receive(decrypted, isFromClient: true, frame, secrets)
    releaseHeld(secrets)
    return .taken
  }

  /// Whether a client's Initial packet under new keys is the one that a Retry answered, captured late: the same hello without a token (RFC
  /// 9000 §17.2.5.3). Some clients send a new ClientHello and keep only their connection ID.
  private func isBeforeRetry(_ header: LongHeader, _ decrypted: PacketProtection.Decrypted) -> Bool {
    guard let number = client.numberWithToken, header.token.isEmpty, header.version == version, client.source == header.source else {
      return false
    }
    let length = header.source.bytes.count
    // After the ServerHello, only with a lower packet number: a Retry does not reset it, and another connection begins at zero.
    if hasServerHello ? length >= 8 && decrypted.number < number : length >= 4 { return true }
    guard clientRandom.count > 0 else { return false }
    var hello = CryptoStream(maximumByteCount: QUICLimits.initialBytes)
    var reader = FrameReader(decrypted.payload.span)
    while let next = try? reader.next() {
      guard case .crypto(let offset, let data) = next else { continue }
      hello.insert(decrypted.payload.span.extracting(data), at: offset, frame: 0)
    }
    return QUICConnection.random(of: hello) == clientRandom
  }

  /// Whether a client's Initial packet under new keys continues this connection.
  private func continues(_ header: LongHeader) -> Bool {
    if hasServerHello { return false }
    if retrySources.contains(header.destination) || negotiatedVersions.contains(header.version) { return true }
    // The capture may lack a Retry or a Version Negotiation packet. The client then keeps its connection ID, and sends a token or uses
    // another version. A client with an empty connection ID has one connection at a time between two endpoints.
    return client.source == header.source && (!header.token.isEmpty || header.version != version)
  }

  private mutating func receiveServerInitial(
    _ header: LongHeader, _ datagram: Span<UInt8>, _ frame: UInt64, _ secrets: SecretStore
  ) -> Disposition {
    if let id = client.source, id != header.destination { return .ignored }
    if let decrypted = decryptWithKnownKeys(header, datagram, isFromClient: false) {
      guard server.isAccepted(from: header.source) else { return .ignored }
      server.source = header.source
      // Packets sent before the server changed the version may arrive after its ServerHello.
      if !hasServerHello { version = header.version }
      receive(decrypted, isFromClient: false, frame, secrets)
      return .taken
    }
    if isOfAbandonedHello(header, datagram, isFromClient: false) { return .taken }
    // A server may respond in another version than the client's (RFC 9369 §4), but not after Version Negotiation, which a reserved version
    // always leads to.
    if failures < QUICLimits.failures, header.version != version, negotiatedVersions.isEmpty, !version.isReserved, let last = keys.last,
      let (newKeys, decrypted) = decryptWithNewKeys(header, last.connectionID, datagram, isFromClient: false)
    {
      guard server.isAccepted(from: header.source) else { return .ignored }
      if keys.count == QUICLimits.keySets { keys.removeFirst() }
      keys.append(newKeys)
      if !hasServerHello { version = header.version }
      server.source = header.source
      receive(decrypted, isFromClient: false, frame, secrets)
      releaseHeld(secrets)
      return .taken
    }
    // The client's renewed request may follow the server's response in the capture.
    fail(datagram, header, clientDirection?.opposite ?? .fromUpper, frame)
    return .ignored
  }

  /// Records an Initial packet that no known keys decrypt, and holds it in case the keys become known.
  private mutating func fail(_ datagram: Span<UInt8>, _ header: LongHeader, _ direction: Direction, _ frame: UInt64) {
    if isReleasing {
      repeatedFailures += 1
    } else {
      failures += 1
      undecryptedPackets += 1
    }
    guard !hasServerHello, repeatedFailures < QUICLimits.repeatedFailures else { return }
    hold(datagram, header, direction, frame)
  }

  private func isOfAbandonedHello(_ header: LongHeader, _ datagram: Span<UInt8>, isFromClient: Bool) -> Bool {
    abandonedKeys.contains {
      $0.version == header.version && (isFromClient ? $0.client : $0.server).decrypt(header, in: datagram, largest: nil) != nil
    }
  }

  private func decryptWithKnownKeys(_ header: LongHeader, _ datagram: Span<UInt8>, isFromClient: Bool) -> PacketProtection.Decrypted? {
    for known in keys.reversed() where known.version == header.version {
      let protection = isFromClient ? known.client : known.server
      let largest = self[isFromClient: isFromClient].initial.largestPacketNumber
      if let decrypted = protection.decrypt(header, in: datagram, largest: largest) { return decrypted }
    }
    return nil
  }

  private func decryptWithNewKeys(
    _ header: LongHeader, _ connectionID: ConnectionID, _ datagram: Span<UInt8>, isFromClient: Bool
  ) -> (InitialKeys, PacketProtection.Decrypted)? {
    if keys.contains(where: { $0.version == header.version && $0.connectionID == connectionID }) { return nil }
    for newKeys in InitialKeys.candidates(version: header.version, connectionID: connectionID) {
      let protection = isFromClient ? newKeys.client : newKeys.server
      if let decrypted = protection.decrypt(header, in: datagram, largest: nil) { return (newKeys, decrypted) }
    }
    return nil
  }

  private mutating func receiveRetry(_ header: LongHeader, _ datagram: Span<UInt8>, _ direction: Direction) -> Disposition {
    guard clientDirection == direction.opposite, !hasServerHello, let original = originalDestination,
      RetryIntegrity.isValid(header, in: datagram, original: original) != false
    else { return .ignored }
    wasRetried = true
    // If a hello fills several packets, the server may answer each with a Retry; the client follows the first that it receives.
    if retrySources.count < QUICLimits.keySets { retrySources.append(header.source) }
    if server.isAccepted(from: header.source) { server.source = header.source }
    return .taken
  }

  private mutating func receiveVersionNegotiation(_ header: LongHeader, _ datagram: Span<UInt8>, _ direction: Direction) -> Disposition {
    // A client accepts it only if it repeats both connection IDs and does not list the client's version (RFC 9000 §6.2).
    let versions = header.supportedVersions(in: datagram)
    guard clientDirection == direction.opposite, !hasServerHello, header.destination == client.source,
      header.source == originalDestination, !versions.contains(version)
    else { return .ignored }
    negotiatedVersions = versions
    return .taken
  }

  private mutating func restart() {
    client = Side()
    server = Side()
    clientRandom = ShortBytes()
    offersInnerHello = false
    abandon(keys, for: originalDestination)
    keys = []
    originalDestination = nil
    events.append(.restart)
  }

  /// Keeps the keys that identify packets of a hello that the client has abandoned.
  private mutating func abandon(_ keys: [InitialKeys], for destination: ConnectionID?) {
    abandonedKeys = (abandonedKeys + keys).suffix(QUICLimits.keySets)
    if let id = destination, abandonedDestinations.count < QUICLimits.keySets {
      abandonedDestinations.append(id)
    }
  }

  private mutating func receiveHandshake(
    _ header: LongHeader, _ datagram: Span<UInt8>, _ direction: Direction, _ frame: UInt64, _ secrets: SecretStore
  ) {
    guard let clientDirection else {
      hold(datagram, header, direction, frame)
      return
    }
    let isFromClient = direction == clientDirection
    // Two endpoints may have several connections; a packet with another destination connection ID belongs to another one.
    if let id = self[isFromClient: !isFromClient].source, id != header.destination { return }
    if !self[isFromClient: isFromClient].isPastInitial { self[isFromClient: isFromClient].level = .handshake }
    if !isFromClient, server.source == nil { server.source = header.source }
    let side = self[isFromClient: isFromClient]
    let protections: [PacketProtection]
    switch (side.decryption, handshakeKeys) {
    case (.noKeys, .awaitingServerHello), (.noKeys, .awaitingRandom), (.noKeys, .sought):
      if !secrets.isEmpty { hold(datagram, header, direction, frame) }
      return
    case (.noKeys, _), (.finished, _): return
    case (.untried(let all, _), _): protections = all
    case (.decrypting(let protection), _): protections = [protection]
    }
    let largest = side.handshake.largestPacketNumber
    for protection in protections {
      guard let decrypted = protection.decrypt(header, in: datagram, largest: largest) else { continue }
      self[isFromClient: isFromClient].decryption = .decrypting(protection)
      receiveHandshake(decrypted, isFromClient: isFromClient, frame)
      return
    }
    undecryptedPackets += 1
    if case .untried = side.decryption {
      self[isFromClient: isFromClient].decryption = .untried(protections, isRefuted: true)
    }
  }

  private mutating func hold(_ datagram: Span<UInt8>, _ header: LongHeader, _ direction: Direction, _ frame: UInt64) {
    let packet = datagram.extracting(header.packet)
    guard held.count < QUICLimits.heldPackets, packet.count <= QUICLimits.heldBytes - heldByteCount else {
      heldWasFull = true
      return
    }
    held.append(HeldPacket(bytes: Bytes(copying: packet), direction: direction, frame: frame))
  }

  mutating func releaseHeld(_ secrets: SecretStore) {
    let packets = exchange(&held, with: [])
    let wasReleasing = exchange(&isReleasing, with: true)
    defer { isReleasing = wasReleasing }
    for packet in packets {
      let bytes = packet.bytes.span
      guard let header = try? LongHeader(parsing: bytes) else { continue }
      _ = receive(header, bytes, packet.direction, packet.frame, secrets)
    }
  }
}
