import ByteParsing
import HandshakeDecryption
import PacketParsing
package import QUICObservation
package import QUICParsing
package import Reassembly
package import SessionModel
import TLSParsing
package import Values

/// A QUIC connection that is open, and the handshake on it.
package final class QUICSession {
  /// The packets.
  package var connection = QUICConnection()

  /// The messages.
  package var handshake = Handshake(over: .quic)

  /// How the connection was closed.
  package private(set) var close: QUICClose?

  /// The packet of ICMP which reports that the server cannot be reached; nil where that has said something since.
  package private(set) var unreachable: PacketReference?

  /// The first packet of the session.
  package let first: PacketReference

  /// The packet that settled the outcome; until then the last one of the handshake.
  package private(set) var last: PacketReference

  /// Time of the last packet, in seconds.
  package var lastSeen: Int64 = 0

  /// The session's place in the order of first packets.
  package let turn: Int

  /// The two ends between which the first packet went.
  package let key: ConnectionKey

  /// The places in the table that lead here: of those two ends, and of others that one of them moved to. None, where the
  /// ends have begun another connection since.
  package var places: [Int] = []

  /// Names of the connection under which it can be found.
  package var knownNames: [ConnectionID] = []

  /// Whether the outcome is known; packets of the handshake may come after that where they changed places.
  var isConcluded: Bool { handshake.facts.outcome != .incomplete }

  /// Whether one end has gone on from another address or port before the outcome was known.
  package private(set) var hasMoved = false

  /// The version in its first packet.
  package let firstVersion: QUICVersion

  /// What the first packet traveled in; nil for nothing.
  package let tunnels: [String]?

  /// The process that the first packet of which it is known belongs to.
  package var process: CapturedProcess?

  /// The first packet with a fragment that disagrees with others of its packet; 0 for none.
  package var disputedFragment: UInt64 = 0

  /// Packets that the snapshot length cut, of those that the handshake may lie in.
  package private(set) var truncatedPackets = 0

  package private(set) var saw = BothDirections(false)

  package init(
    turn: Int, key: ConnectionKey, first: PacketReference, firstVersion: QUICVersion, tunnels: [String]?
  ) {
    self.turn = turn
    self.key = key
    self.first = first
    self.firstVersion = firstVersion
    self.tunnels = tunnels
    last = first
  }

  /// Takes a datagram that begins with a long header.
  package func receive(
    _ datagram: Span<UInt8>, in direction: Direction, isCut: Bool, at reference: PacketReference,
    sharing shared: inout SharedFacts
  ) -> QUICConnection.Disposition {
    let disposition = connection.receive(
      datagram, in: direction, frame: reference.frame, secrets: shared.secrets)
    guard disposition != .startsAnother else { return disposition }
    connection.seekSecrets(with: &shared.secretSearch, in: shared.secrets)
    note(direction, reference)
    if isCut { truncatedPackets += 1 }
    takeEvents(sharing: &shared)
    return disposition
  }

  /// Takes a datagram that begins with a short header; false for one that is for neither end.
  package func receiveShort(
    _ datagram: Span<UInt8>, in direction: Direction, at reference: PacketReference,
    sharing shared: inout SharedFacts
  ) -> Bool {
    let sides = connection.sidesAfterHandshake
    guard connection.receiveShort(datagram, in: direction, frame: reference.frame) else { return false }
    lastSeen = reference.time?.seconds ?? lastSeen
    noteSender(direction)
    // The first of each side tells what is missing, as far as it does not settle the outcome.
    if !isConcluded, connection.isEstablished || connection.sidesAfterHandshake > sides { last = reference }
    if connection.isEstablished { takeEvents(sharing: &shared) }
    return true
  }

  /// Bytes of facts that were made for it.
  private var madeBytes = 0

  /// Bytes that it holds, and those that were made for it.
  package var heldBytes: Int { connection.heldBytes + madeBytes + (handshake.inner?.body.count ?? 0) }

  /// Records that one end continues from another address or port.
  package func move(at reference: PacketReference) {
    // The packet that settles the outcome may be the one that comes from there.
    guard !isConcluded || last.frame == reference.frame else { return }
    hasMoved = true
    last = reference
  }

  /// The end that is the server; nil before a packet tells.
  package var server: Endpoint? { connection.clientDirection.map { key[$0.opposite] } }

  /// Ends what has begun: no more bytes follow.
  package func breakOff(sharing shared: inout SharedFacts) {
    connection.breakOff()
    takeEvents(sharing: &shared)
  }

  private func note(_ direction: Direction, _ reference: PacketReference) {
    if !isConcluded { last = reference }
    lastSeen = reference.time?.seconds ?? lastSeen
    noteSender(direction)
  }

  private func noteSender(_ direction: Direction) {
    saw[direction] = true
    if unreachable != nil, connection.clientDirection != direction { unreachable = nil }
  }

  /// Notes a report that the server cannot be reached.
  package func noteUnreachable(at reference: PacketReference) {
    if unreachable == nil { unreachable = reference }
  }

  private func takeEvents(sharing shared: inout SharedFacts) {
    let made = shared.madeBytes
    defer { madeBytes += shared.madeBytes &- made }
    for event in connection.takeEvents() {
      switch event {
      case .message(let message): receive(message, sharing: &shared)
      case .restart:
        handshake = Handshake(over: .quic)
      case .close(let close):
        self.close = close
        handshake.receiveClose(close, clientDirection: connection.clientDirection)
      case .established(let frame):
        handshake.establish(frame)
      }
    }
    if case .derived(let random?) = connection.handshakeKeys { handshake.acceptInnerHello(random, sharing: &shared) }
    if connection.isDecrypted { handshake.facts.isDecrypted = true }
  }

  private func receive(_ message: QUICMessage, sharing shared: inout SharedFacts) {
    guard let clientDirection = connection.clientDirection else { return }
    handshake.receive(
      message.type, message.body.span, isWhole: message.isWhole,
      message.isFromClient ? clientDirection : clientDirection.opposite, FrameList(message.frames),
      sharing: &shared)
    if message.type == .finished, !message.isFromClient { handshake.noteServerFinished() }
  }
}

extension Handshake {
  /// Takes a CONNECTION_CLOSE frame that was read.
  mutating func receiveClose(_ close: QUICClose, clientDirection: Direction?) {
    guard let clientDirection else { return }
    let direction = close.isFromClient ? clientDirection : clientDirection.opposite
    if let alert = close.alert {
      // A code says what an alert would have said, and always ends the connection.
      receiveAlert(ObservedAlert(level: 2, description: alert, frame: close.frame), direction)
    } else if facts.outcome == .incomplete, !close.isApplication, close.code != 0 {
      conclude(close.isFromClient ? .refusedByClient : .refusedByServer, close.frame)
    } else if facts.outcome == .incomplete {
      note(.closedWithoutError)
    }
  }
}
