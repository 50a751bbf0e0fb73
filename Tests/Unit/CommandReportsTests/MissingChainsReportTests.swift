import CommandReports
import Reporting
import SessionModel
import Testing
import Values

@Suite struct MissingChainsReportTests {
  /// The missing chain of sessions whose certificates are encrypted.
  private func hidden(
    _ name: String, port: UInt16 = 443, transport: ObservedSession.Transport = .tcp, tunnel: [EnclosingLayer] = [],
    isSettledByChain: Bool = true, starts: [Timestamp?] = [nil], source: ObservedSession.NameSource? = .sni
  ) -> MissingChain {
    let client = Endpoint(address: IPAddress(v4: 0x0A00_0002), port: 50_000)
    let server = Endpoint(address: IPAddress(v4: 0xC633_6407), port: port)
    var session = ObservedSession(
      file: "a.pcap", firstFrame: 1, lastFrame: 9, start: nil, end: nil, transport: transport,
      application: .tls, client: client, server: server)
    session.serverName = source == nil ? nil : name
    session.serverNameSource = source
    session.tunnel = tunnel
    session.evidence.certificates = .encrypted
    session.sharedTLS = Shared(TLSFacts())
    var host = MissingChain(session)
    for start in starts {
      session.start = start
      host.note(session, isSettledByChain: isSettledByChain)
    }
    return host
  }

  private func script(_ hosts: MissingChain...) -> String {
    String(
      decoding: MissingChainsReport(hosts, furtherSessions: 0, inputs: ["a.pcap"]).script(), as: UTF8.self)
  }

  @Test func `a host with sessions that are all years old is to be recorded again`() {
    let (old, new) = (Timestamp(seconds: 1_556_554_523), Timestamp(seconds: 1_777_630_272))
    for (starts, isOld) in [([old, old], true), ([old, new], false), ([new], false), ([nil], false)] as [([Timestamp?], Bool)] {
      let report = MissingChainsReport([hidden("a.example", starts: starts)], furtherSessions: 0, inputs: ["a.pcap"])
      let text = String(decoding: report.text(TextOptions(width: 200)), as: UTF8.self)
      #expect(text.contains("; encrypted; record again, since certificates fetched now are newer than the sessions\n") == isOld)
      #expect(text.contains("collect.sh") != isOld)
      #expect(String(decoding: report.json(), as: UTF8.self).contains("\"old\":\(isOld)"))
    }
  }

  @Test func `a host without a name is settled only by a certificate that lists its address`() {
    for source in [ObservedSession.NameSource.address, .sni] {
      let report = MissingChainsReport([hidden("198.51.100.7", source: source)], furtherSessions: 0, inputs: ["a.pcap"])
      let text = String(decoding: report.text(TextOptions(width: 200)), as: UTF8.self)
      #expect(text.contains("; the client sent no host name: the chain settles it only if") == (source == .address))
    }
  }

  @Test func `the script has one command for each host`() {
    let text = script(
      hidden("api.example.com"), hidden("mail.example.com", port: 25, tunnel: [.startTLS("smtp")]),
      hidden("198.51.100.7", port: 8443), hidden("2001:db8::7"), hidden("h3.example.com", transport: .quic))
    let commands = text.split(separator: "\n").filter { $0.hasPrefix("collect '") }
    #expect(
      commands == [
        "collect 'api.example.com_443.pem' 'api.example.com:443' -servername 'api.example.com'",
        "collect 'mail.example.com_25.pem' 'mail.example.com:25' -servername 'mail.example.com' -starttls smtp",
        "collect '198.51.100.7_8443.pem' '198.51.100.7:8443'",
        "collect '[2001-db8--7]_443.pem' '[2001:db8::7]:443'",
        "collect 'h3.example.com_443.pem' 'h3.example.com:443' -servername 'h3.example.com'",
      ])
    #expect(text.contains("QUIC"))
  }

  @Test(arguments: [
    "a'b.example", "$(touch x).example", "a\ntouch x", "-help", ".example", "a b", "a;b", "a`b`",
    "a\u{2028}b",
    "münchen.example", "[::1]", "::1%eth0", "", String(repeating: "a", count: 4000), "a\\", "a\"b", "a\u{0}b",
  ])
  func `an invalid host name is left out with a comment of one line`(name: String) {
    let text = script(hidden(name))
    #expect(!text.contains("\ncollect '"))
    let comments = text.split(separator: "\n").filter { $0.hasPrefix("# Left out: ") }
    #expect(comments.count == 1)
    let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789-.?,:# L")
    #expect(comments.first?.allSatisfy(allowed.contains) == true)
    #expect((comments.first?.utf8.count ?? 0) < 140)
    #expect(text.contains("\nleft_out=1\n"))
  }

  @Test func `a protocol whose STARTTLS openssl does not support is left out`() {
    #expect(
      script(hidden("a.example", port: 3389, tunnel: [.startTLS("rdp")])).contains(
        "# Left out: a.example, port 3389"))
  }

  @Test func `a host is left out if no chain would settle its sessions`() {
    #expect(
      script(hidden("a.example", isSettledByChain: false)).contains(
        "# Left out: a.example, port 443: Encrypted ClientHello may hide another host"))
  }

  @Test func `a host is left out if no ClientHello shows it, because chains are supplied by host`() {
    let unknown = hidden("a.example", source: nil)
    #expect(script(unknown).contains("# Left out: 198.51.100.7, port 443: no ClientHello in the capture shows the host"))
    let text = MissingChainsReport([unknown], furtherSessions: 0, inputs: ["a.pcap"]).text(TextOptions(width: 200))
    #expect(!String(decoding: text, as: UTF8.self).contains("collect.sh"))
  }

  @Test(arguments: ["api.example.com:443", "my_host:8443", "[2001:db8::7]:443", "198.51.100.7:1"])
  func `a file name is parsed back to its host and port`(endpoint: String) throws {
    let sign = try #require(endpoint.lastIndex(of: ":"))
    let port = try #require(UInt16(endpoint[endpoint.index(after: sign)...]))
    let name = try #require(CollectedChainName(host: endpoint[..<sign].filter { !"[]".contains($0) }, port: port))
    #expect(CollectedChainName(fileName: name.fileName) == name)
    #expect(name.endpoint == endpoint)
  }

  @Test(arguments: ["a.pem", "_443.pem", "a_0.pem", "a_70000.pem", "a_443.txt", "../a_443.pem", "a_+443.pem"])
  func `a file name in another format has no host`(name: String) {
    #expect(CollectedChainName(fileName: name) == nil)
  }

  @Test(arguments: [
    (["a b.pcap"], "'a b.pcap'"), (["it's.pcap"], "'it'\\''s.pcap'"),
    (["a.pcap", "b.pcap"], "a.pcap b.pcap"),
    (["-"], "INPUT..."), (["a\u{1B}.pcap"], "INPUT..."), (["1", "2", "3", "4"], "INPUT..."),
  ])
  func `the suggested commands quote the inputs`(inputs: [String], shown: String) {
    let report = MissingChainsReport([hidden("a.example")], furtherSessions: 0, inputs: inputs)
    let text = String(decoding: report.text(TextOptions(width: 80)), as: UTF8.self)
    #expect(text.contains("atscope certificates --missing --script \(shown) > collect.sh\n"))
    #expect(text.contains("sh collect.sh chains && atscope --chain chains \(shown)\n"))
  }
}
