package import ByteParsing
package import HandshakeDecryption
package import QUICParsing
import TLSParsing
package import Values

/// Follows the handshake of one QUIC connection, datagram by datagram (RFC 9000, RFC 9001, RFC 9369).
///
/// Initial packets are opened with the keys that everyone can derive; Handshake packets with the secrets of a key log,
/// where there are any. Packets under the keys that follow the handshake are never opened, only noticed.
package struct QUICConnection: Sendable {
  /// What became of a datagram.
  package enum Disposition: Hashable, Sendable {
    /// It belongs to the connection.
    case taken
    /// It begins another connection between the same two ends.
    case startsAnother
    /// It tells nothing.
    case ignored
  }

  /// The version: the server's, once it has answered.
  package internal(set) var version = QUICVersion.negotiation

  /// The direction in which the client sends; nil until a packet shows it.
  package internal(set) var clientDirection: Direction?

  /// Whether the server sent a Retry packet that fits.
  package internal(set) var wasRetried = false

  /// The versions that the server named in a Version Negotiation packet; empty without one.
  package internal(set) var negotiatedVersions: [QUICVersion] = []

  /// Whether Handshake packets were opened.
  package var isDecrypted: Bool { client.hasOpened || server.hasOpened }

  /// Whether there were secrets for the connection that do not open its packets, or not those of the server.
  package var secretsFailed: Bool {
    if case .derived = handshakeKeys, !client.hasKeys, !server.hasKeys { return true }
    return server.isRefuted || client.isRefuted && !server.hasOpened
  }

  /// Whether there are secrets for the connection, but none of the server's, without which its certificates stay hidden.
  package var lacksServerSecret: Bool { client.hasKeys && !server.hasKeys }

  /// Whether there are secrets for what the server sends up to its Finished, but not all of that is in the capture.
  package var isServerFlightUnread: Bool {
    switch server.opening {
    case .untried(_, isRefuted: false), .open: true
    case .noKeys, .untried, .finished: false
    }
  }

  /// Whether packets of the handshake are missing: what follows a message is there, and the message is not.
  package var hasGaps: Bool {
    client.initial.hasUnfinishedMessage && (hasServerHello || server.hasGoneOn)
      || (server.initial.hasUnfinishedMessage || !hasServerHello) && server.hasGoneOn
      || isServerFlightUnread && (sidesAfterHandshake > 0 || client.isFinished)
  }

  /// Whether both sides use the keys that follow the handshake.
  package var isEstablished: Bool { packetsAfterHandshake != nil }

  /// How many sides were seen to use the keys that follow the handshake.
  package var sidesAfterHandshake: Int { [client, server].count { $0.level == .oneRTT } }

  /// Whether either side closed the connection.
  var isClosed = false

  /// Whether the server's ServerHello, and no HelloRetryRequest, has been read.
  package var hasServerHello: Bool {
    if case .awaitingServerHello = handshakeKeys { false } else { true }
  }

  /// Packets of the handshake that could not be opened.
  package internal(set) var unopenedPackets = 0

  private var streams: [CryptoStream] { [client.initial, client.handshake, server.initial, server.handshake] }

  /// Whether bytes were left out because of a limit.
  package var hitLimit: Bool { heldWasFull || streams.contains { $0.hitLimit } }

  /// CRYPTO bytes that came again with another content; the first copy was kept.
  package var disagreeingBytes: Int { streams.reduce(0) { $0 + $1.disagreeingBytes } }

  /// The first packet of each direction with such bytes; 0 for none.
  package var disagreementFrames: BothDirections<UInt64> {
    var frames = BothDirections<UInt64>(0)
    for (side, isClient) in [(client, true), (server, false)] {
      let first = [side.initial.disagreementFrame, side.handshake.disagreementFrame].filter { $0 > 0 }.min()
      frames[(clientDirection ?? .fromLower).reversed(if: !isClient)] = first ?? 0
    }
    return frames
  }

  /// Bytes that the connection holds.
  package var heldBytes: Int { streams.reduce(heldByteCount) { $0 + $1.heldBytes } }

  /// Whether nothing more is to be expected.
  package var isOver: Bool {
    if isClosed { return true }
    guard isEstablished, hasServerHello || unopenedPackets > 0, !awaitsHello else { return false }
    return !client.hasKeys && !server.hasKeys || client.isFinished && server.isFinished
  }

  /// Whether the rest of a hello may still come: it may have changed places with what ended the handshake, but not with very much.
  private var awaitsHello: Bool {
    (client.initial.hasUnfinishedMessage || server.initial.hasUnfinishedMessage)
      && (packetsAfterHandshake ?? 0) < QUICLimits.packetsAfterHandshake
  }

  /// Packets that came once both sides used the keys that follow the handshake, as far as they matter; nil before that.
  private var packetsAfterHandshake: Int?

  /// The client's first Destination Connection ID: what the keys come from.
  package internal(set) var originalDestination: ConnectionID?

  /// Those of hellos that the client has given up since.
  package internal(set) var abandonedDestinations: [ConnectionID] = []

  var client = Side()
  var server = Side()
  var keys: [InitialKeys] = []
  /// Those of hellos that the client has given up since: after a Retry or a version negotiation it begins anew.
  var abandonedKeys: [InitialKeys] = []
  var events: [QUICEvent] = []
  var held: [HeldPacket] = []
  var heldByteCount: Int { held.reduce(0) { $0 + $1.bytes.count } }
  var heldWasFull = false
  var retrySources: [ConnectionID] = []
  var failures = 0
  /// Packets that were held and did not open under new keys either.
  var repeatedFailures = 0
  var isReleasing = false
  var clientRandom = ShortBytes()
  package internal(set) var handshakeKeys = HandshakeKeys.awaitingServerHello
  /// Whether the client's hello offers Encrypted ClientHello; not looked for without secrets.
  var offersInnerHello = false

  /// What opens Handshake packets.
  package enum HandshakeKeys: Sendable {
    /// No ServerHello has been read.
    case awaitingServerHello
    /// The server chose this suite, nil for one that is not opened; the client's random is not known yet.
    case awaitingRandom(SealedSuite?)
    /// There is no key log, or it has the secrets of a suite that is not opened.
    case none
    /// The key log has no secrets for the connection, or a limit ended the search for them.
    case missing(isSearchUnfinished: Bool)
    /// The secrets are sought that open the server's first Handshake packet.
    case sought(SealedSuite)
    /// The key log has secrets, by the random of the client's hello or by that of its inner hello.
    case derived(innerRandom: ShortBytes?)
  }

  /// What one side has sent.
  struct Side: Sendable {
    var initial = CryptoStream(maximumByteCount: QUICLimits.initialBytes)
    var handshake = CryptoStream(maximumByteCount: QUICLimits.handshakeBytes)
    /// What the side calls itself, and so what the other side's packets are sent to.
    var source: ConnectionID?
    /// Whether the hello brought a token.
    var sentToken = false
    var opening = Opening.noKeys
    var level = Level.initial

    /// How far its Handshake packets are opened.
    enum Opening: Sendable {
      /// There is no secret of the side.
      case noKeys
      /// No packet has been opened with one of these, of which one at most is right; a refuted side sent packets that do not open.
      case untried([PacketProtection], isRefuted: Bool)
      case open(PacketProtection)
      /// Its Finished was read.
      case finished
    }

    /// The highest encryption level of its packets (RFC 9001 §2.1).
    enum Level: Sendable { case initial, handshake, oneRTT }

    var hasKeys: Bool { if case .noKeys = opening { false } else { true } }

    var hasOpened: Bool {
      switch opening {
      case .open, .finished: true
      case .noKeys, .untried: false
      }
    }

    var isFinished: Bool { if case .finished = opening { true } else { false } }

    /// Whether there are secrets that open nothing of what they ought to.
    var isRefuted: Bool { if case .untried(_, isRefuted: true) = opening { true } else { false } }

    /// Whether it sent what follows its hello.
    var hasGoneOn: Bool { level != .initial }

    /// Takes the secrets of the side, of which one at most is right.
    mutating func use(_ secrets: [Bytes], _ suite: SealedSuite, _ version: QUICVersion) {
      let protections = secrets.compactMap { PacketProtection(secret: $0, suite: suite, version: version) }
      if !protections.isEmpty { opening = .untried(protections, isRefuted: false) }
    }

    /// The CRYPTO bytes of one level.
    subscript(isInitial isInitial: Bool) -> CryptoStream {
      _read { if isInitial { yield initial } else { yield handshake } }
      _modify { if isInitial { yield &initial } else { yield &handshake } }
    }
  }

  /// What one side has sent.
  subscript(isFromClient isFromClient: Bool) -> Side {
    _read { if isFromClient { yield client } else { yield server } }
    _modify { if isFromClient { yield &client } else { yield &server } }
  }

  /// A packet that cannot be opened yet.
  struct HeldPacket: Sendable {
    var bytes: Bytes
    var direction: Direction
    var frame: UInt64
  }

  /// Creates a connection of which nothing has been seen.
  package init() {}

  /// The events since the last time.
  package mutating func takeEvents() -> [QUICEvent] {
    let taken = events
    events = []
    return taken
  }

  /// Takes a datagram with at least one long header. `secrets` is what a key log has.
  package mutating func receive(
    _ datagram: Span<UInt8>, in direction: Direction, frame: UInt64, secrets: SecretStore
  ) -> Disposition {
    var disposition = Disposition.ignored
    var position = 0
    while position < datagram.count {
      if datagram[position] & 0x80 == 0 {
        receiveShort(
          datagram.extracting(position..<datagram.count), in: direction, frame: frame)
        break
      }
      guard let header = try? LongHeader(parsing: datagram, from: position) else { break }
      let outcome = receive(header, datagram, direction, frame, secrets)
      if outcome == .startsAnother { return .startsAnother }
      if outcome == .taken { disposition = .taken }
      position = header.packet.upperBound
    }
    return disposition
  }

  /// Takes a datagram, or the end of one, that begins with a short header. It is not opened. Returns whether it is for one
  /// of the two ends.
  @discardableResult
  package mutating func receiveShort(_ packet: Span<UInt8>, in direction: Direction, frame: UInt64) -> Bool {
    guard let clientDirection, packet.count >= 21 else { return false }
    let isFromClient = direction == clientDirection
    // Until the handshake is over each side is called what it called itself.
    guard let destination = self[isFromClient: !isFromClient].source,
      packet.count > destination.bytes.count
    else { return false }
    // Padding after a packet has no fixed bit (RFC 9000 §17.3.1); of a packet that has none either (RFC 9287) the name tells.
    guard packet[0] & 0x40 != 0 || destination.bytes.count >= 4 else { return false }
    for (index, byte) in destination.bytes.enumerated() where packet[1 + index] != byte { return false }
    if let packets = packetsAfterHandshake {
      packetsAfterHandshake = min(packets + 1, QUICLimits.packetsAfterHandshake)
    } else {
      self[isFromClient: isFromClient].level = .oneRTT
      if sidesAfterHandshake == 2 { establish(frame) }
    }
    return true
  }

  /// Records that both sides have sent all of the handshake.
  mutating func establish(_ frame: UInt64) {
    guard !isEstablished else { return }
    packetsAfterHandshake = 0
    events.append(.established(frame: frame))
  }

  /// What packets of the connection may be sent to, as far as it has a name of at least a byte.
  package var names: [ConnectionID] {
    ([originalDestination, client.source, server.source] + retrySources).compactMap { name in
      name.flatMap { $0.isEmpty ? nil : $0 }
    }
  }

  /// Whether the client sends what goes to `name`; nil for a name that is not the connection's, or that of both.
  package func isFromClient(to name: ConnectionID) -> Bool? {
    let isServer = name == originalDestination || name == server.source || retrySources.contains(name)
    return isServer == (name == client.source) ? nil : isServer
  }

  /// Gives what was begun of the messages, once nothing more will come.
  package mutating func breakOff() {
    for isFromClient in [true, false] {
      for isInitial in [true, false] {
        let stream = self[isFromClient: isFromClient][isInitial: isInitial]
        let rest = stream.unfinished
        if let first = rest.first {
          emit(
            (HandshakeType(rawValue: first), Bytes(rest.dropFirst(HandshakeHeader.byteCount)), stream.unfinishedFrames),
            isFromClient: isFromClient, isWhole: false)
        } else if isInitial, stream.lacksBeginning {
          // A hello without its first bytes: that there was one.
          emit(
            (isFromClient ? .clientHello : .serverHello, Bytes(), stream.waitingFrames),
            isFromClient: isFromClient, isWhole: false)
        }
      }
    }
  }

  mutating func emit(
    _ message: (type: HandshakeType, body: Bytes, frames: [UInt64]), isFromClient: Bool, isWhole: Bool
  ) {
    events.append(
      .message(
        QUICMessage(
          isFromClient: isFromClient, type: message.type, body: message.body, isWhole: isWhole,
          frames: message.frames)))
  }

  /// Whether a datagram that is for a name of this connection is of another one all the same: its hello is not the one that was
  /// read, or it comes from a client of another name.
  package func isContradicted(by datagram: Span<UInt8>, in direction: Direction) -> Bool {
    guard let header = try? LongHeader(parsing: datagram), header.type == .initial,
      clientDirection == direction
    else { return false }
    if let name = client.source, name != header.source { return true }
    var copy = self
    _ = copy.receive(datagram, in: direction, frame: 0, secrets: SecretStore())
    return copy.disagreeingBytes > disagreeingBytes
  }
}
