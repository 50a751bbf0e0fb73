import ByteParsing
import CertificateIssuing
import CertificateParsing
import CommandReports
import InfoPlistReading
import PolicyResolution
import Reporting
import SessionModel
import Testing

@Suite struct CertificatesReportTests {
  private static let zeros = String(repeating: "0", count: 64)

  /// SHA-256 of zero bytes, in hexadecimal; below in Base64, as in pins.
  private static let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  private static let emptyBase64 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

  private func certificate(_ subject: String, spki: String?) -> ObservedCertificate {
    var certificate = Certificate(der: [0x30, 0x00])
    certificate.subject = subject
    return ObservedCertificate(certificate: certificate, sha256: Self.zeros, spkiSHA256: spki)
  }

  private func seen(_ certificates: [ObservedCertificate], _ hosts: String...) -> SeenChain {
    var seen = SeenChain(
      identifier: Self.zeros, chain: CertificateChain(certificates, isComplete: true), file: "a.pcap",
      firstFrame: 7)
    for host in hosts { seen.note(host: host) }
    return seen
  }

  private func text(_ bytes: Bytes?) -> String { bytes.map { String(decoding: $0, as: UTF8.self) } ?? "" }

  /// The pins in a report: each host and key of its entry, with the digests.
  private func pins(_ chains: [SeenChain], _ names: Set<String>) throws -> [String: [String]] {
    let list = try InfoPropertyList(reading: try #require(CertificatesReport(chains, names: names).propertyList()))
    var pins: [String: [String]] = [:]
    for domain in list.ats?.pinnedDomains ?? [] {
      pins["\(domain.key) leaf"] = domain.leafDigests
      pins["\(domain.key) CA"] = domain.caDigests
    }
    return pins
  }

  @Test func `pins are the keys of the CAs that issued the leaf, or of the leaf if there are none`() throws {
    let root = Issued.root()
    let (issuer, other) = (root.authority("CA"), root.authority("Other CA"))
    let leaves = (0...2).map { _ in issuer.leaf() }
    func sent(_ certificates: [Issued], _ host: String) -> SeenChain { seen(certificates.map(\.observed), host) }
    let chains = [
      sent([leaves[0], issuer, root], "a.example"), sent([leaves[1]], "b.example"), sent([leaves[1], other, root], "c.example"),
      // Out of order with another CA, and truncated.
      sent([leaves[0], root, other, issuer], "d.example"), sent([leaves[0]], "d.example"),
      // With one leaf whose issuer was not sent.
      sent([leaves[2], issuer], "e.example"), sent([leaves[1]], "e.example"),
    ]
    let keys = leaves.compactMap(\.observed.pin)
    let authorities = [issuer, root].compactMap(\.observed.pin)
    let expected: [String: [String]] = [
      "a.example CA": authorities, "b.example leaf": [keys[1]], "c.example leaf": [keys[1]], "d.example CA": authorities,
      "e.example leaf": [keys[2], keys[1]],
    ]
    let found = try pins(chains, ["a.example", "b.example", "c.example", "d.example", "e.example"])
    #expect(found == expected)
  }

  @Test func `a host with a final dot shares the pins of the host without it`() throws {
    let other = String(repeating: "ab", count: 32)
    let chains = [
      seen([certificate("CN=a", spki: Self.empty)], "a.example."), seen([certificate("CN=b", spki: other)], "a.example"),
      seen([certificate("CN=a", spki: Self.empty)], "b.example."),
    ]
    let found = try pins(chains, ["a.example", "a.example.", "b.example."])
    let otherBase64 = "q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s="
    #expect(found == ["a.example leaf": [Self.emptyBase64, otherBase64], "b.example leaf": [Self.emptyBase64]])
  }

  @Test func `the proposed settings in JSON are those of the property list`() {
    let chain = seen([certificate("CN=leaf", spki: Self.empty)], "a.example")
    #expect(
      text(CertificatesReport([chain], names: ["a.example"]).json()).contains(
        """
        "settings":[{"dictionary":"NSPinnedDomains","entry":"a.example","key":"NSPinnedLeafIdentities",\
        "value":[{"SPKI-SHA256-BASE64":"\(Self.emptyBase64)"}]}
        """))
  }

  @Test func `the property list of pins has no misplaced keys`() throws {
    let report = CertificatesReport([seen([certificate("CN=leaf", spki: Self.empty)], "a.example")], names: ["a.example"])
    let list = try InfoPropertyList(reading: try #require(report.propertyList()))
    #expect(list.ats?.pinnedDomains.map(\.key) == ["a.example"])
    #expect(!list.lint().contains { $0.rule == .misplaced })
  }

  @Test func `IP addresses are listed but not pinned`() {
    let report = CertificatesReport(
      [seen([certificate("CN=leaf", spki: Self.empty)], "192.0.2.1")], names: [])
    #expect(text(report.json()).contains("\"hosts\":[\"192.0.2.1\"]"))
    #expect(text(report.json()).hasSuffix("\"settings\":[]}\n"))
    #expect(!text(report.text(TextOptions())).contains("NSPinnedDomains"))
  }

  @Test func `text from inputs is escaped, and unreadable keys are reported`() {
    let report = CertificatesReport(
      [seen([certificate("CN=\u{1B}[31m\u{202E}", spki: nil)], "a.example")], names: ["a.example"])
    let shown = text(report.text(TextOptions()))
    #expect(shown.contains("CN=\\x1b[31m\\u{202e}"))
    #expect(shown.contains("key unreadable"))
    #expect(!shown.contains("\u{1B}"))
  }

  @Test func `the index names a PEM file for each chain, by its SHA-256`() {
    let report = CertificatesReport([seen([certificate("CN=../../evil", spki: nil)], "x")], names: [])
    #expect(text(report.json(namingFiles: true)).contains("\"file\":\"\(Self.zeros).pem\""))
    #expect(!text(report.json()).contains(".pem"))
  }

  @Test func `a chain counts its sessions and lists each host once`() {
    let chain = seen([certificate("CN=leaf", spki: nil)], "b.example", "a.example", "b.example")
    #expect(chain.sessions == 3)
    #expect(chain.hosts == ["b.example", "a.example"])
  }
}
