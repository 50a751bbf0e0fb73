import ByteParsing
import CleartextObservation
import TestBytes
import Testing
import Values

import SessionModel
@testable import SessionTracking

/// Protocols on the DNS port.
@Suite struct SessionTrackerDNSPortTests {
  /// A DNS response that maps a.example to 203.0.113.7, after its length.
  static let answer: Bytes =
    [0, 37, 0, 1, 0x81, 0x80, 0, 0, 0, 1, 0, 0, 0, 0] + [1, 0x61, 7] + Bytes("example".utf8)
    + [0, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 203, 0, 113, 7]

  static let query: Bytes =
    [0, 27, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0] + [1, 0x61, 7] + Bytes("example".utf8) + [0, 0, 1, 0, 1]

  @Test(arguments: [53, 443] as [UInt16])
  func `TLS and HTTP are found on the DNS port`(clientPort: UInt16) throws {
    for pieces in [[sampleClientHello], sampleClientHello.map { [$0] }] {
      var traffic = TestTraffic(port: clientPort == 53 ? 443 : 53)
      traffic.clientPort = clientPort
      for piece in pieces { traffic.say(piece, fromClient: true) }
      traffic.say(sampleServerHello, fromClient: false)
      let session = try #require(traffic.finish().first)
      #expect(session.serverName == "server")
      #expect(session.evidence.serverHello == .complete)
    }
    var traffic = TestTraffic(port: 53)
    traffic.say(Bytes("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n".utf8), fromClient: true)
    let session = try #require(traffic.finish().first)
    #expect(session.serverName == "a.example")
  }

  @Test func `DNS over TCP in any pieces yields names and does not count as without a handshake`() {
    for step in [1, 2, 5, 100] {
      var traffic = TestTraffic(port: 53)
      for (message, isQuery) in [(Self.query, true), (Self.answer, false)] {
        for start in stride(from: 0, to: message.count, by: step) {
          traffic.say(Bytes(message[start..<min(start + step, message.count)]), fromClient: isQuery)
        }
      }
      traffic.end(fromClient: true)
      traffic.end(fromClient: false)
      #expect(traffic.finish().isEmpty)
      let address = IPAddress(v4: 0xCB00_7107)
      let hints = traffic.tracker.shared.names.hints(for: address, before: 1000)
      #expect(hints.map(\.name) == ["a.example"])
      let silent = traffic.tracker.health.withoutHandshake
      #expect(silent.isEmpty)
    }
  }

  @Test func `an unknown protocol on the DNS port counts as without a handshake`() {
    var traffic = TestTraffic(port: 53)
    traffic.say([0, 3, 1, 2, 0xFF, 9, 9, 9], fromClient: true)
    #expect(traffic.finish().isEmpty)
    let silent = traffic.tracker.health.withoutHandshake
    #expect(silent.count == 1)
  }
}
