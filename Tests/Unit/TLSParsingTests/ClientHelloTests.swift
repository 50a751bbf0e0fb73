import ByteParsing
import TestBytes
import Testing

@testable import TLSParsing

@Suite struct ClientHelloTests {
  @Test func `the ClientHello of RFC 8448 has the fields that the RFC lists`() throws {
    let hello = try ClientHello(rfc8448ClientHello)
    #expect(hello.format == .tls)
    #expect(hello.legacyVersion == .tls12)
    #expect(hexadecimal(hello.random) == "cb34ecb1e78163ba1c38c6dacb196a6dffa21a8d9912ec18a2ef6283024dece7")
    #expect(hello.sessionID.isEmpty)
    #expect(hello.cipherSuites.map(\.rawValue) == [0x1301, 0x1303, 0x1302])
    #expect(hello.compressionMethods == [.null])
    #expect(hello.extensions.map(\.rawValue) == [0, 0xFF01, 10, 35, 51, 43, 13, 45, 28])
    #expect(hello.serverName == text("server"))
    #expect(hello.offeredVersions == [.tls13])
    #expect(hello.supportedGroups.map(\.rawValue) == [29, 23, 24, 25, 256, 257, 258, 259, 260])
    #expect(hello.signatureSchemes.count == 15)
    #expect(hello.isComplete)
  }

  @Test func `every extension that is decoded sets its field`() throws {
    let hello = try ClientHello(HelloBuilder.full.clientHello)
    #expect(hello.cipherSuites.map(\.rawValue) == [0x2A2A, 0x1301, 0x1302, 0xC02B, 0x00FF])
    #expect(hello.extensions.count == 24)
    #expect(hello.serverName == text("www.example.com"))
    #expect(hello.offeredVersions == [.tls13, .tls12])
    #expect(hello.supportedGroups.map(\.rawValue) == [0xBABA, 0x11EC, 29, 23, 24])
    #expect(hello.ecPointFormats == [0])
    #expect(hello.signatureSchemes.map(\.rawValue) == [0x0403, 0x0804, 0x0401])
    #expect(hello.certificateSignatureSchemes.map(\.rawValue) == [0x0403, 0x0201])
    #expect(hello.alpn == [text("h2"), text("http/1.1")])
  }

  @Test func `a hello without extensions offers its legacy version`() throws {
    var builder = HelloBuilder()
    builder.legacyVersion = 0x0301
    builder.hasExtensionBlock = false
    let hello = try ClientHello(builder.clientHello)
    #expect(hello.offeredVersions == [.tls10])
    #expect(hello.extensions.isEmpty)
    #expect(hello.serverName == nil)
  }

  /// Extension types, each with a malformed body.
  static let malformed: [(Int, Bytes)] = [
    (0, []), (0, [0]), (0, vector16([])), (0, vector16([0, 0, 0])), (0, vector16([0, 0, 5, 1])),
    (0, vector16([0, 0, 1, 0x61]) + [0]),
    (43, []), (43, [0]), (43, [1, 3]), (43, [3, 3, 4, 3]), (43, [2, 3, 4, 0]),
    (10, [0, 0]), (10, vector16([0, 29, 0])), (10, vector16([0, 29]) + [1]),
    (11, [0]), (13, [0, 0]), (50, [0, 1, 4]), (16, [0, 0]), (16, vector16([0])),
    (16, vector16([3, 0x68, 0x32])),
    (51, [0]), (51, vector16([0, 29, 0, 0])), (51, vector16([0, 29, 0, 9, 1])), (45, [0]), (41, []),
    (41, vector16(vector16([1]) + [0, 0, 0, 0]) + vector16([1])), (42, [1]), (5, []), (5, [1, 0]),
    (17, [0, 0]),
    (18, [0]), (23, [0]), (0xFF01, []), (0xFF01, [1]), (0xFE0D, []), (0xFE0D, [2]), (0xFE0D, [1, 1]),
    (0xFE0D, [0, 0, 1, 0, 1, 5, 0, 0, 0, 0]), (27, [0]), (34, [0]), (15, []), (15, [1, 1]),
  ]

  @Test(arguments: malformed)
  func `a malformed extension affects no other field`(type: Int, body: Bytes) throws {
    var builder = HelloBuilder()
    let other = type == 16 ? (23, Bytes()) : (16, vector16(vector8(text("h2"))))
    builder.extensions = [(type, body), other]
    let hello = try ClientHello(builder.clientHello)
    #expect(hello.extensions.map { Int($0.rawValue) } == [type, other.0])

    builder.extensions = [other]
    var plain = try ClientHello(builder.clientHello)
    plain.extensions = hello.extensions
    #expect(plain == hello, "the fields of the extension stay as if it were absent")
  }

  @Test func `the first of repeated extensions counts`() throws {
    var builder = HelloBuilder()
    builder.extensions = [
      (0, vector16([0] + vector16(text("a.example")))), (0, vector16([0] + vector16(text("b.example")))),
    ]
    let hello = try ClientHello(builder.clientHello)
    #expect(hello.serverName == text("a.example"))
    #expect(hello.extensions == [.serverName, .serverName])
  }

  @Test func `server_name yields its first host_name and ignores other name types`() throws {
    var builder = HelloBuilder()
    builder.extensions = [
      (
        0,
        vector16(
          [7] + vector16([1, 2]) + [0] + vector16(text("a.example")) + [0] + vector16(text("b.example")))
      )
    ]
    #expect(try ClientHello(builder.clientHello).serverName == text("a.example"))
  }

  @Test func `a ClientHello with more than 256 extensions throws, and its prefix keeps 256`() throws {
    var builder = HelloBuilder()
    builder.extensions = (0..<256).map { (0x8000 + $0, []) }
    #expect(try ClientHello(builder.clientHello).extensions.count == 256)
    builder.extensions.append((0x9000, []))
    let bytes = builder.clientHello
    #expect(throws: ParseError.self) { try ClientHello(bytes) }
    let prefix = ClientHello(prefix: bytes)
    #expect(prefix.extensions.count == 256)
    #expect(prefix.fault?.reason == .limitReached(256))
  }

  @Test func `a ClientHello truncated anywhere but before its extensions throws`() {
    let whole = HelloBuilder.full.clientHello
    let endOfMethods = 2 + 32 + 33 + 12 + 2
    #expect(prefixesTaken(of: whole) { _ = try ClientHello(parsing: $0) } == [endOfMethods])
  }

  @Test func `a truncated ClientHello keeps the fields before the truncation`() throws {
    let whole = HelloBuilder.full.clientHello
    let complete = try ClientHello(whole)
    for count in 0..<whole.count {
      let prefix = Bytes(whole.prefix(count))
      let hello = ClientHello(prefix: prefix)
      // TLS 1.2 allows a hello to end before its extensions.
      #expect(hello.isComplete == (count == 81))
      #expect(complete.extensions.starts(with: hello.extensions))
      #expect(complete.cipherSuites.starts(with: hello.cipherSuites))
      #expect(hello.serverName == nil || hello.serverName == complete.serverName)
      // Without supported_versions a truncated hello offers no version: a TLS 1.3 hello has the same legacy version.
      #expect(
        hello.offeredVersions
          == (hello.extensions.contains(.supportedVersions)
            ? complete.offeredVersions : hello.isComplete ? [.tls12] : []))
    }
    #expect(ClientHello(prefix: whole) == complete)
  }

  @Test func `a truncated list of cipher suites keeps the complete ones`() {
    let bytes = Bytes(HelloBuilder.full.clientHello.prefix(2 + 32 + 33 + 2 + 5))
    let hello = ClientHello(prefix: bytes)
    #expect(hello.cipherSuites.map(\.rawValue) == [0x2A2A, 0x1301])
    #expect(hello.legacyVersion == .tls12)
    #expect(hello.offeredVersions == [])
    #expect(!hello.isComplete)
  }

  @Test func `bytes after the extensions throw, and a prefix parse keeps the fields`() throws {
    let bytes = rfc8448ClientHello + [0]
    #expect(throws: ParseError.self) { try ClientHello(bytes) }
    let hello = ClientHello(prefix: bytes)
    #expect(hello.serverName == text("server"))
    #expect(hello.fault?.reason == .trailingBytes(1))
  }

  @Test func `no bytes make the parsers trap`() {
    torment(HelloBuilder.full.clientHello) { bytes in
      _ = ClientHello(parsingPrefix: bytes)
      _ = try ClientHello(parsing: bytes)
    }
  }

  @Test func `a ClientHello in SSL 2 format offers TLS cipher suites`() throws {
    let message: Bytes =
      [1, 3, 1] + two(12) + two(0) + two(16) + hex("00 00 2f  00 00 35  07 00 c0  01 00 80")
      + Bytes(repeating: 0xAB, count: 16)
    let hello = try ClientHello(ssl2: message)
    #expect(hello.format == .ssl2)
    #expect(hello.legacyVersion == .tls10)
    #expect(hello.offeredVersions == [.tls10])
    #expect(hello.cipherSuites.map(\.rawValue) == [0x002F, 0x0035])
    #expect(hello.random == Bytes(repeating: 0, count: 16) + Bytes(repeating: 0xAB, count: 16))
    #expect(hello.compressionMethods == [.null])
    #expect(hello.extensions.isEmpty)
    #expect(prefixesTaken(of: message) { _ = try ClientHello(parsingSSL2: $0) } == [])
    torment(message) { _ = try ClientHello(parsingSSL2: $0) }
  }

  @Test func `a ClientHello for SSL 2 offers version SSL 2 and no TLS cipher suites`() throws {
    let message: Bytes =
      [1, 0, 2] + two(3) + two(16) + two(16) + hex("01 00 80") + Bytes(repeating: 1, count: 32)
    let hello = try ClientHello(ssl2: message)
    #expect(hello.offeredVersions == [.ssl2])
    #expect(hello.sessionID.count == 16)
    #expect(hello.cipherSuites.isEmpty)
  }
}
