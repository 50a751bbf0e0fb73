package import ByteParsing
package import HandshakeDecryption
package import QUICParsing
import TLSParsing
package import Values

/// Follows the handshake of one QUIC connection, datagram by datagram (RFC 9000, RFC 9001, RFC 9369).
///
/// Initial packets are decrypted with keys that anyone can derive, Handshake packets with the secrets of a key log. Packets after the
/// handshake are never decrypted, only detected.
package struct QUICConnection: Sendable {
  /// The effect of a datagram.
  package enum Disposition: Hashable, Sendable {
    /// The datagram belongs to the connection.
    case taken
    /// The datagram begins another connection between the same endpoints.
    case startsAnother
    /// The datagram was not used.
    case ignored
  }

  /// The version: the server's, once it has responded.
  package internal(set) var version = QUICVersion.negotiation

  /// The direction in which the client sends; nil until a packet shows it.
  package internal(set) var clientDirection: Direction?

  /// Whether the server sent a valid Retry packet.
  package internal(set) var wasRetried = false

  /// The versions in the server's Version Negotiation packet; empty if there was none.
  package internal(set) var negotiatedVersions: [QUICVersion] = []

  /// Whether Handshake packets were decrypted.
  package var isDecrypted: Bool { client.hasDecrypted || server.hasDecrypted }

  /// Whether the secrets for the connection decrypt none of its packets, or none of the server's.
  package var secretsFailed: Bool {
    if case .derived = handshakeKeys, !client.hasKeys, !server.hasKeys { return true }
    return server.isRefuted || client.isRefuted && !server.hasDecrypted
  }

  /// Whether the server's secret is missing although the client's is present; the certificates then remain hidden.
  package var lacksServerSecret: Bool { client.hasKeys && !server.hasKeys }

  /// Whether the server's secrets are present, but the capture lacks part of its flight up to Finished.
  package var isServerFlightUnread: Bool {
    switch server.decryption {
    case .untried(_, isRefuted: false), .decrypting: true
    case .noKeys, .untried, .finished: false
    }
  }

  /// Whether packets of the handshake are missing: a message is absent or incomplete although later ones arrived.
  package var hasGaps: Bool {
    client.initial.hasUnfinishedMessage && (hasServerHello || server.isPastInitial)
      || (server.initial.hasUnfinishedMessage || !hasServerHello) && server.isPastInitial
      || isServerFlightUnread && (sidesAfterHandshake > 0 || client.isFinished)
  }

  /// Whether both sides use 1-RTT keys.
  package var isEstablished: Bool { packetsAfterHandshake != nil }

  /// The number of sides observed to use 1-RTT keys.
  package var sidesAfterHandshake: Int { [client, server].count { $0.level == .oneRTT } }

  var isClosed = false

  /// Whether the ServerHello, not just a HelloRetryRequest, was read.
  package var hasServerHello: Bool {
    if case .awaitingServerHello = handshakeKeys { false } else { true }
  }

  /// The number of handshake packets that could not be decrypted.
  package internal(set) var undecryptedPackets = 0

  private var streams: [CryptoStream] { [client.initial, client.handshake, server.initial, server.handshake] }

  /// Whether data was dropped because of a limit.
  package var hitLimit: Bool { heldWasFull || streams.contains { $0.hitLimit } }

  /// The number of CRYPTO bytes that were sent again with different content; the first copy was kept.
  package var disagreeingBytes: Int { streams.reduce(0) { $0 + $1.disagreeingBytes } }

  /// The first packet of each direction with such bytes; 0 if there is none.
  package var disputeFrames: BothDirections<UInt64> {
    var frames = BothDirections<UInt64>(0)
    for (side, isClient) in [(client, true), (server, false)] {
      let first = [side.initial.disputeFrame, side.handshake.disputeFrame].filter { $0 > 0 }.min()
      frames[(clientDirection ?? .fromLower).reversed(if: !isClient)] = first ?? 0
    }
    return frames
  }

  /// The first packet of each side whose CRYPTO bytes in Initial packets differ from an earlier copy; 0 if there is none. Their keys are
  /// public (RFC 9001 §5.2), so that any of the copies may be forged.
  package var contestedInitials: (client: UInt64, server: UInt64) { (client.initial.disputeFrame, server.initial.disputeFrame) }

  /// The memory that the connection takes, in bytes.
  package var heldBytes: Int { streams.reduce(heldByteCount) { $0 + $1.heldBytes } }

  /// Whether nothing more is expected of the handshake.
  package var isOver: Bool {
    if isClosed { return true }
    guard isEstablished, hasServerHello || undecryptedPackets > 0, !awaitsHello else { return false }
    return !client.hasKeys && !server.hasKeys || client.isFinished && server.isFinished
  }

  /// Whether the rest of a hello may still arrive: it can be reordered after the end of the handshake, but not by very many packets.
  private var awaitsHello: Bool {
    (client.initial.hasUnfinishedMessage || server.initial.hasUnfinishedMessage)
      && (packetsAfterHandshake ?? 0) < QUICLimits.packetsAfterHandshake
  }

  /// The number of packets after both sides changed to 1-RTT keys, up to a limit; nil before that.
  private var packetsAfterHandshake: Int?

  /// The client's first Destination Connection ID, from which the keys are derived.
  package internal(set) var originalDestination: ConnectionID?

  /// The original Destination Connection IDs of hellos that the client has abandoned.
  package internal(set) var abandonedDestinations: [ConnectionID] = []

  var client = Side()
  var server = Side()
  var keys: [InitialKeys] = []
  /// The keys of hellos that the client abandoned when it restarted after a Retry or Version Negotiation packet.
  var abandonedKeys: [InitialKeys] = []
  var events: [QUICEvent] = []
  var held: [HeldPacket] = []
  var heldByteCount: Int { held.reduce(0) { $0 + $1.bytes.count } }
  var heldWasFull = false
  var retrySources: [ConnectionID] = []
  var failures = 0
  /// The number of held packets that new keys did not decrypt either.
  var repeatedFailures = 0
  var isReleasing = false
  var clientRandom = ShortBytes()
  package internal(set) var handshakeKeys = HandshakeKeys.awaitingServerHello
  /// Whether the client's hello offers Encrypted ClientHello; not determined without secrets.
  var offersInnerHello = false

  /// The state of the keys for Handshake packets.
  package enum HandshakeKeys: Sendable {
    /// No ServerHello has been read.
    case awaitingServerHello
    /// The server chose this suite, or nil if it is unsupported; the client's random is not known yet.
    case awaitingRandom(DecryptableSuite?)
    /// There is no key log, or its secrets are for an unsupported suite.
    case none
    /// The key log has no secrets for the connection, or the search for them reached a limit.
    case missing(isSearchUnfinished: Bool)
    /// The secrets that decrypt the server's first Handshake packet are still to be searched for.
    case sought(DecryptableSuite)
    /// The key log has secrets for the client's random, or for that of its inner hello.
    case derived(innerRandom: ShortBytes?)
  }

  /// The data that one side has sent.
  struct Side: Sendable {
    var initial = CryptoStream(maximumByteCount: QUICLimits.initialBytes)
    var handshake = CryptoStream(maximumByteCount: QUICLimits.handshakeBytes)
    /// The connection ID that the side chose, to which the other side's packets are addressed.
    var source: ConnectionID?
    /// The number of its first Initial packet, if that contained a token.
    var numberWithToken: UInt64?
    var decryption = Decryption.noKeys
    var level = Level.initial

    /// The progress in decrypting its Handshake packets.
    enum Decryption: Sendable {
      /// There is no secret for the side.
      case noKeys
      /// No packet was decrypted with these keys so far, at most one of which is right. `isRefuted` if the side sent packets that they do
      /// not decrypt.
      case untried([PacketProtection], isRefuted: Bool)
      case decrypting(PacketProtection)
      /// Its Finished was read.
      case finished
    }

    /// The highest encryption level of its packets (RFC 9001 §2.1).
    enum Level: Sendable { case initial, handshake, oneRTT }

    var hasKeys: Bool { if case .noKeys = decryption { false } else { true } }

    var hasDecrypted: Bool {
      switch decryption {
      case .decrypting, .finished: true
      case .noKeys, .untried: false
      }
    }

    var isFinished: Bool { if case .finished = decryption { true } else { false } }

    /// Whether the secrets failed to decrypt its packets.
    var isRefuted: Bool { if case .untried(_, isRefuted: true) = decryption { true } else { false } }

    /// Whether its peer accepts its packets with this Source Connection ID: that of its first Initial packet (RFC 9000 §7.2).
    func isAccepted(from id: ConnectionID) -> Bool { initial.largestPacketNumber == nil || source == id }

    /// Whether it sent packets beyond the Initial level.
    var isPastInitial: Bool { level != .initial }

    /// Sets the secrets of the side, at most one of which is right.
    mutating func use(_ secrets: [Bytes], _ suite: DecryptableSuite, _ version: QUICVersion) {
      let protections = secrets.compactMap { PacketProtection(secret: $0, suite: suite, version: version) }
      if !protections.isEmpty { decryption = .untried(protections, isRefuted: false) }
    }

    /// The CRYPTO data of one level.
    subscript(isInitial isInitial: Bool) -> CryptoStream {
      _read { if isInitial { yield initial } else { yield handshake } }
      _modify { if isInitial { yield &initial } else { yield &handshake } }
    }
  }

  subscript(isFromClient isFromClient: Bool) -> Side {
    _read { if isFromClient { yield client } else { yield server } }
    _modify { if isFromClient { yield &client } else { yield &server } }
  }

  /// A packet that cannot be decrypted yet.
  struct HeldPacket: Sendable {
    var bytes: Bytes
    var direction: Direction
    var frame: UInt64
  }

  package init() {}

  /// Returns the events since the last call.
  package mutating func takeEvents() -> [QUICEvent] { exchange(&events, with: []) }

  /// Receives a datagram with at least one long header. `secrets` are those of the key log.
  package mutating func receive(_ datagram: Span<UInt8>, in direction: Direction, frame: UInt64, secrets: SecretStore) -> Disposition {
    var disposition = Disposition.ignored
    var position = 0
    while position < datagram.count {
      if datagram[position] & 0x80 == 0 {
        receiveShort(datagram.extracting(position..<datagram.count), in: direction, frame: frame)
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

  /// Receives a packet with a short header, without decrypting it. Returns whether it is addressed to one of the endpoints.
  @discardableResult
  package mutating func receiveShort(_ packet: Span<UInt8>, in direction: Direction, frame: UInt64) -> Bool {
    guard let clientDirection, packet.count >= 21 else { return false }
    let isFromClient = direction == clientDirection
    // During the handshake, each side is addressed by the connection ID that it chose.
    guard let destination = self[isFromClient: !isFromClient].source,
      packet.count > destination.bytes.count
    else { return false }
    // Padding after a packet lacks the fixed bit (RFC 9000 §17.3.1). A packet may lack it as well (RFC 9287); then the connection ID
    // decides.
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

  /// Records that both sides have completed the handshake.
  mutating func establish(_ frame: UInt64) {
    guard !isEstablished else { return }
    packetsAfterHandshake = 0
    events.append(.established(frame: frame))
  }

  /// The nonempty connection IDs to which packets of the connection may be addressed.
  package var connectionIDs: [ConnectionID] {
    ([originalDestination, client.source, server.source] + retrySources).compactMap { id in
      id.flatMap { $0.isEmpty ? nil : $0 }
    }
  }

  /// Whether the client sends packets to `id`; nil if it is not a connection ID of this connection, or is used by both sides.
  package func isFromClient(to id: ConnectionID) -> Bool? {
    let isServer = id == originalDestination || id == server.source || retrySources.contains(id)
    return isServer == (id == client.source) ? nil : isServer
  }

  /// Emits incomplete messages, once nothing more will arrive.
  package mutating func endReading() {
    for isFromClient in [true, false] {
      for isInitial in [true, false] {
        let stream = self[isFromClient: isFromClient][isInitial: isInitial]
        let rest = stream.unfinished
        if let first = rest.first {
          emit(
            (HandshakeType(rawValue: first), Bytes(rest.dropFirst(HandshakeHeader.byteCount)), stream.unfinishedFrames),
            isFromClient: isFromClient, isWhole: false)
        } else if isInitial, stream.lacksBeginning {
          // A hello without its first bytes: only its existence is known.
          emit((isFromClient ? .clientHello : .serverHello, Bytes(), stream.waitingFrames), isFromClient: isFromClient, isWhole: false)
        }
      }
    }
  }

  mutating func emit(_ message: (type: HandshakeType, body: Bytes, frames: [UInt64]), isFromClient: Bool, isWhole: Bool) {
    events.append(
      .message(QUICMessage(isFromClient: isFromClient, type: message.type, body: message.body, isWhole: isWhole, frames: message.frames)))
  }

  /// Whether a datagram addressed to a connection ID of this connection belongs to another one: its hello differs from the one read, or the
  /// client's connection ID does.
  package func isContradicted(by datagram: Span<UInt8>, in direction: Direction) -> Bool {
    guard let header = try? LongHeader(parsing: datagram), header.type == .initial,
      clientDirection == direction
    else { return false }
    if let id = client.source, id != header.source { return true }
    var copy = self
    _ = copy.receive(datagram, in: direction, frame: 0, secrets: SecretStore())
    return copy.disagreeingBytes > disagreeingBytes
  }
}
