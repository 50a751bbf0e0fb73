import ByteParsing
import SeededRandom
import TLSParsing
import Testing

import SessionModel
@testable import TLSObservation

@Suite struct KnownExchangeTests {
  private static func answer(_ suite: UInt16, _ version: UInt16) -> ServerAnswer {
    var content = ServerAnswer.Content()
    content.version = TLSVersion(rawValue: version)
    content.cipherSuite = CipherSuite(rawValue: suite)
    return ServerAnswer(content)
  }

  /// A point on a curve and a signature, each of so many bytes.
  private static func body(_ group: UInt16, _ scheme: UInt16, point: Int, signature: Int) -> Bytes {
    var body: Bytes = [3, UInt8(group >> 8), UInt8(group & 0xFF), UInt8(point)]
    body += Bytes(repeating: 4, count: point)
    body += [UInt8(scheme >> 8), UInt8(scheme & 0xFF), UInt8(signature >> 8), UInt8(signature & 0xFF)]
    return body + Bytes(repeating: 0x30, count: signature)
  }

  /// What parsing finds; nil where it finds a fault.
  private static func parsed(_ body: Bytes, _ answer: ServerAnswer) -> (
    ServerKeyExchange, ServerKeyExchangeFacts
  )? {
    guard let suite = answer.content.cipherSuite,
      let exchange = try? ServerKeyExchange(parsing: body.span, suite: suite, version: answer.content.version)
    else { return nil }
    return (
      exchange,
      ServerKeyExchangeFacts(
        bits: exchange.bits, group: exchange.group, signatureScheme: exchange.signatureScheme)
    )
  }

  /// What is known is what parsing finds, whatever was read before and however the message is damaged.
  @Test func `what is known of an exchange is what parsing finds`() {
    var random = SeededGenerator(seed: 20)
    // ECDHE with RSA and ECDSA, ECDHE_PSK, DHE, anonymous ECDH and plain RSA; TLS 1.0 to 1.2.
    let answers = [0xC02F, 0xC02B, 0xC037, 0x0067, 0xC018, 0x009C].flatMap { suite in
      [0x0301, 0x0303].map { Self.answer(UInt16(suite), UInt16($0)) }
    }
    var known = KnownExchanges()
    var hits = 0
    for _ in 0..<60_000 {
      guard let answer = answers.randomElement(using: &random) else { return }
      var body = Self.body(
        [23, 24, 29].randomElement(using: &random) ?? 23,
        [0x0401, 0x0403, 0x0804].randomElement(using: &random) ?? 0,
        point: Int.random(in: 0...70, using: &random), signature: Int.random(in: 0...80, using: &random))
      if Bool.random(using: &random) {
        let place = Int.random(in: 0..<body.count, using: &random)
        body[place] = UInt8.random(in: .min ... .max, using: &random)
      }
      if Int.random(in: 0..<4, using: &random) == 0 { body.removeLast(Int.random(in: 0...3, using: &random)) }
      let found = Self.parsed(body, answer)
      if let facts = known.facts(body.span, after: answer) {
        hits += 1
        #expect(facts == found?.1)
      } else if let (exchange, facts) = found {
        known.remember(facts, exchange, of: body.span, after: answer)
      }
    }
    // Where answers lie in memory decides which of them share a place: some 1,300 to 2,000.
    #expect(hits > 500)
  }
}
