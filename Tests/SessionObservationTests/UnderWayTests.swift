import ByteParsing
import Testing

@testable import SessionObservation

/// What is known of a handshake that came to nothing, and who ended it.
@Suite struct UnderWayTests {
  /// A ServerHello of TLS 1.2, and a Certificate with one that cannot be read.
  private static let hello = hex(
    "16 0303 002a 02 000026 0303" + String(repeating: "5a", count: 32) + "00 c02f 00")
  private static let certificate = hex("16 0303 000c 0b 000008 000005 000002 3000")
  private static let request = hex("16 0303 000a 0d 000006 0101 0000 0000")
  private static let done = hex("16 0303 0004 0e 000000")
  private static func alert(_ level: UInt8, _ description: UInt8) -> Bytes {
    hex("15 0303 0002") + [level, description]
  }

  @Test(arguments: [0, 10, 40, 50, 80] as [UInt8], [false, true])
  func `an alert that answers a close is no refusal`(description: UInt8, isClient: Bool) {
    for (isAnswered, ends) in [(false, true), (true, true), (false, false)] {
      var traffic = TestTraffic(port: 443)
      traffic.say(sampleClientHello, fromClient: true)
      if isAnswered { traffic.say(Self.hello + Self.certificate + Self.done, fromClient: false) }
      traffic.end(fromClient: !isClient)
      traffic.say(Self.alert(2, description), fromClient: isClient)
      if ends { traffic.end(fromClient: isClient) }
      let session = traffic.finish().first
      #expect(session?.evidence.incomplete == nil)
      #expect(session?.tls?.outcome == .incomplete)
      #expect(session?.evidence.notes == ["closed-without-alert"])
      #expect((isClient ? session?.tls?.clientAlerts : session?.tls?.serverAlerts)?.count == 1)
    }
  }

  @Test(arguments: [42, 48, 70] as [UInt8])
  func `an alert that tells of what was read before is one, whoever has closed`(description: UInt8) {
    var traffic = TestTraffic(port: 443)
    traffic.say(sampleClientHello, fromClient: true)
    traffic.say(Self.hello + Self.certificate, fromClient: false)
    traffic.end(fromClient: false)
    traffic.say(Self.alert(2, description), fromClient: true)
    #expect(traffic.finish().first?.tls?.outcome == .refusedByClient)
  }

  @Test func `an end that closes behind an alert of whatever level has refused`() {
    for isClient in [false, true] {
      var traffic = TestTraffic(port: 443)
      traffic.say(sampleClientHello, fromClient: true)
      traffic.say(Self.alert(1, 40), fromClient: isClient)
      traffic.end(fromClient: isClient)
      traffic.say(Self.alert(2, 50), fromClient: !isClient)
      let session = traffic.finish().first
      #expect(session?.tls?.outcome == (isClient ? .refusedByClient : .refusedByServer))
      #expect(session?.evidence.frames[.outcome].first == 5)
      #expect(session?.evidence.notes == [])
    }
  }

  @Test func `a sealed alert behind the server's close is no refusal by its shape`() {
    let sealed = hex("17 0303 0013") + Bytes(repeating: 0xA5, count: 19)
    for isClosed in [false, true] {
      var traffic = TestTraffic(port: 443)
      traffic.say(sampleClientHello, fromClient: true)
      traffic.say(sampleServerHello, fromClient: false)
      if isClosed { traffic.end(fromClient: false) }
      traffic.say(sealed, fromClient: true)
      #expect(traffic.finish().first?.tls?.outcome == (isClosed ? .incomplete : .refusedByClient))
    }
  }

  @Test(arguments: [nil, false, true] as [Bool?])
  func `that no certificate was asked for is known once the flight was read, however it ends`(
    isRequested: Bool?
  ) {
    let flight = Self.hello + Self.certificate
    let end = isRequested.map { ($0 ? Self.request : []) + Self.done } ?? []
    for isRefused in [true, false] {
      var traffic = TestTraffic(port: 443)
      traffic.say(sampleClientHello, fromClient: true)
      traffic.say(flight + end, fromClient: false)
      if isRefused { traffic.say(Self.alert(2, 48), fromClient: true) }
      let facts = traffic.finish().first?.tls
      #expect(facts?.clientCertificateRequested == (isRequested == true))
      #expect(facts?.forgoesClientCertificate == (isRequested == false))
    }
  }

  @Test func `and not where something of it is missing, or is no record`() {
    for isLost in [true, false] {
      var traffic = TestTraffic(port: 443)
      traffic.say(sampleClientHello, fromClient: true)
      traffic.say(Self.hello + Self.certificate, fromClient: false)
      let other = Bytes(repeating: 0xEE, count: Self.request.count)
      if isLost { traffic.lose(other, fromClient: false) } else { traffic.say(other, fromClient: false) }
      traffic.say(Self.done, fromClient: false)
      traffic.say(Self.alert(2, 48), fromClient: true)
      let session = traffic.finish().first
      #expect(session?.evidence.serverHello == .complete)
      #expect(session?.tls?.forgoesClientCertificate == false)
    }
  }
}
