import ByteParsing
import TestBytes
import Testing

@testable import TLSParsing

@Suite struct ServerHelloTests {
  @Test func `the ServerHello of RFC 8448 has the fields that the RFC lists`() throws {
    let hello = try ServerHello(rfc8448ServerHello)
    #expect(hello.legacyVersion == .tls12)
    #expect(hello.version == .tls13)
    #expect(hello.cipherSuite.name == "TLS_AES_128_GCM_SHA256")
    #expect(hello.compressionMethod == .null)
    #expect(hello.keyShareGroup?.name == "x25519")
    #expect(hello.extensions == [.keyShare, .supportedVersions])
    #expect(!hello.isHelloRetryRequest)
  }

  @Test func `a HelloRetryRequest is recognized by its random and contains a group`() throws {
    let hello = try ServerHello(rfc8448HelloRetryRequest)
    #expect(hello.isHelloRetryRequest)
    #expect(hello.keyShareGroup?.name == "secp256r1")
    #expect(hello.version == .tls13)
  }

  @Test func `the extensions of a TLS 1_2 ServerHello set their fields`() throws {
    var builder = HelloBuilder()
    builder.sessionID = Bytes(repeating: 5, count: 32)
    builder.suites = [0xC02F]
    builder.extensions = [
      (0xFF01, [0]), (16, vector16(vector8(text("h2")))), (23, []), (5, []), (35, []), (11, vector8([0])),
      (18, vector16(vector16([1, 2, 3]))),
    ]
    let hello = try ServerHello(builder.serverHello)
    #expect(hello.version == .tls12)
    #expect(hello.cipherSuite.rawValue == 0xC02F)
    #expect(hello.alpn == text("h2"))
    #expect(hello.sctList == vector16(vector16([1, 2, 3])))
    #expect(hello.selectedPSK == nil)
    #expect(hello.keyShareGroup == nil)
  }

  @Test func `a selected pre-shared key is read`() throws {
    var builder = HelloBuilder()
    builder.extensions = [(43, two(0x0304)), (41, two(0)), (51, two(29) + vector16([1]))]
    let hello = try ServerHello(builder.serverHello)
    #expect(hello.selectedPSK == 0)
    #expect(hello.version == .tls13)
  }

  @Test func `TLS 1_3 drafts before 22 have neither session ID nor compression method`() throws {
    let share = hello(extension: 40, two(29) + vector16(Bytes(repeating: 1, count: 32)))
    let bytes = two(0x7F12) + Bytes(0..<32) + two(0x1301) + vector16(share)
    let parsed = try ServerHello(bytes)
    #expect(parsed.version.rawValue == 0x7F12)
    #expect(parsed.version.isTLS13Draft)
    #expect(parsed.cipherSuite.rawValue == 0x1301)
    #expect(parsed.keyShareGroup?.rawValue == 29)
  }

  @Test func `TLS 1_3 drafts from 22 on have the layout of a TLS 1_2 ServerHello`() throws {
    var builder = HelloBuilder()
    builder.extensions = [(43, two(0x7F1C)), (51, two(29) + vector16([1]))]
    let hello = try ServerHello(builder.serverHello)
    #expect(hello.version.rawValue == 0x7F1C)
    #expect(hello.version.hasTLS13Handshake)
  }

  static let malformed: [(Int, Bytes)] = [
    (43, []), (43, [3]), (43, [3, 4, 0]), (16, []), (16, vector16(vector8([1]) + vector8([2]))), (51, [0]),
    (51, [0, 29]), (51, two(29) + vector16([])), (41, [0]), (23, [1]), (0xFF01, [2, 0]), (5, [1]), (18, []),
    (18, [0, 2, 1]), (35, [0]),
  ]

  @Test(arguments: malformed)
  func `a malformed extension affects no other field`(type: Int, body: Bytes) throws {
    var builder = HelloBuilder()
    builder.extensions = [(type, body)]
    let hello = try ServerHello(builder.serverHello)
    var plain = try ServerHello(parsing: HelloBuilder().serverHello.span)
    plain.extensions = hello.extensions
    #expect(plain == hello)
  }

  @Test func `a ServerHello without extensions is complete`() throws {
    var builder = HelloBuilder()
    builder.legacyVersion = 0x0300
    builder.suites = [0x0005]
    builder.hasExtensionBlock = false
    let hello = try ServerHello(builder.serverHello)
    #expect(hello.version == .ssl3)
    #expect(hello.extensions.isEmpty)
  }

  @Test func `a ServerHello truncated anywhere but before its extensions throws`() {
    #expect(prefixesTaken(of: rfc8448ServerHello) { _ = try ServerHello(parsing: $0) } == [38])
  }

  @Test func `a ServerHello truncated in its extensions keeps the fields before`() throws {
    let cut = Bytes(rfc8448ServerHello.dropLast())
    let hello = try ServerHello(prefix: cut)
    #expect(hello.cipherSuite.rawValue == 0x1301)
    #expect(hello.keyShareGroup?.rawValue == 29)
    #expect(!hello.isComplete)
    for count in 0..<38 {
      let bytes = Bytes(cut.prefix(count))
      #expect(throws: ParseError.self) { try ServerHello(prefix: bytes) }
    }
    let whole = try ServerHello(rfc8448ServerHello)
    #expect(try ServerHello(prefix: rfc8448ServerHello) == whole)
  }

  @Test func `no bytes make the parsers trap`() {
    for valid in [rfc8448ServerHello, rfc8448HelloRetryRequest] {
      torment(valid) { bytes in
        _ = try? ServerHello(parsingPrefix: bytes)
        _ = try ServerHello(parsing: bytes)
      }
    }
  }

  @Test func `an SSL 2 ServerHello contains the certificate`() throws {
    let message = hex("04 00 01 00 02 0003 0006 0010 30 01 00 01 00 80 07 00 c0") + Bytes(repeating: 9, count: 16)
    let hello = try SSL2ServerHello(parsing: message.span)
    #expect(hello.version == .ssl2)
    #expect(hello.certificate == [0x30, 0x01, 0x00])
    #expect(hello.connectionID.count == 16)
    #expect(prefixesTaken(of: message) { _ = try SSL2ServerHello(parsing: $0) } == [])
    torment(message) { _ = try SSL2ServerHello(parsing: $0) }
  }
}
