import DequeModule
import ByteParsing
import TestBytes
import Testing
import Values

import SessionModel
@testable import SessionTracking

/// The order of sessions, which is that of their first packets, whatever precedes those on their connections.
@Suite struct SessionQueueTests {
  private func session(_ frame: UInt64) -> EndedSession {
    let end = Endpoint(address: IPAddress(v4: 0), port: 1)
    return EndedSession(
      ObservedSession(
        file: "x", firstFrame: frame, lastFrame: frame, start: nil, end: nil, transport: .tcp,
        application: .tls, client: end, server: end))
  }

  @Test func `a session that begins late in its connection waits for sessions that began earlier`() {
    var queue = SessionQueue()
    var output: Deque<EndedSession> = []
    let turns = [1, 2, 5].map { queue.takeTurn(at: $0) }
    queue.add(session(9), weight: 1)
    queue.end(turns[0], session(4), weight: 1, to: &output)
    #expect(output.isEmpty)
    queue.end(turns[2], session(6), weight: 1, to: &output)
    #expect(output.isEmpty)
    let last = queue.takeTurn(at: 8)
    queue.end(turns[1], session(7), weight: 1, to: &output)
    #expect(output.map(\.firstFrame) == [4, 6, 7])
    queue.end(last, nil, weight: 1, to: &output)
    #expect(output.map(\.firstFrame) == [4, 6, 7, 9])
  }

  @Test func `a session whose turn has passed is still emitted`() {
    var queue = SessionQueue()
    var output: Deque<EndedSession> = []
    let first = queue.takeTurn(at: 1)
    let second = queue.takeTurn(at: 2)
    queue.end(second, session(2), weight: SessionQueue.maximumByteCount + 1, to: &output)
    #expect(output.map(\.firstFrame) == [2])
    queue.add(session(5), weight: 1)
    queue.end(first, session(3), weight: 1, to: &output)
    #expect(output.map(\.firstFrame) == [2, 3, 5])
  }

  @Test func `sessions added in any order are emitted in order`() {
    var queue = SessionQueue()
    var output: Deque<EndedSession> = []
    let turn = queue.takeTurn(at: 0)
    for index in 0..<1000 { queue.add(session(UInt64(1 + index * 7919 % 1000)), weight: 1) }
    queue.end(turn, nil, weight: 1, to: &output)
    #expect(output.map(\.firstFrame) == Array(1...1000))
  }

  @Test func `a hello after missing bytes is ordered after sessions that began earlier`() {
    var traffic = TestTraffic(port: 143)
    traffic.say(Bytes("* OK ready\r\n".utf8), fromClient: false)
    traffic.clientPort = 50_001
    traffic.say(sampleClientHello, fromClient: true)
    traffic.clientPort = 50_000
    traffic.lose(Bytes("a STARTTLS\r\n".utf8), fromClient: true)
    traffic.say(sampleClientHello, fromClient: true)
    let sessions = traffic.finish()
    #expect(sessions.map(\.client.port) == [50_001, 50_000])
    #expect(sessions.map(\.firstFrame) == [5, 6])
  }

  @Test func `later hosts of a connection are ordered after sessions that began earlier`() {
    var traffic = TestTraffic(port: 80)
    func get(_ host: String) -> Bytes { Bytes("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n".utf8) }
    traffic.say(get("a.example"), fromClient: true)
    traffic.clientPort = 50_001
    traffic.say(get("b.example"), fromClient: true)
    traffic.clientPort = 50_000
    traffic.say(get("c.example") + get("d.example"), fromClient: true)
    traffic.clientPort = 50_001
    traffic.say(get("e.example"), fromClient: true)
    let sessions = traffic.finish()
    #expect(sessions.map(\.serverName) == ["a", "b", "c", "d", "e"].map { $0 + ".example" })
    #expect(sessions.map(\.firstFrame) == [4, 5, 6, 6, 7])
  }
}
