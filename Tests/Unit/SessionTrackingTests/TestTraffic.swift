import ByteParsing
import PacketParsing
import TestBytes
import Values

public import SessionModel
@testable import SessionTracking

/// Conversion of text, so that tests write layers as they are in records.
extension EnclosingLayer: ExpressibleByStringLiteral {
  /// Creates a layer from its text in a record.
  public init(stringLiteral text: String) { self.init(text) }
}

/// Plays the packets of a client and a server over TCP.
struct TestTraffic: ~Copyable {
  var tracker = SessionTracker(file: "test")
  /// The frame number of the last packet.
  var frame: UInt64 = 0
  /// The capture time of the next packet.
  var seconds: Int64 = 1_700_000_000
  /// The client's port; another port is another connection.
  var clientPort: UInt16 = 50_000
  private var sequences: [UInt16: (client: UInt32, server: UInt32)] = [:]
  private var sequence: (client: UInt32, server: UInt32) {
    get { sequences[clientPort] ?? (1000, 9000) }
    set { sequences[clientPort] = newValue }
  }
  /// The port of the server.
  var port: UInt16

  /// Opens a connection to a port of the server, before the capture begins if `seesStart` is false, and plays the client's first bytes.
  init(port: UInt16, seesServer: Bool = true, seesStart: Bool = true, clientSays first: Bytes = []) {
    self.port = port
    if seesStart { open(seesServer: seesServer) }
    if !first.isEmpty { say(first, fromClient: true) }
  }

  /// Continues the client's sequence numbers from another one.
  mutating func begin(at number: UInt32) { sequence.client = number }

  /// Opens a connection.
  mutating func open(seesClient: Bool = true, seesServer: Bool = true) {
    if seesClient { send(flags: 0x02, fromClient: true) }
    sequence.client &+= 1
    if seesServer { send(flags: 0x12, fromClient: false) }
    sequence.server += 1
    if seesClient { send(flags: 0x10, fromClient: true) }
  }

  /// Plays bytes of one endpoint in one segment.
  mutating func say(_ bytes: Bytes, fromClient: Bool) {
    send(bytes, flags: 0x18, fromClient: fromClient)
    if fromClient { sequence.client &+= UInt32(bytes.count) } else { sequence.server += UInt32(bytes.count) }
  }

  /// Plays a dialogue, each line in one segment.
  mutating func say(_ lines: some Sequence<DialogueLine>) {
    for line in lines { say(line.bytes, fromClient: line.fromClient) }
  }

  /// Plays a ClientHello and a ServerHello.
  mutating func sayHellos() {
    say(sampleClientHello, fromClient: true)
    say(sampleServerHello, fromClient: false)
  }

  /// Skips bytes of one endpoint that the capture lacks.
  mutating func lose(_ bytes: Bytes, fromClient: Bool) {
    if fromClient { sequence.client &+= UInt32(bytes.count) } else { sequence.server += UInt32(bytes.count) }
  }

  /// Plays the last bytes of one endpoint, which were missing until now.
  mutating func sayLate(_ bytes: Bytes, fromClient: Bool) {
    let now = sequence
    if fromClient { sequence.client &-= UInt32(bytes.count) } else { sequence.server -= UInt32(bytes.count) }
    send(bytes, flags: 0x18, fromClient: fromClient)
    sequence = now
  }

  /// Moves the next sequence number of one endpoint back.
  mutating func rewind(_ count: Int, fromClient: Bool) {
    if fromClient { sequence.client &-= UInt32(count) } else { sequence.server -= UInt32(count) }
  }

  /// Plays bytes of one endpoint in one segment, which the snapshot length truncates to the first `length` ones.
  mutating func say(_ bytes: Bytes, cutTo length: Int, fromClient: Bool) {
    send(bytes, flags: 0x18, cut: bytes.count - length, fromClient: fromClient)
    lose(bytes, fromClient: fromClient)
  }

  /// Plays the FIN of one endpoint.
  mutating func end(fromClient: Bool) { send(flags: 0x11, fromClient: fromClient) }

  /// Plays a RST, with `bytes` as its payload.
  mutating func reset(fromClient: Bool, explaining bytes: Bytes = []) {
    send(bytes, flags: 0x14, fromClient: fromClient)
  }

  /// Plays a RST whose sequence number is `distance` ahead of the next one.
  mutating func reset(fromClient: Bool, ahead distance: Int32) { send(flags: 0x14, fromClient: fromClient, ahead: distance) }

  /// Plays a FIN whose sequence number is `distance` ahead of the next one.
  mutating func end(fromClient: Bool, ahead distance: Int32) { send(flags: 0x11, fromClient: fromClient, ahead: distance) }

  /// Ends the capture and returns its sessions.
  mutating func finish() -> [ObservedSession] { tracker.sessions() }

  private mutating func send(_ payload: Bytes = [], flags: UInt8, cut: Int = 0, fromClient: Bool, ahead distance: Int32 = 0) {
    frame += 1
    let (next, other) = fromClient ? (sequence.client, sequence.server) : (sequence.server, sequence.client)
    let own = next &+ UInt32(bitPattern: distance)
    let packet = PacketBuilder.ethernet(
      PacketBuilder.segment(
        payload, client: Int(clientPort), server: Int(port), fromClient: fromClient, sequence: Int(own), acknowledgment: Int(other),
        flags: flags))
    tracker.play(packet, frame, at: seconds, cut: cut)
  }
}

extension SessionTracker {
  /// Processes a packet, of which the capture lacks the last `cut` bytes.
  mutating func play(_ packet: Bytes, _ frame: UInt64, at seconds: Int64 = 1_700_000_000, linkType: UInt16 = 1, cut: Int = 0) {
    process(
      packet.span.extracting(first: packet.count - cut), linkType: linkType, originalLength: packet.count,
      at: PacketReference(frame: frame, time: Timestamp(seconds: seconds)))
  }

  /// Ends the capture and returns its sessions.
  mutating func sessions() -> [ObservedSession] {
    finish()
    return finished.compactMap(\.session)
  }
}

/// The ClientHello of RFC 8448 §3 in its record.
let sampleClientHello = hex("16 03 01 00 c4 01 00 00 c0") + rfc8448ClientHello

/// The ServerHello of RFC 8448 §3 in its record.
let sampleServerHello = hex("16 03 03 00 5a 02 00 00 56") + rfc8448ServerHello
