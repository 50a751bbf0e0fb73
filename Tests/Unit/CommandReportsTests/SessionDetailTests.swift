import CertificateIssuing
import CommandReports
import Reporting
import ReportSamples
import SessionModel
import TLSParsing
import Testing

@Suite struct SessionDetailTests {
  private func text(_ session: ObservedSession) -> String {
    String(decoding: SessionDetail.rendered(session, Samples.undecided, TextOptions(width: 200)), as: UTF8.self)
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
