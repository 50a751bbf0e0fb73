import ByteParsing
import Reassembly
import TestBytes
import TLSParsing
import Testing
import Values

import SessionModel
@testable import SessionTracking

/// The outcome of a handshake, as far as it is visible without key material.
@Suite struct HandshakeOutcomeTests {
  /// A protected TLS 1.3 record with a fragment of `length` bytes.
  private func sealed(_ length: Int) -> Bytes {
    [23, 3, 3, UInt8(length >> 8), UInt8(length & 0xFF)] + Bytes(repeating: 0xA5, count: length)
  }

  private func session(client lengths: [Int]) -> ObservedSession? {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    traffic.say(sampleServerHello + sealed(900), fromClient: false)
    for length in lengths { traffic.say(sealed(length), fromClient: true) }
    return traffic.finish().first
  }

  @Test
  func `an encrypted client record with the length of an alert is a refusal`() {
    let session = session(client: [19])
    #expect(session?.sharedTLS?.outcome == .refusedByClient)
    #expect(session?.sharedTLS?.isEstablished == false)
    #expect(session?.evidence.notes == [.encryptedAlertFromClient])
  }

  @Test
  func `record padding as in Java does not hide a refusal`() {
    let session = session(client: [35])
    #expect(session?.sharedTLS?.outcome == .refusedByClient)
    #expect(session?.evidence.notes == [.encryptedAlertFromClient])
  }

  @Test(arguments: [[25, 53], [53], [25, 69], [900, 100, 53], [19, 53], [35, 69]])
  func `a client that continues to its Finished did not refuse`(lengths: [Int]) {
    // 25 bytes are an empty Certificate message, a client's response to a CertificateRequest.
    let session = session(client: lengths)
    #expect(session?.sharedTLS?.outcome == .established)
    #expect(session?.sharedTLS?.isEstablished == true)
    #expect(session?.evidence.notes == [])
  }

  @Test(arguments: [[], [25], [21]])
  func `encrypted records that are neither alert nor Finished do not end the handshake`(lengths: [Int]) {
    #expect(session(client: lengths)?.sharedTLS?.outcome == .incomplete)
  }

  @Test(arguments: [58, 200])
  func `a record with the length of an alert is not a refusal if the Finished may be missing`(lost: Int) {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
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
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
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
  /// The same ServerHello and a ServerHelloDone.
  private static let olderFlight = serverHello + hex("16 0303 0004 0e 000000")
  /// A ClientKeyExchange, a ChangeCipherSpec, a Finished.
  private static let clientFlight =
    hex("16 0303 0007 10 000003 020102 14 0303 0001 01 16 0303 0028") + Bytes(repeating: 0xA5, count: 40)
  private static let serverEnd = hex("14 0303 0001 01 16 0303 0028") + Bytes(repeating: 0xA5, count: 40)
  private static let encryptedAlert = hex("15 0303 001a") + Bytes(repeating: 0xA5, count: 26)

  @Test
  func `an encrypted alert before the server's Finished is a refusal`() {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    traffic.say(Self.olderFlight, fromClient: false)
    traffic.say(Self.clientFlight, fromClient: true)
    traffic.say(Self.encryptedAlert, fromClient: true)
    traffic.say(Self.serverEnd, fromClient: false)
    traffic.reset(fromClient: true)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == .refusedByClient)
    #expect(session?.sharedTLS?.isEstablished == false)
    #expect(session?.evidence.notes == [.encryptedAlertFromClient])
  }

  @Test(arguments: [true, false])
  func `an encrypted alert is not a refusal if it acknowledges unread server bytes`(
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
  func `a server's Finished captured late, after the client's alert, precedes the alert`() {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
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
  func `a client reset that acknowledges unread bytes does not show the outcome`(isLost: Bool) {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    traffic.say(Self.olderFlight, fromClient: false)
    traffic.say(Self.clientFlight, fromClient: true)
    if isLost { traffic.lose(Self.serverEnd, fromClient: false) }
    traffic.reset(fromClient: true)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == (isLost ? .incomplete : .reset))
    #expect(session?.evidence.incomplete == (isLost ? .loss : nil))
  }

  @Test(arguments: [false, true])
  func `an encrypted alert after data or the server's Finished is not a refusal`(sendsData: Bool) {
    let data = hex("17 0303 0028") + Bytes(repeating: 0xA5, count: 40)
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
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
  func `an alert split across records, or in a record with others, is read`(segments: [String]) {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    for segment in segments { traffic.say(hex(segment), fromClient: false) }
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == .refusedByServer)
    #expect(session?.sharedTLS?.serverAlerts.last?.code.rawValue == 40)
    #expect(session?.sharedTLS?.serverAlerts.last?.frame == UInt64(4 + segments.count))
  }

  @Test
  func `the parts of an alert on both sides of a gap are not joined`() {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    traffic.say(hex("15 0303 0001 02"), fromClient: false)
    traffic.lose(hex("15 0303 0001 28"), fromClient: false)
    traffic.say(hex("15 0303 0001 01"), fromClient: false)
    #expect(traffic.finish().first?.sharedTLS?.serverAlerts == [])
  }

  @Test(arguments: [true, false])
  func `a cleartext close_notify at warning level counts as a refusal`(isFromClient: Bool) {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    if isFromClient { traffic.say(Self.olderFlight, fromClient: false) }
    traffic.say(hex("15 0303 0002 0100"), fromClient: isFromClient)
    for end in [true, false] { traffic.end(fromClient: end) }
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == (isFromClient ? .refusedByClient : .refusedByServer))
    #expect(session?.evidence.notes == [])
  }

  @Test(arguments: [nil, "15 0303 0002 0164", "15 0303 001a"])
  func `a close is noted as closed-without-alert unless an encrypted alert precedes it`(alert: String?) {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
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
        == (alert?.hasSuffix("1a") == true ? [] : [.closedByClient, .closedWithoutAlert]))
  }

  @Test
  func `a closed handshake is recognized by isClosedWithoutAlert, not by its note`() {
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
      evidence.notes = isClosed ? [] : [.closedWithoutAlert]
      assembly.complete(
        &evidence, missingBytes: 0, start: nil, .incomplete, hitLimit: false, isClosedWithoutAlert: isClosed)
      #expect(evidence.incomplete == incomplete)
    }
  }

  @Test
  func `an encrypted record after a lost ChangeCipherSpec is not read as a message`() {
    // The first bytes of CertificateStatus, Certificate, ServerKeyExchange and ServerHello messages.
    for start in ["16 00ff00", "0b 000400", "0c 000030", "02 ffffff"] {
      var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
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
  func `a ServerKeyExchange of an unknown format is not reported as malformed`(
    suite: String, state: String
  ) {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    traffic.say(
      hex("16 0303 002a 02 000026 0303" + String(repeating: "5a", count: 32) + "00" + suite + "00")
        + hex("16 0303 0008 0c 000004 01020304 16 0303 0004 0e 000000"), fromClient: false)
    traffic.say(Self.clientFlight, fromClient: true)
    traffic.say(Self.serverEnd, fromClient: false)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.serverKeyExchange == nil)
    #expect(session?.evidence.serverKeyExchange.rawValue == state)
    #expect(session?.evidence.notes == (state == "partial" ? [.serverKeyExchangeMalformed] : []))
    #expect(session?.sharedTLS?.outcome == .established)
  }

  @Test(arguments: [
    // One response for each certificate; none for the CA's; one for a certificate that was not sent.
    ("00000a 000002aabb 000002ccdd", [1: hex("ccdd")]), ("000008 000002aabb 000000", [:]),
    ("00000d 000002aabb 000000 000002eeff", [:]),
  ])
  func `OCSP responses of type ocsp_multi are assigned to their certificates`(list: String, issuers: [Int: Bytes]) {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
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
  func `a message whose start is in a gap is not read from the next record`() {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    // A ServerHelloDone, and a message whose header is lost and which continues in another record.
    traffic.say(hex("16 0303 0020 0e 000000"), fromClient: false)
    traffic.lose(Bytes(repeating: 0, count: 20), fromClient: false)
    traffic.say(
      hex("a5a5a5a5 a5a5a5a5 16 0303 0010 16 ffff00") + Bytes(repeating: 0xA5, count: 12), fromClient: false)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.hasStapledOCSPResponse == false)
    #expect(session?.evidence.incomplete == .loss)
  }

  @Test
  func `a message after a gap between records is read`() {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    traffic.lose(Bytes(repeating: 0, count: 300), fromClient: false)
    traffic.say(hex("16 0303 0008 16 000004 01 000000"), fromClient: false)
    #expect(traffic.finish().first?.sharedTLS?.hasStapledOCSPResponse == true)
  }

  @Test
  func `bytes missing before the sequence number of a reset are counted`() {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    traffic.say(Self.olderFlight, fromClient: false)
    traffic.lose(hex("15 0303 0002 0230"), fromClient: true)
    traffic.reset(fromClient: true)
    let session = traffic.finish().first
    #expect(session?.evidence.missingBytes == 7)
    #expect(session?.evidence.incomplete == .loss)
  }

  @Test
  func `the payload of a reset is not read`() {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    traffic.reset(fromClient: false, explaining: hex("15 0303 0002 0228"))
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == .reset)
    #expect(session?.sharedTLS?.serverAlerts == [])
  }

  @Test
  func `client certificates are not treated as the server's if both hellos are missing`() {
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
  func `a hello after a ChangeCipherSpec is not a Finished`(isWhole: Bool) {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
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
  func `a reset after early data shows the outcome only if the ServerHello was captured`(
    hasAnswer: Bool
  ) {
    var traffic = TestTraffic(port: 443)
    traffic.say(helloWithEarlyData + sealed(200), fromClient: true)
    traffic.say((hasAnswer ? sampleServerHello : []) + sealed(900), fromClient: false)
    traffic.reset(fromClient: true)
    #expect(traffic.finish().first?.sharedTLS?.outcome == (hasAnswer ? .reset : .incomplete))
  }

  @Test(arguments: [53, 69, 200])
  func `early data after the ServerHello is not a Finished, which is recognized by its length`(length: Int) {
    var traffic = TestTraffic(port: 443, clientSays: helloWithEarlyData)
    traffic.say(sampleServerHello + sealed(900), fromClient: false)
    traffic.say(sealed(300), fromClient: true)
    traffic.say(sealed(length), fromClient: true)
    traffic.reset(fromClient: true)
    #expect(traffic.finish().first?.sharedTLS?.outcome == (length == 200 ? .incomplete : .established))
  }

  /// The sample ClientHello, with early_data instead of its empty session_ticket extension.
  private var helloWithEarlyData: Bytes {
    var hello = sampleClientHello
    let offset = hello.indices.dropLast(4).first { Array(hello[$0..<($0 + 4)]) == [0, 0x23, 0, 0] }
    if let offset { hello[offset + 1] = 42 }
    #expect(offset != nil)
    return hello
  }

  private var helloRetryRequest: Bytes {
    var retry = sampleServerHello
    retry.replaceSubrange(
      11..<43, with: hex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c"))
    // In a HelloRetryRequest, key_share contains only the group.
    retry.replaceSubrange(47..., with: hex("00 000c 0033 0002 0017 002b 0002 0304"))
    (retry[4], retry[8]) = (UInt8(retry.count - 5), UInt8(retry.count - 9))
    return retry
  }

  @Test func `nothing but the first ClientHello is missing before a HelloRetryRequest`() {
    var traffic = TestTraffic(port: 443)
    traffic.lose(sampleClientHello, fromClient: true)
    traffic.say(helloRetryRequest, fromClient: false)
    traffic.say(sampleClientHello, fromClient: true)
    let heldBytes = traffic.tracker.heldBytes
    #expect(heldBytes == 0, "the second hello does not wait for the first")
    traffic.say(sampleServerHello, fromClient: false)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.hasHelloRetryRequest == true)
    #expect(session?.evidence.clientHello == .complete)
    #expect(session?.evidence.contains(.beginningMissing) == false)
  }

  @Test func `the first ClientHello stays missing if the segments of the second are captured in reverse order`() {
    var traffic = TestTraffic(port: 443)
    traffic.lose(sampleClientHello, fromClient: true)
    traffic.say(helloRetryRequest, fromClient: false)
    traffic.lose(Bytes(sampleClientHello[..<60]), fromClient: true)
    traffic.say(Bytes(sampleClientHello[60...]), fromClient: true)
    traffic.rewind(sampleClientHello.count - 60, fromClient: true)
    traffic.sayLate(Bytes(sampleClientHello[..<60]), fromClient: true)
    traffic.lose(Bytes(sampleClientHello[60...]), fromClient: true)
    traffic.say(sampleServerHello, fromClient: false)
    let session = traffic.finish().first
    #expect(session?.evidence.clientHello == .complete)
    #expect(session?.evidence.missingBytes == sampleClientHello.count)
  }

  @Test(arguments: [53, 19])
  func `after a HelloRetryRequest the outcome is read although the ServerHello has a gap`(
    length: Int
  ) {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    traffic.say(helloRetryRequest, fromClient: false)
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
  func `a refused handshake reports why the refused part is not in the capture`() {
    let refusal = hex("15 0303 0002 0228")
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
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
  func `a reset ends a handshake that was certainly not complete`(isLost: Bool) {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    traffic.say(sampleServerHello + sealed(900), fromClient: false)
    if isLost { traffic.lose(sealed(53), fromClient: true) }
    if isLost { traffic.say(sealed(20), fromClient: true) }
    traffic.reset(fromClient: true)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == (isLost ? .incomplete : .reset))
    #expect(session?.evidence.incomplete == (isLost ? .loss : nil))
  }

  @Test(arguments: [false, true])
  func `a reset in the only captured direction ends a handshake without a client Finished`(isFinished: Bool) {
    var traffic = TestTraffic(port: 443, seesServer: false)
    traffic.say(sampleClientHello, fromClient: true)
    if isFinished { traffic.say(sealed(53), fromClient: true) }
    traffic.reset(fromClient: true)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == (isFinished ? .incomplete : .reset))
    #expect(session?.evidence.incomplete == .oneDirection)
  }

  @Test(arguments: [true, false])
  func `an alert before any hello is attributed to its sender`(isFromClient: Bool) {
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
  func `an alert on a connection where the client sent nothing is not a session`(saysNothing: Bool) {
    var traffic = TestTraffic(port: 443)
    // If client bytes are missing from the capture, its sequence numbers advance.
    if !saysNothing { traffic.lose(sampleClientHello, fromClient: true) }
    traffic.say(hex("15 0303 0002 02 50"), fromClient: false)
    traffic.end(fromClient: false)
    traffic.end(fromClient: true)
    let sessions = traffic.finish()
    #expect(sessions.count == (saysNothing ? 0 : 1))
    #expect(traffic.tracker.health.withoutHandshake.values.reduce(0, +) == (saysNothing ? 1 : 0))
  }
}
