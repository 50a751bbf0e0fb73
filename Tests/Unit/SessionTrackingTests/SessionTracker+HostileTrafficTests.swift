import DequeModule
import ByteParsing
import HTTPParsing
import PacketParsing
import TestBytes
import Testing
import Values

import SessionModel
@testable import TLSObservation
@testable import CleartextObservation
@testable import SessionTracking

/// Traffic of a sender who wants to stop, crash or slow down the program.
@Suite struct SessionTrackerHostileTrafficTests {
  /// Sequences of the earliest and latest times that a capture can contain.
  static let clocks: [[Int64]] = [[.min, .max], [.max, .min], [0, .min, .max, 0]]

  @Test(arguments: clocks)
  func `connections at extreme times are tracked`(clock: [Int64]) {
    var player = SegmentPlayer()
    for index in 0..<24 {
      player.seconds = clock[index % clock.count]
      player.play(ObservationLimitsTests.hello, client: 6000 + index)
    }
    #expect(player.sessions().count == 24)
  }

  @Test(arguments: clocks)
  func `DTLS handshakes at extreme times are tracked`(clock: [Int64]) {
    var player = DatagramPlayer()
    for index in 0..<24 {
      player.seconds = clock[index % clock.count]
      player.play(Datagrams.message(1, Datagrams.clientHello(cookie: []), sequence: 0), client: 6000 + index)
      // A QUIC packet with a long header, which cannot be decrypted.
      let packet: Bytes = [0xC3, 0, 0, 0, 1, 8] + Bytes(repeating: 1, count: 8) + [0, 0, 0x44, 0x88]
      player.play(packet + Bytes(repeating: 2, count: 1160), client: 7000 + index)
    }
    #expect(player.sessions().count == 24)
  }

  @Test(.timeLimit(.minutes(1)))
  func `thousands of DTLS handshakes beyond the limit evict the oldest ones within a minute`() {
    let more = 3000
    var player = DatagramPlayer()
    for index in 0..<(DatagramConversations.maximumCount + more) {
      let hello = Datagrams.clientHello(cookie: [])
      player.play(
        Datagrams.message(1, hello, sequence: 0), client: 6000 + index)
    }
    #expect(player.tracker.health.evictedConnections == UInt64(more))
    let sessions = player.sessions()
    #expect(sessions.count == DatagramConversations.maximumCount + more)
    #expect(sessions.filter { $0.evidence.incomplete == .limit }.count == more)
    #expect(sessions.prefix(more).allSatisfy { $0.evidence.incomplete == .limit })
  }

  @Test func `idle DTLS handshakes end when others begin`() {
    var player = DatagramPlayer()
    let hello = Datagrams.message(1, Datagrams.clientHello(cookie: []), sequence: 0)
    for index in 0..<8 { player.play(hello, client: 6000 + index) }
    player.seconds += 301
    for index in 0..<8 { player.play(hello, client: 7000 + index) }
    #expect(player.tracker.finished.count == 8)
    #expect(player.sessions().count == 16)
  }

  @Test(.timeLimit(.minutes(1)))
  func `very many heads in one piece are read within a minute`() {
    let request = Bytes("GET / HTTP/1.1\r\n\r\n".utf8)
    let count = 200_000
    var piece = Bytes()
    for _ in 0..<count { piece += request }
    var stream = MessageStream(isRequests: true)
    var heads = 0
    var position = 0
    while case .head? = stream.next(in: piece.span, at: &position) {
      heads += 1
      stream.expect(.none)
    }
    #expect(heads == count)
  }

  @Test func `an overlong head is reported once, in one piece or in two`() {
    let long =
      Bytes("GET / HTTP/1.1\r\nX: ".utf8) + Bytes(repeating: 0x61, count: MessageHead.maximumByteCount)
    for cut in [long.count, 10, MessageHead.maximumByteCount] {
      var stream = MessageStream(isRequests: true)
      var found: [Bool] = []
      var read = 0
      for piece in [long[..<cut], long[cut...]] {
        var position = 0
        let bytes = Bytes(piece)
        while let event = stream.next(in: bytes.span, at: &position) {
          if case .longHead = event { found.append(true) } else { found.append(false) }
          read += stream.readByteCount
        }
        read += stream.readByteCount
        #expect(position == bytes.count)
      }
      #expect(found == [true])
      #expect(read == long.count)
    }
  }

  @Test func `a client that sends hundreds of CONNECT requests at once is read to the end`() {
    var traffic = TestTraffic(port: 8080)
    let connect = Bytes("CONNECT a:1 HTTP/1.1\r\n\r\n".utf8)
    var piece = Bytes()
    for _ in 0..<600 { piece += connect }
    traffic.say(
      piece + Bytes("GET http://b.example/ HTTP/1.1\r\nHost: b.example\r\n\r\n".utf8), fromClient: true)
    #expect(traffic.finish().map(\.serverName) == ["b.example"])
  }

  @Test(arguments: [1, 7, 600])
  func `a request line in small pieces is read as in one piece`(size: Int) {
    let path = "/" + String(repeating: "a", count: 5000)
    let request = Bytes("GET \(path) HTTP/1.1\r\nHost: a.example\r\n\r\n".utf8)
    var traffic = TestTraffic(port: 80)
    for start in stride(from: 0, to: request.count, by: size) {
      traffic.say(Bytes(request[start..<min(start + size, request.count)]), fromClient: true)
    }
    let sessions = traffic.finish()
    #expect(sessions.map(\.serverName) == ["a.example"])
    #expect(sessions.first?.http?.requests.map { $0.path.prefix(1000) } == [path.prefix(1000)])
    #expect(sessions.first?.firstFrame == 4)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a request sent before a proxy's response may come byte by byte`() {
    var traffic = TestTraffic(port: 3128)
    traffic.say(Bytes("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n".utf8), fromClient: true)
    let target = "http://b.example/" + String(repeating: "a", count: 6000)
    for byte in "GET \(target) HTTP/1.1\r\nHost: b.example\r\n\r\n".utf8 {
      traffic.say([byte], fromClient: true)
    }
    traffic.say(Bytes("HTTP/1.1 407 Asks for a name\r\nContent-Length: 0\r\n\r\n".utf8), fromClient: false)
    traffic.say(Bytes("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8), fromClient: false)
    let sessions = traffic.finish()
    #expect(sessions.map(\.serverName) == ["b.example"])
    #expect(sessions.first?.http?.requestCount == 1)
  }

  @Test func `requests for hosts beyond the limit are counted with the last host`() {
    var traffic = TestTraffic(port: 80)
    for index in 0..<300 {
      traffic.say(Bytes("GET / HTTP/1.1\r\nHost: h\(index).Example\r\n\r\n".utf8), fromClient: true)
      traffic.say(Bytes("GET / HTTP/1.1\r\nHost: H\(index).example\r\n\r\n".utf8), fromClient: true)
    }
    let sessions = traffic.finish()
    #expect(sessions.count == RequestedHosts.maximumCount)
    #expect(sessions.dropLast().allSatisfy { $0.http?.requestCount == 2 })
    #expect(sessions.last?.http?.requestCount == 2 * (300 - RequestedHosts.maximumCount + 1))
  }

  /// A ServerHello and the first part of a Certificate message whose rest never arrives.
  private static func begunCertificate(_ count: Int) -> Bytes {
    let hello: Bytes = [2, 0, 0, 38, 3, 3] + Bytes(repeating: 9, count: 32) + [0, 0xC0, 0x2F, 0]
    let message: Bytes = [11, 2, 0, 0, 1, 0xFF, 0xFD, 1, 0, 0] + Bytes(repeating: 0x30, count: count - 10)
    return [22, 3, 3] + two(hello.count) + hello + [22, 3, 3]
      + two(message.count) + message
  }

  @Test func `unfinished handshake messages are evicted at the limit, and that is reported`() {
    var limits = ObservationLimits()
    limits.openBytes = 1 << 20
    var player = SegmentPlayer(limits)
    for index in 0..<200 {
      player.play(ObservationLimitsTests.hello, client: 6000 + index)
      player.play(SessionTrackerHostileTrafficTests.begunCertificate(16_000), fromClient: false, client: 6000 + index)
      #expect(player.tracker.openBytes <= limits.openBytes)
    }
    #expect(player.tracker.openConnections < 70)
    #expect(player.tracker.health.evictedConnections > 100)
    let sessions = player.sessions()
    #expect(sessions.count == 200)
    #expect(sessions.filter { $0.evidence.incomplete == .limit }.count > 100)
    #expect(player.tracker.openBytes == 0)
  }

  @Test func `unfinished request heads are evicted at the limit`() {
    var limits = ObservationLimits()
    limits.openBytes = 1 << 20
    var player = SegmentPlayer(limits)
    let head = Bytes("GET / HTTP/1.1\r\nHost: a.example\r\nX: ".utf8) + Bytes(repeating: 0x61, count: 16_000)
    for index in 0..<200 { player.play(head, client: 6000 + index, server: 80) }
    #expect(player.tracker.openBytes <= limits.openBytes)
    #expect(player.tracker.health.evictedConnections > 100)
    _ = player.sessions()
    #expect(player.tracker.openBytes == 0)
  }

  @Test func `unfinished DTLS messages are evicted at the limit`() {
    var limits = ObservationLimits()
    limits.heldBytes = 1 << 20
    var player = DatagramPlayer(limits)
    for index in 0..<200 {
      player.play(Datagrams.message(1, Datagrams.clientHello(cookie: []), sequence: 0), client: 6000 + index)
      let body = Bytes(repeating: 1, count: 40_000)
      player.play(
        Datagrams.message(11, body, sequence: 1, part: 0..<16_000), fromClient: false, client: 6000 + index)
      #expect(player.tracker.datagrams.openBytes <= limits.heldBytes)
    }
    #expect(player.tracker.health.evictedConnections > 100)
    #expect(player.sessions().count == 200)
    #expect(player.tracker.datagrams.openBytes == 0)
  }

  @Test func `sessions that wait for an earlier one do not exceed the byte limit`() {
    var queue = SessionQueue()
    var output: Deque<EndedSession> = []
    let first = queue.takeTurn(at: 0)
    let end = Endpoint(address: IPAddress(v4: 0), port: 1)
    let weight = 1 << 20
    for index in 0..<200 {
      let session = ObservedSession(
        file: "x", firstFrame: UInt64(index), lastFrame: UInt64(index), start: nil, end: nil,
        transport: .tcp,
        application: .tls, client: end, server: end)
      queue.end(queue.takeTurn(at: UInt64(index)), EndedSession(session), weight: weight, to: &output)
      #expect((index + 1 - output.count) * weight <= SessionQueue.maximumByteCount)
    }
    #expect(output.map(\.firstFrame) == Array(0..<UInt64(output.count)))
    queue.end(first, nil, weight: 0, to: &output)
    #expect(output.count == 200)
  }
}
