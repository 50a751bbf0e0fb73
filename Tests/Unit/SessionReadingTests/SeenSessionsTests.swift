import SessionBuilding
import SessionModel
import Testing
import Values

@testable import SessionReading

@Suite struct SeenSessionsTests {
  private func sessions(_ ports: Range<Int>) -> [ObservedSession] {
    let sample = SessionBuilder().session
    return ports.map { port in
      var session = sample
      session.client = Endpoint(address: session.client.address, port: UInt16(truncatingIfNeeded: port))
      return session
    }
  }

  private func warnings(_ inputs: [(String, Range<Int>)]) -> [String] {
    let seen = SeenSessions(chains: SuppliedChains())
    for (name, ports) in inputs {
      seen.begin(name)
      for session in sessions(ports) { seen.note(session) }
    }
    return seen.warnings
  }

  @Test func `sessions that are in two inputs are reported once for each pair`() {
    #expect(
      warnings([("a.pcapng", 0..<3), ("b.gz", 0..<3), ("c.pcap", 2..<9)]) == [
        "3 sessions of b.gz are also in a.pcapng, so they count twice",
        "1 session of c.pcap is also in a.pcapng, so it counts twice",
      ])
    #expect(warnings([("a.pcapng", 0..<3), ("b.pcapng", 3..<6)]).isEmpty)
  }

  @Test func `equal sessions of one input, or of a path given twice, are not reported`() {
    #expect(warnings([("a.pcapng", 0..<3), ("a.pcapng", 0..<3)]).isEmpty)
    let seen = SeenSessions(chains: SuppliedChains())
    seen.begin("a.pcapng")
    for session in sessions(0..<3) + sessions(0..<3) { seen.note(session) }
    #expect(seen.warnings.isEmpty)
  }

  @Test func `only the first sessions of a large input are compared`() {
    #expect(
      warnings([("a.pcapng", 0..<4100), ("b.pcapng", 0..<4100)]) == [
        "at least 4096 sessions of b.pcapng are also in a.pcapng, so they count twice"
      ])
  }

  @Test func `many inputs with the same sessions give ten warnings and a count of the others`() {
    let warnings = warnings((0..<14).map { ("\($0).pcapng", 0..<1) })
    #expect(warnings.count == 11)
    #expect(warnings.last == "3 further pairs of inputs have sessions in common")
  }
}
