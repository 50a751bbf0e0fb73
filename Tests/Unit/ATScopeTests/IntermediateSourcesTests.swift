import ATScope
import CertificateIssuing
import SessionBuilding
import SessionModel
import Testing

@Suite struct IntermediateSourcesTests {
  private let root = Issued.root("Source Root")

  private func session(_ host: String, _ chain: [Issued]) -> ObservedSession {
    var session = SessionBuilder { $0.certificates = chain.map(\.observed) }.session
    session.serverName = host
    return session
  }

  @Test
  func `a session needs the sessions that show the issuers which it did not send`() {
    let upper = root.authority("Upper CA")
    let lower = upper.authority("Lower CA")
    let unrelated = root.authority("Unrelated CA")
    var sources = IntermediateSources()
    let others = [
      session("upper.example.com", [upper.leaf(), upper]), session("lower.example.com", [lower.leaf(), lower]),
      session("unrelated.example.com", [unrelated.leaf(), unrelated]),
    ]
    for other in others { sources.note(other, isChosen: false) }
    let whole = session("whole.example.com", [lower.leaf(), lower, upper])
    #expect(sources.take(for: whole).isEmpty)
    // The server sends an intermediate of another chain.
    let chosen = session("chosen.example.com", [lower.leaf(), unrelated])
    #expect(sources.take(for: chosen).compactMap(\.serverName) == ["lower.example.com", "upper.example.com"])
    // The extract contains them now.
    #expect(sources.take(for: chosen).isEmpty)
  }
}
