import ByteParsing
import HandshakeDecryption
import QUICParsing
import TestBytes
import TLSParsing
import Testing
import Values

@testable import QUICObservation

/// Packets that are late, early, from another connection, or missing.
@Suite struct QUICConnectionOrderTests {
  private typealias Run = QUICConnectionTests.Run
  private static let hello = crypto(QUICConnectionTests.clientHello, at: 0)
  private static let answer = crypto(QUICConnectionTests.serverHello, at: 0)

  private func store() -> SecretStore {
    var store = SecretStore()
    let random = QUICConnectionTests.clientRandom
    _ = store.add(QUICConnectionTests.clientSecret, ofClient: true, random: random)
    _ = store.add(QUICConnectionTests.serverSecret, ofClient: false, random: random)
    return store
  }

  @Test(arguments: [true, false])
  func `late packets of an abandoned hello change nothing`(isRetry: Bool) throws {
    var sealer = PacketSealer()
    if !isRetry { sealer.version = QUICVersion(rawValue: 0x1A2A_3A4A) }
    var run = Run()
    // The second half of this hello differs from the hello that follows.
    let half = QUICConnectionTests.clientHello.count / 2
    let first = try sealer.initial(
      crypto(Bytes(QUICConnectionTests.clientHello[..<half]), at: 0), isFromClient: true)
    let late = try sealer.initial(
      crypto(Bytes(repeating: 0xEE, count: 40), at: half), isFromClient: true, number: 1)
    let lateAnswer = try sealer.initial(
      crypto(Bytes(repeating: 0xEE, count: 9), at: 0), isFromClient: false, number: 1)
    run.receive(first, fromClient: true)
    if isRetry {
      sealer.serverID = hex("0102030405060708090a")
      run.receive(try sealer.retry(sealer.serverID, token: [1]), fromClient: false)
      sealer.original = sealer.serverID
    } else {
      run.receive(
        hex("80 00000000 04") + sealer.clientID + [8] + sealer.original + hex("00000001"), fromClient: false)
      sealer.version = .version1
      sealer.original = hex("9999999999999999")
    }
    let token = isRetry ? Bytes([1]) : []
    run.receive(
      try sealer.initial(
        crypto(Bytes(QUICConnectionTests.clientHello[..<half]), at: 0), isFromClient: true, token: token),
      fromClient: true)
    #expect(run.receive(late, fromClient: true) == .taken)
    #expect(run.receive(lateAnswer, fromClient: false) == .taken)
    run.receive(
      try sealer.initial(
        crypto(Bytes(QUICConnectionTests.clientHello[half...]), at: half), isFromClient: true, number: 1,
        token: token), fromClient: true)
    run.receive(try sealer.initial(QUICConnectionOrderTests.answer, isFromClient: false), fromClient: false)
    #expect(run.types == [1, 2])
    let isHello = run.messages.first?.body == Bytes(QUICConnectionTests.clientHello.dropFirst(4))
    #expect(isHello)
    #expect(run.connection.disagreeingBytes == 0)
  }

  @Test
  func `a ServerHello captured before the hello that follows a Retry is kept`() throws {
    var sealer = PacketSealer()
    var run = Run()
    run.receive(try sealer.initial(QUICConnectionOrderTests.hello, isFromClient: true), fromClient: true)
    let name = hex("0102030405060708090a")
    run.receive(try sealer.retry(name, token: [1]), fromClient: false)
    sealer.original = name
    run.receive(try sealer.initial(QUICConnectionOrderTests.answer, isFromClient: false), fromClient: false)
    #expect(run.types == [1])
    run.receive(
      try sealer.initial(QUICConnectionOrderTests.hello, isFromClient: true, number: 1, token: [1]), fromClient: true)
    #expect(run.types == [1, 1, 2])
  }

  @Test
  func `a server's packet after Version Negotiation may precede the hello that it answers`() throws {
    var sealer = PacketSealer()
    var run = Run()
    sealer.version = QUICVersion(rawValue: 0x1A2A_3A4A)
    run.receive(try sealer.initial(QUICConnectionOrderTests.hello, isFromClient: true), fromClient: true)
    run.receive(hex("80 00000000 04") + sealer.clientID + [8] + sealer.original + hex("00000001"), fromClient: false)
    sealer.version = .version1
    sealer.original = hex("9999999999999999")
    run.receive(try sealer.initial(QUICConnectionOrderTests.answer, isFromClient: false), fromClient: false)
    run.receive(try sealer.initial(QUICConnectionOrderTests.hello, isFromClient: true, number: 1), fromClient: true)
    #expect(run.types == [1, 1, 2])
    #expect(run.connection.disagreeingBytes == 0)
  }

  @Test(arguments: [true, false])
  func `copies of a hello that disagree are contested`(isClient: Bool) throws {
    let sealer = PacketSealer()
    var run = Run()
    run.receive(try sealer.initial(QUICConnectionOrderTests.hello, isFromClient: true), fromClient: true)
    let forged = crypto(Bytes(repeating: 0xEE, count: 40), at: 0)
    if !isClient { run.receive(try sealer.initial(QUICConnectionOrderTests.answer, isFromClient: false), fromClient: false) }
    run.receive(try sealer.initial(forged, isFromClient: isClient, number: 1), fromClient: isClient)
    #expect((run.connection.contestedInitials.client > 0) == isClient)
    #expect((run.connection.contestedInitials.server > 0) != isClient)
  }

  @Test(arguments: [true, false])
  func `an Initial packet with another Source Connection ID than the first of its side is ignored`(isClient: Bool) throws {
    let sealer = PacketSealer()
    var forger = sealer
    if isClient { forger.clientID = hex("99999999") } else { forger.serverID = hex("9999999999") }
    var run = Run()
    run.receive(try sealer.initial(QUICConnectionOrderTests.hello, isFromClient: true), fromClient: true)
    let ping: Bytes = [1]
    if !isClient { run.receive(try sealer.initial(ping, isFromClient: false), fromClient: false) }
    let close = try forger.initial(hex("1c 4128 06 00"), isFromClient: isClient, number: 7)
    #expect(run.receive(close, fromClient: isClient) == .ignored)
    if !isClient {
      forger.version = .version2
      #expect(run.receive(try forger.initial(ping, isFromClient: false), fromClient: false) == .ignored)
      run.receive(try sealer.retry(forger.serverID, token: [1]), fromClient: false)
    }
    run.receive(try sealer.initial(QUICConnectionOrderTests.answer, isFromClient: false, number: 1), fromClient: false)
    for isFromClient in [true, false] { run.receive(sealer.short(isFromClient: isFromClient), fromClient: isFromClient) }
    #expect(run.types == [1, 2])
    #expect(run.closes.isEmpty)
    #expect(run.connection.isEstablished)
  }

  @Test(arguments: [1, 3])
  func `a client's packets in the negotiated version may precede the server's packets`(count: UInt8)
    throws
  {
    var sealer = PacketSealer()
    var run = Run()
    run.receive(try sealer.initial(QUICConnectionOrderTests.hello, isFromClient: true), fromClient: true)
    sealer.version = .version2
    for number in 1...count {
      run.receive(
        try sealer.initial(
          [0x1C, 0x41, 0x2A, 0, 0], isFromClient: true, number: number, to: sealer.serverID), fromClient: true
      )
    }
    #expect(run.closes.isEmpty)
    run.receive(try sealer.initial(QUICConnectionOrderTests.answer, isFromClient: false), fromClient: false)
    #expect(run.types == [1, 2])
    #expect(run.closes.map(\.code) == [0x12A])
    #expect(run.connection.version == .version2)
  }

  @Test(arguments: [QUICVersion.version2, .version2Draft])
  func `an acknowledgment in the original version does not undo the negotiated version`(version: QUICVersion) throws {
    var sealer = PacketSealer()
    var run = Run()
    run.receive(try sealer.initial(QUICConnectionOrderTests.hello, isFromClient: true), fromClient: true)
    let late = try sealer.initial([2, 0, 0, 0, 0], isFromClient: false)
    sealer.version = version
    run.receive(try sealer.initial(QUICConnectionOrderTests.answer, isFromClient: false, number: 1), fromClient: false)
    run.receive(late, fromClient: false)
    #expect(run.types == [1, 2])
    #expect(run.connection.version == version)
  }

  @Test(arguments: [true, false])
  func `a ClientHello completed after the ServerHello finds the secrets`(isBeginningLast: Bool) throws {
    let sealer = PacketSealer()
    var run = Run()
    run.secrets = store()
    let all = QUICConnectionTests.clientHello
    var parts = [crypto(Bytes(all[..<20]), at: 0), crypto(Bytes(all[20...]), at: 20)]
    if isBeginningLast { parts.reverse() }
    run.receive(try sealer.initial(parts[0], isFromClient: true), fromClient: true)
    let flight = message(8, [0, 0]) + message(11, [0, 0, 0, 0]) + message(20, [1, 2, 3])
    run.receive(
      try sealer.initial(QUICConnectionOrderTests.answer, isFromClient: false)
        + sealer.handshake(
          crypto(flight, at: 0), isFromClient: false, secret: QUICConnectionTests.serverSecret,
          suite: .aes128GCM), fromClient: false)
    #expect(run.types == [2])
    run.receive(try sealer.initial(parts[1], isFromClient: true, number: 1), fromClient: true)
    #expect(Set(run.types) == [1, 2, 8, 11, 20])
  }

  @Test(arguments: [
    // Lists the version that the client selected.
    "80 00000000 04 c1c1c1c1 08 8394c8f03e515708 00000001 6b3343cf",
    // Does not repeat the client's Destination Connection ID.
    "80 00000000 04 c1c1c1c1 08 8394c8f03e515709 6b3343cf",
    // Has the connection ID of another client.
    "80 00000000 04 c1c1c1c2 08 8394c8f03e515708 6b3343cf",
  ])
  func `a Version Negotiation packet that a client must discard is ignored`(text: String) throws {
    let sealer = PacketSealer()
    var run = Run()
    run.receive(try sealer.initial(QUICConnectionOrderTests.hello, isFromClient: true), fromClient: true)
    #expect(run.receive(hex(text), fromClient: false) == .ignored)
    #expect(run.connection.negotiatedVersions.isEmpty)
  }

  @Test(arguments: [hex("c1c1c1c1"), []])
  func `a missing Retry or Version Negotiation packet does not start a second connection`(name: Bytes) throws {
    for brings in [true, false] {
      var sealer = PacketSealer()
      sealer.clientID = name
      if !brings { sealer.version = QUICVersion(rawValue: 0x1A2A_3A4A) }
      var run = Run()
      run.receive(try sealer.initial(QUICConnectionOrderTests.hello, isFromClient: true), fromClient: true)
      sealer.version = .version1
      sealer.original = hex("9999999999999999")
      let again = try sealer.initial(QUICConnectionOrderTests.hello, isFromClient: true, token: brings ? [1, 2] : [])
      #expect(run.receive(again, fromClient: true) == .taken)
      run.receive(try sealer.initial(QUICConnectionOrderTests.answer, isFromClient: false), fromClient: false)
      #expect(run.types == [1, 1, 2])
    }
  }

  @Test
  func `a ClientHello without its beginning is reported as incomplete`() throws {
    let sealer = PacketSealer()
    var run = Run()
    run.receive(
      try sealer.initial(
        crypto(Bytes(QUICConnectionTests.clientHello[100...]), at: 100), isFromClient: true), fromClient: true
    )
    run.connection.endReading()
    run.events += run.connection.takeEvents()
    #expect(run.types == [1])
    #expect(run.messages.first?.isWhole == false)
    #expect(run.messages.first?.body.isEmpty == true)
    #expect(run.messages.first?.frames == [1])
  }

  @Test
  func `another client with the same Destination Connection ID is distinguished`() throws {
    var sealer = PacketSealer()
    var run = Run()
    let packet = try sealer.initial(QUICConnectionOrderTests.hello, isFromClient: true)
    run.receive(packet, fromClient: true)
    func isContradicted(_ packet: Bytes, fromClient: Bool = true) -> Bool {
      run.connection.isContradicted(by: packet.span, in: fromClient ? .fromLower : .fromUpper)
    }
    #expect(!isContradicted(packet))
    var other = QUICConnectionTests.clientHello
    other[20] ^= 1
    #expect(isContradicted(try sealer.initial(crypto(other, at: 0), isFromClient: true, number: 1)))
    sealer.clientID = hex("c2c2")
    let named = try sealer.initial(QUICConnectionOrderTests.hello, isFromClient: true, number: 1)
    #expect(isContradicted(named))
    #expect(!isContradicted(named, fromClient: false))
  }

  @Test
  func `an abandoned hello is recognized even if captured after the hello that replaced it`() throws {
    let first = PacketSealer()
    var second = first
    second.serverID = hex("0102030405060708090a")
    second.original = second.serverID
    let half = QUICConnectionTests.clientHello.count / 2
    let rest = crypto(Bytes(QUICConnectionTests.clientHello[half...]), at: half)
    for isAnswered in [false, true] {
      var run = Run()
      run.receive(
        try second.initial(QUICConnectionOrderTests.hello, isFromClient: true, number: 1, token: [1]), fromClient: true)
      if isAnswered {
        run.receive(try second.initial(QUICConnectionOrderTests.answer, isFromClient: false), fromClient: false)
      }
      #expect(
        run.receive(
          try first.initial(
            crypto(Bytes(QUICConnectionTests.clientHello[..<half]), at: 0), isFromClient: true),
          fromClient: true) == .taken)
      #expect(
        run.receive(try first.initial(rest, isFromClient: true, number: 1), fromClient: true) == .taken)
      #expect(run.connection.wasRetried)
      #expect(run.connection.abandonedDestinations == [ConnectionID(first.original)])
      if !isAnswered {
        run.receive(try second.initial(QUICConnectionOrderTests.answer, isFromClient: false), fromClient: false)
      }
      #expect(run.types == [1, 2])
      // After the ServerHello, another hello belongs to another connection.
      #expect(run.receive(try other(after: 10, first.clientID), fromClient: true) == .startsAnother)
      #expect(run.receive(try other(after: nil, hex("c2c2c2c2")), fromClient: true) == .startsAnother)
    }
  }

  @Test
  func `before the ServerHello a long client connection ID identifies an abandoned hello`() throws {
    for name in ["c1c1c1c1", "c1", ""] {
      var sealer = PacketSealer()
      sealer.original = hex("0102030405060708090a")
      sealer.clientID = hex(name)
      for token in [[], [1]] as [Bytes] {
        var run = Run()
        run.receive(
          try sealer.initial(QUICConnectionOrderTests.hello, isFromClient: true, token: token), fromClient: true)
        let isKnown = !token.isEmpty && name.utf8.count == 8
        let disposition = run.receive(try other(after: 10, hex(name)), fromClient: true)
        #expect(disposition == (isKnown ? .taken : .startsAnother))
        #expect(run.types == [1])
      }
    }
  }

  @Test
  func `after the ServerHello an abandoned hello also has a lower packet number`() throws {
    for (name, number, isAbandoned) in [("c1c1c1c1c1c1c1c1", 1, true), ("c1c1c1c1c1c1c1c1", 0, false), ("c1c1c1c1", 1, false)] {
      var sealer = PacketSealer()
      sealer.original = hex("0102030405060708090a")
      sealer.clientID = hex(name)
      var run = Run()
      run.receive(
        try sealer.initial(QUICConnectionOrderTests.hello, isFromClient: true, number: UInt8(number), token: [1]), fromClient: true)
      run.receive(try sealer.initial(QUICConnectionOrderTests.answer, isFromClient: false), fromClient: false)
      let disposition = run.receive(try other(after: 10, hex(name)), fromClient: true)
      #expect(disposition == (isAbandoned ? .taken : .startsAnother))
      #expect(run.types == [1, 2])
    }
  }

  /// The hello to another Destination Connection ID, with one byte changed.
  private func other(after offset: Int?, _ name: Bytes) throws -> Bytes {
    var sealer = PacketSealer()
    sealer.original = hex("7777777777777777")
    sealer.clientID = name
    var hello = QUICConnectionTests.clientHello
    if let offset { hello[offset] ^= 1 }
    return try sealer.initial(crypto(hello, at: 0), isFromClient: true)
  }

  @Test(arguments: [true, false])
  func `an established connection waits for a late piece of a hello, up to a limit`(isClient: Bool)
    throws
  {
    let sealer = PacketSealer()
    let (hello, answer) = (QUICConnectionTests.clientHello, QUICConnectionTests.serverHello)
    let whole = isClient ? hello : answer
    let early = try sealer.initial(crypto(Bytes(whole[..<60]), at: 0), isFromClient: isClient)
    let late = try sealer.initial(crypto(Bytes(whole[60...]), at: 60), isFromClient: isClient, number: 1)
    for packets in [0, 10, 64] {
      var run = Run()
      if !isClient {
        run.receive(try sealer.initial(QUICConnectionOrderTests.hello, isFromClient: true), fromClient: true)
      }
      run.receive(early, fromClient: isClient)
      if isClient {
        run.receive(try sealer.initial(QUICConnectionOrderTests.answer, isFromClient: false), fromClient: false)
      } else {
        run.receive(
          try sealer.handshake(
            Bytes(repeating: 1, count: 40), isFromClient: false, secret: QUICConnectionTests.serverSecret,
            suite: .aes128GCM), fromClient: false)
      }
      for isFromClient in [true, false] {
        run.receive(sealer.short(isFromClient: isFromClient), fromClient: isFromClient)
      }
      #expect(run.connection.isEstablished)
      for _ in 0..<packets { run.receive(sealer.short(isFromClient: true), fromClient: true) }
      #expect(run.connection.isOver == (packets == 64 && isClient))
      guard packets < 64 else { continue }
      run.receive(late, fromClient: isClient)
      #expect(run.connection.isOver)
      #expect(run.types.sorted() == [1, 2])
      #expect(run.messages.map(\.isWhole) == [true, true])
    }
  }
}
