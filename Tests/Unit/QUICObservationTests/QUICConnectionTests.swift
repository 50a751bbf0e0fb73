import ByteParsing
import HandshakeDecryption
import QUICParsing
import SeededRandom
import TestBytes
import TLSParsing
import Testing
import Values

@testable import QUICObservation

@Suite struct QUICConnectionTests {
  /// The handshake messages in the packets of RFC 9001 appendix A.
  static let clientHello = Bytes(sampleClientFrames[4...])
  static let serverHello = Bytes(sampleServerFrames[9...])
  static let clientRandom = ShortBytes(clientHello[6..<38])
  static let clientSecret = Bytes(repeating: 0x11, count: 32)
  static let serverSecret = Bytes(repeating: 0x22, count: 32)

  /// A connection and its events; the client is the lower endpoint.
  struct Run {
    var connection = QUICConnection()
    var events: [QUICEvent] = []
    var secrets = SecretStore()
    var frame: UInt64 = 0

    @discardableResult
    mutating func receive(_ datagram: Bytes, fromClient: Bool) -> QUICConnection.Disposition {
      frame += 1
      var disposition = QUICConnection.Disposition.taken
      if let first = datagram.first, first & 0x80 == 0 {
        connection.receiveShort(datagram.span, in: fromClient ? .fromLower : .fromUpper, frame: frame)
      } else {
        disposition = connection.receive(
          datagram.span, in: fromClient ? .fromLower : .fromUpper, frame: frame, secrets: secrets)
      }
      events += connection.takeEvents()
      return disposition
    }

    var messages: [QUICMessage] {
      events.compactMap { if case .message(let message) = $0 { message } else { nil } }
    }

    var types: [UInt8] { messages.map(\.type.rawValue) }

    var closes: [QUICClose] {
      events.compactMap { if case .close(let close) = $0 { close } else { nil } }
    }
  }

  @Test(arguments: [
    (QUICVersion.version1, sampleClientInitial1, sampleServerInitial1),
    (.version2, sampleClientInitial2, sampleServerInitial2),
  ])
  func `the sample packets of RFC 9001 and RFC 9369 give both hellos`(version: QUICVersion, client: Bytes, server: Bytes) {
    var run = Run()
    #expect(run.receive(client, fromClient: true) == .taken)
    #expect(run.receive(server, fromClient: false) == .taken)
    #expect(run.types == [1, 2])
    #expect(run.messages.map(\.isFromClient) == [true, false])
    #expect(run.messages.map(\.frames) == [[1], [2]])
    let isHello = run.messages.first?.body == Bytes(QUICConnectionTests.clientHello.dropFirst(4))
    #expect(isHello)
    #expect(run.connection.version == version)
    #expect(run.connection.clientDirection == .fromLower)
    #expect(run.connection.hasServerHello)
  }

  @Test
  func `the server's packet may be captured before the client's`() {
    var run = Run()
    run.receive(sampleServerInitial1, fromClient: false)
    #expect(run.types.isEmpty)
    run.receive(sampleClientInitial1, fromClient: true)
    #expect(run.types == [1, 2])
    #expect(run.connection.clientDirection == .fromLower)
  }

  @Test
  func `a ClientHello in shuffled frames and packets is reassembled`() throws {
    let sealer = PacketSealer()
    var random = SeededGenerator(seed: 4)
    let hello = QUICConnectionTests.clientHello
    for _ in 0..<20 {
      var frames: [Bytes] = []
      var start = 0
      while start < hello.count {
        let end = min(hello.count, start + Int.random(in: 1...50, using: &random))
        frames.append(crypto(Bytes(hello[start..<end]), at: start))
        start = end
      }
      frames.shuffle(using: &random)
      var run = Run()
      for (index, frame) in frames.enumerated() {
        // Adds PING and PADDING frames. Later packets go to the connection ID that the server chose.
        let packet = try sealer.initial(
          [1, 0, 0] + frame + [0], isFromClient: true, number: UInt8(index),
          to: index == 0 ? nil : sealer.serverID)
        #expect(run.receive(packet, fromClient: true) == .taken)
      }
      #expect(run.types == [1])
      let isHello = run.messages.first?.body == Bytes(hello.dropFirst(4))
      #expect(isHello)
    }
  }

  @Test
  func `coalesced packets are decrypted in order`() throws {
    let sealer = PacketSealer()
    let hello = QUICConnectionTests.clientHello
    let first = try sealer.initial(crypto(Bytes(hello[100...]), at: 100), isFromClient: true)
    let second = try sealer.initial(crypto(Bytes(hello[..<100]), at: 0), isFromClient: true, number: 1)
    var run = Run()
    run.receive(first + second + Bytes(repeating: 0, count: 40), fromClient: true)
    #expect(run.types == [1])
  }

  @Test(arguments: [0, 1, 2])
  func `after a Retry the keys are derived from the connection ID that the client uses`(
    others: Int
  ) throws {
    var sealer = PacketSealer()
    var run = Run()
    let hello = crypto(QUICConnectionTests.clientHello, at: 0)
    run.receive(try sealer.initial(hello, isFromClient: true), fromClient: true)
    let newID = hex("0102030405060708090a")
    run.receive(try sealer.retry(newID, token: hex("746f6b")), fromClient: false)
    #expect(run.connection.wasRetried)
    // A server may send a Retry for each packet of a ClientHello.
    for other in 0..<others {
      let name = Bytes([0xEE, UInt8(other), 3, 4, 5, 6, 7, 8])
      run.receive(try sealer.retry(name, token: hex("6f74686572")), fromClient: false)
    }
    sealer.original = newID
    sealer.serverID = newID
    let again = try sealer.initial(hello, isFromClient: true, number: 1, token: hex("746f6b"))
    #expect(run.receive(again, fromClient: true) == .taken)
    let answer = try sealer.initial(crypto(QUICConnectionTests.serverHello, at: 0), isFromClient: false)
    #expect(run.receive(answer, fromClient: false) == .taken)
    #expect(run.types == [1, 1, 2])
    #expect(run.connection.disagreeingBytes == 0)
  }

  @Test
  func `a Retry with an invalid integrity tag is ignored`() throws {
    let sealer = PacketSealer()
    var run = Run()
    run.receive(
      try sealer.initial(crypto(QUICConnectionTests.clientHello, at: 0), isFromClient: true),
      fromClient: true)
    var retry = try sealer.retry(hex("01020304"), token: hex("746f6b"))
    retry[retry.count - 1] ^= 1
    #expect(run.receive(retry, fromClient: false) == .ignored)
    #expect(!run.connection.wasRetried)
  }

  @Test
  func `after Version Negotiation the client restarts the handshake`() throws {
    var sealer = PacketSealer()
    sealer.version = QUICVersion(rawValue: 0x1A2A_3A4A)
    var run = Run()
    let hello = crypto(QUICConnectionTests.clientHello, at: 0)
    run.receive(try sealer.initial(hello, isFromClient: true), fromClient: true)
    let negotiation =
      hex("80 00000000 04") + sealer.clientID + [8] + sealer.original + hex("6b3343cf 00000001")
    #expect(run.receive(negotiation, fromClient: false) == .taken)
    #expect(run.connection.negotiatedVersions == [.version2, .version1])
    sealer.version = .version1
    sealer.original = hex("9999999999999999")
    run.receive(try sealer.initial(hello, isFromClient: true), fromClient: true)
    run.receive(
      try sealer.initial(crypto(QUICConnectionTests.serverHello, at: 0), isFromClient: false),
      fromClient: false)
    #expect(run.types == [1, 1, 2])
    let restarts = run.events.filter { if case .restart = $0 { true } else { false } }
    #expect(restarts.count == 1)
    #expect(run.connection.version == .version1)
  }

  @Test
  func `a server may select version 2 for a ClientHello in version 1`() throws {
    var sealer = PacketSealer()
    var run = Run()
    run.receive(
      try sealer.initial(crypto(QUICConnectionTests.clientHello, at: 0), isFromClient: true),
      fromClient: true)
    sealer.version = .version2
    run.receive(
      try sealer.initial(crypto(QUICConnectionTests.serverHello, at: 0), isFromClient: false),
      fromClient: false)
    #expect(run.types == [1, 2])
    #expect(run.connection.version == .version2)
  }

  @Test
  func `another connection between the same endpoints is distinguished`() throws {
    var sealer = PacketSealer()
    var run = Run()
    let hello = crypto(QUICConnectionTests.clientHello, at: 0)
    run.receive(try sealer.initial(hello, isFromClient: true), fromClient: true)
    sealer.original = hex("7777777777777777")
    sealer.clientID = hex("dddddddd")
    #expect(run.receive(try sealer.initial(hello, isFromClient: true), fromClient: true) == .startsAnother)
  }

  @Test
  func `a CONNECTION_CLOSE in an Initial packet is reported with its TLS alert`() throws {
    let sealer = PacketSealer()
    var run = Run()
    run.receive(
      try sealer.initial(crypto(QUICConnectionTests.clientHello, at: 0), isFromClient: true),
      fromClient: true)
    run.receive(try sealer.initial(hex("1c 4178 06 00"), isFromClient: false), fromClient: false)
    #expect(run.closes.map(\.code) == [0x178])
    #expect(run.closes.first?.alert?.rawValue == 120)
    #expect(run.closes.first?.isFromClient == false)
    #expect(run.connection.isOver)
  }

  @Test(arguments: [("1c 0c 00 00", true), ("1d 05 00", true), ("1c 08 06 00", false), ("1c 4128 06 00", false)])
  func `a close of the application is distinguished from other errors`(frame: String, isApplication: Bool) throws {
    var run = try hellos(PacketSealer())
    run.receive(try PacketSealer().initial(hex(frame), isFromClient: true, number: 1), fromClient: true)
    #expect(run.closes.map(\.isApplication) == [isApplication])
  }

  @Test
  func `1-RTT packets of both endpoints establish the connection`() throws {
    let sealer = PacketSealer()
    var run = try hellos(sealer)
    run.receive(sealer.short(isFromClient: true), fromClient: true)
    #expect(!run.connection.isEstablished)
    run.receive(sealer.short(isFromClient: false), fromClient: false)
    #expect(run.connection.isEstablished)
    #expect(run.connection.isOver)
  }

  @Test
  func `1-RTT packets without the fixed bit count if the connection ID matches (RFC 9287)`() throws {
    let sealer = PacketSealer()
    var run = try hellos(sealer)
    for isFromClient in [true, false] {
      var packet = sealer.short(isFromClient: isFromClient)
      packet[0] &= ~0x40
      run.receive(packet, fromClient: isFromClient)
    }
    #expect(run.connection.isEstablished)
  }

  @Test
  func `1-RTT packets with other connection IDs do not establish the connection`() throws {
    var sealer = PacketSealer()
    var run = try hellos(sealer)
    sealer.serverID = hex("0000000000")
    sealer.clientID = hex("00000000")
    run.receive(sealer.short(isFromClient: true), fromClient: true)
    run.receive(sealer.short(isFromClient: false), fromClient: false)
    #expect(!run.connection.isEstablished)
  }

  private func hellos(_ sealer: PacketSealer, _ secrets: SecretStore = SecretStore()) throws -> Run {
    var run = Run()
    run.secrets = secrets
    run.receive(
      try sealer.initial(crypto(QUICConnectionTests.clientHello, at: 0), isFromClient: true),
      fromClient: true)
    run.receive(
      try sealer.initial(crypto(QUICConnectionTests.serverHello, at: 0), isFromClient: false),
      fromClient: false)
    return run
  }

  private func store(client: Bytes, server: Bytes) -> SecretStore {
    var secrets = SecretStore()
    _ = secrets.add(client, ofClient: true, random: QUICConnectionTests.clientRandom)
    _ = secrets.add(server, ofClient: false, random: QUICConnectionTests.clientRandom)
    return secrets
  }

  @Test(arguments: [false, true])
  func `with secrets the handshake is decrypted up to the server's Finished`(isReordered: Bool) throws {
    let sealer = PacketSealer()
    let secrets = store(
      client: QUICConnectionTests.clientSecret, server: QUICConnectionTests.serverSecret)
    let flight = message(8, [0, 0]) + message(11, [0, 0, 0, 0]) + message(20, [1, 2, 3])
    let hello = try sealer.initial(crypto(QUICConnectionTests.serverHello, at: 0), isFromClient: false)
    let handshake = try sealer.handshake(
      crypto(flight, at: 0), isFromClient: false, secret: QUICConnectionTests.serverSecret,
      suite: .aes128GCM)
    var run = Run()
    run.secrets = secrets
    run.receive(
      try sealer.initial(crypto(QUICConnectionTests.clientHello, at: 0), isFromClient: true),
      fromClient: true)
    if isReordered {
      run.receive(handshake, fromClient: false)
      run.receive(hello, fromClient: false)
    } else {
      run.receive(hello + handshake, fromClient: false)
    }
    #expect(run.types == [1, 2, 8, 11, 20])
    #expect(run.connection.isDecrypted)
    let late = try sealer.handshake(
      crypto(message(4, [1]), at: flight.count), isFromClient: false, number: 1,
      secret: QUICConnectionTests.serverSecret, suite: .aes128GCM)
    run.receive(late, fromClient: false)
    #expect(run.types == [1, 2, 8, 11, 20])
  }

  @Test
  func `wrong secrets decrypt nothing and are reported as wrong`() throws {
    let sealer = PacketSealer()
    let secrets = store(client: Bytes(repeating: 1, count: 32), server: Bytes(repeating: 2, count: 32))
    var run = try hellos(sealer, secrets)
    let handshake = try sealer.handshake(
      crypto(message(8, [0, 0]), at: 0), isFromClient: false, secret: QUICConnectionTests.serverSecret,
      suite: .aes128GCM)
    run.receive(handshake, fromClient: false)
    #expect(run.types == [1, 2])
    #expect(!run.connection.isDecrypted)
    #expect(run.connection.secretsFailed)
  }

  /// The server's flight and the client's Finished in Handshake packets.
  private func flights(_ sealer: PacketSealer) throws -> (server: Bytes, client: Bytes) {
    let flight = message(8, [0, 0]) + message(11, [0, 0, 0, 0]) + message(20, [1, 2, 3])
    return (
      try sealer.handshake(
        crypto(flight, at: 0), isFromClient: false, secret: QUICConnectionTests.serverSecret,
        suite: .aes128GCM),
      try sealer.handshake(
        crypto(message(20, [4, 5, 6]), at: 0), isFromClient: true, secret: QUICConnectionTests.clientSecret,
        suite: .aes128GCM)
    )
  }

  @Test
  func `the packets determine which of several secrets is right`() throws {
    let sealer = PacketSealer()
    var secrets = store(client: Bytes(repeating: 1, count: 48), server: Bytes(repeating: 2, count: 32))
    for (secret, isClient) in [
      (Bytes(repeating: 3, count: 32), false), (QUICConnectionTests.serverSecret, false),
    ] {
      _ = secrets.add(secret, ofClient: isClient, random: QUICConnectionTests.clientRandom)
    }
    _ = secrets.add(
      QUICConnectionTests.clientSecret, ofClient: true, random: QUICConnectionTests.clientRandom)
    var run = try hellos(sealer, secrets)
    let (server, client) = try flights(sealer)
    run.receive(server, fromClient: false)
    run.receive(client, fromClient: true)
    #expect(run.types == [1, 2, 8, 11, 20, 20])
    #expect(!run.connection.secretsFailed)
  }

  @Test
  func `the Finished messages of both endpoints establish the connection`() throws {
    let sealer = PacketSealer()
    let secrets = store(
      client: QUICConnectionTests.clientSecret, server: QUICConnectionTests.serverSecret)
    var run = try hellos(sealer, secrets)
    let (server, client) = try flights(sealer)
    run.receive(server, fromClient: false)
    #expect(!run.connection.isEstablished)
    run.receive(client, fromClient: true)
    #expect(run.connection.isEstablished)
    #expect(run.connection.isOver)
    #expect(!run.connection.hasGaps)
  }

  @Test
  func `a wrong server secret is reported even if the client secret is right`() throws {
    let sealer = PacketSealer()
    let secrets = store(client: QUICConnectionTests.clientSecret, server: Bytes(repeating: 2, count: 32))
    var run = try hellos(sealer, secrets)
    let (server, client) = try flights(sealer)
    run.receive(server, fromClient: false)
    run.receive(client, fromClient: true)
    #expect(run.types == [1, 2, 20])
    #expect(run.connection.secretsFailed)
    #expect(!run.connection.isServerFlightUnread)
  }

  @Test
  func `a key log without the server secret is reported`() throws {
    let sealer = PacketSealer()
    var secrets = SecretStore()
    _ = secrets.add(
      QUICConnectionTests.clientSecret, ofClient: true, random: QUICConnectionTests.clientRandom)
    let run = try hellos(sealer, secrets)
    #expect(run.connection.lacksServerSecret)
    #expect(!run.connection.secretsFailed)
  }

  @Test
  func `a missing server flight is a gap only with secrets`() throws {
    let sealer = PacketSealer()
    for hasSecrets in [true, false] {
      let secrets = store(
        client: QUICConnectionTests.clientSecret, server: QUICConnectionTests.serverSecret)
      var run = try hellos(sealer, hasSecrets ? secrets : SecretStore())
      run.receive(try flights(sealer).client, fromClient: true)
      #expect(run.connection.hasGaps == hasSecrets)
      #expect(run.connection.isServerFlightUnread == hasSecrets)
    }
  }

  @Test
  func `a missing ServerHello is a gap`() throws {
    let sealer = PacketSealer()
    var run = Run()
    run.receive(
      try sealer.initial(crypto(QUICConnectionTests.clientHello, at: 0), isFromClient: true),
      fromClient: true)
    #expect(!run.connection.hasGaps)
    run.receive(try flights(sealer).server, fromClient: false)
    #expect(run.connection.hasGaps)
  }

  @Test
  func `the random of a truncated ClientHello finds the secrets`() throws {
    let sealer = PacketSealer()
    var run = Run()
    run.secrets = store(
      client: QUICConnectionTests.clientSecret, server: QUICConnectionTests.serverSecret)
    let part = Bytes(QUICConnectionTests.clientHello.prefix(120))
    run.receive(try sealer.initial(crypto(part, at: 0), isFromClient: true), fromClient: true)
    run.receive(
      try sealer.initial(crypto(QUICConnectionTests.serverHello, at: 0), isFromClient: false),
      fromClient: false)
    run.receive(try flights(sealer).server, fromClient: false)
    #expect(run.types == [2, 8, 11, 20])
    #expect(run.connection.hasGaps)
  }

  @Test
  func `secrets of the wrong length for the cipher suite are reported as wrong`() throws {
    let secrets = store(client: Bytes(repeating: 1, count: 48), server: Bytes(repeating: 2, count: 48))
    let run = try hellos(PacketSealer(), secrets)
    #expect(run.connection.secretsFailed)
  }

  @Test
  func `an incomplete ClientHello is delivered at the end`() throws {
    let sealer = PacketSealer()
    var run = Run()
    let part = Bytes(QUICConnectionTests.clientHello.prefix(120))
    run.receive(try sealer.initial(crypto(part, at: 0), isFromClient: true), fromClient: true)
    #expect(run.types.isEmpty)
    run.connection.endReading()
    run.events += run.connection.takeEvents()
    #expect(run.types == [1])
    #expect(run.messages.first?.isWhole == false)
    #expect(run.messages.first?.body.count == 116)
  }

  @Test
  func `truncated and changed datagrams never trap, and memory is bounded`() {
    var random = SeededGenerator(seed: 8)
    for round in 0..<300 {
      var run = Run()
      for _ in 0..<20 {
        var datagram = [sampleClientInitial1, sampleServerInitial1, sampleServerInitial2][round % 3]
        for _ in 0..<3 {
          datagram[Int.random(in: 0..<min(60, datagram.count), using: &random)] = .random(
            in: 0...255, using: &random)
        }
        datagram.removeLast(Int.random(in: 0..<datagram.count, using: &random))
        run.receive(datagram, fromClient: Bool.random(using: &random))
      }
      #expect(run.connection.heldBytes <= 24 * 1024)
    }
  }

  @Test
  func `key derivation stops after too many packets that do not decrypt`() throws {
    var run = Run()
    run.receive(sampleClientInitial1, fromClient: true)
    for number in 0..<200 {
      var packet = sampleClientInitial1
      packet[6] = UInt8(number)
      run.receive(packet, fromClient: true)
    }
    #expect(run.connection.undecryptedPackets <= QUICLimits.failures)
  }
}
