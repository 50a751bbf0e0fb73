import ByteParsing
import TestBytes
import Testing

import SessionModel
import Values
@testable import SessionTracking

/// Server data in flight when the client aborts, and the endpoint that ended a handshake that both closed.
@Suite struct SessionTrackerEndsTests {
  /// A TLS 1.2 ServerHello; the Certificate message after it has an unreadable certificate.
  static let hello = hex(
    "16 0303 002a 02 000026 0303" + String(repeating: "5a", count: 32) + "00 c02f 00")
  static let certificate = hex("16 0303 000c 0b 000008 000005 000002 3000")
  private static let request = hex("16 0303 000a 0d 000006 0101 0000 0000")
  private static let done = hex("16 0303 0004 0e 000000")
  private static func alert(_ level: UInt8, _ description: UInt8) -> Bytes {
    hex("15 0303 0002") + [level, description]
  }

  @Test(arguments: 0...3)
  func `a server's flight that follows the client's reset is read`(after count: Int) {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    for (index, part) in [Self.hello, Self.certificate, Self.done].enumerated() {
      if index == count { traffic.reset(fromClient: true) }
      traffic.say(part, fromClient: false)
    }
    if count == 3 { traffic.reset(fromClient: true) }
    let open = traffic.tracker.openConnections
    #expect(open == 0)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == .reset)
    #expect(session?.lastFrame == UInt64(5 + count))
    #expect(session?.sharedTLS?.chain != nil)
    #expect(session?.evidence.serverHello == .complete)
    #expect(session?.evidence.certificates == .complete)
    #expect(session?.evidence.serverKeyExchange == .notSent)
    #expect(session?.evidence.frames[.certificates].first == (count < 2 ? 7 : 6))
    #expect(session?.evidence.incomplete == nil)
  }

  @Test func `a ServerKeyExchange shows that no CertificateStatus was sent if the client refuses before the end of the flight`() {
    let exchange = hex("16 0303 0030 0c 00002c 03 001d 20" + String(repeating: "11", count: 32) + "0804 0004 01020304")
    for (parts, isLost, state) in [
      ([Self.hello, Self.certificate, exchange], false, .notSent), ([Self.hello, Self.certificate], false, .missing),
      ([Self.hello, exchange], true, .missing),
    ] as [([Bytes], Bool, Evidence.State)] {
      var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
      for (index, part) in parts.enumerated() {
        if isLost, index == 1 { traffic.lose(Self.certificate, fromClient: false) }
        traffic.say(part, fromClient: false)
      }
      traffic.say(Self.alert(2, 71), fromClient: true)
      traffic.end(fromClient: true)
      #expect(traffic.finish().first?.evidence.certificateStatus == state)
    }
  }

  @Test func `a server's flight is read after the client's alert or FIN and a reset for each segment`() {
    for first in [Self.alert(2, 48), []] {
      var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
      if first.isEmpty { traffic.end(fromClient: true) } else { traffic.say(first, fromClient: true) }
      for part in [Self.hello, Self.certificate, Self.done] {
        traffic.say(part, fromClient: false)
        traffic.reset(fromClient: true)
      }
      let session = traffic.finish().first
      #expect(session?.sharedTLS?.outcome == (first.isEmpty ? .reset : .refusedByClient))
      #expect(session?.sharedTLS?.chain != nil)
      #expect(session?.evidence.serverKeyExchange == .notSent)
    }
  }

  @Test func `a reset ends the connection at once if later packets would show nothing`() {
    // TLS 1.3 encrypts everything after the ServerHello; a server sends no data after its FIN.
    for isClient in [true, false] {
      var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
      traffic.say(sampleServerHello, fromClient: false)
      traffic.reset(fromClient: isClient)
      let open = traffic.tracker.openConnections
      #expect(open == 0)
    }
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    traffic.reset(fromClient: true)
    traffic.end(fromClient: false)
    let open = traffic.tracker.openConnections
    #expect(open == 0)
    #expect(traffic.finish().first?.sharedTLS?.outcome == .reset)
  }

  @Test func `a new connection between the same endpoints ends the wait after a reset`() {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    traffic.reset(fromClient: true)
    traffic.begin(at: 700_000)
    traffic.open()
    traffic.say(sampleClientHello, fromClient: true)
    let sessions = traffic.finish()
    #expect(sessions.map { $0.sharedTLS?.outcome } == [.reset, .incomplete])
    #expect(sessions.map(\.lastFrame) == [5, 9])
  }

  @Test func `a copy of the SYN-ACK after the handshake begins no connection`() {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    for part in [Self.hello, Self.certificate, Self.done, Self.alert(2, 40)] { traffic.say(part, fromClient: false) }
    for isClient in [false, true] { traffic.end(fromClient: isClient) }
    let open = traffic.tracker.openConnections
    #expect(open == 0)
    // A copy of the server's SYN-ACK and of both hellos.
    traffic.begin(at: 1000)
    traffic.open(seesClient: false)
    traffic.say(sampleClientHello, fromClient: true)
    traffic.say(Self.hello, fromClient: false)
    let sessions = traffic.finish()
    #expect(sessions.map { $0.sharedTLS?.outcome } == [.refusedByServer])
  }

  @Test func `a HelloRequest before the ClientHello is no other protocol`() {
    var traffic = TestTraffic(port: 443)
    traffic.say(hex("16 0303 0004 00 000000"), fromClient: false)
    traffic.say(sampleClientHello, fromClient: true)
    for part in [Self.hello, Self.certificate, Self.done] { traffic.say(part, fromClient: false) }
    let session = traffic.finish().first
    #expect(session?.tunnel.isEmpty == true)
    #expect(session?.evidence.serverHello == .complete)
    #expect(session?.sharedTLS?.chain != nil)
    #expect(session?.client.port == traffic.clientPort)
  }

  /// Plays a client's hello and reset, and `seconds` later the handshake of a TCP connection from its next port.
  private static func wait(_ seconds: Int64) -> TestTraffic {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    traffic.reset(fromClient: true)
    traffic.seconds += seconds
    traffic.clientPort += 1
    traffic.open()
    traffic.clientPort -= 1
    return traffic
  }

  @Test(arguments: [10, 11] as [Int64])
  func `packets after a reset are awaited for ten seconds`(seconds: Int64) {
    var traffic = Self.wait(seconds)
    let open = traffic.tracker.openConnections
    #expect(open == (seconds > 10 ? 1 : 2))
    traffic.say(Self.hello + Self.certificate + Self.done, fromClient: false)
    let sessions = traffic.finish()
    #expect(sessions.map { $0.sharedTLS?.outcome } == [.reset])
    #expect(sessions.first?.sharedTLS?.chain == nil ? seconds > 10 : seconds <= 10)
    #expect(sessions.first?.evidence.serverHello == (seconds > 10 ? .missing : .complete))
  }

  @Test func `after ten seconds a hello between the same ports begins a new connection`() {
    // Its SYN is not captured, and its sequence numbers continue; within ten seconds it would prove that the reset is forged.
    let other = Bytes(sampleClientHello[..<11]) + Bytes(repeating: 0x5A, count: 32) + sampleClientHello[43...]
    var traffic = Self.wait(11)
    traffic.say(other, fromClient: true)
    traffic.say(Self.hello + Self.certificate + Self.done, fromClient: false)
    traffic.say(Self.alert(2, 48), fromClient: true)
    let sessions = traffic.finish()
    #expect(sessions.map { $0.sharedTLS?.outcome } == [.reset, .refusedByClient])
    #expect(sessions.map { $0.sharedTLS?.chain != nil } == [false, true])
    #expect(sessions.map(\.firstFrame) == [4, 9])
  }

  @Test func `a client that continues has not sent the reset`() {
    var traffic = TestTraffic(port: 443)
    traffic.say(Bytes(sampleClientHello), fromClient: true)
    traffic.reset(fromClient: true)
    traffic.say(Self.hello + Self.certificate, fromClient: false)
    traffic.say(Self.alert(2, 42), fromClient: true)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == .refusedByClient)
    #expect(session?.sharedTLS?.chain != nil)
  }

  @Test func `a server's alert after the client's reset is not a refusal by the server`() {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    traffic.reset(fromClient: true)
    traffic.say(Self.alert(2, 40), fromClient: false)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == .reset)
    #expect(session?.sharedTLS?.serverAlerts.count == 1)
    #expect(session?.evidence.notes == [.closedByClient])
  }

  @Test(arguments: [0, 10, 40, 50, 80] as [UInt8], [false, true])
  func `an alert in response to a FIN is not a refusal`(description: UInt8, isClient: Bool) {
    for (isAnswered, ends) in [(false, true), (true, true), (false, false)] {
      var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
      if isAnswered { traffic.say(Self.hello + Self.certificate + Self.done, fromClient: false) }
      traffic.end(fromClient: !isClient)
      traffic.say(Self.alert(2, description), fromClient: isClient)
      if ends { traffic.end(fromClient: isClient) }
      let session = traffic.finish().first
      #expect(session?.evidence.incomplete == nil)
      #expect(session?.sharedTLS?.outcome == .incomplete)
      #expect(session?.evidence.notes.contains(.closedWithoutAlert) == true)
      #expect((isClient ? session?.sharedTLS?.clientAlerts : session?.sharedTLS?.serverAlerts)?.count == 1)
    }
  }

  @Test(arguments: [42, 48, 70] as [UInt8])
  func `an alert about certificate or version is a refusal even after the server's FIN`(description: UInt8) {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    traffic.say(Self.hello + Self.certificate, fromClient: false)
    traffic.end(fromClient: false)
    traffic.say(Self.alert(2, description), fromClient: true)
    #expect(traffic.finish().first?.sharedTLS?.outcome == .refusedByClient)
  }

  @Test func `an endpoint that closes after an alert of any level has refused`() {
    for isClient in [false, true] {
      var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
      traffic.say(Self.alert(1, 40), fromClient: isClient)
      traffic.end(fromClient: isClient)
      traffic.say(Self.alert(2, 50), fromClient: !isClient)
      let session = traffic.finish().first
      #expect(session?.sharedTLS?.outcome == (isClient ? .refusedByClient : .refusedByServer))
      #expect(session?.evidence.frames[.outcome].first == 5)
      #expect(session?.evidence.notes == [])
    }
  }

  @Test func `an alert before a FIN is not a refusal if late packets complete the handshake`() {
    let sealed = hex("16 0303 0028") + Bytes(repeating: 0xA5, count: 40)
    let finish = hex("14 0303 0001 01") + sealed
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    traffic.say(Self.hello + Self.done, fromClient: false)
    traffic.say(Self.alert(1, 40), fromClient: true)
    traffic.lose(finish, fromClient: true)
    traffic.end(fromClient: true)
    traffic.sayLate(finish, fromClient: true)
    traffic.say(finish, fromClient: false)
    #expect(traffic.finish().first?.sharedTLS?.outcome == .established)
  }

  @Test func `a reset shows no outcome if the client's flight follows a gap in the cleartext before the handshake`() {
    var traffic = TestTraffic(port: 143)
    traffic.say(Bytes("* OK IMAP4 ready\r\n".utf8), fromClient: false)
    traffic.lose(sampleClientHello, fromClient: true)
    traffic.lose(Bytes("a1 OK\r\n".utf8), fromClient: false)
    traffic.say(Self.hello + Self.certificate + Self.done, fromClient: false)
    let sealed = hex("16 0303 0028") + Bytes(repeating: 0xA5, count: 40)
    traffic.say(hex("14 0303 0001 01") + sealed, fromClient: true)
    traffic.reset(fromClient: false)
    let session = traffic.finish().first
    #expect(session?.evidence.serverHello == .complete)
    #expect(session?.sharedTLS?.outcome == .incomplete)
    #expect(session?.evidence.incomplete == .loss)
  }

  @Test func `an encrypted record with the length of an alert is not a refusal after the server's close`() {
    let sealed = hex("17 0303 0013") + Bytes(repeating: 0xA5, count: 19)
    for isClosed in [false, true] {
      var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
      traffic.say(sampleServerHello, fromClient: false)
      if isClosed { traffic.end(fromClient: false) }
      traffic.say(sealed, fromClient: true)
      #expect(traffic.finish().first?.sharedTLS?.outcome == (isClosed ? .incomplete : .refusedByClient))
    }
  }

  @Test(arguments: [nil, false, true] as [Bool?])
  func `the absence of a CertificateRequest is known once the server's flight is complete`(
    isRequested: Bool?
  ) {
    let flight = Self.hello + Self.certificate
    let end = isRequested.map { ($0 ? Self.request : []) + Self.done } ?? []
    for isRefused in [true, false] {
      var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
      traffic.say(flight + end, fromClient: false)
      if isRefused { traffic.say(Self.alert(2, 48), fromClient: true) }
      let facts = traffic.finish().first?.sharedTLS
      #expect(facts?.isClientCertificateRequested == (isRequested == true))
      #expect(facts?.forgoesClientCertificate == (isRequested == false))
    }
  }

  @Test func `the absence of a CertificateRequest is unknown if part of the flight is lost or not TLS`() {
    for isLost in [true, false] {
      var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
      traffic.say(Self.hello + Self.certificate, fromClient: false)
      let other = Bytes(repeating: 0xEE, count: Self.request.count)
      if isLost { traffic.lose(other, fromClient: false) } else { traffic.say(other, fromClient: false) }
      traffic.say(Self.done, fromClient: false)
      traffic.say(Self.alert(2, 48), fromClient: true)
      let session = traffic.finish().first
      #expect(session?.evidence.serverHello == .complete)
      #expect(session?.sharedTLS?.forgoesClientCertificate == false)
    }
  }

  @Test func `a handshake hours after the SYN is read as one at the start, and the connection has data`() {
    var traffic = TestTraffic(port: 443)
    traffic.seconds += 7200
    for port in 50_001..<50_003 as Range<UInt16> {
      traffic.clientPort = port
      traffic.open()
    }
    #expect(traffic.tracker.health.connectionsWithoutData == 1)
    traffic.clientPort = 50_000
    traffic.say(sampleClientHello, fromClient: true)
    let sessions = traffic.finish()
    #expect(sessions.map(\.evidence.notes) == [[]])
    #expect(traffic.tracker.health.connectionsWithoutData == 2)
    #expect(traffic.tracker.health.withoutHandshake.values.reduce(0, +) == 2)
  }
}
