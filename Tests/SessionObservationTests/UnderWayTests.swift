import ByteParsing
import Testing

@testable import SessionObservation

/// What is known of a handshake that came to nothing.
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
