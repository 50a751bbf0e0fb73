import ByteParsing
public import HandshakeDecryption
public import QUICParsing
import TLSParsing

/// Follows the handshake of one QUIC connection, datagram by datagram (RFC 9000, RFC 9001, RFC 9369).
///
/// Initial packets are opened with the keys that everyone can derive; Handshake packets with the secrets of a key log,
/// where there are any. Packets under the keys that follow the handshake are never opened, only noticed.
public struct QUICConnection: Sendable {
  /// What became of a datagram.
  public enum Disposition: Hashable, Sendable {
    /// It belongs to the connection.
    case taken
    /// It begins another connection between the same two ends.
    case startsAnother
    /// It tells nothing.
    case ignored
  }

  /// The version: the server's, once it has answered.
  public private(set) var version = QUICVersion.negotiation

  /// Whether the lesser end is the client; nil before a packet tells.
  public private(set) var isClientLower: Bool?

  /// Whether the server sent a Retry packet that fits.
  public private(set) var wasRetried = false

  /// The versions that the server named in a Version Negotiation packet; empty without one.
  public private(set) var negotiatedVersions: [QUICVersion] = []

  /// Whether the client sent early data.
  public private(set) var sentEarlyData = false

  /// Whether Handshake packets were opened.
  public private(set) var isDecrypted: Bool

  /// Whether there were secrets for the connection that do not open its packets, or not those of the server.
  public var secretsFailed: Bool {
    hasUselessSecrets || server.isRefuted || client.isRefuted && !server.hasOpened
  }

  /// Whether there are secrets for the connection, but none of the server's, without which its certificates stay hidden.
  public var lacksServerSecret: Bool {
    !hasUselessSecrets && !client.protections.isEmpty && server.protections.isEmpty
  }

  /// Whether there are secrets for what the server sends up to its Finished, but not all of that is in the capture.
  public var isServerFlightUnread: Bool {
    !server.protections.isEmpty && !server.isRefuted && !server.isFinished
  }

  /// Whether packets of the handshake are missing: what follows a message is there, and the message is not.
  public var hasGaps: Bool {
    client.initial.hasUnfinishedMessage && (hasServerHello || server.hasGoneOn)
      || (server.initial.hasUnfinishedMessage || !hasServerHello) && server.hasGoneOn
      || isServerFlightUnread && (server.sentShortHeader || client.sentShortHeader || client.isFinished)
  }

  /// Whether both sides use the keys that follow the handshake.
  public private(set) var isEstablished = false

  /// How many sides were seen to use the keys that follow the handshake.
  public var sidesBehindHandshake: Int { (client.sentShortHeader ? 1 : 0) + (server.sentShortHeader ? 1 : 0) }

  /// Whether either side closed the connection.
  public private(set) var isClosed = false

  /// Whether the server's ServerHello, and no HelloRetryRequest, has been seen.
  public private(set) var hasServerHello = false

  /// Packets of the handshake that could not be opened.
  public private(set) var unopenedPackets = 0

  /// Whether bytes were left out because of a limit.
  public var hitLimit: Bool {
    client.initial.hitLimit || client.handshake.hitLimit || server.initial.hitLimit
      || server.handshake.hitLimit || heldWasFull
  }

  /// CRYPTO bytes that came again with another content; the first copy was kept.
  public var disagreeingBytes: Int {
    client.initial.disagreeingBytes + client.handshake.disagreeingBytes + server.initial.disagreeingBytes
      + server.handshake.disagreeingBytes
  }

  /// Bytes that the connection holds.
  public var heldBytes: Int {
    client.initial.heldBytes + client.handshake.heldBytes + server.initial.heldBytes
      + server.handshake.heldBytes + heldByteCount
  }

  /// Whether nothing more is to be expected.
  public var isOver: Bool {
    if isClosed { return true }
    guard isEstablished, hasServerHello || unopenedPackets > 0 else { return false }
    return !hasHandshakeKeys || client.isFinished && server.isFinished
  }

  /// The client's first Destination Connection ID: what the keys come from.
  public private(set) var originalDestination: ConnectionID?

  private var client = Side()
  private var server = Side()
  private var keys: [InitialKeys] = []
  /// Those of hellos that the client has given up since: after a Retry or a version negotiation it begins anew.
  private var givenUpKeys: [InitialKeys] = []
  private var events: [QUICEvent] = []
  private var held: [HeldPacket] = []
  private var heldByteCount = 0
  private var heldWasFull = false
  private var retrySources: [ConnectionID] = []
  private var failures = 0
  /// Packets that were held and did not open under new keys either.
  private var repeatedFailures = 0
  private var isReleasing = false
  private var clientRandom = ShortBytes()
  private var answeredSuite: SealedSuite?
  /// Whether the secrets were asked for what opens Handshake packets.
  private var isPrepared = false
  private var hasUselessSecrets = false
  private var hasHandshakeKeys: Bool { !client.protections.isEmpty || !server.protections.isEmpty }

  /// What one side has sent.
  private struct Side: Sendable {
    var initial = CryptoStream(byteLimit: QUICLimits.initialBytes)
    var handshake = CryptoStream(byteLimit: QUICLimits.handshakeBytes)
    var largestInitial: UInt64?
    var largestHandshake: UInt64?
    /// What the side calls itself, and so what the other side's packets are sent to.
    var source: ConnectionID?
    /// What opens its Handshake packets: one, or several of which the first packet that opens tells the right one.
    var protections: [PacketProtection] = []
    var hasOpened = false
    var hasFailed = false
    var isFinished = false
    var sentHandshake = false
    var sentShortHeader = false

    /// Whether there are secrets that open nothing of what they ought to.
    var isRefuted: Bool { hasFailed && !hasOpened }

    /// Whether it sent what follows its hello.
    var hasGoneOn: Bool { sentHandshake || sentShortHeader }
  }

  /// A packet that cannot be opened yet.
  private struct HeldPacket: Sendable {
    var bytes: Bytes
    var fromLower: Bool
    var frame: UInt64
  }

  /// Creates a connection of which nothing has been seen.
  public init() { isDecrypted = false }

  /// The events since the last time.
  public mutating func takeEvents() -> [QUICEvent] {
    let taken = events
    events = []
    return taken
  }

  /// Takes a datagram with at least one long header. `secrets` is what a key log has.
  public mutating func receive(
    _ datagram: Span<UInt8>, fromLower: Bool, frame: UInt64, secrets: SecretStore
  ) -> Disposition {
    var disposition = Disposition.ignored
    var position = 0
    while position < datagram.count {
      if datagram[position] & 0x80 == 0 {
        receiveShort(
          datagram.extracting(position..<datagram.count), fromLower: fromLower, frame: frame)
        break
      }
      guard let header = try? LongHeader(parsing: datagram, from: position) else { break }
      let outcome = receive(header, datagram, fromLower, frame, secrets)
      if outcome == .startsAnother { return .startsAnother }
      if outcome == .taken { disposition = .taken }
      position = header.packet.upperBound
    }
    return disposition
  }

  /// Takes a datagram, or the end of one, that begins with a short header. It is not opened. Returns whether it is for one
  /// of the two ends.
  @discardableResult
  public mutating func receiveShort(_ packet: Span<UInt8>, fromLower: Bool, frame: UInt64) -> Bool {
    guard let isClientLower, packet.count >= 21 else { return false }
    let isFromClient = fromLower == isClientLower
    // Until the handshake is over each side is called what it called itself.
    guard let destination = isFromClient ? server.source : client.source,
      packet.count > destination.bytes.count
    else { return false }
    // Padding behind a packet has no fixed bit (RFC 9000 §17.3.1); of a packet that has none either (RFC 9287) the name tells.
    guard packet[0] & 0x40 != 0 || destination.bytes.count >= 4 else { return false }
    for (index, byte) in destination.bytes.enumerated() where packet[1 + index] != byte { return false }
    guard !isEstablished else { return true }
    if isFromClient { client.sentShortHeader = true } else { server.sentShortHeader = true }
    if client.sentShortHeader, server.sentShortHeader {
      isEstablished = true
      events.append(.established(frame: frame))
    }
    return true
  }

  /// What packets of the connection may be sent to, as far as it has a name of at least a byte.
  public var names: [ConnectionID] {
    ([originalDestination, client.source, server.source] + retrySources).compactMap { name in
      name.flatMap { $0.isEmpty ? nil : $0 }
    }
  }

  /// Whether the client sends what goes to `name`; nil for a name that is not the connection's, or that of both.
  public func isFromClient(to name: ConnectionID) -> Bool? {
    let isServer = name == originalDestination || name == server.source || retrySources.contains(name)
    return isServer == (name == client.source) ? nil : isServer
  }

  /// Gives what was begun of the hellos, once nothing more will come.
  public mutating func breakOff() {
    for isFromClient in [true, false] {
      for isInitial in [true, false] {
        let side = isFromClient ? client : server
        let stream = isInitial ? side.initial : side.handshake
        let rest = stream.unfinished
        guard let first = rest.first else {
          if isInitial, stream.lacksBeginning { emitWithoutBeginning(stream, isFromClient: isFromClient) }
          continue
        }
        events.append(
          .message(
            QUICMessage(
              isFromClient: isFromClient, type: HandshakeType(rawValue: first),
              body: Bytes(rest.dropFirst(HandshakeHeader.byteCount)), isWhole: false,
              isDecrypted: !isInitial, frames: stream.unfinishedFrames)))
      }
    }
  }

  /// Gives a hello of which the first bytes are missing: that there was one.
  private mutating func emitWithoutBeginning(_ stream: CryptoStream, isFromClient: Bool) {
    events.append(
      .message(
        QUICMessage(
          isFromClient: isFromClient, type: isFromClient ? .clientHello : .serverHello, body: Bytes(),
          isWhole: false, isDecrypted: false, frames: stream.waitingFrames)))
  }

  /// Whether a datagram that is for a name of this connection is of another one all the same: its hello is not the one that was
  /// read, or it comes from a client of another name.
  public func isContradicted(by datagram: Span<UInt8>, fromLower: Bool) -> Bool {
    guard let header = try? LongHeader(parsing: datagram), header.type == .initial,
      isClientLower == fromLower
    else { return false }
    if let name = client.source, name != header.source { return true }
    var copy = self
    _ = copy.receive(datagram, fromLower: fromLower, frame: 0, secrets: SecretStore())
    return copy.disagreeingBytes > disagreeingBytes
  }
}

// MARK: - Packets

extension QUICConnection {
  private mutating func receive(
    _ header: LongHeader, _ datagram: Span<UInt8>, _ fromLower: Bool, _ frame: UInt64,
    _ secrets: SecretStore
  ) -> Disposition {
    switch header.type {
    case .initial:
      return receiveInitial(header, datagram, fromLower, frame, secrets)
    case .handshake:
      receiveHandshake(header, datagram, fromLower, frame, secrets)
      return .taken
    case .zeroRTT:
      if isClientLower == fromLower { sentEarlyData = true }
      return .taken
    case .retry:
      return receiveRetry(header, datagram, fromLower)
    case .versionNegotiation:
      return receiveVersionNegotiation(header, datagram, fromLower)
    }
  }

  private mutating func receiveInitial(
    _ header: LongHeader, _ datagram: Span<UInt8>, _ fromLower: Bool, _ frame: UInt64,
    _ secrets: SecretStore
  ) -> Disposition {
    if let isClientLower, isClientLower != fromLower {
      return receiveServerInitial(header, datagram, frame, secrets)
    }
    if let opened = openWithKnownKeys(header, datagram, isFromClient: true) {
      client.source = header.source
      take(opened, isFromClient: true, frame, secrets)
      return .taken
    }
    if isOfGivenUpHello(header, datagram, isFromClient: true) { return .taken }
    guard failures < QUICLimits.failures else { return .ignored }
    guard let (newKeys, opened) = openWithNewKeys(header, header.destination, datagram, isFromClient: true)
    else {
      // The server's first packet may stand in front of the client's.
      fail(datagram, header, fromLower, frame)
      return isClientLower == nil ? .taken : .ignored
    }
    if isClientLower != nil {
      guard continues(header) else { return .startsAnother }
      // The hello comes again from its first byte, and need not be the same one.
      restart()
    }
    if keys.count == QUICLimits.keySets { keys.removeFirst() }
    keys.append(newKeys)
    version = newKeys.version
    isClientLower = fromLower
    if originalDestination == nil { originalDestination = header.destination }
    client.source = header.source
    take(opened, isFromClient: true, frame, secrets)
    releaseHeld(secrets)
    return .taken
  }

  /// Whether a client's Initial packet under new keys goes on with this connection.
  private func continues(_ header: LongHeader) -> Bool {
    if hasServerHello { return false }
    if retrySources.contains(header.destination) || negotiatedVersions.contains(header.version) {
      return true
    }
    // A Retry or a negotiation that the capture lacks: the client keeps its own name, and brings a token or speaks another
    // version. A client without a name has one connection at a time between two ends.
    return client.source == header.source && (!header.token.isEmpty || header.version != version)
  }

  private mutating func receiveServerInitial(
    _ header: LongHeader, _ datagram: Span<UInt8>, _ frame: UInt64, _ secrets: SecretStore
  ) -> Disposition {
    if let name = client.source, name != header.destination { return .ignored }
    if let opened = openWithKnownKeys(header, datagram, isFromClient: false) {
      server.source = header.source
      // What was sent before the server chose another version may come after that.
      if !hasServerHello { version = header.version }
      take(opened, isFromClient: false, frame, secrets)
      return .taken
    }
    if isOfGivenUpHello(header, datagram, isFromClient: false) { return .taken }
    // A server may answer in another version than it was asked in (RFC 9369 §4).
    if failures < QUICLimits.failures, header.version != version, let last = keys.last,
      let (newKeys, opened) = openWithNewKeys(header, last.connectionID, datagram, isFromClient: false)
    {
      if keys.count == QUICLimits.keySets { keys.removeFirst() }
      keys.append(newKeys)
      if !hasServerHello { version = header.version }
      server.source = header.source
      take(opened, isFromClient: false, frame, secrets)
      releaseHeld(secrets)
      return .taken
    }
    // What the client asked for anew may stand behind its answer.
    fail(datagram, header, isClientLower == false, frame)
    return .ignored
  }

  /// Takes note of an Initial packet that no keys open; it may be that those are yet to come.
  private mutating func fail(
    _ datagram: Span<UInt8>, _ header: LongHeader, _ fromLower: Bool, _ frame: UInt64
  ) {
    if isReleasing {
      repeatedFailures += 1
    } else {
      failures += 1
      unopenedPackets += 1
    }
    guard !hasServerHello, repeatedFailures < QUICLimits.repeatedFailures else { return }
    hold(datagram, header, fromLower, frame)
  }

  private func isOfGivenUpHello(
    _ header: LongHeader, _ datagram: Span<UInt8>, isFromClient: Bool
  ) -> Bool {
    givenUpKeys.contains {
      $0.version == header.version
        && (isFromClient ? $0.client : $0.server).open(header, in: datagram, largest: nil) != nil
    }
  }

  private func openWithKnownKeys(
    _ header: LongHeader, _ datagram: Span<UInt8>, isFromClient: Bool
  ) -> PacketProtection.Opened? {
    for known in keys.reversed() where known.version == header.version {
      let protection = isFromClient ? known.client : known.server
      let largest = isFromClient ? client.largestInitial : server.largestInitial
      if let opened = protection.open(header, in: datagram, largest: largest) { return opened }
    }
    return nil
  }

  private func openWithNewKeys(
    _ header: LongHeader, _ connectionID: ConnectionID, _ datagram: Span<UInt8>, isFromClient: Bool
  ) -> (InitialKeys, PacketProtection.Opened)? {
    if keys.contains(where: { $0.version == header.version && $0.connectionID == connectionID }) {
      return nil
    }
    for attempt in 0..<InitialKeys.attemptCount(header.version) {
      guard
        let newKeys = InitialKeys(version: header.version, connectionID: connectionID, attempt: attempt),
        let opened = (isFromClient ? newKeys.client : newKeys.server).open(
          header, in: datagram, largest: nil)
      else { continue }
      return (newKeys, opened)
    }
    return nil
  }

  private mutating func receiveRetry(
    _ header: LongHeader, _ datagram: Span<UInt8>, _ fromLower: Bool
  ) -> Disposition {
    guard isClientLower == !fromLower, !hasServerHello, let original = originalDestination,
      RetryIntegrity.isValid(header, in: datagram, original: original) != false
    else { return .ignored }
    wasRetried = true
    // Each packet of a hello that fills several may be answered so; the client goes by the first that reaches it.
    if retrySources.count < QUICLimits.keySets { retrySources.append(header.source) }
    server.source = header.source
    return .taken
  }

  private mutating func receiveVersionNegotiation(
    _ header: LongHeader, _ datagram: Span<UInt8>, _ fromLower: Bool
  ) -> Disposition {
    // A client heeds it only if it repeats both names, and does not name what the client asked for (RFC 9000 §6.2).
    let versions = header.supportedVersions(in: datagram)
    guard isClientLower == !fromLower, !hasServerHello, header.destination == client.source,
      header.source == originalDestination, !versions.contains(version)
    else { return .ignored }
    negotiatedVersions = versions
    return .taken
  }

  private mutating func restart() {
    client = Side()
    server = Side()
    clientRandom = ShortBytes()
    givenUpKeys = (givenUpKeys + keys).suffix(QUICLimits.keySets)
    keys = []
    originalDestination = nil
    events.append(.restart)
  }

  private mutating func receiveHandshake(
    _ header: LongHeader, _ datagram: Span<UInt8>, _ fromLower: Bool, _ frame: UInt64,
    _ secrets: SecretStore
  ) {
    guard let isClientLower else {
      hold(datagram, header, fromLower, frame)
      return
    }
    let isFromClient = fromLower == isClientLower
    // Two ends may have more than one connection: what goes to another name belongs to another one.
    if let name = isFromClient ? server.source : client.source, name != header.destination { return }
    if isFromClient { client.sentHandshake = true } else { server.sentHandshake = true }
    if !isFromClient, server.source == nil { server.source = header.source }
    let side = isFromClient ? client : server
    guard !side.protections.isEmpty else {
      if !isPrepared, !secrets.isEmpty { hold(datagram, header, fromLower, frame) }
      return
    }
    guard !side.isFinished else { return }
    for protection in side.protections {
      guard let opened = protection.open(header, in: datagram, largest: side.largestHandshake) else {
        continue
      }
      isDecrypted = true
      if isFromClient {
        client.protections = [protection]
        client.hasOpened = true
      } else {
        server.protections = [protection]
        server.hasOpened = true
      }
      takeHandshake(opened, isFromClient: isFromClient, frame)
      return
    }
    unopenedPackets += 1
    if isFromClient { client.hasFailed = true } else { server.hasFailed = true }
  }

  private mutating func hold(
    _ datagram: Span<UInt8>, _ header: LongHeader, _ fromLower: Bool, _ frame: UInt64
  ) {
    let packet = datagram.extracting(header.packet)
    guard held.count < QUICLimits.heldPackets, packet.count <= QUICLimits.heldBytes - heldByteCount else {
      heldWasFull = true
      return
    }
    held.append(HeldPacket(bytes: Bytes(copying: packet), fromLower: fromLower, frame: frame))
    heldByteCount += packet.count
  }

  private mutating func releaseHeld(_ secrets: SecretStore) {
    let packets = held
    held = []
    heldByteCount = 0
    let wasReleasing = isReleasing
    isReleasing = true
    defer { isReleasing = wasReleasing }
    for packet in packets {
      let bytes = packet.bytes.span
      guard let header = try? LongHeader(parsing: bytes) else { continue }
      _ = receive(header, bytes, packet.fromLower, packet.frame, secrets)
    }
  }
}

// MARK: - Frames and messages

extension QUICConnection {
  private mutating func take(
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
      let hello = client.initial.contiguous
      if hello.count >= 38, hello[0] == HandshakeType.clientHello.rawValue {
        clientRandom = ShortBytes(hello[6..<38])
      }
    }
    while let message = isFromClient ? client.initial.next() : server.initial.next() {
      emit(message, isFromClient: isFromClient, isDecrypted: false)
      if !isFromClient, message.type == .serverHello { takeServerHello(message.body) }
    }
    prepareHandshakeKeys(secrets)
  }

  private mutating func takeHandshake(
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
    if let suite = answeredSuite, let known = secrets.secrets(ofRandom: clientRandom) {
      client.protections = known.client.compactMap {
        PacketProtection(secret: $0, suite: suite, version: version)
      }
      server.protections = known.server.compactMap {
        PacketProtection(secret: $0, suite: suite, version: version)
      }
      hasUselessSecrets = !hasHandshakeKeys
    }
    releaseHeld(secrets)
  }
}
