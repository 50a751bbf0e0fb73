import CleartextObservation
import PacketParsing
import Reassembly
import SessionModel
import TLSObservation
import TLSParsing
import Values

extension SessionTracker {
  /// Reads a DTLS datagram that begins a handshake, or belongs to a known one.
  mutating func readDTLS(_ packet: Packet) {
    let (datagram, reference) = (packet.payload, packet.reference)
    let missing = packet.headers.payloadLengthOnWire - datagram.count
    let (key, direction) = ConnectionKey.make(packet.headers)
    let conversation: DatagramConversation
    let known = datagrams.conversation(key)
    let isSuperseded = known?.isSuperseded(by: datagram) == true
    if isSuperseded, let known { report(known, key, .superseded) }
    if let known, !isSuperseded {
      conversation = known
    } else {
      guard TLSRecognition.dtlsHello(datagram) == .yes else {
        if TLSRecognition.isDTLS(datagram, lengthOnWire: datagram.count + missing) {
          health.dtlsOfUnknownConnections += 1
        }
        return
      }
      makeDatagramRoom(reference.time?.seconds ?? 0)
      conversation = DatagramConversation(
        turn: queue.takeTurn(at: reference.frame), first: reference, tunnels: tunnelLayers.layers(of: packet.headers.tunnels))
      datagrams.begin(conversation, key)
    }
    guard !conversation.isReported else {
      conversation.note(reference)
      return
    }
    if conversation.process == nil { conversation.process = packet.process }
    if conversation.disputedFragment == 0 { conversation.disputedFragment = packet.disputedFragment }
    let made = shared.facts.madeBytes
    conversation.consume(datagram, missing: missing, in: direction, at: reference, sharing: &shared.facts)
    datagrams.openBytes += conversation.weigh(made: shared.facts.madeBytes &- made)
    if conversation.handshake.isOver { report(conversation, key, .done) }
    while datagrams.openBytes > limits.heldBytes, let (key, conversation) = datagrams.takeOldest() {
      evict(conversation, key)
    }
  }

  /// Ends handshakes that are idle, and evicts another one if the table is full.
  private mutating func makeDatagramRoom(_ now: Int64) {
    for _ in 0..<2 {
      let limits = limits
      if let (key, conversation) = datagrams.takeNext(where: { limits.isIdle(since: $0.lastSeen, at: now) }) {
        report(conversation, key, .stillOpen)
      }
    }
    if datagrams.isFull, let (key, conversation) = datagrams.takeOldest() {
      evict(conversation, key)
    }
  }

  private mutating func evict(_ conversation: DatagramConversation, _ key: ConnectionKey) {
    if !conversation.isReported { health.evictedConnections += 1 }
    report(conversation, key, .limit)
  }

  /// Ends all handshakes: no more packets will come.
  mutating func finishDatagrams() {
    while let (key, conversation) = datagrams.takeOldest() { report(conversation, key, .stillOpen) }
  }

  private mutating func report(_ conversation: DatagramConversation, _ key: ConnectionKey, _ ending: Ending) {
    guard !conversation.isReported else { return }
    conversation.isReported = true
    datagrams.openBytes -= conversation.weight
    conversation.endReading(sharing: &shared.facts)
    if conversation.hitLimit { health.oversizedMessages += 1 }
    health.disagreeingBytes += UInt64(conversation.facts.disagreeingBytes)
    let session = SessionAssembly(
      file: file, key: key, connection: conversation.facts, ending: ending,
      names: shared.names.unlessEmpty
    )
    .datagramSession(conversation)
    queue.end(conversation.turn, EndedSession(session), weight: conversation.weight, to: &finished)
  }
}
