import ByteParsing
import SessionModel
import TestBytes
import Testing
import Values

@testable import CleartextObservation
@testable import SessionLinking
@testable import SessionTracking

@Suite struct NameTableTests {
  let address = IPAddress(v4: 0xCB00_7107)

  @Test func `only names from earlier packets are hints for a packet`() {
    var names = NameTable()
    names.learn("later.example", of: address, from: .dns, frame: 9)
    names.learn("file.example", of: address, from: .nameResolutionBlock, frame: nil)
    names.learn("later.example", of: address, from: .dns, frame: 12)
    #expect(names.hints(for: address, before: 9).map(\.name) == ["file.example"])
    #expect(names.hints(for: address, before: 10).map(\.name) == ["later.example", "file.example"])
    #expect(names.hints(for: address, before: 10).map(\.frame) == [9, nil])
    #expect(names.hints(for: IPAddress(v4: 1), before: 99).isEmpty)
  }

  @Test func `a session without a ClientHello has name hints for its server`() {
    var traffic = TestTraffic(port: 443)
    traffic.tracker.shared.names.learn("a.example", of: address, from: .dns, frame: 1)
    traffic.lose(sampleClientHello, fromClient: true)
    traffic.say(sampleServerHello, fromClient: false)
    let session = traffic.finish().first
    #expect(session?.serverName == nil)
    #expect(session?.nameHints.map(\.name) == ["a.example"])
  }

  @Test
  func `a session with a server name has name hints for its address, unless it uses a proxy`() {
    for proxy in ["", "CONNECT b.example:443 HTTP/1.1\r\n\r\n"] {
      var traffic = TestTraffic(port: 443)
      traffic.tracker.shared.names.learn("a.example", of: address, from: .dns, frame: 1)
      if !proxy.isEmpty {
        traffic.say(Bytes(proxy.utf8), fromClient: true)
        traffic.say(Bytes("HTTP/1.1 200 OK\r\n\r\n".utf8), fromClient: false)
      }
      traffic.say(sampleClientHello, fromClient: true)
      let session = traffic.finish().first
      #expect(session?.serverName == (proxy.isEmpty ? "server" : "b.example"))
      #expect(session?.nameHints.map(\.name) == (proxy.isEmpty ? ["a.example"] : []))
    }
  }

  @Test func `cleartext requests have name hints for their address`() {
    var traffic = TestTraffic(port: 80)
    traffic.tracker.shared.names.learn("a.example", of: address, from: .dns, frame: 1)
    traffic.say(Bytes("GET / HTTP/1.1\r\nHost: b.example\r\n\r\n".utf8), fromClient: true)
    #expect(traffic.finish().first?.nameHints.map(\.name) == ["a.example"])
  }

  @Test func `the latest names of an address are kept`() {
    var names = NameTable()
    for index in 0..<20 { names.learn("n\(index)", of: address, from: .dns, frame: UInt64(index)) }
    #expect(names.hints(for: address, before: 99).map(\.name) == (12..<20).map { "n\($0)" })
  }

  @Test func `the number of addresses is bounded, and evicted ones are counted`() {
    var names = NameTable()
    for index in 0..<(3 * NameTable.minimumAddressCount) {
      names.learn("n", of: IPAddress(v4: UInt32(index)), from: .dns, frame: 1)
    }
    #expect(names.forgotten == UInt64(2 * NameTable.minimumAddressCount))
    #expect(names.hints(for: IPAddress(v4: 0), before: 9).isEmpty)
    #expect(names.hints(for: IPAddress(v4: UInt32(3 * NameTable.minimumAddressCount - 1)), before: 9).count == 1)
  }

  @Test func `DNS messages over TCP are read in pieces of any size`() {
    // A DNS response that maps a.example to 203.0.113.7.
    let message: Bytes =
      [0, 1, 0x81, 0x80, 0, 0, 0, 1, 0, 0, 0, 0] + [1, 0x61, 7] + Bytes("example".utf8)
      + [0, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 203, 0, 113, 7]
    let stream = [0, UInt8(message.count)] + message + [0, UInt8(message.count)] + message
    for size in 1...stream.count {
      var names = NameTable()
      let streams = DNSStreams()
      for start in stride(from: 0, to: stream.count, by: size) {
        let piece = Bytes(stream[start..<min(start + size, stream.count)])
        streams.consume(piece.span, in: .fromLower, frame: 3, into: &names)
      }
      #expect(names.hints(for: address, before: 4).map(\.name) == ["a.example"])
    }
    var names = NameTable()
    let broken = DNSStreams()
    broken.lose()
    broken.consume(stream.span, in: .fromLower, frame: 3, into: &names)
    #expect(names.hints(for: address, before: 4).isEmpty)
  }
}
