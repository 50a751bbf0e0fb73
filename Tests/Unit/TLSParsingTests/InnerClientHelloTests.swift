import ByteParsing
import SeededRandom
import TestBytes
import Testing

@testable import TLSParsing

/// Tests of the encoded inner hellos of Encrypted ClientHello (RFC 9849 §5.1).
@Suite struct InnerClientHelloTests {
  private static func hello(
    random: UInt8, session: Bytes = [], _ extensions: [(Int, Bytes)], padding: Int = 0
  ) -> Bytes {
    var block = Bytes()
    for (type, content) in extensions { block += two(type) + two(content.count) + content }
    var hello: Bytes = [3, 3] + Bytes(repeating: random, count: 32)
    hello += [UInt8(session.count)] + session
    hello += [0, 2, 0x13, 0x01, 1, 0] + two(block.count) + block
    return hello + Bytes(repeating: 0, count: padding)
  }

  private static let isInner = (0xFE0D, Bytes([1]))
  private static let encrypted: Bytes = [0, 0, 1, 0, 1, 7, 0, 0, 0, 2, 0xAA, 0xBB]
  private static let outer = hello(
    random: 1, session: Bytes(repeating: 9, count: 32),
    [(10, [0, 2, 0, 29]), (13, [0, 2, 4, 3]), (0xFE0D, encrypted), (43, [2, 3, 4]), (51, [0, 0])])

  private func decode(_ encoded: Bytes, outer: Bytes = outer) throws(ParseError) -> Bytes {
    try InnerClientHello.decode(encoded.span, outer: outer.span)
  }

  @Test func `decoding copies outer extensions and session ID from the outer hello`() throws {
    let name: Bytes = [0, 6, 0, 0, 3] + Bytes("a.b".utf8)
    let encoded = Self.hello(
      random: 2, [(0, name), (0xFD00, [4, 0, 10, 0, 43]), Self.isInner], padding: 13)
    let body = try decode(encoded)
    #expect(
      body
        == Self.hello(
          random: 2, session: Bytes(repeating: 9, count: 32),
          [(0, name), (10, [0, 2, 0, 29]), (43, [2, 3, 4]), Self.isInner]))
    let hello = try ClientHello(parsing: body.span)
    #expect(hello.serverName == Bytes("a.b".utf8))
    #expect(hello.offeredVersions == [.tls13])
  }

  @Test func `an invalid encoded inner hello throws`() {
    let broken: [Bytes] = [
      // A session ID, nonzero padding, no encrypted_client_hello of type inner, one of type outer.
      Self.hello(random: 2, session: [1], [Self.isInner]), Self.hello(random: 2, [Self.isInner]) + [0, 1],
      Self.hello(random: 2, [(0xFD00, [2, 0, 10])]), Self.hello(random: 2, [(0xFE0D, Self.encrypted)]),
      // Outer extensions out of order, repeated, absent, encrypted_client_hello itself, none, half a type; two lists.
      Self.hello(random: 2, [(0xFD00, [4, 0, 43, 0, 10]), Self.isInner]),
      Self.hello(random: 2, [(0xFD00, [4, 0, 10, 0, 10]), Self.isInner]),
      Self.hello(random: 2, [(0xFD00, [2, 0, 16]), Self.isInner]),
      Self.hello(random: 2, [(0xFD00, [2, 0xFE, 0x0D]), Self.isInner]),
      Self.hello(random: 2, [(0xFD00, [0]), Self.isInner]),
      Self.hello(random: 2, [(0xFD00, [3, 0, 10, 0]), Self.isInner]),
      Self.hello(random: 2, [(0xFD00, [2, 0, 10]), (0xFD00, [2, 0, 43]), Self.isInner]),
    ]
    for encoded in broken { #expect(throws: ParseError.self) { try decode(encoded) } }
  }

  @Test func `an inner hello whose outer extensions make it too long throws`() {
    let large = Self.hello(random: 1, [(99, Bytes(repeating: 0, count: 40_000)), (0xFE0D, Self.encrypted)])
    let encoded = Self.hello(
      random: 2, [(98, Bytes(repeating: 0, count: 40_000)), (0xFD00, [2, 0, 99]), Self.isInner])
    #expect(throws: ParseError.self) { try decode(encoded, outer: large) }
  }

  @Test func `only an outer encrypted_client_hello yields KDF, AEAD and payload`() throws {
    let outer = Self.outer
    let encrypted = try #require(try InnerClientHello.Encrypted(in: outer.span))
    #expect(encrypted.kdf == 1)
    #expect(encrypted.aead == 1)
    #expect(Bytes(outer[encrypted.payload]) == [0xAA, 0xBB])
    let without = Self.hello(random: 1, [(10, [0, 2, 0, 29])])
    #expect(try InnerClientHello.Encrypted(in: without.span) == nil)
    let inner = Self.hello(random: 1, [Self.isInner])
    #expect(try InnerClientHello.Encrypted(in: inner.span) == nil)
  }

  @Test func `hellos truncated anywhere throw, and changed ones never trap`() {
    let encoded = Self.hello(random: 2, [(0xFD00, [4, 0, 10, 0, 43]), Self.isInner])
    for count in 0..<encoded.count {
      #expect(throws: ParseError.self) { try decode(Bytes(encoded[..<count])) }
    }
    let outer = Self.outer
    for count in 0..<outer.count {
      #expect(throws: ParseError.self) { try decode(encoded, outer: Bytes(outer[..<count])) }
      let cut = Bytes(outer[..<count])
      #expect(throws: ParseError.self) { try InnerClientHello.Encrypted(in: cut.span) }
    }
    var random = SeededGenerator(seed: 23)
    for _ in 0..<3000 {
      var (inner, changed) = (encoded, outer)
      for _ in 0..<random.below(4) { inner[random.below(inner.count)] = random.byte() }
      for _ in 0..<random.below(4) { changed[random.below(changed.count)] = random.byte() }
      _ = try? decode(inner, outer: changed)
      _ = InnerClientHello.confirmation(inRetry: changed.span)
      if let encrypted = try? InnerClientHello.Encrypted(in: changed.span) {
        #expect(encrypted.payload.upperBound <= changed.count)
      }
    }
  }
}
