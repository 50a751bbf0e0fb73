import ByteParsing
import SeededRandom
import TestBytes
import Testing

import SessionModel
@testable import CleartextObservation
import TLSObservation
@testable import SessionTracking

@Suite struct StreamBeginningTests {
  @Test func `the prefilter never rejects a segment that may begin a conversation`() {
    var payload: Bytes = [0, 0, 0, 0, 16]
    var passedOver = 0
    var looks = 0
    var taken = 0
    let thirds: [UInt8] = [0, 1, 2, 3, 4, 5, 6, 8, 16, 64, 0x77, 128, 255]
    let seconds = Array(stride(from: 0, to: 256, by: TestEffort.isLong ? 1 : 5))
    for first in 0..<256 {
      for second in seconds {
        for third in thirds {
          payload[0] = UInt8(first)
          payload[1] = UInt8(second)
          payload[2] = third
          let beginning = UInt32(first) | UInt32(second) << 8 | UInt32(third) << 16 | UInt32(third) << 24
          let mayTell = SegmentPrefilter.mayBegin(beginning)
          if mayTell, third == 0x77 { looks += 1 }
          if !mayTell,
            RecordStream.seemsToBegin(in: payload.span) && first < 24 || Self.mayBegin(payload)
              || StreamBeginning.isSOCKSRequest(payload.span.extracting(first: 3))
          {
            passedOver += 1
          }
          let isData = RecordStream.seemsToBegin(in: payload.span) && first == 23
          if SegmentPrefilter.isData(beginning) != isData { taken += 1 }
        }
      }
    }
    #expect(passedOver == 0)
    #expect(taken == 0)
    // The prefilter rejects most random bytes.
    #expect(looks < 256 * seconds.count / 25)
  }

  /// Returns whether a hello, or a request with an uppercase method, may begin with these bytes.
  private static func mayBegin(_ bytes: Bytes) -> Bool {
    let capitals: ClosedRange<UInt8> = 0x41...0x5A
    guard StreamBeginning.kind(of: bytes.span) == .undecided else { return false }
    switch bytes[0] {
    case 22, 0x80...0xFF, 0x0A, 0x0D: return true
    case capitals: return capitals.contains(bytes[1]) || bytes[1] == 0x2D
    default: return false
    }
  }

  private static let changeCipherSpec = hex("14 0303 0001 01")

  @Test(arguments: [false, true])
  func `a second ClientHello after a ChangeCipherSpec begins a session without the first one`(seesStart: Bool) {
    for isRead in [false, true] {
      var traffic = TestTraffic(port: 443, seesStart: seesStart)
      if isRead {
        traffic.say(sampleClientHello, fromClient: true)
        traffic.say(sampleServerHello + hex("15 0303 0002 0228"), fromClient: false)
        traffic.reset(fromClient: false)
        traffic.lose(Bytes(repeating: 0, count: 70_000), fromClient: true)
      } else if seesStart {
        traffic.lose(sampleClientHello, fromClient: true)
      }
      var hello = sampleClientHello
      // A random other than that of the connection before it.
      if isRead { hello.replaceSubrange(11..<43, with: Bytes(repeating: 0x5A, count: 32)) }
      traffic.say(Self.changeCipherSpec + hello, fromClient: true)
      traffic.say(sampleServerHello, fromClient: false)
      let sessions = traffic.finish()
      #expect(sessions.count == (isRead ? 2 : 1))
      #expect(sessions.last?.serverName == "server")
      #expect(sessions.last?.evidence.clientHello == .complete)
      #expect(sessions.last?.evidence.serverHello == .complete)
      #expect(sessions.last?.sharedTLS?.sharedServerHello != nil)
    }
  }

  @Test(arguments: [true, false])
  func `a hello follows an unknown protocol also if that is longer than a greeting`(seesStart: Bool) {
    for count in [4, 9, 20] {
      var traffic = TestTraffic(port: 4000, seesStart: seesStart)
      for _ in 0..<count { traffic.say(Bytes(repeating: 1, count: 1000), fromClient: true) }
      traffic.sayHellos()
      #expect(traffic.finish().map(\.tunnel) == [seesStart ? ["starttls unknown"] : []])
    }
  }

  @Test func `a hello that the server had received before its first captured bytes follows no greeting`() {
    var traffic = TestTraffic(port: 443, seesServer: false)
    traffic.lose(sampleClientHello, fromClient: true)
    traffic.lose(sampleServerHello, fromClient: false)
    traffic.say(Bytes(repeating: 1, count: 100), fromClient: false)
    traffic.sayLate(sampleClientHello, fromClient: true)
    let sessions = traffic.finish()
    #expect(sessions.map(\.serverName) == ["server"])
    #expect(sessions.map(\.tunnel) == [[]])
    #expect(sessions.first?.evidence.contains(.tlsNotAtStart) == false)
  }

  @Test(arguments: ["CONNECT server:443 HTTP/1.1\r\n\r\n", "PROXY TCP4 192.0.2.1 192.0.2.2 1 443\r\n"])
  func `a hello that is long after the beginning of a tunnel follows no unknown protocol`(beginning: String) {
    var traffic = TestTraffic(port: 9090, clientSays: Bytes(beginning.utf8))
    if beginning.hasPrefix("CONNECT") { traffic.say(Bytes("HTTP/1.1 200 OK\r\n\r\n".utf8), fromClient: false) }
    traffic.seconds += 400
    // At other connections, the idle one is closed.
    for port in 0..<100 as Range<UInt16> {
      traffic.clientPort = 40_000 + port
      traffic.open()
    }
    traffic.clientPort = 50_000
    traffic.sayHellos()
    #expect(traffic.finish().map(\.tunnel) == [[]])
  }

  @Test func `a hello after both endpoints have ended an unknown protocol begins another connection`() {
    var traffic = TestTraffic(port: 4000, clientSays: Bytes(repeating: 1, count: 100))
    for isClient in [true, false] { traffic.end(fromClient: isClient) }
    #expect(traffic.tracker.openConnections == 0)
    traffic.begin(at: 0x4000_0000)
    traffic.sayHellos()
    let session = traffic.finish().first
    #expect(session?.tunnel == [])
    #expect(session?.evidence.notes == [])
    #expect(traffic.tracker.health.connectionsWithOtherData == 1)
  }

  /// Returns whether bytes may begin a session, and whether they are treated as a hello.
  private static func look(_ bytes: Bytes) -> [Bool] {
    [StreamBeginning.newBeginning(bytes.span) != nil, StreamBeginning.kind(of: bytes.span) == .hello]
  }

  @Test func `bytes other than a hello after a ChangeCipherSpec begin no session`() {
    let both = Self.changeCipherSpec + sampleClientHello
    #expect(Self.look(both) == [true, true])
    for count in 3..<17 { #expect(Self.look(Bytes(both[..<count])) == [false, false]) }
    // Types, lengths and versions are checked.
    for index in [1, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15] {
      var other = both
      other[index] ^= 0x20
      #expect(Self.look(other) == [false, false])
    }
    // A Finished of TLS 1.2 that begins like a hello.
    let finished = hex("16 0303 0028 01 000040 0303") + Bytes(repeating: 0, count: 34)
    #expect(Self.look(Self.changeCipherSpec + finished) == [false, false])
  }
}
