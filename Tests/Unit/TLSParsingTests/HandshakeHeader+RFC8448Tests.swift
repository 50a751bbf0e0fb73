import ByteParsing
import TestBytes
import Testing

@testable import TLSParsing

/// The handshake messages of the traces in RFC 8448, headers included, as the RFC prints them.
enum RFC8448 {
  // §3, simple handshake; its hellos are in TestBytes.
  static let encryptedExtensions = Bytes(rfc8448ServerMessages[..<40])
  static let certificate = Bytes(rfc8448ServerMessages[40..<485])
  static let certificateVerify = Bytes(rfc8448ServerMessages[485..<621])
  static let finished = Bytes(rfc8448ServerMessages[621...])

  // §4, resumption with early data.
  static let resumedClientHello =
    hex(
      """
      010001fc 0303 1bc3ceb6bbe39cff938355b5a50adb6db21b7a6af649d7b4bc419d7876487d95 00 0006130113031302 0100 01cd
      0000000b0009000006736572766572 ff01000100 000a00140012001d00170018001901000101010201030104
      003300260024001d0020e4ffb68ac05f8d96c99da26698346c6be16482baddda fe051a66b4f18d668f0b 002a0000 002b0003020304
      000d0020001e040305030603020308040805080604010501060102010402050206020202 002d00020101 001c00024001 00150057
      """) + Bytes(repeating: 0, count: 0x57)
    + hex(
      """
      002900dd 00b8 00b2 2c035d829359ee5ff7af4ec900000000262a6494dc486d2c8a34cb33fa90bf1b0070ad3c498883c9367c09a2be785abc
      55cd226097a3a982117283f82a03a143efd3ff5dd36d64e861be7fd61d2827db279cce145077d454a3664d4e6da4d29ee03725a6a4dafcd0fc
      67d2aea70529513e3da2677fa5906c5b3f7d8f92f228bda40dda721470f9fbf297b5aea617646fac5c03272e970727c621a79141ef5f7de650
      5e5bfbc388e93343694093934ae4d357 fad6aacb 0021 203add4fb2d8fdf822a0ca3cf7678ef5e88dae990141c5924d57bb6fa31b9e5f9d
      """)
  static let resumedServerHello = hex(
    """
    0200005c 0303 3ccfd2dec890222763472ae8136777c9d7358777bb66e91ea5122495f559ea2d 00 1301 00 0034 002900020000
    00330024001d0020121761ee42c333e1b9e77b60dd57c2053cd94512ab47f115e86eff50942cea31 002b00020304
    """)
  static let resumedEncryptedExtensions = hex(
    "08000028 0026 000a0014 0012001d00170018001901000101010201030104 001c00024001 00000000 002a0000")
  static let earlyDataRecord = hex("1703030017 ab1df420e75c457a7cc5d2844f76d5aee4b4edbf049be0")

  // §5, HelloRetryRequest; the request is in TestSupport.swift.
  static let firstClientHello = hex(
    """
    010000b0 0303 b0b1c5a5aa37c5919f2ed1d5c6fff7fcb7849716945a2b8cee9258a346677b6f 00 0006130113031302 0100 0081
    0000000b0009000006736572766572 ff01000100 000a00080006001d00170018
    003300260024001d0020e8e8e3f3b93a25ed97a14a7dcacb8a272c6288e585c6484d05262fcad062ad1f 002b0003020304
    000d0020001e040305030603020308040805080604010501060102010402050206020202 002d00020101 001c00024001
    """)
  static let secondClientHello =
    hex(
      """
      010001fc 0303 b0b1c5a5aa37c5919f2ed1d5c6fff7fcb7849716945a2b8cee9258a346677b6f 00 0006130113031302 0100 01cd
      0000000b0009000006736572766572 ff01000100 000a00080006001d00170018
      003300470045 00170041 04a6da7392ec591e17abfd535964b99894d13befb221b3def2ebe3830eac8f0151812677c4d6d2237e85cf01d6
      910cfb83954e76ba7352830534159897e8065780 002b0003020304
      000d0020001e040305030603020308040805080604010501060102010402050206020202
      002c0074 0072 71dcd04bb88bc3189119398a00000000eefafc76c146b823b096f8aacad365dd0030953f4edf625636e5f21bb2e23fcc654b
      1b5b40318d10d137abcbb87574e36e8a1f025f7dfa5d6e50781b5eda4aa15b0c8be778257d16aa3030e9e7841dd9e4c0342267e8ca0caf571f
      b2b7cff0f934b0 002d00020101 001c00024001 001500af
      """) + Bytes(repeating: 0, count: 0xAF)
  static let serverHelloAfterRetry = hex(
    """
    02000077 0303 bb341d847fd789c47c387172dc0c9bf147fccacb5043d86ca4c598d3ff571b98 00 1301 00 004f 00330045 00170041
    04583e054b7a66672ae020ad9d2686fcc85b5ad41a134a0f03ee72b893052bd85b4c8de6776f5b04ac07d83540eab3e3d9c547bc6528c4317d
    294686093a6cad7d 002b00020304
    """)

  // §6, client authentication.
  static let authenticatedClientHello = hex(
    """
    010000bc 0303 6a472236328b83af40386d3a3e1f1ce624fa4ed89ab865a4ff0f4144ce3ae233 00 0006130113031302 0100 008d
    0000000b0009000006736572766572 ff01000100 000a00140012001d00170018001901000101010201030104
    003300260024001d0020089cc2671f738d9a671e5b2e464981d05b76e361aa22aea91f1d49ca10a7a362 002b0003020304
    000d0020001e040305030603020308040805080604010501060102010402050206020202 002d00020101 001c00024001
    """)
  static let authenticatingServerHello = hex(
    """
    02000056 0303 3b50fdf1c3d572e40e68953e7fff4e2758459c59afa0582c0ea032874255fe6e 00 1301 00 002e
    00330024001d00206c2e50e865919a6b5a12dfaf918f92b442567b0f89bc54478c6921366658f062 002b00020304
    """)
  static let certificateRequest = hex(
    "0d000027 00 0024 000d0020001e040305030603020308040805080604010501060102010402050206020202")
  static let ecdsaCertificate = hex(
    """
    0b00013b 00000137 000132 3082012e3081d5a003020102020107300a06082a8648ce3d0403023013311130 0f06035504031308656364736132
    3536301e170d3136303733303031323430305a170d3236303733303031323430305a301331113 00f060355040313086563647361323536305930
    1306072a8648ce3d020106082a8648ce3d0301070342000408d530161575f4cfe7f154ee3448180086001e88431a79ee62ee6e2f83ef38ba61
    e9fb37f34e007a7df4d2f5b56d1f04ece45d621f468406f5c3a15158948dd0a31a301830090603551d1304023000300b0603551d0f04040302
    0780300a06082a8648ce3d04030203480030450221 00df30fd4507f5edd22c1a6ff86db479ca693feeca3b71b3f9ef556b2937c0594d022062e2
    a47250d320fea83c7e2dcb5b76a50e0200c09adbd13fee946e513e011d11 0000
    """)
  static let ecdsaCertificateVerify = hex(
    """
    0f00004b 0403 0047 3045022100d7a4d34bd54f55fee1a89625678c3dd5e5f60dac73ec940c5c7b9304a02084a90220289f595ed488b9ac68
    9a3d192b1a8bb38f34af7874c059c9806a1f38269353e8
    """)

  // §7, compatibility mode.
  static let compatibleClientHelloRecord = hex(
    """
    16030100e0 010000dc 0303 4e640a3f2c2738f09c9418bd78edccd7559d0531199276d4d92a0e9ee9d77d09
    20 a80c165581a8e0d06c0018d54d3a06dd32cfd4051eb026fad3fd0ba99269e6ef 0006130113031302 0100 008d
    0000000b0009000006736572766572 ff01000100 000a00140012001d00170018001901000101010201030104
    003300260024001d00208e7292cf3056dbb0d25fcbe55c107dc9bbf83dd9708f39203ba341249a7d9b63 002b0003020304
    000d0020001e040305030603020308040805080604010501060102010402050206020202 002d00020101 001c00024001
    """)
  static let compatibleServerHelloRecord = hex(
    """
    160303007a 02000076 0303 e5dd5948c435f7a38f0f0130708dc322d9df09abd4838117c183a7bb6d994f2c
    20 a80c165581a8e0d06c0018d54d3a06dd32cfd4051eb026fad3fd0ba99269e6ef 1301 00 002e
    00330024001d00203e30f0f4ba551afd62768341175f5265e4daf0c8841617aa4fafdd2142320c22 002b00020304
    """)
  static let changeCipherSpecRecord = hex("140303000101")

  /// Every message above, with its type and the length that the RFC states.
  static let messages: [(bytes: Bytes, type: HandshakeType, count: Int)] = [
    (encryptedExtensions, .encryptedExtensions, 40), (certificate, .certificate, 445),
    (certificateVerify, .certificateVerify, 136), (finished, .finished, 36),
    (resumedClientHello, .clientHello, 512), (resumedServerHello, .serverHello, 96),
    (resumedEncryptedExtensions, .encryptedExtensions, 44), (firstClientHello, .clientHello, 180),
    (secondClientHello, .clientHello, 512), (serverHelloAfterRetry, .serverHello, 123),
    (authenticatedClientHello, .clientHello, 192), (authenticatingServerHello, .serverHello, 90),
    (certificateRequest, .certificateRequest, 43), (ecdsaCertificate, .certificate, 319),
    (ecdsaCertificateVerify, .certificateVerify, 79),
  ]
}

@Suite struct HandshakeHeaderRFC8448Tests {
  /// The body of a message.
  func body(_ message: Bytes) -> Bytes { Bytes(message.dropFirst(HandshakeHeader.byteCount)) }

  @Test func `every message has the length in the RFC and in its own header`() throws {
    for (bytes, type, count) in RFC8448.messages {
      #expect(bytes.count == count)
      let header = try HandshakeHeader(parsing: bytes.span)
      #expect(header.type == type)
      #expect(header.length == count - HandshakeHeader.byteCount)
    }
  }

  @Test func `the messages of the simple handshake are read`() throws {
    let encrypted = try EncryptedExtensions(parsing: body(RFC8448.encryptedExtensions).span)
    #expect(encrypted.extensions.map(\.rawValue) == [10, 28, 0])
    #expect(encrypted.alpn == nil)
    let certificates = CertificateMessage(parsing: body(RFC8448.certificate).span, format: .tls13)
    #expect(certificates.isComplete)
    #expect(certificates.entries.map(\.certificate) == [7..<439])
    let verify = try CertificateVerify(parsing: body(RFC8448.certificateVerify).span)
    #expect(verify.scheme.name == "rsa_pss_rsae_sha256")
  }

  @Test func `a pre-shared key with a ticket age of zero may be external, and is if its identity is text`() throws {
    func origin(_ hello: Bytes) -> HelloFields.OfferedPSKs { HelloFields(ofClient: hello.span).offeredPSKs(in: hello.span) }
    var hello = body(RFC8448.resumedClientHello)
    #expect(origin(hello) == .noneOrTickets)
    let age = try #require(hello.indices.dropLast(3).first { Bytes(hello[$0..<($0 + 4)]) == hex("fad6aacb") })
    hello.replaceSubrange(age..<(age + 4), with: [0, 0, 0, 0])
    #expect(origin(hello) == .withoutAge)
    let identity = try #require(HelloFields(ofClient: hello.span).body(of: .preSharedKey)).lowerBound + 4
    hello.replaceSubrange(identity..<age, with: Bytes(repeating: UInt8(ascii: "a"), count: age - identity))
    #expect(origin(hello) == .external)
    #expect(origin(body(RFC8448.firstClientHello)) == .noneOrTickets)
  }

  @Test func `the hellos and early data record of a resumption are read`() throws {
    let hello = try ClientHello(body(RFC8448.resumedClientHello))
    #expect(hello.extensions.map(\.rawValue) == [0, 0xFF01, 10, 51, 42, 43, 13, 45, 28, 21, 41])
    let answer = try ServerHello(body(RFC8448.resumedServerHello))
    #expect(answer.version == .tls13)
    #expect(answer.selectedPSK == 0)
    #expect(answer.keyShareGroup?.name == "x25519")
    let early = try RecordHeader(parsing: RFC8448.earlyDataRecord.span)
    #expect(early.contentType == .applicationData)
    #expect(early.length == RFC8448.earlyDataRecord.count - RecordHeader.byteCount)
  }

  @Test func `a HelloRetryRequest and the second ClientHello with its cookie are read`() throws {
    let first = try ClientHello(body(RFC8448.firstClientHello))
    #expect(first.supportedGroups.map(\.name) == ["x25519", "secp256r1", "secp384r1"])
    let request = try ServerHello(rfc8448HelloRetryRequest)
    #expect(request.isHelloRetryRequest)
    #expect(request.keyShareGroup?.name == "secp256r1")
    let second = try ClientHello(body(RFC8448.secondClientHello))
    #expect(second.random == first.random)
    #expect(second.extensions.contains(.cookie))
    let answer = try ServerHello(body(RFC8448.serverHelloAfterRetry))
    #expect(!answer.isHelloRetryRequest)
    #expect(answer.keyShareGroup?.name == "secp256r1")
  }

  @Test func `the messages of a handshake with client authentication are read`() throws {
    let hello = try ClientHello(body(RFC8448.authenticatedClientHello))
    #expect(hello.serverName == text("server"))
    let answer = try ServerHello(body(RFC8448.authenticatingServerHello))
    #expect(answer.cipherSuite.rawValue == 0x1301)
    let certificates = CertificateMessage(parsing: body(RFC8448.ecdsaCertificate).span, format: .tls13)
    #expect(certificates.isComplete)
    #expect(certificates.entries.map(\.certificate) == [7..<313])
    let verify = try CertificateVerify(parsing: body(RFC8448.ecdsaCertificateVerify).span)
    #expect(verify.scheme.name == "ecdsa_secp256r1_sha256")
  }

  @Test func `the records of middlebox compatibility mode are read`() throws {
    let records = [RFC8448.compatibleClientHelloRecord, RFC8448.compatibleServerHelloRecord]
    for record in records {
      #expect(try RecordHeader(parsing: record.span).length == record.count - RecordHeader.byteCount)
    }
    let hello = try ClientHello(Bytes(records[0].dropFirst(9)))
    #expect(hello.sessionID.count == 32)
    #expect(hello.offeredVersions == [.tls13])
    let answer = try ServerHello(Bytes(records[1].dropFirst(9)))
    #expect(answer.version == .tls13)
    #expect(answer.selectedPSK == nil)
    let change = try RecordHeader(parsing: RFC8448.changeCipherSpecRecord.span)
    #expect(change.contentType == .changeCipherSpec)
    #expect(change.length == 1)
  }

  @Test func `no prefix of any message traps`() {
    for (bytes, type, _) in RFC8448.messages {
      for count in 0..<body(bytes).count {
        let cut = Bytes(body(bytes).prefix(count))
        switch type {
        case .clientHello:
          #expect(!ClientHello(prefix: cut).isComplete || count == 45)
        case .serverHello:
          _ = try? ServerHello(prefix: cut)
        case .certificate:
          #expect(!CertificateMessage(parsing: cut.span, format: .tls13).isComplete)
        default:
          _ = try? EncryptedExtensions(parsing: cut.span)
        }
      }
    }
  }
}
