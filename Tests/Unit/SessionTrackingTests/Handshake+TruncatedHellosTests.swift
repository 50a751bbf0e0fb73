import ByteParsing
import TestBytes
import TLSParsing
import Testing
import Values

import SessionModel
@testable import TLSObservation
@testable import SessionTracking

/// Hellos of which the capture contains only the first bytes: the fields after those are unknown, not absent.
@Suite struct HandshakeTruncatedHellosTests {
  /// A TLS 1.2 ServerHello with extended_master_secret.
  private static let olderServerHello = hex(
    "16 0303 0035 02 000031 0303" + String(repeating: "5a", count: 32)
      + "00 c02f 00 0009 ff01000100 0017 0000"
  )

  private func session(serverHello: Bytes, cutTo length: Int, seesClientHello: Bool = true)
    -> ObservedSession?
  {
    var traffic = TestTraffic(port: 443)
    if seesClientHello {
      traffic.say(sampleClientHello, fromClient: true)
    } else {
      traffic.lose(sampleClientHello, fromClient: true)
    }
    traffic.say(serverHello, cutTo: length, fromClient: false)
    // A ChangeCipherSpec for middlebox compatibility, and a protected record.
    traffic.say(hex("14 0303 0001 01 17 0303 0003 a5a5a5"), fromClient: false)
    return traffic.finish().first
  }

  @Test(arguments: 9..<sampleServerHello.count)
  func `a truncated TLS 1_3 ServerHello is never read as a TLS 1_2 ServerHello`(length: Int) {
    for seesClientHello in [true, false] {
      let session = session(serverHello: sampleServerHello, cutTo: length, seesClientHello: seesClientHello)
      #expect(session?.evidence.serverHello == .partial)
      #expect(session?.sharedTLS?.isResumed != true)
      #expect(session?.evidence.certificates != .resumed && session?.evidence.certificates != .notSent)
      #expect(session?.evidence.incomplete != nil)
      guard let answer = session?.sharedTLS?.sharedServerHello else { continue }
      #expect(answer.ja3s == nil)
      let version = answer.version
      #expect(version == .tls13 || !seesClientHello && version == nil)
      #expect(session?.sharedTLS?.isResumed == nil)
    }
  }

  @Test
  func `a malformed ServerHello with a cipher suite that was not offered is discarded`() {
    var damaged = sampleServerHello
    // The session ID's length, the cipher suite and everything after them.
    for index in 43..<damaged.count { damaged[index] ^= 0x55 }
    damaged[43] = 0
    let session = session(serverHello: damaged, cutTo: damaged.count)
    #expect(session?.evidence.serverHello == .partial)
    #expect(session?.evidence.notes.contains(.serverHelloMalformed) == true)
    #expect(session?.sharedTLS?.sharedServerHello == nil)
  }

  @Test
  func `a TLS 1_2 cipher suite shows the version of a truncated ServerHello`() {
    for length in 47..<Self.olderServerHello.count {
      let session = session(serverHello: Self.olderServerHello, cutTo: length)
      #expect(session?.sharedTLS?.sharedServerHello?.version == .tls12)
      #expect(session?.sharedTLS?.sharedServerHello?.ja3s == nil)
    }
  }

  @Test(arguments: 9..<sampleClientHello.count)
  func `a truncated ClientHello offers only versions that it lists`(length: Int) {
    var traffic = TestTraffic(port: 443)
    traffic.say(sampleClientHello, cutTo: length, fromClient: true)
    let session = traffic.finish().first
    #expect(session?.evidence.clientHello == .partial)
    let offer = session?.sharedTLS?.sharedOffer
    #expect(offer?.ja3 == nil && offer?.ja4 == nil)
    #expect(offer.map { $0.versions.isEmpty || $0.versions == [.tls13] } ?? true)
  }

  @Test
  func `a second ClientHello shows that a HelloRetryRequest was lost`() {
    let retry = hex("16 0303 0040")
    for isSecond in [false, true] {
      var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
      traffic.lose(retry + Bytes(repeating: 0, count: 64), fromClient: false)
      if isSecond { traffic.say(sampleClientHello, fromClient: true) }
      traffic.say(sampleServerHello, fromClient: false)
      let session = traffic.finish().first
      #expect(session?.sharedTLS?.hasHelloRetryRequest == isSecond)
      #expect(session?.sharedTLS?.sharedServerHello?.version == .tls13)
    }
  }

  @Test
  func `a truncated session ID is discarded`() {
    let identifier = Bytes(repeating: 0x77, count: 32)
    var hello = sampleClientHello
    hello.replaceSubrange(43..<(44 + Int(hello[43])), with: [32] + identifier)
    for length in 44..<76 {
      var traffic = TestTraffic(port: 443)
      traffic.say(hello, cutTo: length, fromClient: true)
      #expect(traffic.finish().first?.sharedTLS?.sessionID == ShortBytes())
    }
    var traffic = TestTraffic(port: 443)
    traffic.say(hello, cutTo: 76, fromClient: true)
    #expect(traffic.finish().first?.sharedTLS?.sessionID == ShortBytes(identifier))
  }

  @Test
  func `a truncated SSL 2 hello is not read as a TLS hello`() {
    let suites = hex("00002f 000035 00c014 0000ff 010080 0700c0")
    let hello = hex("01 0301 0012 0000 0020") + suites + Bytes(0x40..<0x60)
    let record: Bytes = [0x80, UInt8(hello.count)] + hello
    for length in 11..<record.count {
      var traffic = TestTraffic(port: 443)
      traffic.say(record, cutTo: length, fromClient: true)
      traffic.say(Self.olderServerHello, fromClient: false)
      let session = traffic.finish().first
      #expect(session?.client.port == 50_000)
      #expect(session?.sharedTLS?.clientRandom == ShortBytes())
      #expect(session?.evidence.clientHello == .partial)
    }
  }

  @Test
  func `a server may respond to an SSL 2 hello with SSL 2 or with TLS`() {
    let client = hex("801f 01 0002 0006 0000 0010 010080 0700c0") + Bytes(repeating: 0x43, count: 16)
    let certificate = Bytes(repeating: 0x30, count: 20)
    let server = hex("8032 04 00 01 0002 0014 0003 0010") + certificate + hex("0700c0") + Bytes(repeating: 0x53, count: 16)
    for (response, version) in [(server, TLSVersion.ssl2), (Self.olderServerHello, .tls12)] {
      var traffic = TestTraffic(port: 443, clientSays: client)
      for byte in response { traffic.say([byte], fromClient: false) }
      // CLIENT-MASTER-KEY
      traffic.say(hex("8035 02 0700c0") + Bytes(repeating: 1, count: 49), fromClient: true)
      let session = traffic.finish().first
      #expect(session?.sharedTLS?.serverHello?.version == version)
      #expect(session?.evidence.serverHello == .complete)
      #expect(session?.sharedTLS?.chain?.certificates.count == (version == .ssl2 ? 1 : nil))
    }
  }

  @Test
  func `the kind of resumption is unknown without the ClientHello`() {
    var hello = Self.olderServerHello
    hello.replaceSubrange(43..<44, with: [32] + Bytes(repeating: 0x77, count: 32))
    hello[4] += 32
    hello[8] += 32
    var traffic = TestTraffic(port: 443)
    traffic.lose(sampleClientHello, fromClient: true)
    traffic.say(hello + hex("14 0303 0001 01"), fromClient: false)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.isResumed == true)
    #expect(session?.sharedTLS?.resumption == nil)
  }

  @Test func `a hello interrupted by a reset is partial, but its session is not incomplete`() {
    var traffic = TestTraffic(port: 443)
    traffic.say(Bytes(sampleClientHello[..<60]), fromClient: true)
    traffic.reset(fromClient: true)
    let session = traffic.finish().first
    #expect(session?.evidence.clientHello == .partial)
    #expect(session?.evidence.incomplete == nil)
  }
}
