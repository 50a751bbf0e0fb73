import ATScope
import ByteParsing
import Testing

/// The size of text reports of captures of usual size.
@Suite struct TextReportSizeTests {
  private func lines(_ capture: String, width: Int) -> [Substring] {
    let text = String(decoding: Goldens.text([capture], width: width), as: UTF8.self)
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
  }

  @Test(arguments: [80, 100, 120])
  func `36 unknown hosts of a phone take at most 50 lines`(width: Int) {
    let lines = lines("captures/variants/hosts/tls13-hosts.pcapng", width: width)
    #expect(lines.count <= 50)
    #expect(lines.contains { $0.contains("UNKNOWN  36 hosts: TLS 1.3 hides the certificate") })
  }

  @Test(arguments: [80, 100, 120])
  func `five failing hosts take at most 60 lines`(width: Int) {
    let lines = lines("captures/variants/hosts/failing-hosts.pcapng", width: width)
    #expect(lines.count <= 60)
    #expect(lines.count { $0.hasPrefix("  FAIL   ") } == 5)
  }

  @Test func `the demo capture takes at most 40 lines`() {
    #expect(lines("captures/demo/demo.pcapng", width: 80).count <= 40)
  }

  @Test func `no line appears more than twice in a report`() {
    for capture in Goldens.captures {
      var counts: [Substring: Int] = [:]
      for line in lines(capture, width: 100) where !line.isEmpty { counts[line, default: 0] += 1 }
      #expect(counts.allSatisfy { $0.value <= 2 }, "\(capture): \(counts.filter { $0.value > 2 })")
    }
  }

  @Test(arguments: [
    ("client-certificates/given.pcap", "client certificate CN=client-1,O=Example"),
    ("client-certificates/given.pcap", "requested by the server, which ATS does not judge"),
    ("refused/expired.pcap", "refused by the client (certificate_expired)"),
    ("refused/device-old-server.pcap", "refused by the server (protocol_version)"),
    ("resumption/tls12-session-id.pcap", "the certificate of the session at frames 6, 8"),
    ("variants/hosts/tls13-hosts.pcapng", "recorded on iPhone10,2, iOS 17.4"),
  ])
  func `text, Markdown and HTML reports state client certificates, refusals and resumption`(capture: String, words: String) {
    for format in [ReportOptions.Format.text, .markdown, .html] {
      let report = String(decoding: Goldens.report(["captures/\(capture)"], format), as: UTF8.self)
      let text = report.replacing("\\", with: "").split(whereSeparator: \.isWhitespace)
      #expect(text.joined(separator: " ").contains(words), "\(format)")
    }
  }

  @Test(arguments: [
    ("refused/version-too-old.pcap", "refused by the server (protocol_version), frame 6; the client offered up to TLS 1.0"),
    ("refused/device-old-server.pcap", "everything that a device offers (TLS 1.3 and TLS 1.2): alert 70"),
    ("refused/silence.pcap", "To settle: record until the handshake completes or fails"),
    ("ech/accepted.pcap", "TLS 1.3 hides the certificate, and Encrypted ClientHello may hide another host name"),
  ])
  func `the text report shows why a host is undecided or refused`(capture: String, words: String) {
    let text = String(decoding: Goldens.text(["captures/\(capture)"], width: 200), as: UTF8.self)
    #expect(text.contains(words))
  }
}
