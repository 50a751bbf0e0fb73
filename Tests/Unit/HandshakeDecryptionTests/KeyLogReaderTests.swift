import ByteParsing
import HandshakeDecryption
import SeededRandom
import TestBytes
import Testing

@Suite struct KeyLogReaderTests {
  static let random = String(repeating: "ab", count: 32)
  static let clientSecret = String(repeating: "01", count: 32)
  static let serverSecret = String(repeating: "02", count: 48)

  static let log = """
    # a comment
    CLIENT_HANDSHAKE_TRAFFIC_SECRET \(random) \(clientSecret)
    SERVER_HANDSHAKE_TRAFFIC_SECRET \(random) \(serverSecret)
    CLIENT_TRAFFIC_SECRET_0 \(random) \(String(repeating: "03", count: 32))
    SERVER_TRAFFIC_SECRET_17 \(random) \(String(repeating: "04", count: 32))
    EXPORTER_SECRET \(random) \(String(repeating: "05", count: 32))
    CLIENT_RANDOM \(random) \(String(repeating: "06", count: 48))

    """

  /// Reads a key log in pieces of the given size.
  private func read(
    _ text: String, pieces size: Int = .max, limit: Int = SecretStore.maximumSessionCount
  ) -> (SecretStore, KeyLogCounts) {
    var store = SecretStore(maximumSessionCount: limit)
    var reader = KeyLogReader()
    let bytes = Bytes(text.utf8)
    var start = 0
    while start < bytes.count {
      let end = size < bytes.count - start ? start + size : bytes.count
      let piece = Bytes(bytes[start..<end])
      reader.read(piece.span, into: &store)
      start = end
    }
    reader.finish(into: &store)
    return (store, reader.counts)
  }

  private func secrets(_ store: SecretStore, _ random: String = KeyLogReaderTests.random) -> HandshakeSecrets? {
    store.secrets(ofRandom: ShortBytes(hex(random)))
  }

  @Test(arguments: [1, 2, 3, 7, 64, 100, 1000])
  func `a key log gives the same secrets, however it is split`(size: Int) {
    let (store, counts) = read(KeyLogReaderTests.log, pieces: size)
    let expected = HandshakeSecrets(
      client: [hex(KeyLogReaderTests.clientSecret)], server: [hex(KeyLogReaderTests.serverSecret)])
    #expect(secrets(store) == expected)
    #expect(counts.lines == 6)
    #expect(counts.taken == 2)
    #expect(counts.application == 3)
    #expect(counts.other == 1)
    #expect(counts.malformed == 0)
  }

  @Test
  func `a log with only secrets of application data stores none`() {
    let application = """
      CLIENT_TRAFFIC_SECRET_0 \(KeyLogReaderTests.random) \(KeyLogReaderTests.clientSecret)
      SERVER_TRAFFIC_SECRET_0 \(KeyLogReaderTests.random) \(KeyLogReaderTests.serverSecret)
      CLIENT_EARLY_TRAFFIC_SECRET \(KeyLogReaderTests.random) \(KeyLogReaderTests.clientSecret)
      QUIC_CLIENT_TRAFFIC_SECRET_0 \(KeyLogReaderTests.random) \(KeyLogReaderTests.clientSecret)
      """
    let (store, counts) = read(application)
    #expect(store.isEmpty)
    #expect(counts.application == 4)
  }

  @Test
  func `ECH secrets are stored by outer random, and the first of two that differ is kept`() {
    let config = "fe0d0041" + String(repeating: "07", count: 65)
    let (store, counts) = read(
      """
      ECH_SECRET \(KeyLogReaderTests.random) \(KeyLogReaderTests.clientSecret)
      ECH_CONFIG \(KeyLogReaderTests.random) \(config)
      ECH_CONFIG \(KeyLogReaderTests.random) \(config)
      ECH_SECRET \(KeyLogReaderTests.random) \(KeyLogReaderTests.serverSecret)
      ECH_SECRET \(KeyLogReaderTests.random) 0102
      ECH_CONFIG \(KeyLogReaderTests.random) \(String(repeating: "07", count: SecretStore.maximumConfigLength + 1))
      """)
    #expect(!store.isEmpty)
    #expect(store.sessionCount == 0)
    let keys = store.innerKeys(ofRandom: ShortBytes(hex(KeyLogReaderTests.random)))
    #expect(keys == EncryptedClientHelloKeys(secret: hex(KeyLogReaderTests.clientSecret), config: hex(config)))
    #expect(counts.taken == 2)
    #expect(counts.repeated == 1)
    #expect(counts.conflicting == 1)
    #expect(counts.malformed == 2)
  }

  @Test
  func `ECH configurations above the limit are not stored`() {
    var store = SecretStore()
    var additions: [SecretStore.Addition] = []
    let config = Bytes(repeating: 1, count: SecretStore.maximumConfigLength)
    for number in 0..<8000 {
      let random = ShortBytes(
        Bytes([UInt8(number >> 8), UInt8(number & 0xFF)]) + Bytes(repeating: 7, count: 30))
      additions.append(store.add(config, \.config, ofOuterRandom: random))
    }
    #expect(additions.first == .taken)
    #expect(additions.last == .full)
  }

  @Test
  func `CRLF, uppercase digits, tabs and a missing last line end are accepted`() {
    let text =
      "CLIENT_HANDSHAKE_TRAFFIC_SECRET \(KeyLogReaderTests.random.uppercased()) \(KeyLogReaderTests.clientSecret)\r\n"
      + "SERVER_HANDSHAKE_TRAFFIC_SECRET  \(KeyLogReaderTests.random)\t\(KeyLogReaderTests.clientSecret) "
    let (store, counts) = read(text)
    #expect(counts.taken == 2)
    #expect(secrets(store)?.server == [hex(KeyLogReaderTests.clientSecret)])
  }

  @Test(arguments: ["\r", "\r\n", "\n"], [true, false])
  func `a key log in UTF-16 or with CR line ends is read`(lineEnd: String, isLittle: Bool) {
    let text = "\u{FEFF}" + KeyLogReaderTests.log.split(separator: "\n").joined(separator: lineEnd)
    var wide = Bytes()
    for unit in text.utf16 {
      let bytes = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
      wide += isLittle ? bytes : bytes.reversed()
    }
    for (bytes, first) in [(wide, 0), (wide, 1), (wide, 2), (Bytes(text.utf8), 0), (Bytes(text.utf8), 1)] {
      var store = SecretStore()
      var reader = KeyLogReader()
      reader.read(Bytes(bytes.prefix(first)).span, into: &store)
      reader.read(Bytes(bytes.dropFirst(first)).span, into: &store)
      reader.finish(into: &store)
      #expect(reader.counts.lines == 6)
      #expect(reader.counts.malformed == 0)
      #expect(secrets(store)?.client.count == 1)
      #expect(secrets(store)?.server.count == 1)
    }
  }

  @Test
  func `a byte order mark before the first line is ignored`() {
    let (store, counts) = read("\u{FEFF}" + KeyLogReaderTests.log.drop { $0 != "C" })
    #expect(counts.unknownLabels == 0)
    #expect(counts.taken == 2)
    #expect(secrets(store)?.client == [hex(KeyLogReaderTests.clientSecret)])
  }

  static let malformed = [
    "CLIENT_HANDSHAKE_TRAFFIC_SECRET",
    "CLIENT_HANDSHAKE_TRAFFIC_SECRET \(random)",
    "CLIENT_HANDSHAKE_TRAFFIC_SECRET \(random) \(clientSecret)0",
    "CLIENT_HANDSHAKE_TRAFFIC_SECRET \(random) \(clientSecret)00",
    "CLIENT_HANDSHAKE_TRAFFIC_SECRET \(random)00 \(clientSecret)",
    "CLIENT_HANDSHAKE_TRAFFIC_SECRET \(random.dropLast()) \(clientSecret)",
    "CLIENT_HANDSHAKE_TRAFFIC_SECRET \(random) \(clientSecret.dropLast())g",
    "CLIENT_HANDSHAKE_TRAFFIC_SECRET \(random) \(clientSecret) more",
    "CLIENT_HANDSHAKE_TRAFFIC_SECRET \(random) " + String(repeating: "0", count: 5000),
  ]

  @Test(arguments: malformed)
  func `a malformed line is counted, and the other lines are read`(line: String) {
    let (store, counts) = read(line + "\n" + KeyLogReaderTests.log)
    #expect(counts.malformed == 1)
    #expect(counts.taken == 2)
    #expect(secrets(store)?.client == [hex(KeyLogReaderTests.clientSecret)])
  }

  @Test
  func `unknown labels are counted`() {
    let (store, counts) = read("HELLO world\nCLIENT_TRAFFIC_SECRET_x 00 00\n\n")
    #expect(store.isEmpty)
    #expect(counts.unknownLabels == 2)
    #expect(!counts.hasKnownLabels)
  }

  @Test
  func `two secrets for the same side of a session are kept and counted as conflicting`() {
    let other =
      "CLIENT_HANDSHAKE_TRAFFIC_SECRET \(KeyLogReaderTests.random) \(String(repeating: "77", count: 32))\n"
    let (store, counts) = read(KeyLogReaderTests.log + other + KeyLogReaderTests.log)
    #expect(counts.conflicting == 1)
    #expect(counts.repeated == 2)
    #expect(
      secrets(store)?.client == [hex(KeyLogReaderTests.clientSecret), Bytes(repeating: 0x77, count: 32)])
  }

  @Test
  func `at most four secrets are kept for each side of a session`() {
    var text = ""
    for number in 1...9 {
      let secret = String(repeating: "0\(number)", count: 32)
      text += "CLIENT_HANDSHAKE_TRAFFIC_SECRET \(KeyLogReaderTests.random) \(secret)\n"
    }
    let (store, counts) = read(text)
    #expect(secrets(store)?.client.count == 4)
    #expect(counts.taken == 1)
    #expect(counts.conflicting == 3)
    #expect(counts.leftOut == 5)
  }

  @Test
  func `secrets of sessions above the limit are omitted and counted`() {
    var text = ""
    for number in 0..<100 {
      let random = hexadecimal(Bytes(repeating: UInt8(number), count: 32))
      text += "CLIENT_HANDSHAKE_TRAFFIC_SECRET \(random) \(KeyLogReaderTests.clientSecret)\n"
    }
    let (store, counts) = read(text, limit: 60)
    #expect(store.sessionCount == 60)
    #expect(counts.taken == 60)
    #expect(counts.leftOut == 40)
  }

  @Test
  func `the secrets of many sessions are found by client random`() {
    var store = SecretStore()
    var random = SeededGenerator(seed: 5)
    var randoms: [ShortBytes] = []
    for number in 0..<5000 {
      let bytes = Bytes((0..<32).map { _ in UInt8.random(in: 0...255, using: &random) })
      randoms.append(ShortBytes(bytes))
      let secret = Bytes(repeating: UInt8(number & 0xFF), count: 32)
      #expect(store.add(secret, ofClient: number.isMultiple(of: 2), random: randoms[number]) == .taken)
    }
    for (number, key) in randoms.enumerated() {
      let found = store.secrets(ofRandom: key)
      let secret = number.isMultiple(of: 2) ? found?.client : found?.server
      #expect(secret?.first?.first == UInt8(number & 0xFF))
    }
    #expect(store.secrets(ofRandom: ShortBytes(Bytes(repeating: 0, count: 32))) == nil)
  }

  @Test
  func `a changed key log never traps`() {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<500 {
      var text = Bytes(KeyLogReaderTests.log.utf8)
      for _ in 0..<5 {
        text[Int.random(in: 0..<text.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      var store = SecretStore()
      var reader = KeyLogReader()
      reader.read(text.span, into: &store)
      reader.finish(into: &store)
      #expect(reader.counts.lines <= 200)
    }
  }
}
