import BasicContainers
import PacketParsing
import QUICObservation
import QUICParsing
import Reassembly
import SessionModel
import TLSObservation
import Values

/// An ICMP report that the server of a connection is unreachable, and how much had been read when it was captured. If the server sends more
/// afterward, the report did not end the connection.
final class UnreachableReport: Sendable {
  let reference: PacketReference
  /// The direction of the quoted segment, which was not delivered.
  let direction: Direction
  /// The number of bytes of the other endpoint that had been read.
  let position: Int

  init(at reference: PacketReference, in direction: Direction, position: Int) {
    self.reference = reference
    self.direction = direction
    self.position = position
  }
}

/// ICMP reports about connections. Anyone can send one, so it counts only if it quotes an unanswered segment of an open handshake (RFC 5927
/// §4.1), and nothing else in it is read.
extension SessionTracker {
  @inline(never)
  mutating func processICMP(_ packet: Packet) {
    guard table.count > 0 || !quic.isEmpty || !datagrams.isEmpty else { return }
    let (message, reference) = (packet.payload, packet.reference)
    guard let report = ICMPUnreachable(message, isIPv6: packet.headers.source.isIPv6), report.source.address == packet.headers.destination
    else { return }
    if report.isTCP {
      noteUnreachable(report, at: reference)
      return
    }
    let quoted = message.extracting(report.payload)
    if !quic.isEmpty { noteUnreachableQUIC(report, quoted, at: reference) }
    let key = ConnectionKey(report.source, report.destination)
    if let conversation = datagrams.conversation(key), !conversation.isReported {
      conversation.noteUnreachable(quoting: quoted, in: key.lower == report.source ? .fromLower : .fromUpper, at: reference)
    }
  }

  private mutating func noteUnreachable(_ report: ICMPUnreachable, at reference: PacketReference) {
    let lookup = table.lookup(from: report.source, to: report.destination)
    guard let index = lookup.index, !connections[index].isContested, !connections[index].isConversationOver,
      let conversation = connections[index].conversation, conversations.slots[conversation].hasHandshake
    else { return }
    connections[index].noteUnreachable(quoting: SequenceNumber(report.sequence), in: lookup.direction, at: reference)
  }

  private mutating func noteUnreachableQUIC(_ report: ICMPUnreachable, _ quoted: Span<UInt8>, at reference: PacketReference) {
    let lookup = quic.table.lookup(from: report.source, to: report.destination)
    guard let index = lookup.index, case .open(let session, let isSwapped) = quic.entries[index],
      session.connection.clientDirection == lookup.direction.reversed(if: isSwapped)
    else { return }
    // The quoted part usually contains enough to identify the connection.
    if let header = try? LongHeader(parsing: quoted), !session.connection.connectionIDs.contains(header.destination),
      session.connection.originalDestination != header.destination
    {
      return
    }
    session.noteUnreachable(at: reference)
  }
}

extension Connection {
  /// Records a report that quotes a segment with this sequence number, if the segment has been read.
  mutating func noteUnreachable(quoting sequence: SequenceNumber, in direction: Direction, at reference: PacketReference) {
    let distance = streams.reading(direction) { $0.distanceToKnown(sequence) }
    let sent = streams.reading(direction) { $0.position }
    guard let distance, distance < 0, distance >= -sent else { return }
    unreachable = UnreachableReport(
      at: reference, in: direction, position: streams.reading(direction.opposite) { $0.position })
  }

  /// The report that an endpoint is unreachable, if that endpoint has sent nothing since; otherwise nil.
  var lastingUnreachable: UnreachableReport? {
    guard let unreachable else { return nil }
    return streams.reading(unreachable.direction.opposite) { $0.position } == unreachable.position
      ? unreachable : nil
  }
}
