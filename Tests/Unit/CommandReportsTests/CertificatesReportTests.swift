import ByteParsing
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

  @Test func `pins are the keys of the CAs in a chain, or of the leaf if there are none`() {
    let leaf = certificate("CN=leaf", spki: Self.zeros)
    let authority = certificate("CN=CA", spki: Self.empty)
    let chains = [seen([leaf, authority], "a.example", "a.example"), seen([leaf], "b.example")]
    let list = text(CertificatesReport(chains, names: ["a.example", "b.example"]).propertyList())
    let parts = list.components(between: "<key>b.example</key>")
    #expect(parts.first?.contains(Self.emptyBase64) == true)
    #expect(parts.first?.contains("NSPinnedCAIdentities") == true)
    #expect(parts.last?.contains("NSPinnedLeafIdentities") == true)
    #expect(parts.last?.contains(Self.emptyBase64) == false)
    let settings = text(CertificatesReport(chains, names: ["a.example", "b.example"]).json())
    #expect(
      settings.contains(
        """
        "settings":[{"dictionary":"NSPinnedDomains","entry":"a.example","key":"NSPinnedCAIdentities",\
        "value":[{"SPKI-SHA256-BASE64":"\(Self.emptyBase64)"}]},
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

extension String {
  /// The text before and after a separator.
  fileprivate func components(between separator: String) -> [String] {
    guard let range = self.firstRange(of: separator) else { return [self] }
    return [String(self[..<range.lowerBound]), String(self[range.upperBound...])]
  }
}
