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

  /// Whether the lesser end is the client; nil before a packet tells.
  package internal(set) var clientDirection: Direction?

  /// Whether the server sent a Retry packet that fits.
  package internal(set) var wasRetried = false

  /// The versions that the server named in a Version Negotiation packet; empty without one.
  package internal(set) var negotiatedVersions: [QUICVersion] = []

  /// Whether the client sent early data.
  package internal(set) var sentEarlyData = false

  /// Whether Handshake packets were opened.
  package internal(set) var isDecrypted: Bool

  /// Whether there were secrets for the connection that do not open its packets, or not those of the server.
  package var secretsFailed: Bool {
    hasUselessSecrets || server.isRefuted || client.isRefuted && !server.hasOpened
  }

  /// Whether there are secrets, but none for the connection.
  package internal(set) var lacksSecrets = false

  /// `random` of the inner hello, where secrets were found that a log names by it: the server accepted Encrypted ClientHello.
  package internal(set) var innerRandom: ShortBytes?

  /// Whether a limit ended the search for such secrets.
  package internal(set) var isSearchUnfinished = false

  /// Whether there are secrets for the connection, but none of the server's, without which its certificates stay hidden.
  package var lacksServerSecret: Bool {
    !hasUselessSecrets && !client.protections.isEmpty && server.protections.isEmpty
  }

  /// Whether there are secrets for what the server sends up to its Finished, but not all of that is in the capture.
  package var isServerFlightUnread: Bool {
    !server.protections.isEmpty && !server.isRefuted && !server.isFinished
  }

  /// Whether packets of the handshake are missing: what follows a message is there, and the message is not.
  package var hasGaps: Bool {
    client.initial.hasUnfinishedMessage && (hasServerHello || server.hasGoneOn)
      || (server.initial.hasUnfinishedMessage || !hasServerHello) && server.hasGoneOn
      || isServerFlightUnread && (server.sentShortHeader || client.sentShortHeader || client.isFinished)
  }

  /// Whether both sides use the keys that follow the handshake.
  package internal(set) var isEstablished = false

  /// How many sides were seen to use the keys that follow the handshake.
  package var sidesBehindHandshake: Int { (client.sentShortHeader ? 1 : 0) + (server.sentShortHeader ? 1 : 0) }

  /// Whether either side closed the connection.
  package internal(set) var isClosed = false

  /// Whether the server's ServerHello, and no HelloRetryRequest, has been seen.
  package internal(set) var hasServerHello = false

  /// Packets of the handshake that could not be opened.
  package internal(set) var unopenedPackets = 0

  /// Whether bytes were left out because of a limit.
  package var hitLimit: Bool {
    client.initial.hitLimit || client.handshake.hitLimit || server.initial.hitLimit
      || server.handshake.hitLimit || heldWasFull
  }

  /// CRYPTO bytes that came again with another content; the first copy was kept.
  package var disagreeingBytes: Int {
    client.initial.disagreeingBytes + client.handshake.disagreeingBytes + server.initial.disagreeingBytes
      + server.handshake.disagreeingBytes
  }

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
  package var heldBytes: Int {
    client.initial.heldBytes + client.handshake.heldBytes + server.initial.heldBytes
      + server.handshake.heldBytes + heldByteCount
  }

  /// Whether nothing more is to be expected.
  package var isOver: Bool {
    if isClosed { return true }
    guard isEstablished, hasServerHello || unopenedPackets > 0, !awaitsHello else { return false }
    return !hasHandshakeKeys || client.isFinished && server.isFinished
  }

  /// Whether the rest of a hello may still come: it may have changed places with what ended the handshake, but not with very much.
  private var awaitsHello: Bool {
    (client.initial.hasUnfinishedMessage || server.initial.hasUnfinishedMessage)
      && packetsBehindHandshake < QUICLimits.packetsBehindHandshake
  }

  /// Packets that came once both sides used the keys that follow the handshake, as far as they matter.
  private var packetsBehindHandshake = 0

  /// The client's first Destination Connection ID: what the keys come from.
  package internal(set) var originalDestination: ConnectionID?

  /// Those of hellos that the client has given up since.
  package internal(set) var givenUpDestinations: [ConnectionID] = []

  var client = Side()
  var server = Side()
  var keys: [InitialKeys] = []
  /// Those of hellos that the client has given up since: after a Retry or a version negotiation it begins anew.
  var givenUpKeys: [InitialKeys] = []
  var events: [QUICEvent] = []
  var held: [HeldPacket] = []
  var heldByteCount = 0
  var heldWasFull = false
  var retrySources: [ConnectionID] = []
  var failures = 0
  /// Packets that were held and did not open under new keys either.
  var repeatedFailures = 0
  var isReleasing = false
  var clientRandom = ShortBytes()
  var answeredSuite: SealedSuite?
  /// Whether the secrets were asked for what opens Handshake packets.
  var isPrepared = false
  var hasUselessSecrets = false
  /// Whether the client's hello offers Encrypted ClientHello; not looked for without secrets.
  var offersInnerHello = false
  /// Whether packets are held to search the secrets that open them.
  var isSeeking = false
  var hasHandshakeKeys: Bool { !client.protections.isEmpty || !server.protections.isEmpty }

  /// What one side has sent.
  struct Side: Sendable {
    var initial = CryptoStream(byteLimit: QUICLimits.initialBytes)
    var handshake = CryptoStream(byteLimit: QUICLimits.handshakeBytes)
    var largestInitial: UInt64?
    var largestHandshake: UInt64?
    /// What the side calls itself, and so what the other side's packets are sent to.
    var source: ConnectionID?
    /// Whether the hello brought a token.
    var sentToken = false
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
  struct HeldPacket: Sendable {
    var bytes: Bytes
    var direction: Direction
    var frame: UInt64
  }

  /// Creates a connection of which nothing has been seen.
  package init() { isDecrypted = false }

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
    guard let destination = isFromClient ? server.source : client.source,
      packet.count > destination.bytes.count
    else { return false }
    // Padding behind a packet has no fixed bit (RFC 9000 §17.3.1); of a packet that has none either (RFC 9287) the name tells.
    guard packet[0] & 0x40 != 0 || destination.bytes.count >= 4 else { return false }
    for (index, byte) in destination.bytes.enumerated() where packet[1 + index] != byte { return false }
    guard !isEstablished else {
      packetsBehindHandshake = min(packetsBehindHandshake + 1, QUICLimits.packetsBehindHandshake)
      return true
    }
    if isFromClient { client.sentShortHeader = true } else { server.sentShortHeader = true }
    if client.sentShortHeader, server.sentShortHeader {
      isEstablished = true
      events.append(.established(frame: frame))
    }
    return true
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

  /// Gives what was begun of the hellos, once nothing more will come.
  package mutating func breakOff() {
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
