import ATScope
import Foundation
import Testing

/// Captures in which a Go server accepts or rejects Encrypted ClientHello (RFC 9849).
@Suite struct AuditEncryptedClientHelloTests {
  private func shown(_ name: String, _ log: String? = nil) -> Shown {
    Shown([Captures.path("ech/\(name).pcap")], keyLogs: [Captures.path((log ?? "ech/\(name)") + ".keylog")])
  }

  @Test(arguments: ["accepted", "accepted-after-retry", "quic"])
  func `an accepted session is decrypted with the secrets of the inner client random`(name: String) throws {
    let shown = shown(name)
    #expect(shown.tls("encryptedClientHello") as? String == "accepted")
    #expect(shown.tls("decrypted") as? Bool == true)
    #expect(shown.tls("outcome") as? String == "established")
    #expect(shown.certificates().count == 2)
    let inner = try #require(shown.tls("innerClientRandom") as? String)
    #expect(inner != shown.tls("clientRandom") as? String)
    let log = try String(contentsOfFile: Captures.path("ech/\(name).keylog"), encoding: .utf8)
    #expect(log.contains("SERVER_HANDSHAKE_TRAFFIC_SECRET " + inner))
    // The key log matches.
    #expect(shown.warnings.isEmpty)
    #expect(!shown.text.contains("secrets-missing"))
  }

  @Test(arguments: ["accepted", "accepted-after-retry", "quic"])
  func `the public name is not the host`(name: String) {
    let shown = shown(name)
    #expect(shown.tls("sni") as? String == "public.example.net")
    #expect(shown.sessions.first?["serverName"] is NSNull)
    #expect(shown.certificateOutcomes()["ATS-CERT-HOST"] == "unknown")
  }

  private static let opened = [
    "inner-hello-in-key-log", "inner-hello-after-retry", "quic-inner-hello-in-key-log",
  ]

  @Test(arguments: opened)
  func `the inner ClientHello is judged if the key log decrypts it`(name: String) throws {
    let shown = shown(name)
    #expect(shown.tls("encryptedClientHello") as? String == "accepted")
    #expect(shown.tls("sni") as? String == "api.example.com")
    #expect(shown.tls("outerSNI") as? String == "public.example.net")
    #expect(shown.sessions.first?["serverName"] as? String == "api.example.com")
    #expect(shown.certificateOutcomes()["ATS-CERT-HOST"] == "pass")
    #expect(shown.tls("decrypted") as? Bool == true)
    let isAfterRetry = name.hasSuffix("after-retry")
    #expect(shown.tls("handshakeSignature") as? String == (isAfterRetry ? nil : "valid"))
    #expect(shown.warnings.isEmpty)
    // The inner ClientHello includes extensions copied from the outer one.
    let groups = try #require(shown.tls("offeredGroups") as? [String])
    #expect(!groups.isEmpty)
    // JA4 is computed from the outer ClientHello, as in other programs.
    let without = Shown([Captures.path("ech/\(name).pcap")])
    #expect(shown.tls("ja4") as? String == without.tls("ja4") as? String)
    #expect(without.tls("outerSNI") == nil)
  }

  @Test(arguments: opened)
  func `the ECH secret alone suffices to show that the server accepted the inner ClientHello`(name: String) throws {
    let lines = try Captures.lines("ech/\(name).keylog").filter { $0.hasPrefix("ECH_") }
    let log = try Scratch(lines.joined(separator: "\n"))
    let shown = Shown([Captures.path("ech/\(name).pcap")], keyLogs: [log.path])
    #expect(shown.tls("encryptedClientHello") as? String == "accepted")
    #expect(shown.sessions.first?["serverName"] as? String == "api.example.com")
    #expect(shown.tls("decrypted") as? Bool == false)
    #expect(!shown.warnings.contains { $0.contains("none of which is in the captures") })
  }

  @Test
  func `an inner ClientHello that the server rejected is not used`() throws {
    let shown = shown("inner-hello-rejected")
    #expect(shown.tls("encryptedClientHello") as? String == "rejected")
    #expect(shown.tls("outerSNI") == nil)
    #expect(shown.sessions.first?["serverName"] as? String == "public.example.net")
    let lines = try Captures.lines("ech/inner-hello-rejected.keylog").filter { $0.hasPrefix("ECH_") }
    let log = try Scratch(lines.joined(separator: "\n"))
    let alone = Shown([Captures.path("ech/inner-hello-rejected.pcap")], keyLogs: [log.path])
    #expect(alone.tls("encryptedClientHello") as? String == "offered")
    #expect(alone.sessions.first?["serverName"] as? String == "public.example.net")
  }

  @Test
  func `an ECH secret or configuration of another session decrypts no inner ClientHello`() throws {
    let name = "inner-hello-in-key-log"
    let own = try Captures.lines("ech/\(name).keylog")
    let other = try Captures.lines("ech/inner-hello-after-retry.keylog")
    for label in ["ECH_SECRET", "ECH_CONFIG"] {
      let lines = try own.map { line -> String in
        guard line.hasPrefix(label) else { return line }
        let value = try #require(other.first { $0.hasPrefix(label) }?.split(separator: " ").last)
        return line.split(separator: " ").dropLast().joined(separator: " ") + " " + value
      }
      let log = try Scratch(lines.joined(separator: "\n"))
      let shown = Shown([Captures.path("ech/\(name).pcap")], keyLogs: [log.path])
      #expect(shown.tls("encryptedClientHello") as? String == "accepted")
      #expect(shown.sessions.first?["serverName"] is NSNull)
      #expect(shown.text.contains("inner-hello-not-decrypted"))
    }
  }

  @Test
  func `a rejected session is judged by the outer ClientHello`() {
    let shown = shown("rejected")
    #expect(shown.tls("encryptedClientHello") as? String == "rejected")
    #expect(shown.tls("innerClientRandom") == nil)
    #expect(shown.sessions.first?["serverName"] as? String == "public.example.net")
    #expect(shown.certificateOutcomes()["ATS-CERT-HOST"] == "fail")
  }

  @Test
  func `each session in a capture is decrypted with its own secrets`() {
    let shown = shown("among-others")
    let states = shown.sessions.indices.map { shown.tls("encryptedClientHello", $0) as? String }
    #expect(states == ["accepted", "absent", "accepted", "accepted"])
    let randoms = shown.sessions.indices.compactMap { shown.tls("innerClientRandom", $0) as? String }
    #expect(Set(randoms).count == 3)
    #expect(shown.sessions.indices.allSatisfy { shown.tls("decrypted", $0) as? Bool == true })
  }

  @Test
  func `the key log of another session decrypts nothing`() {
    let shown = shown("accepted", "tls13/x25519")
    #expect(shown.tls("encryptedClientHello") as? String == "offered")
    #expect(shown.tls("decrypted") as? Bool == false)
    #expect(shown.text.contains("secrets-missing"))
    #expect(shown.warnings.contains { $0.contains("none of which is in the captures") })
  }

  @Test
  func `saved sessions give the same session records again`() throws {
    for name in ["accepted", "rejected", "among-others", "quic"] + Self.opened {
      let first = shown(name)
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("ech-\(name)-\(UUID()).ndjson")
      try first.text.write(to: file, atomically: true, encoding: .utf8)
      defer { try? FileManager.default.removeItem(at: file) }
      let second = Shown([file.path])
      func lines(_ shown: Shown) -> [Substring] {
        shown.text.split(separator: "\n").filter { $0.contains("\"atscope.session/1\"") }
      }
      #expect(lines(first) == lines(second))
      #expect(!lines(first).isEmpty)
    }
  }
}
