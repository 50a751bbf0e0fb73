import ATSEvaluation
import ATScope
import ByteParsing
import CertificateParsing
import SessionModel
import TestBytes
import TestFiles
import Testing

/// Tests intermediates from files and from other sessions.
@Suite struct AuditIntermediatesTests {
  private static let anchor = "captures/anchors/example-ca.pem"
  private static let whole = "captures/certificates/wildcard.pcap"
  private static let bare = "captures/certificates/missing-intermediate.pcap"

  private func trust(_ inputs: [String], _ anchors: TrustAnchors) throws -> [String: String] {
    var options = AuditOptions(paths: inputs)
    options.judging.anchors = anchors
    var outcomes: [String: String] = [:]
    for session in Audit(options).run().sessions {
      let finding = try #require(session.judgement.findings.first { $0.id == "ATS-CERT-TRUST" })
      outcomes[session.session.file] = "\(finding.outcome) \(finding.notes.joined(separator: " "))"
    }
    return outcomes
  }

  @Test func `a supplied intermediate completes chains in any order of inputs, and a note names it`() throws {
    let chain = try #require(Audit(AuditOptions(paths: [Self.whole])).run().sessions.first?.session.sharedTLS?.chain)
    let scratch = try TemporaryFolder()
    let der = try #require(chain.certificates.dropFirst().first).certificate.der
    let file = try scratch.write("ca.pem", pemBlock(der))
    let given = try TrustAnchors(
      system: .none, added: [Self.anchor], intermediates: [file], takesShownIntermediates: false)
    let alone = try trust([Self.bare], given)
    #expect(alone[Self.bare]?.hasPrefix("pass") == true)
    #expect(alone[Self.bare]?.contains("which --intermediates gives") == true)
    #expect(try trust([Self.whole, Self.bare], given)[Self.bare] == alone[Self.bare])
  }

  @Test func `without intermediates from other sessions, the order of inputs does not matter`() throws {
    let none = try TrustAnchors(system: .none, added: [Self.anchor], takesShownIntermediates: false)
    let usual = try TrustAnchors(system: .none, added: [Self.anchor])
    for inputs in [[Self.whole, Self.bare], [Self.bare, Self.whole], [Self.bare]] {
      #expect(try trust(inputs, none)[Self.bare]?.hasPrefix("fail") == true)
    }
    #expect(try trust([Self.whole, Self.bare], usual)[Self.bare]?.hasPrefix("pass") == true)
  }

  @Test func `a file without certificates is an error`() {
    #expect(throws: AuditError.self) { try TrustAnchors(intermediates: ["README.md"]) }
  }
}
