import ATScope
import ByteParsing
import CertificateIssuing
import SessionModel
import TestBytes
import TestFiles
import Testing
import Values

/// Chains that the user supplies for sessions whose chain is encrypted.
@Suite struct SuppliedChainsTests {
  private let capture = Captures.path("tls13/x25519.pcap")

  /// The server's chain as PEM, from a capture of TLS 1.2.
  private func pem() throws -> String {
    let shown = Shown([Captures.path("tls12/ecdhe-rsa-gcm.pcap")])
    let certificates = shown.tls()?.chain?.certificates ?? []
    #expect(certificates.count == 2)
    return certificates.map { pemBlock($0.certificate.der) }.joined()
  }

  /// The report of a capture with supplied chains.
  private func shown(_ arguments: [String], _ capture: String) throws -> Shown {
    var chains = SuppliedChains()
    for argument in arguments.map(AssignedFile.init) { try chains.add(argument.file, for: argument.name) }
    return Shown([capture], chains: chains)
  }

  @Test(arguments: ["", "api.example.com=", "API.example.com="])
  func `a session with an encrypted chain is judged by the supplied chain`(prefix: String) throws {
    let file = try TemporaryFile(try pem())
    let shown = try shown([prefix + file.path], capture)
    #expect(try shown.assumedSource == .supplied)
    #expect(shown.sessions.first?.session.assumedChain?.chain.certificates.count == 2)
    #expect(shown.certificates().isEmpty)
    #expect(shown.certificateOutcomes()["ATS-CERT-HOST"] == .pass)
  }

  @Test
  func `a chain supplied for another host is not used`() throws {
    let file = try TemporaryFile(try pem())
    let shown = try shown(["other.example.com=" + file.path], capture)
    #expect(try shown.assumedSource == nil)
  }

  @Test
  func `an observed chain takes precedence over a supplied one`() throws {
    let file = try TemporaryFile(try pem())
    let shown = try shown([file.path], Captures.path("tls12/ecdhe-rsa-gcm.pcap"))
    #expect(try shown.assumedSource == nil)
    #expect(shown.certificates().count == 2)
  }

  @Test(arguments: [
    ("ech/inner-hello-rejected.pcap", "public.example.net"), ("gnutls/raw-public-key.pcap", "api.example.com"),
  ])
  func `a supplied chain is not used with ECH or a raw public key`(
    name: String, host: String
  ) throws {
    let file = try TemporaryFile(try pem())
    let shown = try shown([host + "=" + file.path], Captures.path(name))
    #expect(try shown.serverName == host)
    #expect(try shown.assumedSource == nil)
    #expect(shown.certificateOutcomes()["ATS-CERT-DATES"] == .unknown)
  }

  @Test
  func `the chains in a folder are matched by the names in their leaves`() throws {
    let folder = try TemporaryFolder()
    try folder.write("a.pem", pem())
    try folder.write("index.json", "{}")
    let shown = try shown([folder.path], capture)
    #expect(try shown.assumedSource == .supplied)
  }

  @Test
  func `a file of a folder that is no certificate does not affect the others`() throws {
    try withFolder(["a.pem": try pem(), "b.pem": "garbage"]) { folder in
      var chains = SuppliedChains()
      var unusable: [AuditError] = []
      chains.add(folder, for: nil, leavingOut: &unusable)
      #expect(unusable.map(\.file) == [folder + "/b.pem"])
      #expect(Shown([capture], chains: chains).certificateOutcomes()["ATS-CERT-HOST"] == .pass)
      #expect(throws: AuditError.self) { try chains.add(folder) }
    }
  }

  /// Calls a closure with a temporary folder of files.
  private func withFolder(_ files: [String: String], _ body: (String) throws -> Void) throws {
    let folder = try TemporaryFolder()
    for (name, text) in files { try folder.write(name, text) }
    try body(folder.path)
  }

  @Test(arguments: ["", "api.example.com="])
  func `the chain of a folder that was valid then is used, and an unreadable one is ignored`(prefix: String) throws {
    func leaf(from: String, to: String) -> String {
      pemBlock(
        Issued.root().leaf { form in
          form.dnsNames = ["api.example.com"]
          form.notBefore = Timestamp(from)
          form.notAfter = Timestamp(to)
        }.der)
    }
    let files = [
      "1.pem": leaf(from: "2020-01-01T00:00:00Z", to: "2021-01-01T00:00:00Z"),
      "2.pem": leaf(from: "2022-01-01T00:00:00Z", to: "2036-01-01T00:00:00Z"),
      "3.pem": leaf(from: "2023-01-01T00:00:00Z", to: "2037-01-01T00:00:00Z"),
      "4.pem": leaf(from: "2040-01-01T00:00:00Z", to: "2041-01-01T00:00:00Z"),
      "5.pem": pemBlock([0x30, 0x03, 0x61, 0x62, 0x63]),
    ]
    try withFolder(files) { folder in
      let shown = try shown([prefix + folder], capture)
      let leaf = shown.sessions.first?.session.assumedChain?.chain.certificates.first?.certificate
      #expect(leaf?.notBefore == Timestamp("2023-01-01T00:00:00Z"))
    }
  }

  /// A leaf for the host, valid for the given number of years.
  private func leaf(years: Int) -> String {
    pemBlock(
      Issued.root().leaf { form in
        form.dnsNames = ["api.example.com"]
        form.notBefore = Timestamp("2026-01-01T00:00:00Z")
        form.notAfter = Timestamp("\(2026 + years)-01-01T00:00:00Z")
      }.der)
  }

  @Test(arguments: [["1.pem": 1, "2.pem": 5], ["1.pem": 5, "2.pem": 1], ["api.example.com_443.pem": 1, "2.pem": 5]])
  func `chains in a folder that disagree leave a rule unknown, unless one is named for the host`(years: [String: Int]) throws {
    try withFolder(years.mapValues(leaf)) { folder in
      let shown = try shown([folder], capture)
      let isForHost = years["api.example.com_443.pem"] != nil
      #expect(shown.certificateOutcomes()["ATS-CERT-LIFETIME"] == (isForHost ? .pass : .unknown))
      #expect(shown.certificateOutcomes()["ATS-CERT-HOST"] == .pass)
      #expect(shown.sessions.first?.session.assumedChain?.alternatives.count == (isForHost ? 0 : 1))
      #expect(shown.text.contains("2 different chains are supplied for api.example.com (\(folder)/") != isForHost)
    }
  }

  @Test
  func `a file that is named itself counts outside its dates too`() throws {
    try withFolder(["expired.pem": leaf(years: -1), "valid.pem": leaf(years: 10)]) { folder in
      let shown = try shown(["\(folder)/expired.pem", "\(folder)/valid.pem"], capture)
      #expect(shown.certificateOutcomes()["ATS-CERT-DATES"] == .unknown)
      #expect(shown.text.contains("2 different chains are supplied for api.example.com"))
      #expect(try self.shown([folder], capture).certificateOutcomes()["ATS-CERT-DATES"] == .pass)
    }
  }

  @Test
  func `saved sessions keep all their supplied chains`() throws {
    try withFolder(["1.pem": leaf(years: 1), "2.pem": leaf(years: 5)]) { folder in
      let shown = try shown([folder], capture)
      let saved = try TemporaryFile(shown.text)
      let again = Shown([saved.path])
      #expect(again.certificateOutcomes() == shown.certificateOutcomes())
    }
  }

  @Test(arguments: [("", Finding.Outcome.fail), ("other.example.com=", .pass)])
  func `a chain that fits a saved session replaces the one of an earlier run`(prefix: String, lifetime: Finding.Outcome) throws {
    try withFolder(["earlier.pem": leaf(years: 1), "now.pem": leaf(years: 5)]) { folder in
      let earlier = try shown([folder + "/earlier.pem"], capture)
      #expect(earlier.certificateOutcomes()["ATS-CERT-LIFETIME"] == .pass)
      let saved = try TemporaryFile(earlier.text)
      let again = try shown([prefix + folder + "/now.pem"], saved.path)
      #expect(again.certificateOutcomes()["ATS-CERT-LIFETIME"] == lifetime)
      #expect(again.sessions.first?.session.assumedChain?.alternatives.isEmpty == true)
    }
  }

  @Test
  func `more supplied chains for a host than the limit are not used`() throws {
    let files = (1...17).map { ("\($0).pem", leaf(years: $0)) }
    try withFolder(Dictionary(uniqueKeysWithValues: files)) { folder in
      let shown = try shown([folder], capture)
      #expect(try shown.assumedSource == nil)
      #expect(shown.certificateOutcomes()["ATS-CERT-LIFETIME"] == .unknown)
      #expect(shown.text.contains("(more than 16 are supplied for it)"))
    }
  }

  @Test
  func `the text report names the file of one supplied chain, or counts several`() throws {
    func text(_ years: [Int]) throws -> String {
      var text = ""
      let files = years.map { ("\($0).pem", leaf(years: $0)) }
      try withFolder(Dictionary(uniqueKeysWithValues: files)) { folder in
        var chains = SuppliedChains()
        try chains.add(folder)
        text = Shown([capture], chains: chains, format: .text).text.replacing(folder, with: "F")
      }
      return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
    #expect(try text([1]).contains("uses the certificate from --chain F/1.pem"))
    #expect(try text([1, 2]).contains("uses one of 2 different chains from --chain"))
  }

  @Test(arguments: [
    ("other.example.com=", "other.example.com, which is not in the captures"),
    ("api.example.com:8443=", "api.example.com:8443, which is not in the captures"), ("", nil),
    ("api.example.com=", nil), ("api.example.com:443=", nil),
  ])
  func `a chain for a host that no session has is reported`(prefix: String, text: String?) throws {
    let file = try TemporaryFile(leaf(years: 1))
    // The warning does not depend on whether the sessions' chains are encrypted.
    for capture in [capture, Captures.path("tls12/ecdhe-rsa-gcm.pcap")] {
      let expected = text.map { "\(file.path): has 1 chain for \($0)" }
      #expect(try shown([prefix + file.path], capture).warnings == [expected].compactMap { $0 })
    }
  }

  @Test(arguments: [("api.example.com=", true), ("", false)])
  func `a supplied chain is reported if it begins with a CA that does not name the host`(prefix: String, isReported: Bool) throws {
    let file = try TemporaryFile(pemBlock(Issued.root().der))
    let warnings = try shown([prefix + file.path], capture).warnings
    let expected = "the first certificate is a CA and does not name api.example.com; put the server's certificate first"
    #expect(warnings.contains("\(file.path): \(expected)") == isReported)
  }

  @Test
  func `a folder is reported if none of its chains fits a session`() throws {
    let other = Issued.root().leaf { $0.dnsNames = ["a.example.net", "b.example.net"] }.der
    try withFolder(["1.pem": pemBlock(other), "c.example.net_443.pem": pemBlock(other)]) { folder in
      let shown = try shown([folder], capture)
      #expect(
        shown.warnings == [
          "\(folder): has 2 chains for a.example.net, b.example.net, c.example.net:443, none of which is in the captures"
        ])
    }
    try withFolder(["1.pem": pemBlock(other), "2.pem": leaf(years: 1)]) { folder in
      let shown = try shown([folder], capture)
      #expect(shown.warnings.isEmpty)
    }
  }

  /// The output of `openssl s_client -showcerts` with the given certificates.
  private func output(of pem: String) -> String {
    """
    CONNECTED(00000003)
    ---
    Certificate chain
     0 s:CN = api.example.com
       i:CN = Example CA
       a:PKEY: rsaEncryption, 2048 (bit); sigalg: RSA-SHA256
    \(pem)---
    Post-Handshake New Session Ticket arrived:
    SSL-Session:
        TLS session ticket:
        0000 - 2d 2d 2d 2d 2d 42 45 47-49 4e 20 43 45 52 54 49   -----BEGIN CERTI
    -----BEGIN SSL SESSION PARAMETERS-----
    MAA=
    -----END SSL SESSION PARAMETERS-----
    ---
    read R BLOCK
    DONE

    """
  }

  @Test(arguments: [
    ("api.example.com_443.pem", true), ("API.example.com_443.pem", true), ("api.example.com_8443.pem", false),
    ("www.example.com_443.pem", false), ("chain.pem", true),
  ])
  func `a collected chain is for the host and port of its file name`(name: String, isTaken: Bool) throws {
    try withFolder([name: output(of: try pem())]) { folder in
      let shown = try shown([folder], capture)
      #expect(try (shown.assumedSource == .supplied) == isTaken)
      if isTaken { #expect(shown.sessions.first?.session.assumedChain?.chain.certificates.count == 2) }
    }
  }

  @Test
  func `a collected chain of another name is judged for the host that it was collected from`() throws {
    let other = Issued.root().leaf { $0.dnsNames = ["other.example.net"] }
    try withFolder(["api.example.com_443.pem": output(of: pemBlock(other.der))]) { folder in
      let shown = try shown([folder], capture)
      #expect(shown.certificateOutcomes()["ATS-CERT-HOST"] == .fail)
    }
  }

  @Test(arguments: [false, true])
  func `a chain observed in another session is assumed only on request`(isCaptured: Bool) throws {
    let inputs = [capture, Captures.path("tls12/ecdhe-rsa-gcm.pcap")]
    var chains = SuppliedChains()
    if isCaptured { chains.addCaptured() }
    let shown = Shown(inputs, chains: chains)
    let session = try #require(shown.sessions.first { $0.session.tls?.chain == nil }?.session)
    #expect(session.assumedChain?.source == (isCaptured ? .captured : nil))
    let origin = session.assumedChain?.origin
    #expect(origin?.file.hasSuffix("tls12/ecdhe-rsa-gcm.pcap") == (isCaptured ? true : nil))
    #expect(shown.text.contains(#""chains":[{"file":"captured""#) == isCaptured)
    let text = Shown(inputs, chains: chains, format: .text).text.split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    #expect(text.contains("assumes the certificate of the session at frames 6, 8 of") == isCaptured)
  }

  @Test(arguments: [0, 1])
  func `chains of other sessions beyond the maximum number of hosts are counted`(maximum: Int) {
    var chains = SuppliedChains()
    chains.addCaptured()
    chains.maximumHosts = maximum
    let shown = Shown([capture, Captures.path("tls12/ecdhe-rsa-gcm.pcap")], chains: chains)
    #expect(shown.text.contains("\"limits\":{\"capturedChains\":1}") == (maximum == 0))
  }

  @Test(arguments: ["no-such-file.pem", "README.md"])
  func `a file without certificates is rejected`(name: String) {
    #expect(throws: AuditError.self) {
      var chains = SuppliedChains()
      try chains.add(Captures.path(name))
    }
  }
}
