import ATScope
import Testing

@Test func `no host of ours fails App Transport Security`() throws {
  var options = AuditOptions(inputs: ["api.pcapng"])
  options.hosts = ["*.example.com"]
  options.judging.anchors = try TrustAnchors(added: ["company-ca.pem"])
  let sessions = try Audit(options).sessions()
  #expect(!sessions.isEmpty)
  #expect(sessions.allSatisfy { $0.verdict != .fail })
}
