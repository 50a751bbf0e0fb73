import ByteParsing
import TestBytes
import TLSParsing
import Testing

@testable import HandshakeDecryption

@Suite struct ProtectedHandshakeTests {
  static let serverSecret = hex("b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38")
  static let clientSecret = hex("b3eddb126e067f35a780b3abf45e2d8f3b1a950738f52e9600746a0e27a55a21")

  @Test
  func `the server's flight of RFC 8448 is decrypted`() throws {
    var protection = try #require(
      RecordProtection(secret: ProtectedHandshakeTests.serverSecret, suite: .aes128GCM))
    let record = rfc8448ServerFlight
    let found = protection.decrypt(record.span)
    let decrypted = try #require(found)
    #expect(decrypted.type == .handshake)
    let isSame = decrypted.content == rfc8448ServerMessages
    #expect(isSame)
  }

  @Test
  func `the messages of an encrypted flight are returned one by one, with Finished as the last`() throws {
    var handshake = try #require(
      ProtectedHandshake(secrets: [ProtectedHandshakeTests.serverSecret], suite: .aes128GCM))
    let messages = handshake.decrypt(bytes: rfc8448ServerFlight).compactMap(message)
    #expect(messages.map(\.0.rawValue) == [8, 11, 15, 20])
    #expect(messages.map(\.1.count) == [36, 441, 132, 32])
    #expect(handshake.state == .finished)
  }

  @Test
  func `the right one of several secrets is found with the first record`() throws {
    let wrong = Bytes(repeating: 9, count: 32)
    let tooLong = Bytes(repeating: 9, count: 48)
    var handshake = try #require(
      ProtectedHandshake(secrets: [wrong, tooLong, ProtectedHandshakeTests.serverSecret], suite: .aes128GCM))
    let messages = handshake.decrypt(bytes: rfc8448ServerFlight).compactMap(message)
    #expect(messages.map(\.0.rawValue) == [8, 11, 15, 20])
    #expect(ProtectedHandshake(secrets: [tooLong], suite: .aes128GCM) == nil)
    #expect(ProtectedHandshake(secrets: [], suite: .aes128GCM) == nil)
  }

  @Test
  func `a message longer than the limit is reported`() throws {
    let (suite, secret) = ProtectedHandshakeTests.suites[0]
    var sealer = RecordSealer(suite: suite, secret: secret)
    var handshake = try #require(ProtectedHandshake(secrets: [secret], suite: suite))
    #expect(!handshake.hitLimit)
    _ = handshake.decrypt(bytes: try sealer.seal([11, 0x10, 0, 0, 1], type: .handshake))
    #expect(handshake.hitLimit)
    #expect(handshake.state == .failed)
  }

  @Test
  func `the client's Finished of RFC 8448 is decrypted`() throws {
    var handshake = try #require(
      ProtectedHandshake(secrets: [ProtectedHandshakeTests.clientSecret], suite: .aes128GCM))
    let record = hex(
      """
      170303003575ec4dc238cce60b298044a71e219c56cc77b0517fe9b93c7a4bfc44d87f38f80338ac98fc46deb384bd1caeacab68
      67d726c40546
      """)
    let messages = handshake.decrypt(bytes: record).compactMap(message)
    #expect(messages.map(\.0) == [.finished])
    let digest = hex("a8ec436d677634ae525ac1fcebe11a039ec17694fac6e98527b642f2edd5ce61")
    #expect(messages.first?.1 == digest)
  }

  /// Every cipher suite that can be decrypted, with a secret of its hash length.
  static let suites: [(DecryptableSuite, Bytes)] = [
    (.aes128GCM, Bytes(repeating: 1, count: 32)), (.aes256GCM, Bytes(repeating: 2, count: 48)),
    (.chaCha20Poly1305, Bytes(repeating: 3, count: 32)),
  ]

  @Test(arguments: [0, 1, 2])
  func `messages are reassembled, however they are split into records and padded`(index: Int) throws {
    let (suite, secret) = ProtectedHandshakeTests.suites[index]
    let messages: Bytes = [8, 0, 0, 2, 0, 0] + [11, 0, 0, 5, 1, 2, 3, 4, 5] + [20, 0, 0, 1, 9]
    for size in 1...messages.count {
      var sealer = RecordSealer(suite: suite, secret: secret)
      var handshake = try #require(ProtectedHandshake(secrets: [secret], suite: suite))
      var found: [(HandshakeType, Bytes)] = []
      var start = 0
      while start < messages.count {
        let piece = Bytes(messages[start..<min(messages.count, start + size)])
        let record = try sealer.seal(piece, type: .handshake, padding: size % 3)
        found += handshake.decrypt(bytes: record).compactMap(message)
        start += size
      }
      #expect(found.map(\.0.rawValue) == [8, 11, 20])
      #expect(found.map(\.1.count) == [2, 5, 1])
      #expect(handshake.state == .finished)
    }
  }

  @Test
  func `nothing after Finished is decrypted, even under the same keys`() throws {
    let (suite, secret) = ProtectedHandshakeTests.suites[0]
    var sealer = RecordSealer(suite: suite, secret: secret)
    var handshake = try #require(ProtectedHandshake(secrets: [secret], suite: suite))
    let finished = try sealer.seal([20, 0, 0, 1, 9], type: .handshake)
    #expect(handshake.decrypt(bytes: finished).count == 1)
    let more = try sealer.seal([4, 0, 0, 1, 9], type: .handshake)
    #expect(handshake.decrypt(bytes: more).isEmpty)
    let data = try sealer.seal(Bytes("GET / HTTP/1.1".utf8), type: .applicationData)
    #expect(handshake.decrypt(bytes: data).isEmpty)
  }

  @Test
  func `application data under handshake keys is dropped and ends decryption`() throws {
    let (suite, secret) = ProtectedHandshakeTests.suites[0]
    var sealer = RecordSealer(suite: suite, secret: secret)
    var handshake = try #require(ProtectedHandshake(secrets: [secret], suite: suite))
    let data = try sealer.seal(Bytes("GET / HTTP/1.1".utf8), type: .applicationData)
    #expect(handshake.decrypt(bytes: data).isEmpty)
    #expect(handshake.state == .failed)
  }

  @Test
  func `an encrypted alert is reported`() throws {
    let (suite, secret) = ProtectedHandshakeTests.suites[0]
    var sealer = RecordSealer(suite: suite, secret: secret)
    var handshake = try #require(ProtectedHandshake(secrets: [secret], suite: suite))
    let record = try sealer.seal([2, 48], type: .alert)
    let events = handshake.decrypt(bytes: record)
    guard case .alert(2, let description) = events.first else {
      Issue.record("no alert")
      return
    }
    #expect(description.rawValue == 48)
  }

  @Test
  func `early data before the handshake is skipped`() throws {
    let (suite, secret) = ProtectedHandshakeTests.suites[0]
    var early = RecordSealer(suite: suite, secret: Bytes(repeating: 9, count: 32))
    var sealer = RecordSealer(suite: suite, secret: secret)
    var handshake = try #require(ProtectedHandshake(secrets: [secret], suite: suite))
    for _ in 0..<20 {
      let record = try early.seal(Bytes("early".utf8), type: .applicationData)
      #expect(handshake.decrypt(bytes: record).isEmpty)
    }
    let finished = try sealer.seal([20, 0, 0, 1, 9], type: .handshake)
    #expect(handshake.decrypt(bytes: finished).count == 1)
  }

  @Test
  func `decryption with a wrong secret fails after a limited number of records`() throws {
    let (suite, secret) = ProtectedHandshakeTests.suites[0]
    var sealer = RecordSealer(suite: suite, secret: secret)
    var handshake = try #require(
      ProtectedHandshake(secrets: [Bytes(repeating: 7, count: 32)], suite: suite))
    let record = try sealer.seal([20, 0, 0, 1, 9], type: .handshake)
    for _ in 0...ProtectedHandshake.maximumSkippedRecordCount { _ = handshake.decrypt(bytes: record) }
    #expect(handshake.state == .failed)
    #expect(!handshake.hasDecrypted)
  }

  @Test
  func `a secret whose length differs from the suite's hash is rejected`() {
    #expect(ProtectedHandshake(secrets: [Bytes(repeating: 0, count: 48)], suite: .aes128GCM) == nil)
    #expect(ProtectedHandshake(secrets: [Bytes(repeating: 0, count: 32)], suite: .aes256GCM) == nil)
  }

  @Test(arguments: [0x1304, 0x1305, 0xC02F, 0x1306] as [UInt16])
  func `AES-CCM and the suites of older versions are not decrypted`(suite: UInt16) {
    #expect(DecryptableSuite(CipherSuite(rawValue: suite)) == nil)
  }

  @Test
  func `truncated records are not decrypted and never trap`() throws {
    var handshake = try #require(
      ProtectedHandshake(secrets: [ProtectedHandshakeTests.clientSecret], suite: .aes128GCM))
    for count in 0..<200 {
      let record = Bytes(rfc8448ServerFlight.prefix(count))
      #expect(handshake.decrypt(bytes: record).isEmpty)
    }
  }

  @Test
  func `a message length above the limit ends decryption`() throws {
    let (suite, secret) = ProtectedHandshakeTests.suites[0]
    var sealer = RecordSealer(suite: suite, secret: secret)
    var handshake = try #require(ProtectedHandshake(secrets: [secret], suite: suite))
    let record = try sealer.seal([11, 0xFF, 0xFF, 0xFF, 0], type: .handshake)
    #expect(handshake.decrypt(bytes: record).isEmpty)
    #expect(handshake.state == .failed)
  }

  private func message(_ event: ProtectedHandshake.Event) -> (HandshakeType, Bytes)? {
    if case .message(let type, let body) = event { return (type, body) }
    return nil
  }
}

/// Decrypts bytes, because macros of Swift Testing do not accept spans.
extension ProtectedHandshake {
  fileprivate mutating func decrypt(bytes: Bytes) -> [Event] { decrypt(bytes.span) }
}
