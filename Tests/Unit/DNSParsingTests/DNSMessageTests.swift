import ByteParsing
import SeededRandom
import TestBytes
import Testing
import Values

@testable import DNSParsing

@Suite struct DNSMessageTests {
  static let a = record(name(pointingTo: 12), 1, [203, 0, 113, 7])
  static let aaaa = record(
    name(pointingTo: 12), 28, [0x20, 1, 0x0D, 0xB8] + Bytes(repeating: 0, count: 11) + [7])

  @Test func `a query is not a response`() throws {
    let message = try DNSMessage(answer(flags: 0x0100, []))
    #expect(!message.isResponse)
    #expect(message.questions.map(\.name.description) == ["www.example.com"])
    #expect(message.hints.isEmpty)
  }

  @Test func `addresses in a response map to the queried name`() throws {
    let message = try DNSMessage(answer([Self.a, Self.aaaa]))
    #expect(message.isResponse)
    #expect(message.hints == ["203.0.113.7 www.example.com", "2001:db8::7 www.example.com"])
  }

  @Test func `CNAME records are followed back to the queried name`() throws {
    let network = name("edge", "network", "example")
    let middle = name("site", "cdn", "example")
    let message = try DNSMessage(
      answer([
        record(name(pointingTo: 12), 5, middle), record(middle, 5, network),
        record(network, 1, [203, 0, 113, 8]),
      ]))
    #expect(message.hints == ["203.0.113.8 www.example.com"])
  }

  @Test func `CNAME loops end`() throws {
    let one = name("one", "example")
    let other = name("other", "example")
    let message = try DNSMessage(
      answer([record(one, 5, other), record(other, 5, one), record(one, 1, [203, 0, 113, 8])]))
    #expect(message.hints.count == 1)
  }

  @Test(arguments: [0x8183, 0x0100, 0xA980])
  func `error responses, queries and updates map no addresses`(flags: Int) throws {
    #expect(try DNSMessage(answer(flags: flags, [Self.a])).hints.isEmpty)
  }

  @Test func `records of other classes and of the authority section map no addresses`() throws {
    let chaos = record(name(pointingTo: 12), 1, [203, 0, 113, 7], class: 3)
    #expect(try DNSMessage(answer([chaos], authority: [Self.a])).hints.isEmpty)
    // The cache-flush bit of mDNS is not part of the class.
    let local = record(name(pointingTo: 12), 1, [203, 0, 113, 7], class: 0x8001)
    #expect(try DNSMessage(answer([], additional: [local])).hints.count == 1)
  }

  @Test func `an HTTPS record contains ALPN IDs, port, address hints and SvcParamKeys`() throws {
    let protocols = joined([2], Bytes("h2".utf8), [2], Bytes("h3".utf8))
    let parameters = joined(
      two(1), two(6), protocols, two(3), two(2), two(8443), two(4), two(4), [203, 0, 113, 9], two(5), two(3),
      [1, 2, 3])
    let https = record(name(pointingTo: 12), 65, two(1) + name() + parameters)
    let message = try DNSMessage(answer([https]))
    guard case .service(let binding)? = message.answers.first?.content else {
      Issue.record("no service binding")
      return
    }
    #expect(binding.target.text.isEmpty)
    #expect(binding.alpn == [Bytes("h2".utf8), Bytes("h3".utf8)])
    #expect(binding.keys == [1, 3, 4, 5])
    #expect(message.hints == ["203.0.113.9 www.example.com"])
  }

  @Test func `addresses of an HTTPS record's target map to the record's host`() throws {
    let target = name("pool", "example", "net")
    let owner = name("_8443", "_https", "api", "example", "com")
    let message = try DNSMessage(
      answer([record(owner, 65, two(0) + target)], additional: [record(target, 1, [203, 0, 113, 5])]))
    #expect(message.hints == ["203.0.113.5 api.example.com"])
  }

  static let malformedBindings: [Bytes] = [
    joined(two(1), name(), two(4), two(3), [1, 2, 3]),  // A hint that is not an address.
    joined(two(1), name(), two(3), two(2), two(443), two(1), two(0)),  // Keys out of order.
    joined(two(1), name(), two(1), two(2), [5, 0x68]),  // A truncated ALPN ID.
    two(1),
  ]

  @Test(arguments: malformedBindings)
  func `a malformed service binding affects only its record`(data: Bytes) throws {
    let message = try DNSMessage(answer([record(name(pointingTo: 12), 65, data), Self.a]))
    #expect(message.fault == nil)
    guard case .malformed? = message.answers.first?.content else {
      Issue.record("the record was taken")
      return
    }
    #expect(message.hints == ["203.0.113.7 www.example.com"])
  }

  @Test func `the records before a truncation are kept`() throws {
    let whole = answer([Self.a, Self.aaaa])
    let message = try DNSMessage(Bytes(whole.dropLast(3)))
    #expect(message.fault != nil)
    #expect(message.hints == ["203.0.113.7 www.example.com"])
  }

  @Test func `the numbers of records, questions, parameters and address hints are limited`() throws {
    let most = DNSMessage.maximumRecordCount
    let full = try DNSMessage(answer(Array(repeating: Self.a, count: most)))
    #expect(full.fault == nil)
    #expect(full.answers.count == most)
    let over = try DNSMessage(answer(Array(repeating: Self.a, count: most + 1)))
    #expect(over.answers.count == most)
    #expect(over.fault?.reason == .limitReached(most))

    let asked = joined(two(1), two(0), two(DNSMessage.maximumQuestionCount + 1), two(0), two(0), two(0))
    let error = #expect(throws: ParseError.self) { try DNSMessage(asked) }
    #expect(error?.reason == .limitReached(DNSMessage.maximumQuestionCount))

    let keys = (0...ServiceBinding.maximumParameterCount).reduce(into: Bytes()) {
      $0 += two(100 + $1) + two(0)
    }
    let crowded = try DNSMessage(answer([record(name(pointingTo: 12), 64, two(1) + name() + keys)]))
    guard case .malformed(let fault)? = crowded.answers.first?.content else {
      Issue.record("the record was taken")
      return
    }
    #expect(fault.reason == .limitReached(ServiceBinding.maximumParameterCount))

    let hints = (0..<300).reduce(into: Bytes()) { $0 += [10, 0] + two($1) }
    let many = try DNSMessage(
      answer([record(name(pointingTo: 12), 65, joined(two(1), name(), two(4), two(hints.count), hints))]))
    #expect(many.hints.count == DNSMessage.maximumNamedAddressCount)
  }

  @Test func `a truncated message is read with a fault if its header and question are complete`() {
    let whole = answer([Self.a], additional: [Self.aaaa])
    for count in 0..<whole.count {
      let cut = Bytes(whole.prefix(count))
      // A message is read if its header and question are complete.
      let taken = try? DNSMessage(cut)
      #expect((taken != nil) == (count >= 12 + 17 + 4))
      #expect(taken.map { $0.fault != nil } ?? true)
    }
  }

  @Test func `random and changed bytes never trap`() {
    var random = SeededGenerator(seed: 5)
    let valid = answer(
      [record(name(pointingTo: 12), 5, name("a", pointingTo: 16)), Self.a],
      additional: [
        record(name("a", pointingTo: 16), 65, two(1) + name("b", pointingTo: 12) + two(6) + two(0))
      ])
    for round in 0..<20_000 {
      var input = valid
      if round % 2 == 0 {
        input = Bytes(
          (0..<Int.random(in: 0...80, using: &random)).map { _ in .random(in: 0...255, using: &random) })
      } else {
        for _ in 0..<3 {
          let index = Int.random(in: 0..<input.count, using: &random)
          input[index] = .random(in: 0...255, using: &random)
        }
      }
      _ = (try? DNSMessage(input))?.namedAddresses
    }
  }

  @Test func `a message over TCP begins with its length`() {
    #expect(DNSMessage.lengthOverTCP(two(300).span) == 300)
    #expect(DNSMessage.lengthOverTCP(Bytes([1]).span) == nil)
  }
}
