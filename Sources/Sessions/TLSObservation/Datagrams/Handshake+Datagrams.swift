import SessionModel
import TLSParsing
import Values

extension Handshake {
  /// Reads the records of a DTLS datagram; `assembly` is that of its direction.
  mutating func consume(
    datagram: Span<UInt8>, _ assembly: inout DTLSMessageAssembly, in direction: Direction, frame: UInt64, sharing shared: inout SharedFacts
  ) {
    for record in DTLSRecord.records(of: datagram) {
      guard !isOver else { return }
      let fragment = datagram.extracting(record.fragment)
      guard !record.isProtected, let type = record.contentType else {
        receiveProtectedDatagram(record, direction, frame)
        continue
      }
      switch type {
      case .handshake:
        for part in DTLSFragment.fragments(of: fragment) {
          guard let message = assembly.add(part, in: fragment, packet: frame) else { continue }
          // The format of a ServerKeyExchange depends on the suite in the ServerHello, which may be captured after it.
          if message.type == .serverKeyExchange, facts.sharedServerHello == nil {
            assembly.withhold(message)
            continue
          }
          receive(message, direction, sharing: &shared)
          if message.type == .serverHello { receiveWithheld(of: &assembly, direction, sharing: &shared) }
        }
      case .alert:
        guard let alert = try? Alert(parsing: fragment) else { continue }
        receiveAlert(ObservedAlert(level: alert.level, description: alert.description, frame: frame), direction)
      case .changeCipherSpec:
        receiveChangeCipherSpec(direction)
      default:
        break
      }
    }
  }

  /// Reads incomplete messages as far as possible.
  mutating func endReading(_ assembly: inout DTLSMessageAssembly, in direction: Direction, sharing shared: inout SharedFacts) {
    if assembly.isBroken {
      lost[direction] = true
    }
    for message in assembly.takeUnfinished()
    // Most messages are useless without their first bytes.
    where !message.body.isEmpty || message.type == .serverKeyExchange || message.type == .certificateStatus {
      receive(message, direction, sharing: &shared)
    }
    receiveWithheld(of: &assembly, direction, sharing: &shared)
  }

  private mutating func receiveWithheld(of assembly: inout DTLSMessageAssembly, _ direction: Direction, sharing shared: inout SharedFacts) {
    for message in assembly.takeWithheld() { receive(message, direction, sharing: &shared) }
  }

  /// Records that the end of the server's flight was not captured, although the client continued.
  mutating func concludeServerFlight(_ assemblies: borrowing BothDirections<DTLSMessageAssembly>) {
    guard let direction = clientDirection?.opposite, server.flight.isFull, server.flight.isOver else { return }
    if !assemblies[direction].hasHelloDone { lost[direction] = true }
  }

  private mutating func receive(_ message: DTLSMessageAssembly.Message, _ direction: Direction, sharing shared: inout SharedFacts) {
    receive(message.type, message.body.span, isWhole: message.isWhole, direction, FrameList(message.packets), sharing: &shared)
  }

  private mutating func receiveProtectedDatagram(_ record: DTLSRecord, _ direction: Direction, _ frame: UInt64) {
    // In DTLS 1.3 a short record can be an acknowledgment or an alert (RFC 9147 §7).
    if negotiation.isTLS13, record.fragment.count < Handshake.leastFinishedLength { return }
    // Datagrams are reordered, so an alert captured before the server's Finished may have been sent after it.
    if record.contentType == .alert { return }
    var type = record.contentType ?? .applicationData
    if type == .tls12CID {
      if record.fragment.count < Handshake.leastFinishedLengthWithID { return }
      type = .handshake
    }
    receiveProtected(type, length: record.fragment.count, direction, frame)
  }

  /// The minimum length of a DTLS 1.2 Finished in a record with a connection ID, which hides the content type: message header (12), body
  /// (12), type (1), tag (16), and 2 bytes. The connection ID, whose length is unknown, is additional; alerts remain shorter.
  private static let leastFinishedLengthWithID = 2 + 12 + 12 + 1 + 16
}
