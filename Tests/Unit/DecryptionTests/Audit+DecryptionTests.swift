import ATScope
import Foundation
import SessionModel
import TestFiles
import Testing

/// Captures that have a key log, read with it and without it.
@Suite struct AuditDecryptionTests {
  /// Captures of the same server and certificate over TLS 1.3 and QUIC.
  static let opened = [
    "tls13/x25519", "tls13/chacha20", "tls13/hello-retry", "tls13/no-sni", "tls13/hybrid-group",
    "tls13/compressed-zlib", "tls13/compressed-brotli", "tls13/compressed-zstd", "quic/version-1",
    "quic/version-two", "quic/retry", "quic/negotiation", "chromium/tls13", "chromium/http3",
    "chromium/hybrid-group", "chromium/http3-retry", "gnutls/certificate-declined",
  ]

  private func shown(_ name: String, keyLog: Bool = true) -> Shown {
    Shown([Captures.path(name + ".pcap")], keyLogs: keyLog ? [Captures.path(name + ".keylog")] : [])
  }

  @Test(arguments: opened)
  func `with the key log, the certificates are the same as in TLS 1_2`(name: String) {
    let plain = Shown([Captures.path("tls12/ecdhe-rsa-gcm.pcap")])
    let shown = shown(name)
    #expect(plain.certificates().count == 2)
    #expect(shown.certificates() == plain.certificates())
    #expect(shown.tls()?.isDecrypted == true)
    #expect(shown.tls()?.outcome == .established)
    #expect(shown.tls()?.handshakeSignature == .valid)
    #expect(shown.faults.isEmpty)
  }

  @Test
  func `a client certificate that TLS 1_3 requested and the client did not send is reported`() {
    let name = "client-certificates/required-in-tls13"
    let shown = Shown([Captures.path(name + ".pcap")], keyLogs: [Captures.path(name + ".keylog")])
    #expect(shown.tls()?.outcome == .established)
    #expect(shown.tls()?.isClientCertificateRequested == true)
    #expect(!shown.text.contains("The client sent none."))
    let alerts = shown.tls()?.serverAlerts
    #expect(alerts?.map(\.code.name) == ["certificate_required"])
    #expect(shown.sessions.first?.session.lastFrame == alerts?.first?.frame)
    let given = "client-certificates/given-in-tls13"
    let other = Shown([Captures.path(given + ".pcap")], keyLogs: [Captures.path(given + ".keylog")])
    #expect(!other.text.contains("The client sent none."))
    #expect(other.tls()?.serverAlerts.isEmpty == true)
  }

  /// Also without the client's second flight.
  @Test(arguments: [[1...9, 11...11, 10...10, 12...14], [1...6, 8...8, 11...12, 10...10, 13...14], [1...9, 11...12]])
  func `the order of the packets of both sides does not change the outcome`(order: [ClosedRange<Int>]) throws {
    let name = "client-certificates/required-in-tls13"
    let packets = try Captures.packets(name + ".pcap")
    let file = try TemporaryFile(Captures.data(name + ".pcap", of: order.flatMap { packets[($0.lowerBound - 1)..<$0.upperBound] }))
    let shown = Shown([file.path], keyLogs: [Captures.path(name + ".keylog")])
    #expect(shown.tls()?.outcome == (order.contains { $0.contains(10) } ? .established : .refusedByServer))
    #expect(shown.tls()?.serverAlerts.map(\.code.name) == ["certificate_required"])
  }

  @Test
  func `without the server's secret for application data, its alert after the handshake is not known`() throws {
    let name = "client-certificates/required-in-tls13"
    let lines = try Captures.lines(name + ".keylog").filter { !$0.hasPrefix("SERVER_TRAFFIC_SECRET_0") }
    let log = try TemporaryFile(lines.joined(separator: "\n"))
    let shown = Shown([Captures.path(name + ".pcap")], keyLogs: [log.path])
    #expect(shown.tls()?.isDecrypted == true)
    #expect(shown.text.contains("The client sent none. In TLS 1.3, a server that requires one refuses"))
    #expect(shown.tls()?.serverAlerts.isEmpty == true)
  }

  @Test(arguments: [1...4, 1...6, 1...7, 6...8, 5...8])
  func `a signature is not invalid because the capture lacks the first ClientHello or the HelloRetryRequest`(dropped: ClosedRange<Int>)
    throws
  {
    let packets = try Captures.packets("tls13/hello-retry.pcap").enumerated().filter { !dropped.contains($0.offset + 1) }
    let rest = try TemporaryFile(Captures.data("tls13/hello-retry.pcap", of: packets.map(\.element)))
    let shown = Shown([rest.path], keyLogs: [Captures.path("tls13/hello-retry.keylog")])
    #expect(shown.tls()?.isDecrypted == true)
    #expect(shown.tls()?.handshakeSignature == nil)
  }

  @Test(arguments: ["tls13/x25519", "tls13/hello-retry"])
  func `CertificateVerify does not verify if a hello in the capture was changed`(name: String) throws {
    var capture = try Data(contentsOf: URL(filePath: Captures.path(name + ".pcap")))
    // Swapping two words of the server's key share keeps the checksum; decryption uses the key log, not the key share.
    let group: [UInt8] = name == "tls13/x25519" ? [0x00, 0x1D] : [0x00, 0x18]
    let length: UInt8 = name == "tls13/x25519" ? 0x20 : 0x61
    let share = try #require(
      capture.range(of: Data([0x00, 0x33, 0x00, length + 4] + group + [0x00, length])))
    let words = Data(
      capture[share.upperBound + 2..<share.upperBound + 4] + capture[share.upperBound..<share.upperBound + 2])
    capture.replaceSubrange(share.upperBound..<share.upperBound + 4, with: words)
    let changed = try TemporaryFile(capture)
    let shown = Shown([changed.path], keyLogs: [Captures.path(name + ".keylog")])
    #expect(shown.tls()?.isDecrypted == true)
    #expect(shown.certificates().count == 2)
    #expect(shown.tls()?.handshakeSignature == .invalid)
    #expect(shown.sessions.first?.verdict == .fail)
  }

  @Test(
    arguments: ["tls13/x25519", "quic/version-1", "chromium/tls13", "chromium/http3"],
    ["tls12/ecdhe-rsa-gcm", "chromium/tls12-only-server"])
  func `the outcomes of certificate rules are the same as with TLS 1_2`(name: String, inTheClear: String) {
    let plain = Shown([Captures.path(inTheClear + ".pcap")])
    #expect(shown(name).certificates() == plain.certificates())
    let outcomes = shown(name).certificateOutcomes()
    #expect(!outcomes.isEmpty)
    #expect(outcomes == plain.certificateOutcomes())
  }

  @Test(arguments: opened)
  func `without the key log, certificate rules are unknown and the report suggests --keylog`(name: String) {
    let shown = shown(name, keyLog: false)
    #expect(shown.certificates().isEmpty)
    #expect(shown.tls()?.isDecrypted == false)
    #expect(shown.tls()?.chain == nil)
    #expect(shown.certificateOutcomes().values.contains(.unknown))
    #expect(shown.text.contains("--keylog"))
  }

  @Test
  func `a raw public key is not a certificate, in cleartext or decrypted`() {
    for name in ["gnutls/raw-public-key", "gnutls/raw-public-key-in-tls13"] {
      let hasKeyLog = name.hasSuffix("tls13")
      let shown = shown(name, keyLog: hasKeyLog)
      #expect(shown.tls()?.isDecrypted == hasKeyLog)
      #expect(shown.certificates().isEmpty)
      #expect(shown.certificateOutcomes()["ATS-CERT-TRUST"] == .unknown)
      #expect(shown.text.contains("raw-public-key"))
    }
  }

  @Test
  func `an empty client certificate does not count as a refusal`() {
    for keyLog in [false, true] {
      #expect(shown("gnutls/certificate-declined", keyLog: keyLog).tls()?.outcome == .established)
    }
  }

  @Test
  func `AES-CCM is named but not decrypted`() {
    let shown = shown("tls13/ccm")
    #expect(shown.tls()?.serverHello?.cipherSuite?.name == "TLS_AES_128_CCM_SHA256")
    #expect(shown.tls()?.isDecrypted == false)
    #expect(shown.text.contains("cipher-suite-not-decrypted"))
  }

  @Test
  func `the stapled OCSP response and ALPN are read from encrypted messages`() {
    #expect(shown("ocsp/good-in-tls13").tls()?.hasStapledOCSPResponse == true)
    #expect(shown("quic/version-1").tls()?.protectedALPN == "h3")
  }

  @Test
  func `the client's encrypted certificate is read`() {
    let certificates = shown("client-certificates/given-in-tls13").tls()?.clientChain?.certificates
    #expect(certificates?.isEmpty == false)
  }

  @Test(arguments: [
    "refused/unknown-ca-encrypted-alert", "quic/refused", "chromium/unknown-ca-in-tls13",
    "chromium/http3-refused",
  ])
  func `an encrypted alert that refuses the certificate is read`(name: String) {
    let shown = shown(name)
    #expect(shown.tls()?.outcome == .refusedByClient)
    #expect(!shown.certificates().isEmpty)
    #expect(shown.tls()?.clientAlerts.isEmpty == false)
  }

  /// Captures whose key logs also contain the secrets of application data.
  static let withApplicationSecrets = [
    "tls13/x25519", "tls13/chacha20", "quic/version-1", "alpn/h2-in-tls13", "chromium/tls13",
    "chromium/hybrid-group",
  ]

  @Test(arguments: withApplicationSecrets, [ReportOptions.Format.ndjson, .json, .text, .html, .csv])
  func `application data is not decrypted, and no secret is in the report`(
    name: String, format: ReportOptions.Format
  ) throws {
    let keyLog = Captures.path(name + ".keylog")
    guard let lines = try? Captures.lines(name + ".keylog") else { return }
    #expect(lines.contains { $0.hasPrefix("CLIENT_TRAFFIC_SECRET_0") })
    let shown = Shown([Captures.path(name + ".pcap")], keyLogs: [keyLog], format: format)
    let text = shown.text.lowercased()
    for line in lines where !line.hasPrefix("#") {
      let secret = line.split(separator: " ").last.map { $0.lowercased() } ?? ""
      let isShown = secret.count >= 64 && text.contains(secret)
      #expect(!isShown)
    }
    // Text that the peers exchanged after the handshake.
    for said in ["get /", "http/1.0 200", "<html", "s_server -", "ciphers supported in"] {
      let isShown = format != .html && text.contains(said)
      #expect(!isShown, "\(said)")
    }
  }

  @Test
  func `the key log of another session decrypts nothing and is not a fault`() {
    let shown = Shown(
      [Captures.path("tls13/x25519.pcap")], keyLogs: [Captures.path("tls13/chacha20.keylog")])
    #expect(shown.tls()?.isDecrypted == false)
    #expect(shown.faults.isEmpty)
    #expect(shown.text.contains("secrets-missing"))
  }

  @Test(arguments: ["tls13/x25519", "quic/version-1", "chromium/tls13"])
  func `with the key log of another session, the report does not suggest --keylog`(name: String) {
    let shown = Shown([Captures.path(name + ".pcap")], keyLogs: [Captures.path("tls13/chacha20.keylog")])
    #expect(!shown.text.contains("--keylog FILE"))
    #expect(shown.text.contains("the given ones belong to other sessions"))
    #expect(shown.warnings.contains { $0.contains("none of which is in the captures") })
  }

  @Test(arguments: [(80, false), (nil, true)] as [(Int?, Bool)])
  func `a key log is of other sessions only if the randoms are not truncated`(length: Int?, isReported: Bool) throws {
    let packets = try Captures.packets("tls13/x25519.pcap").map { packet in length.map { Captures.cut(packet, to: $0) } ?? packet }
    let capture = try TemporaryFile(Captures.data("tls13/x25519.pcap", of: packets))
    let shown = Shown([capture.path], keyLogs: [Captures.path("tls13/chacha20.keylog")])
    #expect(shown.sessions.count == 1)
    #expect(shown.warnings.contains { $0.contains("none of which is in the captures") } == isReported)
  }

  @Test
  func `a server's flight before the ClientHello in the capture is decrypted`() throws {
    // The fourth packet is the ClientHello; the packets between are acknowledgments.
    var packets = try Captures.packets("tls13/x25519.pcap")
    let hello = packets.remove(at: 3)
    packets.insert(hello, at: 8)
    let late = try TemporaryFile(Captures.data("tls13/x25519.pcap", of: packets))
    let shown = Shown([late.path], keyLogs: [Captures.path("tls13/x25519.keylog")])
    let plain = self.shown("tls13/x25519")
    #expect(shown.sessions.count == 1)
    #expect(shown.tls()?.isDecrypted == true)
    #expect(shown.tls()?.outcome == .established)
    #expect(shown.certificates() == plain.certificates())
  }

  @Test
  func `without the ClientHello, a key log does not change the outcome`() throws {
    var packets = try Captures.packets("tls13/x25519.pcap")
    packets.remove(at: 3)
    let late = try TemporaryFile(Captures.data("tls13/x25519.pcap", of: packets))
    let plain = Shown([late.path])
    let shown = Shown([late.path], keyLogs: [Captures.path("tls13/x25519.keylog")])
    for shown in [plain, shown] {
      #expect(shown.sessions.count == 1)
      #expect(shown.tls()?.outcome == .established)
      #expect(shown.tls()?.isEstablished == true)
    }
    #expect(shown.text.contains("secrets-missing"))
  }

  @Test
  func `records truncated by the snapshot length give the same outcome with a key log`() throws {
    // Some records of each side have only their header in the capture.
    let name = "client-certificates/given-in-tls13"
    let packets = try Captures.packets(name + ".pcap").map { Captures.cut($0, to: 300) }
    let short = try TemporaryFile(Captures.data(name + ".pcap", of: packets))
    let plain = Shown([short.path])
    let shown = Shown([short.path], keyLogs: [Captures.path(name + ".keylog")])
    #expect(shown.tls()?.outcome == plain.tls()?.outcome)
    #expect(shown.tls()?.isEstablished == true)
  }

  @Test(arguments: ["tls13/x25519", "quic/version-1"])
  func `wrong secrets decrypt nothing and are reported`(name: String) throws {
    let lines = try Captures.lines(name + ".keylog").map { line in
      let words = line.split(separator: " ")
      guard words.count == 3 else { return line }
      return "\(words[0]) \(words[1]) \(String(repeating: "5a", count: words[2].count / 2))"
    }
    let log = try TemporaryFile(lines.joined(separator: "\n"))
    let shown = Shown([Captures.path(name + ".pcap")], keyLogs: [log.path])
    #expect(shown.tls()?.isDecrypted == false)
    #expect(shown.tls()?.outcome == .established)
    #expect(shown.certificates().isEmpty)
    #expect(shown.text.contains("secrets-do-not-decrypt"))
  }

  /// The key log's lines for the handshake secrets of one side, changed by `change`.
  private func handshakeLines(
    _ name: String, of side: String, _ change: (Substring) -> String = { String($0) }
  ) throws -> [String] {
    try Captures.lines(name + ".keylog").filter { $0.hasPrefix("\(side)_HANDSHAKE") }.map { line in
      let words = line.split(separator: " ")
      guard words.count == 3 else { return line }
      return "\(words[0]) \(words[1]) \(change(words[2]))"
    }
  }

  @Test(arguments: ["tls13/x25519", "quic/version-1"])
  func `a wrong secret before the right one does not prevent decryption`(name: String) throws {
    let wrong = try ["CLIENT", "SERVER"].flatMap {
      try handshakeLines(name, of: $0) { String(repeating: "5a", count: $0.count / 2) }
    }
    let log = try TemporaryFile((wrong + Captures.lines(name + ".keylog")).joined(separator: "\n"))
    let shown = Shown([Captures.path(name + ".pcap")], keyLogs: [log.path])
    #expect(shown.tls()?.isDecrypted == true)
    #expect(shown.certificates().count == 2)
    #expect(shown.warnings.contains { $0.contains("differ") })
    #expect(!shown.text.contains("secrets-do-not-decrypt"))
  }

  @Test(arguments: ["tls13/x25519", "quic/version-1"])
  func `a key log with only the client's secrets is reported, as are wrong server secrets`(name: String) throws {
    let client = try handshakeLines(name, of: "CLIENT")
    let alone = try TemporaryFile(client.joined(separator: "\n"))
    let half = Shown([Captures.path(name + ".pcap")], keyLogs: [alone.path])
    #expect(half.certificates().isEmpty)
    #expect(half.text.contains("server-secret-missing"))
    let wrong = try handshakeLines(name, of: "SERVER") { String(repeating: "5a", count: $0.count / 2) }
    let both = try TemporaryFile((client + wrong).joined(separator: "\n"))
    let mixed = Shown([Captures.path(name + ".pcap")], keyLogs: [both.path])
    #expect(mixed.certificates().isEmpty)
    #expect(mixed.text.contains("secrets-do-not-decrypt"))
  }

  @Test
  func `for a server's flight with a gap, the report does not suggest --keylog`() throws {
    // The eighth packet is the second one of the server's flight.
    var packets = try Captures.packets("tls13/x25519.pcap")
    packets.remove(at: 7)
    let short = try TemporaryFile(Captures.data("tls13/x25519.pcap", of: packets))
    let gap = Shown([short.path], keyLogs: [Captures.path("tls13/x25519.keylog")])
    #expect(gap.sessions.count == 1)
    #expect(gap.certificates().isEmpty)
    #expect(gap.text.contains("record without packet loss"))
    #expect(!gap.text.contains("--keylog FILE"))
  }

  @Test
  func `a missing or invalid key log is a fault, and the capture is read`() {
    let capture = Captures.path("tls13/x25519.pcap")
    for log in [Captures.path("no-such.keylog"), Captures.path("record.py")] {
      let shown = Shown([capture], keyLogs: [log])
      #expect(shown.faults.count == 1)
      #expect(shown.sessions.count == 1)
    }
  }

  @Test
  func `malformed and unknown lines in a key log are skipped with a warning`() throws {
    let good = try Captures.lines("tls13/x25519.keylog").joined(separator: "\n")
    let bad = "SERVER_HANDSHAKE_TRAFFIC_SECRET 00 11\nCLIENT_HANDSHAKE_TRAFFIC_SECRET\nHELLO world\n"
    let log = try TemporaryFile("\u{0}\u{1}\n" + bad + good + "\n" + String(repeating: "x", count: 100_000))
    let shown = Shown([Captures.path("tls13/x25519.pcap")], keyLogs: [log.path])
    #expect(shown.tls()?.isDecrypted == true)
    #expect(shown.faults.isEmpty)
    #expect(!shown.warnings.isEmpty)
  }

  @Test(arguments: ["tls13/x25519", "quic/version-1"], [false, true])
  func `secrets in a pcapng capture are used before and after their packets`(name: String, atEnd: Bool) throws {
    let pcap = try Data(contentsOf: URL(filePath: Captures.path(name + ".pcap")))
    let secrets = try Captures.lines(name + ".keylog").joined(separator: "\n")
    let file = try TemporaryFile(Captures.pcapng(pcap, secrets: secrets, atEnd: atEnd))
    let shown = Shown([file.path])
    #expect(shown.sessions.count == 1)
    #expect(shown.tls()?.isDecrypted == true)
    #expect(shown.certificates().count == 2)
  }

  @Test(arguments: ["tls13/x25519", "quic/version-1"], [ReportOptions.Format.text, .junit, .ndjson])
  func `a report is the same for secrets before and after their packets`(
    name: String, format: ReportOptions.Format
  ) throws {
    let pcap = try Data(contentsOf: URL(filePath: Captures.path(name + ".pcap")))
    let secrets = try Captures.lines(name + ".keylog").joined(separator: "\n")
    let folder = try TemporaryFolder()
    var texts: [String] = []
    for atEnd in [false, true] {
      let file = try folder.write("a.pcapng", Captures.pcapng(pcap, secrets: secrets, atEnd: atEnd))
      // Another capture is read first, because the second one may be read twice.
      let shown = Shown([Captures.path("tls12/ecdhe-rsa-gcm.pcap"), file], format: format)
      #expect(shown.warnings.isEmpty)
      texts.append(shown.text)
    }
    let areEqual = texts.first == texts.last
    #expect(areEqual)
    let isEmpty = texts.first?.isEmpty ?? true
    #expect(!isEmpty)
    let isShut = texts.last?.contains("it traveled encrypted") == true
    #expect(!isShut)
  }

  @Test
  func `sessions in memory are decrypted with secrets after their packets`() throws {
    let pcap = try Data(contentsOf: URL(filePath: Captures.path("tls13/x25519.pcap")))
    let secrets = try Captures.lines("tls13/x25519.keylog").joined(separator: "\n")
    let file = try TemporaryFile(Captures.pcapng(pcap, secrets: secrets, atEnd: true))
    let result = Audit(AuditOptions(paths: [file.path])).run()
    #expect(result.sessions.count == 1)
    #expect(result.sessions.first?.session.sharedTLS?.chain?.certificates.count == 2)
    #expect(result.outcome.warnings.isEmpty)
  }
}
