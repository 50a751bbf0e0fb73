import HandshakeDecryption
package import QUICObservation
package import QUICParsing
package import Reassembly
package import SessionModel
import TLSParsing
package import Values

/// An open QUIC connection, and its handshake.
package final class QUICSession {
  /// The state of the packets.
  package var connection = QUICConnection()

  /// The state of the messages.
  package var handshake = Handshake(over: .quic)

  /// The CONNECTION_CLOSE frame; nil if none was read.
  package private(set) var close: QUICClose?

  /// The ICMP packet that reports the server as unreachable; nil if there is none, or the server has sent something since.
  package private(set) var unreachable: PacketReference?

  package let first: PacketReference

  /// The packet that decided the outcome; until then, the last one of the handshake.
  package private(set) var last: PacketReference

  /// The time of the last packet, in seconds.
  package var lastSeen: Int64 = 0

  /// The session's turn in the order of first packets.
  package let turn: Int

  /// The endpoints of the first packet.
  package let key: ConnectionKey

  /// The indices of the session's table entries: for its first endpoints, and for those that it migrated to. Empty if the endpoints have
  /// begun another connection since.
  package var entryIndices: [Int] = []

  /// The connection IDs under which the session can be found.
  package var knownConnectionIDs: [ConnectionID] = []

  /// Whether the outcome is known; reordered handshake packets may still follow.
  var isConcluded: Bool { handshake.facts.outcome != .incomplete }

  /// Whether an endpoint changed its address or port before the outcome was known.
  package private(set) var hasMoved = false

  package let firstVersion: QUICVersion

  /// The tunnels of the first packet, outermost first; nil if there are none.
  package let tunnels: [EnclosingLayer]?

  /// The process of the connection, from the first packet that names one.
  package var process: CapturedProcess?

  /// The first packet with a fragment that disagrees with others of its packet; 0 if there is none.
  package var disputedFragment: UInt64 = 0

  /// The number of packets with long headers that were truncated to the snapshot length.
  package private(set) var truncatedPackets = 0

  package private(set) var saw = BothDirections(false)

  package init(turn: Int, key: ConnectionKey, first: PacketReference, firstVersion: QUICVersion, tunnels: [EnclosingLayer]?) {
    self.turn = turn
    self.key = key
    self.first = first
    self.firstVersion = firstVersion
    self.tunnels = tunnels
    last = first
  }

  /// Receives a datagram that begins with a long header.
  package func receive(
    _ datagram: Span<UInt8>, in direction: Direction, isTruncated: Bool, at reference: PacketReference, sharing shared: inout SharedFacts
  ) -> QUICConnection.Disposition {
    let disposition = connection.receive(datagram, in: direction, frame: reference.frame, secrets: shared.secrets)
    guard disposition != .startsAnother else { return disposition }
    connection.seekSecrets(with: &shared.secretSearch, in: shared.secrets)
    note(direction, reference)
    if isTruncated { truncatedPackets += 1 }
    takeEvents(sharing: &shared)
    return disposition
  }

  /// Receives a datagram that begins with a short header; returns false if it is not addressed to the connection.
  package func receiveShort(
    _ datagram: Span<UInt8>, in direction: Direction, at reference: PacketReference, sharing shared: inout SharedFacts
  ) -> Bool {
    let sides = connection.sidesAfterHandshake
    guard connection.receiveShort(datagram, in: direction, frame: reference.frame) else { return false }
    lastSeen = reference.time?.seconds ?? lastSeen
    noteSender(direction)
    // Until the outcome is known, the first such packet of each side shows how far the handshake went.
    if !isConcluded, connection.isEstablished || connection.sidesAfterHandshake > sides { last = reference }
    if connection.isEstablished { takeEvents(sharing: &shared) }
    return true
  }

  /// The bytes of facts created for the session.
  private var madeBytes = 0

  /// The memory that the session takes, in bytes.
  package var heldBytes: Int { connection.heldBytes + madeBytes + (handshake.inner?.body.count ?? 0) }

  /// Records that an endpoint continues from another address or port.
  package func move(at reference: PacketReference) {
    // The packet that decides the outcome may be the first from there.
    guard !isConcluded || last.frame == reference.frame else { return }
    hasMoved = true
    last = reference
  }

  /// The server's endpoint; nil while it is unknown.
  package var server: Endpoint? { connection.clientDirection.map { key[$0.opposite] } }

  /// Ends reading; incomplete messages are read as far as possible.
  package func endReading(sharing shared: inout SharedFacts) {
    connection.endReading()
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

  /// Records a report that the server is unreachable.
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
      message.type, message.body.span, isWhole: message.isWhole, message.isFromClient ? clientDirection : clientDirection.opposite,
      FrameList(message.frames), sharing: &shared)
    if message.type == .finished, !message.isFromClient { handshake.noteServerFinished() }
  }
}

extension Handshake {
  /// Receives a CONNECTION_CLOSE frame.
  mutating func receiveClose(_ close: QUICClose, clientDirection: Direction?) {
    guard let clientDirection else { return }
    let direction = close.isFromClient ? clientDirection : clientDirection.opposite
    if let alert = close.alert {
      // The code replaces an alert, and always ends the connection.
      receiveAlert(ObservedAlert(level: 2, description: alert, frame: close.frame), direction)
    } else if facts.outcome == .incomplete, !close.isApplication, close.code != 0 {
      conclude(close.isFromClient ? .refusedByClient : .refusedByServer, close.frame)
    } else if facts.outcome == .incomplete {
      note(.closedWithoutError)
    }
  }
}
