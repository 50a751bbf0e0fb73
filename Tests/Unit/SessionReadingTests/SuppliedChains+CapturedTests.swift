import CertificateIssuing
import SessionBuilding
import SessionModel
import SessionReading
import Testing
import Values

/// Chains from other sessions in the same inputs.
@Suite struct SuppliedChainsCapturedTests {
  private func shown(from: String, to: String) -> ObservedSession {
    SessionBuilder {
      $0.time = Timestamp(from)
      $0.certificates = [
        CertificateBuilder.leaf {
          $0.notBefore = Timestamp(from)
          $0.notAfter = Timestamp(to)
        }, CertificateBuilder.intermediate(),
      ]
    }.session
  }

  private let hidden: ObservedSession = {
    var session = SessionBuilder.tls13().session
    session.start = Timestamp("2026-02-01T00:00:00Z")
    return session
  }()

  private func completed(_ sessions: [ObservedSession]) -> AssumedChain? {
    var chains = SuppliedChains()
    chains.addCaptured()
    for session in sessions { chains.addCaptured(session) }
    var session = hidden
    chains.complete(&session)
    return session.assumedChain
  }

  @Test func `the order of assumed chains does not depend on the order of sessions`() throws {
    let older = shown(from: "2026-01-01T00:00:00Z", to: "2026-04-01T00:00:00Z")
    let newer = shown(from: "2026-01-15T00:00:00Z", to: "2026-04-01T00:00:00Z")
    let expired = shown(from: "2025-01-01T00:00:00Z", to: "2025-04-01T00:00:00Z")
    for sessions in [[older, newer, expired], [expired, newer, older], [newer, older, newer]] {
      let assumed = try #require(completed(sessions))
      #expect(assumed.chain == newer.sharedTLS?.chain)
      #expect(assumed.alternatives.map(\.chain) == [older].compactMap { $0.sharedTLS?.chain })
    }
  }

  @Test(arguments: [
    // ECDHE_RSA, RSA, ECDHE_ECDSA, and ECDH_RSA, where the leaf's key may be of another type than the key that signed it.
    (UInt16(0xC02F), true), (0x009C, true), (0xC02B, false), (0xC031, true),
  ])
  func `a chain is assumed only if the cipher suite can be used with its leaf`(suite: UInt16, fits: Bool) {
    var chains = SuppliedChains()
    chains.addCaptured()
    chains.addCaptured(shown(from: "2026-01-01T00:00:00Z", to: "2026-04-01T00:00:00Z"))
    let resumed = SessionBuilder {
      $0.certificates = nil
      $0.suite = suite
    }.session
    var completed = resumed
    chains.complete(&completed)
    #expect((completed.assumedChain != nil) == fits)
    #expect(completed.evidence.contains(.suppliedChainsContradicted) == !fits)
    // The note of an earlier run is removed if it no longer applies.
    var saved = resumed
    saved.evidence.add(.suppliedChainsContradicted)
    chains.complete(&saved)
    #expect(saved.evidence.contains(.suppliedChainsContradicted) == !fits)
  }

  @Test func `equal chains are one chain`() throws {
    let valid = shown(from: "2026-01-01T00:00:00Z", to: "2026-04-01T00:00:00Z")
    let assumed = try #require(completed([valid, valid]))
    #expect(assumed.chain == valid.sharedTLS?.chain)
    #expect(assumed.alternatives.isEmpty)
  }

  @Test func `a chain that expired after a session showed it is not assumed, even if it is the only one`() {
    let expired = shown(from: "2025-01-01T00:00:00Z", to: "2025-04-01T00:00:00Z")
    #expect(completed([expired]) == nil)
  }

  @Test func `a chain that a session showed after it expired is assumed if it is the only one`() {
    var expired = shown(from: "2025-01-01T00:00:00Z", to: "2025-04-01T00:00:00Z")
    expired.start = Timestamp("2026-01-31T00:00:00Z")
    #expect(completed([expired])?.chain == expired.sharedTLS?.chain)
  }

  @Test func `a chain that sessions showed before and after it expired is assumed, in whatever order they are`() {
    let early = shown(from: "2025-01-01T00:00:00Z", to: "2025-04-01T00:00:00Z")
    var late = early
    late.start = Timestamp("2026-01-31T00:00:00Z")
    for sessions in [[early, late], [late, early]] { #expect(completed(sessions)?.chain == early.sharedTLS?.chain) }
  }

  @Test func `a chain that was issued later is assumed, so that the finding says so`() {
    let later = shown(from: "2026-03-01T00:00:00Z", to: "2026-06-01T00:00:00Z")
    #expect(completed([later])?.chain == later.sharedTLS?.chain)
  }

  @Test func `a chain that a session showed outside its dates is assumed at other times too`() throws {
    let valid = shown(from: "2026-01-01T00:00:00Z", to: "2026-04-01T00:00:00Z")
    var expired = shown(from: "2025-01-01T00:00:00Z", to: "2025-04-01T00:00:00Z")
    expired.start = Timestamp("2026-01-31T00:00:00Z")
    let assumed = try #require(completed([expired, valid]))
    #expect(assumed.chain == valid.sharedTLS?.chain)
    #expect(assumed.alternatives.map(\.chain) == [expired].compactMap { $0.sharedTLS?.chain })
  }
}
