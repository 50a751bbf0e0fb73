import ByteParsing
import Reporting
import ReportSamples
import SessionModel
import Testing
import TLSParsing

@Suite struct SessionsTextTests {
  private func sessions(_ session: ObservedSession, width: Int = 80) -> String {
    var bytes = Bytes()
    SessionsText.append(session, TextOptions(width: width), to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `a session is summarized in a few lines`() {
    var session = Samples.session("api.example.com")
    session.sharedTLS?.clientAlerts = [
      ObservedAlert(level: 2, description: AlertDescription(rawValue: 48), frame: 20)
    ]
    session.sharedTLS?.outcome = .refusedByClient
    session.tunnel = [EnclosingLayer("vlan 12"), EnclosingLayer("\u{1B}")]
    session.evidence.incomplete = .loss
    session.evidence.notes = [.tlsNotAtStart]
    #expect(
      sessions(session) == """
        api.example.com:443   TLS 1.2   ECDHE_RSA_WITH_AES_128_GCM_SHA256   x25519
        refused by the client (unknown_ca)
          frames       12-21 of trace.pcapng
          start        2026-05-01T10:11:12Z
          from         10.0.0.2:52011 to 203.0.113.7:443
          inside       vlan 12, \\x1b
          client says  unknown_ca (fatal)                                       frame 20
          incomplete   bytes are missing
          notes        tls-not-at-start


        """)
  }

  @Test func `cleartext requests are listed without a judgement`() {
    #expect(
      sessions(Samples.cleartext("cdn.example")) == """
        cdn.example:80   cleartext HTTP
          frames       3-5 of trace.pcapng
          from         10.0.0.2:52012 to 203.0.113.8:80
          name from    the Host field
          request      GET cdn.example/ -> 301 to https://cdn.example            frame 3
                       and 17 more requests


        """)
  }

  @Test func `a session shows the ALPN protocol that was negotiated under encryption`() {
    var session = Samples.session("api.example.com")
    session.sharedTLS?.protectedALPN = "h3"
    var text = Bytes()
    SessionsText.append(session, TextOptions(), to: &text)
    #expect(String(decoding: text, as: UTF8.self).contains("h3"))
  }

  @Test func `a session shows probable certificates and name hints`() {
    var session = Samples.session("api.example.com")
    session.sharedAssumedChain = Shared(
      AssumedChain(
        chain: CertificateChain([], isComplete: true), source: .probable,
        origin: AssumedChain.Origin(session: "00112233445566aa", file: "b.pcap", frames: FrameList([6]))))
    session.nameHints = [NameHint(name: "cdn.example.net", source: .dns, frame: 3)]
    let text = sessions(session, width: 200)
    #expect(text.contains("probable: no subject, frame 6 of session 00112233445566aa in b.pcap"))
    #expect(text.contains("name hints"))
    #expect(text.contains("cdn.example.net (dns, frame 3)"))
  }
}
