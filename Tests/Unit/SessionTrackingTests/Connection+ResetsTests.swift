import ByteParsing
import TestBytes
import Testing

import SessionModel
@testable import SessionTracking

/// Resets and FINs that the receiver does not accept, and resets that it does (RFC 9293 §3.10.7.4).
@Suite struct ConnectionResetsTests {
  static let changeCipherSpec = hex("14 0303 0001 01")
  static let sealed = hex("17 0303 0035") + Bytes(repeating: 7, count: 53)

  /// The session of a TLS 1.3 handshake in which one endpoint sends a RST `distance` bytes ahead of its next byte.
  static func session(reset isClient: Bool, ahead distance: Int32, after part: Int) -> ObservedSession? {
    session(with: part) { $0.reset(fromClient: isClient, ahead: distance) }
  }

  /// The session of a TLS 1.3 handshake with further packets before one of its parts.
  static func session(with part: Int, _ play: (inout TestTraffic) -> Void) -> ObservedSession? {
    var traffic = TestTraffic(port: 443)
    let parts: [(Bytes, fromClient: Bool)] = [
      (sampleClientHello, true), (sampleServerHello + changeCipherSpec + sealed, false),
      (changeCipherSpec + sealed, true), (sealed, false), (sealed, true),
    ]
    for (index, (bytes, fromClient)) in parts.enumerated() {
      if index == part { play(&traffic) }
      traffic.say(bytes, fromClient: fromClient)
    }
    return traffic.finish().first
  }

  @Test(arguments: [false, true], [500, -500, 2_000_000, -2_000_000] as [Int32])
  func `a reset with an unexpected sequence number is ignored if the handshake continues`(isClient: Bool, distance: Int32) {
    for part in 0...2 {
      let session = Self.session(reset: isClient, ahead: distance, after: part)
      #expect(session?.sharedTLS?.isEstablished == true)
      #expect(session?.sharedTLS?.sharedServerHello != nil)
      #expect(session?.evidence.missingBytes == 0)
      #expect(session?.evidence.incomplete == nil)
    }
  }

  @Test func `a server reset with the expected sequence number is ignored if its flight follows`() {
    let session = Self.session(reset: false, ahead: 0, after: 1)
    #expect(session?.sharedTLS?.isEstablished == true)
    #expect(session?.sharedTLS?.sharedServerHello != nil)
    #expect(session?.evidence.incomplete == nil)
  }

  @Test func `a server reset with the expected sequence number ends a handshake that does not continue`() {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    traffic.reset(fromClient: false, ahead: 0)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == .reset)
    #expect(session?.evidence.frames[.outcome] == FrameList([UInt64(5)]))
  }

  @Test(arguments: [false, true])
  func `all bytes of one side may be captured after the reset of the other`(isClient: Bool) {
    let rest = Self.changeCipherSpec + Self.sealed
    let first = (isClient ? sampleClientHello : sampleServerHello) + rest
    let late = (isClient ? sampleServerHello : sampleClientHello) + rest
    var traffic = TestTraffic(port: 443)
    traffic.lose(late, fromClient: !isClient)
    traffic.say(first, fromClient: isClient)
    traffic.reset(fromClient: isClient)
    traffic.sayLate(late, fromClient: !isClient)
    let sessions = traffic.finish()
    #expect(sessions.count == 1)
    #expect(sessions.first?.sharedTLS?.isEstablished == true)
    #expect(sessions.first?.evidence.clientHello == .complete)
    #expect(sessions.first?.evidence.serverHello == .complete)
    #expect(sessions.first?.evidence.missingBytes == 0)
  }

  @Test func `a hello may be captured after the reset that responds to it`() {
    var traffic = TestTraffic(port: 443)
    traffic.lose(sampleClientHello, fromClient: true)
    traffic.reset(fromClient: false)
    traffic.sayLate(sampleClientHello, fromClient: true)
    let sessions = traffic.finish()
    #expect(sessions.count == 1)
    #expect(sessions.first?.sharedTLS?.outcome == .reset)
    #expect(sessions.first?.evidence.clientHello == .complete)
  }

  @Test func `an alert that the client had received before its FIN gives the reason, although it is captured later`() {
    let alert = hex("15 0303 0002 02 28")
    for isReceived in [true, false] {
      var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
      if isReceived { traffic.lose(alert, fromClient: false) }
      traffic.end(fromClient: true)
      if isReceived { traffic.sayLate(alert, fromClient: false) } else { traffic.say(alert, fromClient: false) }
      traffic.end(fromClient: false)
      let session = traffic.finish().first
      #expect(session?.sharedTLS?.outcome == (isReceived ? .refusedByServer : .incomplete))
      #expect(session?.evidence.notes.contains(.closedWithoutAlert) == !isReceived)
    }
  }

  @Test func `a reset with an unexpected sequence number is ignored if both endpoints send a FIN`() {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    traffic.reset(fromClient: false, ahead: -700)
    traffic.end(fromClient: true)
    traffic.end(fromClient: false)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == .incomplete)
    #expect(session?.evidence.notes.contains(.closedWithoutAlert) == true)
  }

  @Test(arguments: [false, true], [-700, 7, 500] as [Int32])
  func `a reset after missing bytes is ignored if both endpoints send a FIN`(isClient: Bool, distance: Int32) {
    var traffic = TestTraffic(port: 443)
    traffic.say(Bytes(sampleClientHello[..<100]), fromClient: true)
    traffic.lose(Bytes(sampleClientHello[100...]), fromClient: true)
    traffic.reset(fromClient: isClient, ahead: distance)
    traffic.end(fromClient: true)
    traffic.end(fromClient: false)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == .incomplete)
    #expect(session?.evidence.missingBytes == sampleClientHello.count - 100)
  }

  @Test(arguments: [-700, 7, 500] as [Int32])
  func `a reset with an unexpected sequence number is ignored if its sender sends a FIN`(distance: Int32) {
    for isClient in [false, true] {
      var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
      traffic.reset(fromClient: isClient, ahead: distance)
      traffic.end(fromClient: isClient)
      #expect(traffic.finish().first?.sharedTLS?.outcome == .incomplete)
    }
  }

  @Test func `a reset at the sequence number of its sender's FIN counts unless the peer sends a FIN`() {
    for closes in [false, true] {
      var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
      let answer = Bytes(sampleServerHello[..<6])
      traffic.reset(fromClient: false, ahead: 6)
      traffic.lose(answer, fromClient: false)
      traffic.end(fromClient: false)
      traffic.sayLate(answer, fromClient: false)
      if closes { traffic.end(fromClient: true) }
      #expect(traffic.finish().first?.sharedTLS?.outcome == (closes ? .incomplete : .reset))
    }
  }

  @Test(arguments: [false, true], [-700, 7, 500] as [Int32])
  func `a reset with an unexpected sequence number is ignored if the peer sends a FIN after it`(isClient: Bool, distance: Int32) {
    for closesBehind in [false, true] {
      var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
      if !closesBehind { traffic.end(fromClient: !isClient) }
      traffic.reset(fromClient: isClient, ahead: distance)
      if closesBehind { traffic.end(fromClient: !isClient) }
      let session = traffic.finish().first
      // The bytes missing before the reset could show how the handshake ended.
      let isHidden = distance > 1
      #expect(session?.sharedTLS?.outcome == (closesBehind || isHidden ? .incomplete : .reset))
      #expect(session?.evidence.missingBytes == (closesBehind || !isHidden ? 0 : Int(distance)))
    }
  }

  @Test func `a reset counts if the bytes missing before it arrive after the peer's FIN`() {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    traffic.reset(fromClient: false, ahead: 6)
    traffic.end(fromClient: true)
    traffic.say(Bytes(sampleServerHello[..<6]), fromClient: false)
    #expect(traffic.finish().first?.sharedTLS?.outcome == .reset)
  }

  @Test func `a reset after missing bytes is the last packet of its session, and those bytes are counted`() {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    traffic.reset(fromClient: false, ahead: 100)
    traffic.clientPort = 50_001
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == .incomplete || session?.sharedTLS?.outcome == .reset)
    #expect(session?.evidence.missingBytes == 100)
    #expect(session?.lastFrame == 5)
  }

  @Test func `a reset ends the connection once the bytes missing before it arrive`() {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    traffic.reset(fromClient: false, ahead: 7)
    traffic.say(hex("15 0303 0002 0228"), fromClient: false)
    let open = traffic.tracker.openConnections
    #expect(open == 0)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == .refusedByServer)
    #expect(session?.evidence.missingBytes == 0)
  }

  @Test(arguments: [-500, -2_000_000] as [Int32])
  func `FINs before the next byte are ignored`(distance: Int32) {
    for part in 0...2 {
      let session = Self.session(with: part) { traffic in
        for isClient in [false, true] { traffic.end(fromClient: isClient, ahead: distance) }
      }
      #expect(session?.sharedTLS?.isEstablished == true)
      #expect(session?.sharedTLS?.sharedServerHello != nil)
      #expect(session?.evidence.missingBytes == 0)
    }
  }

  @Test func `no bytes are missing before a FIN that no number connects with the connection`() {
    var traffic = TestTraffic(port: 443, seesServer: false, clientSays: sampleClientHello)
    traffic.end(fromClient: true, ahead: 2_000_000)
    let session = traffic.finish().first
    #expect(session?.evidence.missingBytes == 0)
    #expect(session?.evidence.notes.contains(.closedWithoutAlert) == false)
  }

  @Test func `the FIN after a long transfer that the capture lacks ends its stream`() {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    traffic.lose(Bytes(repeating: 0, count: 2_000_000), fromClient: false)
    traffic.end(fromClient: false)
    #expect(traffic.finish().first?.evidence.missingBytes == 2_000_000)
  }
}
