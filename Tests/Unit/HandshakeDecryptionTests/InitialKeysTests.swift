import ByteParsing
import QUICParsing
import TestBytes
import Testing

@testable import HandshakeDecryption

/// The examples of RFC 9001 appendix A and RFC 9369 appendix A.
@Suite struct InitialKeysTests {
  /// The values that one of the appendices contains.
  struct Appendix: Sendable, CustomTestStringConvertible {
    var version: QUICVersion
    var constants: VersionConstants
    var clientSecret: String
    var serverSecret: String
    var clientKeys: [String]
    var serverKeys: [String]
    var clientPacket: Bytes
    var serverPacket: Bytes
    var retry: String
    var chaChaKeys: [String]
    var chaChaPacket: String
    var testDescription: String { "version \(version.name ?? "")" }
  }

  static let appendices = [
    Appendix(
      version: .version1, constants: .version1,
      clientSecret: "c00cf151ca5be075ed0ebfb5c80323c42d6b7db67881289af4008f1f6c357aea",
      serverSecret: "3c199828fd139efd216c155ad844cc81fb82fa8d7446fa7d78be803acdda951b",
      clientKeys: [
        "1f369613dd76d5467730efcbe3b1a22d", "fa044b2f42a3fd3b46fb255c", "9f50449e04a0e810283a1e9933adedd2",
      ],
      serverKeys: [
        "cf3a5331653c364c88f0f379b6067e37", "0ac1493ca1905853b0bba03e", "c206b8d9b9f0f37644430b490eeaa314",
      ],
      clientPacket: sampleClientInitial1, serverPacket: sampleServerInitial1,
      retry: "ff000000010008f067a5502a4262b5746f6b656e04a265ba2eff4d829058fb3f0f2496ba",
      chaChaKeys: [
        "c6d98ff3441c3fe1b2182094f69caa2ed4b716b65488960a7a984979fb23e1c8", "e0459b3474bdd0e44a41c144",
        "25a282b9e82f06f21f488917a4fc8f1b73573685608597d0efcb076b0ab7a7a4",
      ],
      chaChaPacket: "4cfe4189655e5cd55c41f69080575d7999c25a5bfb"),
    Appendix(
      version: .version2, constants: .version2,
      clientSecret: "14ec9d6eb9fd7af83bf5a668bc17a7e283766aade7ecd0891f70f9ff7f4bf47b",
      serverSecret: "0263db1782731bf4588e7e4d93b7463907cb8cd8200b5da55a8bd488eafc37c1",
      clientKeys: [
        "8b1a0bc121284290a29e0971b5cd045d", "91f73e2351d8fa91660e909f", "45b95e15235d6f45a6b19cbcb0294ba9",
      ],
      serverKeys: [
        "82db637861d55e1d011f19ea71d5d2a7", "dd13c276499c0249d3310652", "edf6d05c83121201b436e16877593c3a",
      ],
      clientPacket: sampleClientInitial2, serverPacket: sampleServerInitial2,
      retry: "cf6b3343cf0008f067a5502a4262b5746f6b656ec8646ce8bfe33952d955543665dcc7b6",
      chaChaKeys: [
        "3bfcddd72bcf02541d7fa0dd1f5f9eeea817e09a6963a0e6c7df0f9a1bab90f2", "a6b5bc6ab7dafce30ffff5dd",
        "d659760d2ba434a226fd37b35c69e2da8211d10c4f12538787d65645d5d1b8e2",
      ],
      chaChaPacket: "5558b1c60ae7b6b932bc27d786f4bc2bb20f2162ba"),
  ]

  static let connectionID = ConnectionID(hex("8394c8f03e515708"))

  @Test(arguments: appendices)
  func `the secrets and keys of appendix A_1 are derived`(appendix: Appendix) {
    let secrets = InitialKeys.secrets(appendix.constants, InitialKeysTests.connectionID)
    #expect(hexadecimal(secrets.client) == appendix.clientSecret)
    #expect(hexadecimal(secrets.server) == appendix.serverSecret)
    for (secret, keys) in [(secrets.client, appendix.clientKeys), (secrets.server, appendix.serverKeys)] {
      let derived = zip(["key", "iv", "hp"], [16, 12, 16]).map { label, count in
        hexadecimal(
          DecryptableSuite.aes128GCM.hash.expand(secret, label: appendix.constants.labelPrefix + label, count))
      }
      #expect(derived == keys)
    }
  }

  @Test(arguments: appendices)
  func `the client's packet of appendix A_2 is decrypted`(appendix: Appendix) throws {
    let keys = try #require(
      InitialKeys.candidates(version: appendix.version, connectionID: InitialKeysTests.connectionID).first)
    let header = try header(of: appendix.clientPacket)
    #expect(header.type == .initial)
    #expect(header.version == appendix.version)
    let decrypted = try #require(decrypt(keys.client, header, appendix.clientPacket))
    #expect(decrypted.number == 2)
    let isSame =
      decrypted.payload == sampleClientFrames + Bytes(repeating: 0, count: 1162 - sampleClientFrames.count)
    #expect(isSame)
  }

  @Test(arguments: appendices)
  func `the server's packet of appendix A_3 is decrypted`(appendix: Appendix) throws {
    let keys = try #require(
      InitialKeys.candidates(version: appendix.version, connectionID: InitialKeysTests.connectionID).first)
    let header = try header(of: appendix.serverPacket)
    let decrypted = try #require(decrypt(keys.server, header, appendix.serverPacket))
    #expect(decrypted.number == 1)
    let isSame = decrypted.payload == sampleServerFrames
    #expect(isSame)
  }

  @Test(arguments: appendices)
  func `the Retry of appendix A_4 is valid only for the original connection ID`(appendix: Appendix) throws {
    let packet = hex(appendix.retry)
    let header = try header(of: packet)
    #expect(header.type == .retry)
    let token = Bytes(packet[header.token])
    #expect(token == Bytes("token".utf8))
    let fits = RetryIntegrity.isValid(header, in: packet.span, original: InitialKeysTests.connectionID)
    #expect(fits == true)
    let other = RetryIntegrity.isValid(header, in: packet.span, original: ConnectionID([1, 2, 3]))
    #expect(other == false)
  }

  @Test(arguments: appendices)
  func `the packet of appendix A_5 is decrypted with ChaCha20-Poly1305`(appendix: Appendix) throws {
    let secret = hex("9ac312a7f877468ebe69422748ad00a15443f18203a07d6060f688f30f21632b")
    let labels = ["key", "iv", "hp"]
    let derived = zip(labels, [32, 12, 32]).map { label, count in
      hexadecimal(
        DecryptableSuite.chaCha20Poly1305.hash.expand(secret, label: appendix.constants.labelPrefix + label, count))
    }
    #expect(derived == appendix.chaChaKeys)
    let protection = try #require(
      PacketProtection(secret: secret, suite: .chaCha20Poly1305, version: appendix.version))
    let packet = hex(appendix.chaChaPacket)
    let decrypted = protection.decrypt(
      packet.span, packet: 0..<packet.count, payloadStart: 1, isLong: false, largest: 654_360_563)
    #expect(decrypted?.number == 654_360_564)
    #expect(decrypted?.payload == [1])
  }

  @Test(arguments: appendices)
  func `a packet with any changed byte is not decrypted`(appendix: Appendix) throws {
    let keys = try #require(
      InitialKeys.candidates(version: appendix.version, connectionID: InitialKeysTests.connectionID).first)
    for index in appendix.serverPacket.indices {
      var packet = appendix.serverPacket
      packet[index] ^= 0x10
      guard let header = try? header(of: packet) else { continue }
      let decrypted = decrypt(keys.server, header, packet)
      #expect(decrypted == nil, "byte \(index)")
    }
  }

  @Test
  func `a truncated packet throws or is not decrypted`() throws {
    let keys = try #require(
      InitialKeys.candidates(version: .version1, connectionID: InitialKeysTests.connectionID).first)
    for count in 0..<sampleServerInitial1.count {
      let packet = Bytes(sampleServerInitial1.prefix(count))
      guard let header = try? header(of: packet) else { continue }
      #expect(decrypt(keys.server, header, packet) == nil)
    }
  }

  @Test
  func `a header of another datagram decrypts nothing`() throws {
    let keys = try #require(
      InitialKeys.candidates(version: .version1, connectionID: InitialKeysTests.connectionID).first)
    let header = try header(of: sampleServerInitial1)
    let short = Bytes(sampleServerInitial1.prefix(40))
    #expect(decrypt(keys.server, header, short) == nil)
  }

  @Test(
    arguments: [0xFF00_001D, 0xFF00_001B, 0xFF00_0020, 0xFF00_0022, 0xFACE_B00E, 0x709A_50C4] as [UInt32])
  func `supported drafts and experimental versions have keys`(number: UInt32) {
    let version = QUICVersion(rawValue: number)
    #expect(version.isUnderstood)
    #expect(!InitialKeys.candidates(version: version, connectionID: InitialKeysTests.connectionID).isEmpty)
  }

  /// Appendix A of draft-ietf-quic-v2-01.
  @Test
  func `the secrets and the Retry of a draft of version 2 are those of its appendix`() throws {
    let secrets = InitialKeys.secrets(.version2Draft, InitialKeysTests.connectionID)
    #expect(hexadecimal(secrets.client) == "9fe72e1452e91f551b770005054034e47575d4a0fb4c27b7c6cb303a338423ae")
    #expect(hexadecimal(secrets.server) == "3c9bf6a9c1c8c71819876967bd8b979efd98ec665edf27f22c06e9845ba0ae2f")
    let packet = hex("cf709a50c40008f067a5502a4262b5746f6b656e1dc71130cd1ed39d6efcee5c85806501")
    let header = try header(of: packet)
    #expect(header.type == .retry)
    let fits = RetryIntegrity.isValid(header, in: packet.span, original: InitialKeysTests.connectionID)
    #expect(fits == true)
  }

  @Test
  func `an unknown version has no keys`() {
    let version = QUICVersion(rawValue: 0x1234_5678)
    #expect(InitialKeys.candidates(version: version, connectionID: InitialKeysTests.connectionID).isEmpty)
  }

  private func decrypt(
    _ protection: PacketProtection, _ header: LongHeader, _ packet: Bytes
  ) -> (number: UInt64, payload: Bytes)? {
    protection.decrypt(header, in: packet.span, largest: nil).map { ($0.number, $0.payload) }
  }
}
