import ATSEvaluation
import ATScope
import SessionModel
import Foundation
import Testing

/// What a project's own tests could look like; the documentation of the library shows the first of them.
@Suite struct AuditExampleTests {
  private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private func audit(_ capture: String) throws -> [JudgedSession] {
    var options = AuditOptions(inputs: [root.appending(path: capture).path()])
    options.hosts = [HostPattern("*.example.com")]
    // The servers' own authority, as a user or administrator installs it.
    options.anchors = try TrustAnchors(added: [root.appending(path: "captures/anchors/example-ca.pem").path()]
    )
    return try Audit.sessions(options)
  }

  @Test func `no host of ours fails App Transport Security`() throws {
    let sessions = try audit("captures/tls12/ecdhe-rsa-gcm.pcap")
    #expect(!sessions.isEmpty)
    #expect(sessions.allSatisfy { $0.verdict != .fail })
  }

  @Test func `a server of old is found out, with the rule that stands for it`() throws {
    let session = try #require(try audit("captures/tls10/static-rsa.pcap").first)
    #expect(session.verdict == .fail)
    #expect(session.judgement.primaryRule == "ATS-TLS-VERSION")
    #expect(session.session.serverName == "legacy.example.com")
  }

  @Test(arguments: ["captures/no-such.pcap", "README.md", "captures/variants/format/cut-at-end.pcap"])
  func `an input that cannot be read to its end throws`(capture: String) {
    #expect(throws: AuditError.self) { try audit(capture) }
  }
}
