import BasicContainers
import ByteParsing
import PacketParsing
import QUICObservation
import QUICParsing
import Reassembly
import SessionModel
import TLSObservation
import Values

/// A report of ICMP that the server of a connection cannot be reached, and what had been read when it came: a report that is followed by
/// more of the server did not end anything.
final class UnreachableReport: Sendable {
  let reference: PacketReference
  /// The direction of the quoted segment, which did not get there.
  let direction: Direction
  /// Bytes of the other end that had been read.
  let position: Int

  init(at reference: PacketReference, in direction: Direction, position: Int) {
    self.reference = reference
    self.direction = direction
    self.position = position
  }
}

/// What ICMP reports of connections. Anyone can send it: it counts where it quotes what was sent on an open handshake and has not been
/// answered (RFC 5927 §4.1), and nothing of it is read but that.
extension SessionTracker {
  /// Processes a message of ICMP.
  @inline(never)
  mutating func processICMP(_ packet: Packet) {
    guard table.count > 0 || !quic.isEmpty || !datagrams.isEmpty else { return }
    let (message, reference) = (packet.payload, packet.reference)
    guard let report = ICMPUnreachable(message, isIPv6: packet.headers.source.isIPv6),
      report.source.address == packet.headers.destination
    else { return }
    if report.isTCP {
      noteUnreachable(report, at: reference)
      return
    }
    let quoted = message.extracting(report.payload)
    if !quic.isEmpty { noteUnreachableQUIC(report, quoted, at: reference) }
    let key = ConnectionKey(report.source, report.destination)
    if let conversation = datagrams.conversation(key), !conversation.isReported {
      conversation.noteUnreachable(
        quoting: quoted, in: key.lower == report.source ? .fromLower : .fromUpper, at: reference)
    }
  }

  private mutating func noteUnreachable(_ report: ICMPUnreachable, at reference: PacketReference) {
    let place = table.place(from: report.source, to: report.destination)
    guard place.index >= 0, !connections[place.index].isContested,
      !connections[place.index].isConversationOver, let conversation = connections[place.index].conversation,
      conversations.places[conversation].hasHandshake
    else { return }
    connections[place.index].noteUnreachable(
      quoting: SequenceNumber(report.sequence), in: place.direction, at: reference)
  }

  private mutating func noteUnreachableQUIC(
    _ report: ICMPUnreachable, _ quoted: Span<UInt8>, at reference: PacketReference
  ) {
    let place = quic.table.place(from: report.source, to: report.destination)
    guard place.index >= 0, case .open(let session, let isSwapped) = quic.entries[place.index],
      session.connection.clientDirection == place.direction.reversed(if: isSwapped)
    else { return }
    // Enough is quoted as a rule to tell whether the datagram is one of this connection.
    if let header = try? LongHeader(parsing: quoted), !session.connection.names.contains(header.destination),
      session.connection.originalDestination != header.destination
    {
      return
    }
    session.noteUnreachable(at: reference)
  }
}

extension Connection {
  /// Notes a report that quotes a segment with this number, if bytes were read from there on.
  mutating func noteUnreachable(quoting sequence: SequenceNumber, in direction: Direction, at reference: PacketReference) {
    let distance = streams[direction].distanceToKnown(sequence)
    let sent = streams[direction].position
    guard let distance, distance < 0, distance >= -sent else { return }
    unreachable = UnreachableReport(
      at: reference, in: direction, position: streams[direction.opposite].position)
  }

  /// The report that the other end cannot be reached, where that has said nothing since.
  var lastingUnreachable: UnreachableReport? {
    guard let unreachable else { return nil }
    return streams[unreachable.direction.opposite].position == unreachable.position
      ? unreachable : nil
  }
}
