import ATScope
import ByteParsing
import Foundation
import Testing

/// Chains that the user supplies for sessions that hide theirs.
@Suite struct SuppliedChainTests {
  private let capture = Captures.path("tls13/x25519.pcap")

  /// The chain of the server as PEM, from a capture that shows it.
  private func pem() throws -> String {
    let shown = Shown([Captures.path("tls12/ecdhe-rsa-gcm.pcap")])
    let list = shown.sessions.first?["certificates"] as? [[String: Any]] ?? []
    let blocks = list.compactMap { $0["der"] as? String }
    #expect(blocks.count == 2)
    return blocks.map { "-----BEGIN CERTIFICATE-----\n\($0)\n-----END CERTIFICATE-----\n" }.joined()
  }

  /// The sessions of a capture with chains supplied.
  private func shown(_ arguments: [String], _ capture: String) throws -> Shown {
    var chains = SuppliedChains()
    for argument in arguments { try chains.add(argument) }
    return Shown([capture], chains: chains)
  }

  @Test(arguments: ["", "api.example.com=", "API.example.com="])
  func `a session that hides its chain is judged by the one that was supplied`(prefix: String) throws {
    let file = try Scratch(try pem())
    let shown = try shown([prefix + file.path], capture)
    #expect(shown.sessions.first?["assumedCertificatesSource"] as? String == "supplied")
    #expect((shown.sessions.first?["assumedCertificates"] as? [Any])?.count == 2)
    #expect(shown.certificates().isEmpty)
    #expect(shown.certificateOutcomes()["ATS-CERT-HOST"] == "pass")
  }

  @Test
  func `a chain for another host stands in for nothing`() throws {
    let file = try Scratch(try pem())
    let shown = try shown(["other.example.com=" + file.path], capture)
    #expect(shown.sessions.first?["assumedCertificatesSource"] is NSNull)
  }

  @Test
  func `what a session itself shows counts more than what was supplied`() throws {
    let file = try Scratch(try pem())
    let shown = try shown([file.path], Captures.path("tls12/ecdhe-rsa-gcm.pcap"))
    #expect(shown.sessions.first?["assumedCertificatesSource"] is NSNull)
    #expect(shown.certificates().count == 2)
  }

  @Test
  func `the chains of a folder are taken by the names of their leaves`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "atscope-\(UUID().uuidString)").path()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try pem().write(toFile: folder + "/a.pem", atomically: true, encoding: .utf8)
    try "{}".write(toFile: folder + "/index.json", atomically: true, encoding: .utf8)
    let shown = try shown([folder], capture)
    #expect(shown.sessions.first?["assumedCertificatesSource"] as? String == "supplied")
  }

  @Test(arguments: ["no-such-file.pem", "README.md"])
  func `what holds no certificates is refused`(name: String) {
    #expect(throws: AuditError.self) {
      var chains = SuppliedChains()
      try chains.add(Captures.path(name))
    }
  }
}
