import ATScope
import Foundation
import SessionModel
import TestFiles
import Testing

/// Captures in which a Go server accepts or rejects Encrypted ClientHello (RFC 9849).
@Suite struct AuditEncryptedClientHelloTests {
  private func shown(_ name: String, _ log: String? = nil) -> Shown {
    Shown([Captures.path("ech/\(name).pcap")], keyLogs: [Captures.path((log ?? "ech/\(name)") + ".keylog")])
  }

  @Test(arguments: ["accepted", "accepted-after-retry", "quic"])
  func `an accepted session is decrypted with the secrets of the inner client random`(name: String) throws {
    let shown = shown(name)
    #expect(shown.tls()?.encryptedClientHello == "accepted")
    #expect(shown.tls()?.isDecrypted == true)
    #expect(shown.tls()?.outcome == .established)
    #expect(shown.certificates().count == 2)
    let facts = try #require(shown.tls())
    let inner = try hexadecimal(#require(facts.innerRandom))
    #expect(inner != hexadecimal(facts.clientRandom))
    let log = try String(contentsOfFile: Captures.path("ech/\(name).keylog"), encoding: .utf8)
    #expect(log.contains("SERVER_HANDSHAKE_TRAFFIC_SECRET " + inner))
    // The key log matches.
    #expect(shown.warnings.isEmpty)
    #expect(!shown.text.contains("secrets-missing"))
  }

  @Test(arguments: ["accepted", "accepted-after-retry", "quic"])
  func `the public name is not the host`(name: String) throws {
    let shown = shown(name)
    #expect(shown.tls()?.serverName == "public.example.net")
    #expect(try shown.serverName == nil)
    #expect(shown.certificateOutcomes()["ATS-CERT-HOST"] == .unknown)
  }

  private static let opened = [
    "inner-hello-in-key-log", "inner-hello-after-retry", "quic-inner-hello-in-key-log",
  ]

  @Test(arguments: opened)
  func `the inner ClientHello is judged if the key log decrypts it`(name: String) throws {
    let shown = shown(name)
    #expect(shown.tls()?.encryptedClientHello == "accepted")
    #expect(shown.tls()?.serverName == "api.example.com")
    #expect(shown.tls()?.outerHello?.serverName == "public.example.net")
    #expect(try shown.serverName == "api.example.com")
    #expect(shown.certificateOutcomes()["ATS-CERT-HOST"] == .pass)
    #expect(shown.tls()?.isDecrypted == true)
    let isAfterRetry = name.hasSuffix("after-retry")
    #expect(shown.tls()?.handshakeSignature == (isAfterRetry ? nil : .valid))
    #expect(shown.warnings.isEmpty)
    // The inner ClientHello includes extensions copied from the outer one.
    #expect(shown.tls()?.offer?.groups.isEmpty == false)
    // JA4 is computed from the outer ClientHello, as in other programs.
    let without = Shown([Captures.path("ech/\(name).pcap")])
    #expect(shown.tls()?.offer?.ja4 == without.tls()?.offer?.ja4)
    #expect(without.tls()?.outerHello == nil)
  }

  @Test(arguments: opened)
  func `the ECH secret alone suffices to show that the server accepted the inner ClientHello`(name: String) throws {
    let lines = try Captures.lines("ech/\(name).keylog").filter { $0.hasPrefix("ECH_") }
    let log = try TemporaryFile(lines.joined(separator: "\n"))
    let shown = Shown([Captures.path("ech/\(name).pcap")], keyLogs: [log.path])
    #expect(shown.tls()?.encryptedClientHello == "accepted")
    #expect(try shown.serverName == "api.example.com")
    #expect(shown.tls()?.isDecrypted == false)
    #expect(!shown.warnings.contains { $0.contains("none of which is in the captures") })
  }

  @Test
  func `an inner ClientHello that the server rejected is not used`() throws {
    let shown = shown("inner-hello-rejected")
    #expect(shown.tls()?.encryptedClientHello == "rejected")
    #expect(shown.tls()?.outerHello == nil)
    #expect(try shown.serverName == "public.example.net")
    let lines = try Captures.lines("ech/inner-hello-rejected.keylog").filter { $0.hasPrefix("ECH_") }
    let log = try TemporaryFile(lines.joined(separator: "\n"))
    let alone = Shown([Captures.path("ech/inner-hello-rejected.pcap")], keyLogs: [log.path])
    #expect(alone.tls()?.encryptedClientHello == "offered")
    #expect(try alone.serverName == "public.example.net")
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
      let log = try TemporaryFile(lines.joined(separator: "\n"))
      let shown = Shown([Captures.path("ech/\(name).pcap")], keyLogs: [log.path])
      #expect(shown.tls()?.encryptedClientHello == "accepted")
      #expect(try shown.serverName == nil)
      #expect(shown.text.contains("inner-hello-not-decrypted"))
    }
  }

  @Test
  func `a rejected session is judged by the outer ClientHello`() throws {
    let shown = shown("rejected")
    #expect(shown.tls()?.encryptedClientHello == "rejected")
    #expect(shown.tls()?.innerRandom == nil)
    #expect(try shown.serverName == "public.example.net")
    #expect(shown.certificateOutcomes()["ATS-CERT-HOST"] == .fail)
  }

  @Test
  func `each session in a capture is decrypted with its own secrets`() {
    let shown = shown("among-others")
    let states = shown.sessions.map(\.session.tls?.encryptedClientHello)
    #expect(states == ["accepted", "absent", "accepted", "accepted"])
    let randoms = shown.sessions.compactMap(\.session.tls?.innerRandom)
    #expect(Set(randoms).count == 3)
    #expect(shown.sessions.allSatisfy { $0.session.tls?.isDecrypted == true })
  }

  @Test
  func `the key log of another session decrypts nothing`() {
    let shown = shown("accepted", "tls13/x25519")
    #expect(shown.tls()?.encryptedClientHello == "offered")
    #expect(shown.tls()?.isDecrypted == false)
    #expect(shown.text.contains("secrets-missing"))
    #expect(shown.warnings.contains { $0.contains("none of which is in the captures") })
  }

  @Test
  func `saved sessions give the same session records again`() throws {
    for name in ["accepted", "rejected", "among-others", "quic"] + Self.opened {
      let first = shown(name)
      let file = try TemporaryFile(first.text)
      let second = Shown([file.path])
      func lines(_ shown: Shown) -> [Substring] {
        shown.text.split(separator: "\n").filter { $0.contains("\"atscope.session/1\"") }
      }
      #expect(lines(first) == lines(second))
      #expect(!lines(first).isEmpty)
    }
  }
}
