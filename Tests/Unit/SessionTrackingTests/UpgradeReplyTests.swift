import ByteParsing
import TestBytes
import Testing

import SessionModel
@testable import CleartextObservation
@testable import SessionTracking

/// An upgrade to TLS whose client sends its hello before the server's reply is in the capture.
@Suite struct UpgradeReplyTests {
  private static let dialogues: [(before: [DialogueLine], reply: Bytes, tunnel: EnclosingLayer)] = [
    (
      [(false, text("220 mx ESMTP\r\n")), (true, text("EHLO x\r\n")), (true, text("STARTTLS\r\n"))], text("220 Ready\r\n"), "starttls smtp"
    ),
    ([(true, hex("00000008 04d2162f"))], text("S"), "starttls postgresql"),
    (
      [(true, hex("301d 020101 7718 8016") + text("1.3.6.1.4.1.1466.20037"))], hex("300c 020116 7807 0a0100 0400 0400"),
      "starttls ldap"
    ),
  ]

  @Test func `the reply may share a segment with the ServerHello, or be split anywhere`() {
    for (before, reply, tunnel) in Self.dialogues {
      let all = reply + sampleServerHello
      for cut in 0..<(reply.count + 8) {
        var traffic = TestTraffic(port: 2525)
        traffic.say(before)
        traffic.say(sampleClientHello, fromClient: true)
        if cut > 0 { traffic.say(Bytes(all[..<cut]), fromClient: false) }
        traffic.say(Bytes(all[cut...]), fromClient: false)
        let session = traffic.finish().first
        #expect(session?.tunnel == [tunnel], "\(cut)")
        #expect(session?.evidence.clientHello == .complete, "\(cut)")
        #expect(session?.evidence.serverHello == .complete, "\(cut)")
      }
    }
  }

  @Test func `an overlong reply ends the wait for it, and the ServerHello is read`() {
    var traffic = TestTraffic(port: 25)
    traffic.say(Self.dialogues[0].before)
    traffic.say(sampleClientHello, fromClient: true)
    for _ in 0..<3 { traffic.say(Bytes(repeating: 0x41, count: 500), fromClient: false) }
    traffic.say(sampleServerHello, fromClient: false)
    #expect(traffic.finish().first?.evidence.serverHello == .complete)
  }
}
