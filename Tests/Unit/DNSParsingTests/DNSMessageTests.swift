import ByteParsing
import SeededRandom
import Testing
import Values

@testable import DNSParsing

@Suite struct DNSMessageTests {
  static let a = record(name(pointingTo: 12), 1, [203, 0, 113, 7])
  static let aaaa = record(
    name(pointingTo: 12), 28, [0x20, 1, 0x0D, 0xB8] + Bytes(repeating: 0, count: 11) + [7])

  @Test func `a query is no answer`() throws {
    let message = try DNSMessage(answer(flags: 0x0100, []))
    #expect(!message.isResponse)
    #expect(message.identifier == 0x1234)
    #expect(message.questions.map(\.name.description) == ["www.example.com"])
    #expect(message.hints.isEmpty)
  }

  @Test func `addresses carry the name that was requested`() throws {
    let message = try DNSMessage(answer([Self.a, Self.aaaa]))
    #expect(message.isResponse)
    #expect(message.hints == ["203.0.113.7 www.example.com", "2001:db8::7 www.example.com"])
  }

  @Test func `aliases are followed back to the name at their beginning`() throws {
    let network = name("edge", "network", "example")
    let middle = name("site", "cdn", "example")
    let message = try DNSMessage(
      answer([
        record(name(pointingTo: 12), 5, middle), record(middle, 5, network),
        record(network, 1, [203, 0, 113, 8]),
      ]))
    #expect(message.hints == ["203.0.113.8 www.example.com"])
  }

  @Test func `aliases that go in circles end`() throws {
    let one = name("one", "example")
    let other = name("other", "example")
    let message = try DNSMessage(
      answer([record(one, 5, other), record(other, 5, one), record(one, 1, [203, 0, 113, 8])]))
    #expect(message.hints.count == 1)
  }

  @Test(arguments: [0x8183, 0x0100, 0xA980])
  func `failures, questions and updates name nothing`(flags: Int) throws {
    #expect(try DNSMessage(answer(flags: flags, [Self.a])).hints.isEmpty)
  }

  @Test func `records of other classes and of the authority section name nothing`() throws {
    let chaos = record(name(pointingTo: 12), 1, [203, 0, 113, 7], class: 3)
    #expect(try DNSMessage(answer([chaos], authority: [Self.a])).hints.isEmpty)
    // The bit that clears caches on a local link is no class.
    let local = record(name(pointingTo: 12), 1, [203, 0, 113, 7], class: 0x8001)
    #expect(try DNSMessage(answer([], additional: [local])).hints.count == 1)
  }

  @Test func `an HTTPS record tells protocols, port, addresses and keys`() throws {
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
    #expect(binding.priority == 1)
    #expect(binding.target.text.isEmpty)
    #expect(binding.alpn == [Bytes("h2".utf8), Bytes("h3".utf8)])
    #expect(binding.port == 8443)
    #expect(binding.keys == [1, 3, 4, 5])
    #expect(message.hints == ["203.0.113.9 www.example.com"])
  }

  @Test func `a service at another name lends its own to that name's addresses`() throws {
    let target = name("pool", "example", "net")
    let owner = name("_8443", "_https", "api", "example", "com")
    let message = try DNSMessage(
      answer([record(owner, 65, two(0) + target)], additional: [record(target, 1, [203, 0, 113, 5])]))
    #expect(message.hints == ["203.0.113.5 api.example.com"])
  }

  static let malformedBindings: [Bytes] = [
    joined(two(1), name(), two(4), two(3), [1, 2, 3]),  // A hint that is no address.
    joined(two(1), name(), two(3), two(2), two(443), two(1), two(0)),  // Keys out of order.
    joined(two(1), name(), two(1), two(2), [5, 0x68]),  // A protocol name that is cut off.
    two(1),
  ]

  @Test(arguments: malformedBindings)
  func `a malformed binding spoils its record only`(data: Bytes) throws {
    let message = try DNSMessage(answer([record(name(pointingTo: 12), 65, data), Self.a]))
    #expect(message.fault == nil)
    guard case .malformed? = message.answers.first?.content else {
      Issue.record("the record was taken")
      return
    }
    #expect(message.hints == ["203.0.113.7 www.example.com"])
  }

  @Test func `records are kept up to where the message is cut off`() throws {
    let whole = answer([Self.a, Self.aaaa])
    let message = try DNSMessage(Bytes(whole.dropLast(3)))
    #expect(message.fault != nil)
    #expect(message.hints == ["203.0.113.7 www.example.com"])
  }

  @Test func `the limits on records, questions and parameters are reached`() throws {
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

  @Test func `every prefix of a message yields or throws`() {
    let whole = answer([Self.a], additional: [Self.aaaa])
    for count in 0..<whole.count {
      let cut = Bytes(whole.prefix(count))
      // Behind header and question, what is there is taken.
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
