import CertificateIssuing
import CommandReports
import Reporting
import ReportSamples
import SessionModel
import TLSParsing
import Testing
import Values

@Suite struct SessionDetailTests {
  private func text(_ session: ObservedSession, _ steps: NextSteps = NextSteps()) -> String {
    String(decoding: SessionDetail.rendered(session, Samples.undecided, steps, TextOptions(width: 200)), as: UTF8.self)
  }

  @Test func `no chain of today is proposed for a session that is years old, unless it is judged at another time`() {
    var session = Samples.session("a.example", version: .tls13)
    let chain = "To settle: add --chain lh3.example.com=FILE, or add --keylog FILE"
    let recording = "To settle: record again, since certificates fetched now are newer than the sessions, or add --keylog FILE"
    #expect(text(session, NextSteps(session, isTimeStated: false)).contains(chain))
    session.start = Timestamp(seconds: 1_556_554_523)
    #expect(text(session, NextSteps(session, isTimeStated: false)).contains(recording))
    #expect(text(session, NextSteps(session, isTimeStated: true)).contains(chain))
    session.evidence.isClockPlausible = false
    #expect(text(session, NextSteps(session, isTimeStated: false)).contains(chain))
  }

  @Test func `a session that the server did not answer is settled by a new recording, also in packet comments`() {
    var session = Samples.session("a.example", version: nil)
    session.sharedTLS?.outcome = .incomplete
    session.evidence.notes = [.icmpUnreachable]
    let steps = NextSteps(session, isTimeStated: false)
    let shown = text(session, steps)
    #expect(shown.contains("To settle: record again when the server responds") && !shown.contains("--chain"))
    let comment = PacketComments.comments(of: session, Samples.undecided, steps).first?.text
    #expect(comment?.contains("; to settle: record again when the server responds; session ") == true)
  }

  @Test func `no other client is to be recorded if the server refused all that a device offers`() {
    var session = Samples.session("a.example", version: nil)
    session.sharedTLS?.outcome = .refusedByServer
    session.sharedTLS?.serverAlerts = [ObservedAlert(level: 2, description: .handshakeFailure, frame: 9)]
    for (isFailing, recording) in [(false, "record an Apple device"), (true, "record again when the server is fixed")] {
      let steps = NextSteps(session, isTimeStated: false, isFailing: isFailing)
      #expect(text(session, steps).contains("To settle: \(recording)"))
    }
  }

  @Test func `all chains that a session is assumed to have are listed`() {
    func assumed(_ name: String) -> AssumedChain {
      AssumedChain(chain: chain(Issued.root(name)), source: .supplied)
    }
    var session = Samples.session("a.example", version: .tls13)
    var first = assumed("First")
    session.sharedAssumedChain = Shared(first)
    #expect(text(session).contains("Assumed certificates  supplied"))
    first.alternatives = [assumed("Second")]
    session.sharedAssumedChain = Shared(first)
    let shown = text(session)
    #expect(shown.contains("Assumed certificates (1 of 2)  supplied") && shown.contains("CN=First"))
    #expect(shown.contains("Assumed certificates (2 of 2)  supplied") && shown.contains("CN=Second"))
  }

  @Test(arguments: [(TLSVersion.tls12, "the ServerHello's extension"), (.tls13, "the Certificate message")])
  func `SCTs are located in the message that contains them in the version`(version: TLSVersion, message: String) {
    var session = Samples.session("a.example", version: version)
    session.sharedTLS?.sctList = [0, 0]
    #expect(text(session).contains("SCTs in \(message)\n"))
  }
}
