import ByteParsing
import TestBytes
import Testing

import SessionModel
@testable import CleartextObservation
@testable import SessionTracking

/// Messages before an upgrade to TLS, on connections that began before the capture.
@Suite struct ForeignProtocolMessagesTests {
  /// Returns the tunnel of a handshake after messages of server (false) and client (true), on a port without a known protocol.
  private static func tunnel(after lines: [DialogueLine], port: UInt16 = 2525) -> [EnclosingLayer]? {
    var traffic = TestTraffic(port: port, seesStart: false)
    traffic.say(lines)
    traffic.sayHellos()
    return traffic.finish().first { $0.application == .tls }?.tunnel
  }

  @Test func `an upgrade to TLS is recognized although the capture lacks the SYN`() {
    let request = Bytes("1.3.6.1.4.1.1466.20037".utf8)
    let dialogues: [(lines: [(Bool, Bytes)], layer: EnclosingLayer)] = [
      ([(false, text("220 mx ESMTP\r\n")), (true, text("ehlo x\r\n")), (true, text("starttls\r\n"))], "starttls smtp"),
      ([(true, text("EHLO x\r\n")), (true, text("STARTTLS\r\n"))], "starttls smtp"),
      ([(true, text("LHLO x\r\n")), (true, text("STARTTLS\r\n"))], "starttls lmtp"),
      ([(false, text("220 mx LMTP\r\n")), (true, text("STARTTLS\r\n"))], "starttls lmtp"),
      ([(false, text("220 mx ESMTP\r\n")), (true, text("LHLO x\r\n"))], "starttls lmtp"),
      ([(false, text("220 ready\r\n")), (true, text("AUTH TLS\r\n"))], "starttls ftp"),
      ([(false, text("* OK IMAP4 ready\r\n")), (true, text("a1 STARTTLS\r\n"))], "starttls imap"),
      ([(false, text("+OK POP3\r\n")), (true, text("STLS\r\n"))], "starttls pop3"),
      ([(true, text("STLS\r\n"))], "starttls pop3"),
      ([(false, text("200 news\r\n")), (true, text("STARTTLS\r\n"))], "starttls nntp"),
      ([(false, text("\"IMPLEMENTATION\" \"x\"\r\n\"STARTTLS\"\r\nOK\r\n"))], "starttls sieve"),
      ([(true, text("CAP LS 302\r\n")), (true, text("STARTTLS\r\n"))], "starttls irc"),
      ([(true, text("<?xml version='1.0'?><stream:stream to='b' xmlns='jabber:client'>"))], "starttls xmpp"),
      ([(true, text("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"))], "starttls xmpp"),
      ([(true, hex("301d 020101 7718 8016") + request)], "starttls ldap"),
      ([(true, hex("30840000001d 020101 7784000000188016") + request)], "starttls ldap"),
      ([(true, hex("00000008 04d2162f")), (false, text("S"))], "starttls postgresql"),
      ([(true, hex("20000001 85aeff01 00000001 ff") + Bytes(repeating: 0, count: 23))], "starttls mysql"),
      ([(false, hex("03000013 0ed000001234000200080001000000"))], "starttls rdp"),
    ]
    for (lines, layer) in dialogues { #expect(Self.tunnel(after: lines) == [layer]) }
  }

  @Test func `other bytes before a hello without SYN do not make it an upgrade`() {
    let others: [Bytes] = [
      text("220 mx ESM"), text("220 mx\u{1}\r\n"), text("hello\r\n"), text("<?xml version='1.0'?><plist>"),
      text("<html>\r\n"), text("HTTP/1.1 200 OK\r\n\r\n"), hex("00000008 04d2162f 00"), hex("00000009 04d2162f 00"),
      hex("300c 020101 7807 0a0100 0400 0400"), hex("20000001 85aeff01 00000001 ff"), hex("05020002"),
    ]
    for bytes in others {
      for fromClient in [false, true] { #expect(Self.tunnel(after: [(fromClient, bytes)]) == []) }
    }
  }

  @Test func `a body that resembles a greeting adds no layer to the CONNECT after it`() {
    let connect = text("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n")
    let answer = text("HTTP/1.1 200 OK\r\n\r\n")
    let tunnel = Self.tunnel(after: [(false, text("220 lines\r\n")), (true, connect), (false, answer)], port: 8080)
    #expect(tunnel == ["http-connect example.com:443"])
  }

  /// A ChangeCipherSpec, or application data.
  @Test(arguments: ["14 0303 0001 01", "17 0303 0004 01020304"])
  func `TLS captured from the middle counts as a connection without a handshake`(record: String) {
    var traffic = TestTraffic(port: 2525, seesStart: false)
    traffic.say(text("220 mx ESMTP\r\n"), fromClient: false)
    for _ in 0..<2 { traffic.say(hex(record), fromClient: true) }
    #expect(traffic.finish().isEmpty)
    #expect(traffic.tracker.health.withoutHandshake.values.reduce(0, +) == 1)
  }
}
