import ByteParsing
import Reassembly
import TestBytes
import TLSParsing
import Testing
import Values

import SessionModel
@testable import SessionTracking

/// How a handshake ended, as far as it shows without secrets.
@Suite struct HandshakeOutcomeTests {
  /// A protected record of TLS 1.3 with a fragment of so many bytes.
  private func sealed(_ length: Int) -> Bytes {
    [23, 3, 3, UInt8(length >> 8), UInt8(length & 0xFF)] + Bytes(repeating: 0xA5, count: length)
  }

  private func session(client lengths: [Int]) -> ObservedSession? {
    var traffic = TestTraffic(port: 443)
    traffic.say(sampleClientHello, fromClient: true)
    traffic.say(sampleServerHello + sealed(900), fromClient: false)
    for length in lengths { traffic.say(sealed(length), fromClient: true) }
    return traffic.finish().first
  }

  @Test
  func `a client's sealed record of an alert's length is a refusal`() {
    let session = session(client: [19])
    #expect(session?.sharedTLS?.outcome == .refusedByClient)
    #expect(session?.sharedTLS?.isEstablished == false)
    #expect(session?.evidence.notes == ["encrypted-alert-from-client"])
  }

  @Test
  func `Java's padding does not hide a refusal`() {
    let session = session(client: [35])
    #expect(session?.sharedTLS?.outcome == .refusedByClient)
    #expect(session?.evidence.notes == ["encrypted-alert-from-client"])
  }

  @Test(arguments: [[25, 53], [53], [25, 69], [900, 100, 53], [19, 53], [35, 69]])
  func `a client that goes on to its Finished did not refuse`(lengths: [Int]) {
    // 25 bytes are a Certificate message without certificates, which a client sends that was asked for one.
    let session = session(client: lengths)
    #expect(session?.sharedTLS?.outcome == .established)
    #expect(session?.sharedTLS?.isEstablished == true)
    #expect(session?.evidence.notes == [])
  }

  @Test(arguments: [[], [25], [21]])
  func `what is neither an alert nor a Finished ends nothing`(lengths: [Int]) {
    #expect(session(client: lengths)?.sharedTLS?.outcome == .incomplete)
  }

  @Test(arguments: [58, 200])
  func `a sealed record of an alert's length is no refusal where the Finished may be missing`(lost: Int) {
    var traffic = TestTraffic(port: 443)
    traffic.say(sampleClientHello, fromClient: true)
    traffic.say(sampleServerHello + sealed(900), fromClient: false)
    traffic.lose(Bytes(repeating: 0, count: lost), fromClient: true)
    traffic.say(sealed(19), fromClient: true)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == .incomplete)
    #expect(session?.evidence.notes == [])
    #expect(session?.evidence.incomplete == .loss)
  }

  @Test(arguments: [19, 35])
  func `a refusal that follows a lost ServerHello is not taken for application data`(length: Int) {
    var traffic = TestTraffic(port: 443)
    traffic.say(sampleClientHello, fromClient: true)
    traffic.lose(sampleServerHello, fromClient: false)
    traffic.say(sealed(900), fromClient: false)
    traffic.say(sealed(length), fromClient: true)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.isEstablished == false)
    #expect(session?.sharedTLS?.outcome == .incomplete)
    #expect(session?.evidence.incomplete == .loss)
  }

  /// A ServerHello of TLS 1.2.
  private static let serverHello = hex(
    "16 0303 002a 02 000026 0303" + String(repeating: "5a", count: 32) + "00 c02f 00")
  /// The same and a ServerHelloDone.
  private static let olderFlight = serverHello + hex("16 0303 0004 0e 000000")
  /// A ClientKeyExchange, a ChangeCipherSpec, a Finished.
  private static let clientFlight =
    hex("16 0303 0007 10 000003 020102 14 0303 0001 01 16 0303 0028") + Bytes(repeating: 0xA5, count: 40)
  private static let serverEnd = hex("14 0303 0001 01 16 0303 0028") + Bytes(repeating: 0xA5, count: 40)
  private static let encryptedAlert = hex("15 0303 001a") + Bytes(repeating: 0xA5, count: 26)

  @Test
  func `an encrypted alert that does not wait for the server's Finished is a refusal`() {
    var traffic = TestTraffic(port: 443)
    traffic.say(sampleClientHello, fromClient: true)
    traffic.say(Self.olderFlight, fromClient: false)
    traffic.say(Self.clientFlight, fromClient: true)
    traffic.say(Self.encryptedAlert, fromClient: true)
    traffic.say(Self.serverEnd, fromClient: false)
    traffic.reset(fromClient: true)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == .refusedByClient)
    #expect(session?.sharedTLS?.isEstablished == false)
    #expect(session?.evidence.notes == ["encrypted-alert-from-client"])
  }

  @Test(arguments: [true, false])
  func `an encrypted alert of a client that has bytes of the server that were not read is no refusal`(
    seesServer: Bool
  ) {
    var traffic = TestTraffic(port: 443, seesServer: seesServer)
    traffic.say(sampleClientHello, fromClient: true)
    if seesServer {
      traffic.say(Self.olderFlight, fromClient: false)
    } else {
      traffic.lose(Self.olderFlight, fromClient: false)
    }
    traffic.say(Self.clientFlight, fromClient: true)
    traffic.lose(Self.serverEnd, fromClient: false)
    traffic.say(Self.encryptedAlert, fromClient: true)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == .incomplete)
    #expect(session?.evidence.notes == [])
    #expect(session?.evidence.incomplete == (seesServer ? .loss : .oneDirection))
    #expect(session?.evidence.missingBytes == (seesServer ? Self.serverEnd.count : 0))
  }

  @Test
  func `a server's Finished that follows the client's closing alert in the capture came before it`() {
    var traffic = TestTraffic(port: 443)
    traffic.say(sampleClientHello, fromClient: true)
    traffic.say(Self.olderFlight, fromClient: false)
    traffic.say(Self.clientFlight, fromClient: true)
    traffic.lose(Self.serverEnd, fromClient: false)
    traffic.say(Self.encryptedAlert, fromClient: true)
    traffic.sayLate(Self.serverEnd, fromClient: false)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == .established)
    #expect(session?.evidence.notes == [])
    #expect(session?.evidence.missingBytes == 0)
  }

  @Test(arguments: [false, true])
  func `a reset by a client that has more than was read tells nothing of the handshake`(isLost: Bool) {
    var traffic = TestTraffic(port: 443)
    traffic.say(sampleClientHello, fromClient: true)
    traffic.say(Self.olderFlight, fromClient: false)
    traffic.say(Self.clientFlight, fromClient: true)
    if isLost { traffic.lose(Self.serverEnd, fromClient: false) }
    traffic.reset(fromClient: true)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == (isLost ? .incomplete : .reset))
    #expect(session?.evidence.incomplete == (isLost ? .loss : nil))
  }

  @Test(arguments: [false, true])
  func `an encrypted alert behind data or the server's Finished is no refusal`(sendsData: Bool) {
    let data = hex("17 0303 0028") + Bytes(repeating: 0xA5, count: 40)
    var traffic = TestTraffic(port: 443)
    traffic.say(sampleClientHello, fromClient: true)
    traffic.say(Self.olderFlight, fromClient: false)
    traffic.say(Self.clientFlight + (sendsData ? data : []), fromClient: true)
    if !sendsData { traffic.say(Self.serverEnd, fromClient: false) }
    traffic.say(Self.encryptedAlert, fromClient: true)
    if sendsData { traffic.say(Self.serverEnd, fromClient: false) }
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == .established)
    #expect(session?.evidence.notes == [])
  }

  @Test(arguments: [
    ["15 0303 0001 02", "15 0303 0001 28"], ["15 0303 0001 02 15 0303 0001 28"], ["15 0303 0004 0170 0228"],
    ["15 0303 0003 0170 02", "15 0303 0001 28"],
  ])
  func `an alert is read however records cut it or join it with others`(segments: [String]) {
    var traffic = TestTraffic(port: 443)
    traffic.say(sampleClientHello, fromClient: true)
    for segment in segments { traffic.say(hex(segment), fromClient: false) }
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == .refusedByServer)
    #expect(session?.sharedTLS?.serverAlerts.last?.code.rawValue == 40)
    #expect(session?.sharedTLS?.serverAlerts.last?.frame == UInt64(4 + segments.count))
  }

  @Test
  func `a gap within an alert joins nothing`() {
    var traffic = TestTraffic(port: 443)
    traffic.say(sampleClientHello, fromClient: true)
    traffic.say(hex("15 0303 0001 02"), fromClient: false)
    traffic.lose(hex("15 0303 0001 28"), fromClient: false)
    traffic.say(hex("15 0303 0001 01"), fromClient: false)
    #expect(traffic.finish().first?.sharedTLS?.serverAlerts == [])
  }

  @Test(arguments: [true, false])
  func `a plain close_notify ends a handshake, whatever its level`(isFromClient: Bool) {
    var traffic = TestTraffic(port: 443)
    traffic.say(sampleClientHello, fromClient: true)
    if isFromClient { traffic.say(Self.olderFlight, fromClient: false) }
    traffic.say(hex("15 0303 0002 0100"), fromClient: isFromClient)
    for end in [true, false] { traffic.end(fromClient: end) }
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == (isFromClient ? .refusedByClient : .refusedByServer))
    #expect(session?.evidence.notes == [])
  }

  @Test(arguments: [nil, "15 0303 0002 0164", "15 0303 001a"])
  func `only what closed without any alert is said to`(alert: String?) {
    var traffic = TestTraffic(port: 443)
    traffic.say(sampleClientHello, fromClient: true)
    traffic.say(Self.olderFlight, fromClient: false)
    if let alert {
      traffic.say(
        hex(alert) + (alert.hasSuffix("1a") ? Bytes(repeating: 0xA5, count: 26) : []), fromClient: true)
    }
    for end in [true, false] { traffic.end(fromClient: end) }
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == .incomplete)
    #expect(
      session?.evidence.notes
        == (alert?.hasSuffix("1a") == true ? [] : ["closed-by-client", "closed-without-alert"]))
  }

  @Test
  func `that a handshake was closed is told by a fact, and not by the text of a note`() {
    func end(_ address: UInt32) -> Endpoint {
      Endpoint(address: IPAddress(v4: 0xC000_0200 + address), port: 443)
    }
    let connection = ConnectionFacts(
      opener: .fromLower, truncatedPackets: 0, saw: BothDirections(true), disagreeingBytes: 0)
    let assembly = SessionAssembly(
      file: "test", key: ConnectionKey(end(1), end(2)), connection: connection, ending: .stillOpen, names: nil
    )
    for (isClosed, incomplete) in [(false, .stillOpen), (true, nil)] as [(Bool, Evidence.Incomplete?)] {
      var evidence = Evidence()
      (evidence.clientHello, evidence.serverHello, evidence.certificates) = (.complete, .complete, .complete)
      (evidence.certificateStatus, evidence.serverKeyExchange) = (.notSent, .complete)
      evidence.notes = isClosed ? [] : ["closed-without-alert"]
      assembly.complete(
        &evidence, missingBytes: 0, start: nil, .incomplete, hitLimit: false, isClosedWithoutAlert: isClosed)
      #expect(evidence.incomplete == incomplete)
    }
  }

  @Test
  func `what is encrypted, or goes on from a message that was lost, is read as no message`() {
    // What a CertificateStatus, a Certificate and a ServerKeyExchange would begin with.
    for start in ["16 00ff00", "0b 000400", "0c 000030", "02 ffffff"] {
      var traffic = TestTraffic(port: 443)
      traffic.say(sampleClientHello, fromClient: true)
      traffic.say(Self.olderFlight, fromClient: false)
      traffic.say(Self.clientFlight, fromClient: true)
      traffic.lose(hex("14 0303 0001 01"), fromClient: false)
      traffic.say(hex("16 0303 0028") + hex(start) + Bytes(repeating: 0xA5, count: 36), fromClient: false)
      let session = traffic.finish().first
      #expect(session?.sharedTLS?.hasStapledOCSPResponse == false)
      #expect(session?.sharedTLS?.chain == nil)
      #expect(session?.sharedTLS?.serverKeyExchange == nil)
      #expect(session?.evidence.incomplete == .loss)
    }
  }

  @Test(arguments: [("16b7", "complete"), ("c030", "partial")])
  func `of a ServerKeyExchange whose form nobody knows nothing is said to be wrong`(
    suite: String, state: String
  ) {
    var traffic = TestTraffic(port: 443)
    traffic.say(sampleClientHello, fromClient: true)
    traffic.say(
      hex("16 0303 002a 02 000026 0303" + String(repeating: "5a", count: 32) + "00" + suite + "00")
        + hex("16 0303 0008 0c 000004 01020304 16 0303 0004 0e 000000"), fromClient: false)
    traffic.say(Self.clientFlight, fromClient: true)
    traffic.say(Self.serverEnd, fromClient: false)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.serverKeyExchange == nil)
    #expect(session?.evidence.serverKeyExchange.rawValue == state)
    #expect(session?.evidence.notes == (state == "partial" ? ["server-key-exchange-malformed"] : []))
    #expect(session?.sharedTLS?.outcome == .established)
  }

  @Test(arguments: [
    // One for each certificate; none for the CA's; one for a certificate that was not sent.
    ("00000a 000002aabb 000002ccdd", [1: hex("ccdd")]), ("000008 000002aabb 000000", [:]),
    ("00000d 000002aabb 000000 000002eeff", [:]),
  ])
  func `OCSP responses for all certificates are told apart`(list: String, issuers: [Int: Bytes]) {
    var traffic = TestTraffic(port: 443)
    traffic.say(sampleClientHello, fromClient: true)
    traffic.say(Self.serverHello, fromClient: false)
    traffic.say(hex("16 0303 0011 0b 00000d 00000a 000002 3000 000002 3000"), fromClient: false)
    let status = hex("02" + list)
    let length = UInt8(status.count)
    traffic.say(
      [0x16, 3, 3, 0, length + 4, 0x16, 0, 0, length] + status + hex("16 0303 0004 0e 000000"),
      fromClient: false)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.ocspResponse == hex("aabb"))
    #expect(session?.sharedTLS?.issuerOCSPResponses == issuers)
    #expect(session?.evidence.certificateStatus == .complete)
  }

  @Test
  func `a message that a gap hides the start of is not read in the next record`() {
    var traffic = TestTraffic(port: 443)
    traffic.say(sampleClientHello, fromClient: true)
    // A ServerHelloDone, and a message of unknown length whose header and some more are lost; it goes on in another record.
    traffic.say(hex("16 0303 0020 0e 000000"), fromClient: false)
    traffic.lose(Bytes(repeating: 0, count: 20), fromClient: false)
    traffic.say(
      hex("a5a5a5a5 a5a5a5a5 16 0303 0010 16 ffff00") + Bytes(repeating: 0xA5, count: 12), fromClient: false)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.hasStapledOCSPResponse == false)
    #expect(session?.evidence.incomplete == .loss)
  }

  @Test
  func `a message behind a gap between records is read`() {
    var traffic = TestTraffic(port: 443)
    traffic.say(sampleClientHello, fromClient: true)
    traffic.lose(Bytes(repeating: 0, count: 300), fromClient: false)
    traffic.say(hex("16 0303 0008 16 000004 01 000000"), fromClient: false)
    #expect(traffic.finish().first?.sharedTLS?.hasStapledOCSPResponse == true)
  }

  @Test
  func `what a reset says was sent before it, and is not there, is missing`() {
    var traffic = TestTraffic(port: 443)
    traffic.say(sampleClientHello, fromClient: true)
    traffic.say(Self.olderFlight, fromClient: false)
    traffic.lose(hex("15 0303 0002 0230"), fromClient: true)
    traffic.reset(fromClient: true)
    let session = traffic.finish().first
    #expect(session?.evidence.missingBytes == 7)
    #expect(session?.evidence.incomplete == .loss)
  }

  @Test
  func `bytes that a reset carries are not read`() {
    var traffic = TestTraffic(port: 443)
    traffic.say(sampleClientHello, fromClient: true)
    traffic.reset(fromClient: false, explaining: hex("15 0303 0002 0228"))
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == .reset)
    #expect(session?.sharedTLS?.serverAlerts == [])
  }

  @Test
  func `the client's certificates are not the server's where both hellos are missing`() {
    var traffic = TestTraffic(port: 443)
    traffic.lose(sampleClientHello, fromClient: true)
    traffic.lose(Self.olderFlight, fromClient: false)
    traffic.say(hex("15 0303 0002 015a 16 0303 0009 0b 000005 000002 3000"), fromClient: true)
    let session = traffic.finish().first
    #expect(session?.client.port == 50_000)
    #expect(session?.sharedTLS?.clientAlerts.count == 1)
    #expect(session?.sharedTLS?.clientChain != nil)
    #expect(session?.sharedTLS?.chain == nil)
    #expect(session?.evidence.certificates == .missing)
  }

  @Test(arguments: [true, false])
  func `a hello behind a ChangeCipherSpec is no Finished`(isWhole: Bool) {
    var traffic = TestTraffic(port: 443)
    traffic.say(sampleClientHello, fromClient: true)
    traffic.lose(Bytes(repeating: 0, count: 90), fromClient: false)
    let second = hex("14 0303 0001 01") + sampleClientHello
    traffic.say(second, cutTo: isWhole ? second.count : 20, fromClient: true)
    traffic.lose(sampleServerHello, fromClient: false)
    traffic.say(sealed(900), fromClient: false)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.isEstablished == false)
    #expect(session?.sharedTLS?.outcome == .incomplete)
  }

  @Test(arguments: [true, false])
  func `early data is no Finished where the ServerHello is missing, but may hide one from a reset`(
    hasAnswer: Bool
  ) {
    var traffic = TestTraffic(port: 443)
    traffic.say(helloWithEarlyData + sealed(200), fromClient: true)
    traffic.say((hasAnswer ? sampleServerHello : []) + sealed(900), fromClient: false)
    traffic.reset(fromClient: true)
    #expect(traffic.finish().first?.sharedTLS?.outcome == (hasAnswer ? .reset : .incomplete))
  }

  @Test(arguments: [53, 69, 200])
  func `early data may arrive after the ServerHello, and only the length of a Finished shows one`(length: Int) {
    var traffic = TestTraffic(port: 443)
    traffic.say(helloWithEarlyData, fromClient: true)
    traffic.say(sampleServerHello + sealed(900), fromClient: false)
    traffic.say(sealed(300), fromClient: true)
    traffic.say(sealed(length), fromClient: true)
    traffic.reset(fromClient: true)
    #expect(traffic.finish().first?.sharedTLS?.outcome == (length == 200 ? .incomplete : .established))
  }

  /// The sample ClientHello, with early_data instead of the extension that has no content: session_ticket.
  private var helloWithEarlyData: Bytes {
    var hello = sampleClientHello
    let place = hello.indices.dropLast(4).first { Array(hello[$0..<($0 + 4)]) == [0, 0x23, 0, 0] }
    if let place { hello[place + 1] = 42 }
    #expect(place != nil)
    return hello
  }

  @Test(arguments: [53, 19])
  func `a client goes on, or refuses, behind a HelloRetryRequest though the ServerHello has a gap`(
    length: Int
  ) {
    var retry = sampleServerHello
    retry.replaceSubrange(
      11..<43, with: hex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c"))
    // In a HelloRetryRequest, key_share holds the group alone.
    retry.replaceSubrange(47..., with: hex("00 000c 0033 0002 0017 002b 0002 0304"))
    (retry[4], retry[8]) = (UInt8(retry.count - 5), UInt8(retry.count - 9))
    var traffic = TestTraffic(port: 443)
    traffic.say(sampleClientHello, fromClient: true)
    traffic.say(retry, fromClient: false)
    traffic.say(sampleClientHello, fromClient: true)
    traffic.say(Bytes(sampleServerHello[..<60]), fromClient: false)
    traffic.lose(Bytes(sampleServerHello[60..<80]), fromClient: false)
    traffic.say(Bytes(sampleServerHello[80...]) + sealed(900), fromClient: false)
    traffic.say(sealed(length), fromClient: true)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.hasHelloRetryRequest == true)
    #expect(session?.sharedTLS?.outcome == (length == 53 ? .established : .refusedByClient))
  }

  @Test
  func `what hides the part that was refused is said`() {
    let refusal = hex("15 0303 0002 0228")
    var traffic = TestTraffic(port: 443)
    traffic.say(sampleClientHello, fromClient: true)
    traffic.lose(sampleServerHello, fromClient: false)
    traffic.say(refusal, fromClient: false)
    let lossy = traffic.finish().first
    #expect(lossy?.sharedTLS?.outcome == .refusedByServer)
    #expect(lossy?.evidence.incomplete == .loss)

    var half = TestTraffic(port: 443, seesServer: false)
    half.say(sampleClientHello, fromClient: true)
    half.say(refusal, fromClient: true)
    let oneSided = half.finish().first
    #expect(oneSided?.sharedTLS?.outcome == .refusedByClient)
    #expect(oneSided?.evidence.incomplete == .oneDirection)

    var whole = TestTraffic(port: 443)
    whole.say(sampleClientHello, fromClient: true)
    whole.say(refusal, fromClient: false)
    #expect(whole.finish().first?.evidence.incomplete == nil)
  }

  @Test(arguments: [false, true])
  func `a reset ends a handshake that cannot have been over`(isLost: Bool) {
    var traffic = TestTraffic(port: 443)
    traffic.say(sampleClientHello, fromClient: true)
    traffic.say(sampleServerHello + sealed(900), fromClient: false)
    if isLost { traffic.lose(sealed(53), fromClient: true) }
    if isLost { traffic.say(sealed(20), fromClient: true) }
    traffic.reset(fromClient: true)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == (isLost ? .incomplete : .reset))
    #expect(session?.evidence.incomplete == (isLost ? .loss : nil))
  }

  @Test(arguments: [false, true])
  func `a reset in the one direction that was captured ends what that one had not finished`(isFinished: Bool) {
    var traffic = TestTraffic(port: 443, seesServer: false)
    traffic.say(sampleClientHello, fromClient: true)
    if isFinished { traffic.say(sealed(53), fromClient: true) }
    traffic.reset(fromClient: true)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == (isFinished ? .incomplete : .reset))
    #expect(session?.evidence.incomplete == .oneDirection)
  }

  @Test(arguments: [true, false])
  func `an alert before any hello is that of the end that sent it`(isFromClient: Bool) {
    var traffic = TestTraffic(port: 443)
    if !isFromClient { traffic.lose(sampleClientHello, fromClient: true) }
    traffic.say(hex("15 0301 0002 0250"), fromClient: isFromClient)
    let session = traffic.finish().first
    #expect(session?.client.port == 50_000)
    #expect(session?.sharedTLS?.clientAlerts.count == (isFromClient ? 1 : 0))
    #expect(session?.sharedTLS?.serverAlerts.count == (isFromClient ? 0 : 1))
    #expect(session?.sharedTLS?.outcome == (isFromClient ? .refusedByClient : .refusedByServer))
  }

  @Test(arguments: [true, false])
  func `a connection on which the client said nothing is no session`(saysNothing: Bool) {
    var traffic = TestTraffic(port: 443)
    // What the client says may be missing in the capture: then its numbers go on.
    if !saysNothing { traffic.lose(sampleClientHello, fromClient: true) }
    traffic.say(hex("15 0303 0002 02 50"), fromClient: false)
    traffic.end(fromClient: false)
    traffic.end(fromClient: true)
    let sessions = traffic.finish()
    #expect(sessions.count == (saysNothing ? 0 : 1))
    #expect(traffic.tracker.health.withoutHandshake.values.reduce(0, +) == (saysNothing ? 1 : 0))
  }
}
