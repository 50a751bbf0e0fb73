import ATSEvaluation
import ATSRules
import ByteParsing
import PolicyResolution
import SeededRandom
import SessionModel
import SessionRecords
import TLSParsing
import Testing
import Values

@Suite struct SessionEncoderTests {
  private func line(_ session: ObservedSession, _ judgement: Shared<Judgement>? = nil) -> String {
    var encoder = SessionEncoder()
    var bytes = Bytes()
    encoder.append(session, judgement, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `a TLS 1_2 session has its fields in order`() {
    let digest = String(repeating: "ab", count: 32)
    let expected = """
      {"schema":"atscope.session/1","id":"\(SampleSessions.tls12().identifier)",\
      "communityID":"1:nbfHd5BoPUo3AGBEYOI7kyCzUyE=",\
      "capture":{"file":"trace.pcapng","firstFrame":12,"lastFrame":40},\
      "start":"2026-05-01T10:11:12.123456Z","end":"2026-05-01T10:11:13Z","transport":"tcp","application":"tls",\
      "client":{"address":"10.0.0.2","port":52011},"server":{"address":"203.0.113.7","port":443},"process":null,\
      "serverName":"api.example.com","serverNameSource":"sni","nameHints":[],"tunnel":[],\
      "tls":{"sni":"api.example.com",\
      "clientRandom":"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",\
      "serverRandom":"fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0efeeedecebeae9e8e7e6e5e4e3e2e1e0","sessionID":"dead","offeredSessionID":"",\
      "offeredVersions":["0x0304","0x0303"],"version":"0x0303","versionName":"TLS 1.2","cipherSuite":"0xc02f",\
      "cipherSuiteName":"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256","offeredCipherSuites":["0x1301","0xc02f"],\
      "offeredCompressionMethods":[0],"compressionMethod":0,"offeredExtensions":["0x0000","0x002b"],\
      "serverExtensions":["0x0017","0xff01"],"offeredGroups":["0x001d"],"offeredSignatureSchemes":["0x0804"],\
      "offeredCertificateSignatureSchemes":[],"alpn":"h2","offeredAlpn":["h2","http/1.1"],"keyExchange":"ecdhe",\
      "group":"0x001d","groupName":"x25519","serverKeyExchange":{"bits":253,"signatureScheme":"0x0804"},\
      "handshakeSignature":"valid",\
      "helloRetryRequest":false,"resumed":false,"resumption":null,"extendedMasterSecret":true,\
      "secureRenegotiation":true,"encryptedClientHello":"absent","ocspStapled":true,\
      "sctSources":["certificate","extension"],"clientCertificateRequested":false,"clientAlerts":[],\
      "serverAlerts":[],"established":true,"outcome":"established","decrypted":false,\
      "ja3":"00000000000000000000000000000000","ja3s":null,"ja4":"t13d0202h2_000000000000_000000000000"},\
      "certificates":[{"sha256":"\(digest)","spkiSHA256":"\(String(repeating: "cd", count: 32))",\
      "subject":"CN=host7.example,O=Ex\\\\\\\\,ample","issuer":"CN=Issuer 8","serial":"070802",\
      "notBefore":"2023-11-14T22:13:20Z","notAfter":"2024-07-03T09:46:40Z",\
      "publicKey":{"algorithm":"rsa","bits":2048,"curve":null},"signatureAlgorithm":"sha256WithRSAEncryption",\
      "dnsNames":["host7.example"],"ipAddresses":["192.0.2.1","2001:db8::1"],"isCA":false,\
      "extendedKeyUsage":["serverAuth"],"scts":1,"ocspResponse":"AQID","sctList":"BAU=","der":"BwgCAQk=",\
      "decodingError":null}],"certificatesSource":"handshake","assumedCertificates":[],\
      "assumedCertificatesSource":null,"clientCertificates":[],\
      "evidence":{"clientHello":"complete","serverHello":"complete","certificates":"complete",\
      "certificateStatus":"complete","serverKeyExchange":"complete","missingBytes":0,"truncatedPackets":0,\
      "clock":"plausible","incomplete":null,"frames":{"clientHello":[12],"serverHello":[14],"certificates":[14,15],\
      "outcome":[40]},"notes":[]}}
      """
    #expect(line(SampleSessions.tls12()) == expected)
  }

  @Test func `a session of cleartext HTTP has no TLS fields`() {
    let expected = """
      {"schema":"atscope.session/1","id":"\(SampleSessions.http().identifier)",\
      "communityID":"1:xxBXsRexdpQSgL1PGYgYIwayIeU=",\
      "capture":{"file":"trace.pcapng","firstFrame":3,"lastFrame":6},"start":"1970-01-01T00:00:00Z","end":null,\
      "transport":"tcp","application":"http","client":{"address":"2001:db8::2","port":40000},\
      "server":{"address":"2001:db8::1","port":80},"process":null,"serverName":"example.com",\
      "serverNameSource":"http-host","nameHints":[],"tunnel":["vlan 12"],\
      "http":{"requestCount":3,"requests":[{"method":"GET","host":"example.com","path":"/a","frame":4,"status":301,\
      "redirectScheme":"https","redirectHost":"example.com","contentType":"text/html",\
      "requestContentType":"text/plain","scheme":"ws"}]},\
      "evidence":{"clientHello":"complete","missingBytes":0,"truncatedPackets":0,"clock":"plausible",\
      "incomplete":null,"frames":{"clientHello":[4],"outcome":[6]},"notes":[]}}
      """
    #expect(line(SampleSessions.http()) == expected)
  }

  @Test func `a judgement is in the member ats, with the frames of each rule`() {
    let written = line(SampleSessions.tls12(), SampleSessions.judgement())
    let ats = written[(written.range(of: ",\"ats\":")?.upperBound ?? written.endIndex)...]
    let expected = """
      {"verdict":"fail","primaryRule":"ATS-TLS-VERSION","score":49,"confidence":0.55,"grade":"F",\
      "policy":{"schema":"atscope.policy/1","host":"api.example.com","direct":false,"os":"\(SampleSessions
        .judgement().policy.release.name)","context":"app","contextSource":"default",\
      "matched":"example.com","httpsRequired":true,"atsEnforced":true,"minimumTLSVersion":"0x0303",\
      "cipherPolicy":"ats","forwardSecrecyRequired":true,"niapPackageRequired":false,\
      "pins":{"leaf":["AAAA"],"ca":null}},"trust":null,\
      "rules":[{"id":"ATS-TLS-VERSION","outcome":"fail","required":true,"observed":"TLS 1.0",\
      "expected":"TLS 1.2 or later","frames":[14],"fix":"Server: enable TLS 1.2"},{"id":"ATS-PFS","outcome":"relaxed","required":true,\
      "frames":[12,14,15],"relaxedBy":{"key":"NSExceptionRequiresForwardSecrecy","entry":"example.com"}},\
      {"id":"ATS-CERT-DATES","outcome":"unknown","required":true,"certificate":0,"missing":"encrypted",\
      "settledBy":["--keylog FILE"],"notes":["A \\"note\\"."]}],\
      "passed":[],"notApplicable":[],\
      "predictedError":{"domain":"NSURLErrorDomain","code":-1200,\
      "underlying":{"domain":"kCFStreamErrorDomainSSL","code":-9836}},\
      "narrowestException":[{"entry":"api.example.com","key":"NSExceptionMinimumTLSVersion","value":"TLSv1.0"},\
      {"entry":"api.example.com","key":"NSIncludesSubdomains","value":false}],"noExceptionReason":null}}
      """
    #expect(String(ats) == expected)
  }

  @Test func `rules that pass or do not apply are listed by identifier only`() throws {
    var content = SampleSessions.judgement().value
    content.findings = [
      Finding(id: "ATS-TLS-VERSION", outcome: .pass), Finding(id: "ATS-PIN", outcome: .notApplicable),
      Finding(id: "ATS-PFS", outcome: .pass),
      Finding(id: "ADV-STAPLE", outcome: .fail, isRequired: false),
      Finding(id: "ADV-SCT", outcome: .unknown, isRequired: false),
    ]
    let written = line(SampleSessions.tls12(), Shared(content))
    #expect(
      written.contains(
        """
        "rules":[{"id":"ADV-STAPLE","outcome":"fail","required":false},\
        {"id":"ADV-SCT","outcome":"unknown","required":false}],\
        "passed":["ATS-TLS-VERSION","ATS-PFS"],"notApplicable":["ATS-PIN"],
        """))
  }

  @Test(arguments: [
    // Baselines of the specification and of Zeek's package.
    (6, "128.232.110.120", 34855, "66.35.250.204", 80, "LQU9qZlK+B5F3KDmev6m5PMibrg="),
    (17, "192.168.1.52", 54585, "8.8.8.8", 53, "d/FP5EW3wiY1vCndhwleRRKHowQ="),
    (
      6, "2001:470:e5bf:dead:4957:2174:e82c:4887", 63943, "2607:f8b0:400c:c03::1a", 25,
      "/qFaeAR+gFe1KYjMzVDsMv+wgU4="
    ),
    // Logged by Suricata.
    (17, "192.168.89.2", 36414, "8.8.8.8", 53, "6KH31DrKtXiYBf9dKMXt6n2rESo="),
    (17, "192.168.88.61", 949, "192.168.88.1", 53, "P7jixReUPBkrfEsrEJysVvyhqKc="),
    // Computed from the specification's pseudocode.
    (17, "2001:db8::1", 443, "2001:db8::2", 50000, "YNgcTrZlwX6KQIzWFqfVvlL3BmE="),
  ])
  func `a flow has its Community ID in both directions`(
    number: Int, first: String, firstPort: UInt16, second: String, secondPort: UInt16, expected: String
  ) throws {
    let ends = [
      Endpoint(address: try #require(IPAddress(first)), port: firstPort),
      Endpoint(address: try #require(IPAddress(second)), port: secondPort),
    ]
    for (client, server) in [(ends[0], ends[1]), (ends[1], ends[0])] {
      var session = SampleSessions.tls12()
      session.client = client
      session.server = server
      session.transport = number == 6 ? .tcp : .quic
      #expect(line(session).contains("\"communityID\":\"1:\(expected)\""))
    }
  }

  @Test func `a shared judgement is written with each session's own frames`() {
    let judgement = SampleSessions.judgement()
    var encoder = SessionEncoder()
    for frame in 1...100 as ClosedRange<UInt64> {
      var session = SampleSessions.tls12()
      session.evidence.frames[.serverHello] = FrameList([frame])
      session.evidence.frames[.certificates] = FrameList([frame + 1, frame + 2])
      var shared = Bytes()
      encoder.append(session, judgement, to: &shared)
      #expect(String(decoding: shared, as: UTF8.self) == line(session, judgement))
    }
  }

  @Test func `missing values are written as null`() {
    var session = SampleSessions.tls12()
    session.sharedTLS = Shared(TLSFacts())
    session.evidence = Evidence()
    session.start = nil
    let written = line(session)
    for field in [
      "start", "clientRandom", "serverRandom", "sessionID", "offeredVersions", "version", "cipherSuite",
      "offeredCipherSuites", "serverExtensions", "alpn", "offeredAlpn", "keyExchange", "group",
      "serverKeyExchange",
      "resumed", "extendedMasterSecret", "encryptedClientHello", "ocspStapled", "sctSources",
      "clientCertificateRequested", "ja3",
    ] {
      #expect(written.contains("\"\(field)\":null"), "\(field)")
    }
    #expect(written.contains("\"certificates\":[],\"certificatesSource\":\"none\""))
  }

  @Test(arguments: [(false, "null"), (true, "false")])
  func `a refused session whose flight was read records that no certificate was requested`(
    isRead: Bool, written: String
  ) throws {
    var session = SampleSessions.tls12()
    session.sharedTLS?.outcome = .refusedByClient
    session.sharedTLS?.forgoesClientCertificate = isRead
    let text = line(session)
    #expect(text.contains("\"clientCertificateRequested\":\(written),"))
    var decoder = SessionDecoder(makeCertificate: SampleSessions.certificate)
    guard case .session(let saved) = try decoder.decode(Bytes(text.utf8).span, number: 1) else {
      Issue.record("no session")
      return
    }
    #expect(line(saved) == text)
  }

  @Test(arguments: [(Evidence.State.partial, "null"), (.complete, "\"\"")])
  func `an empty session ID is null if the ClientHello is partial`(state: Evidence.State, written: String) {
    var session = SampleSessions.tls12()
    session.sharedTLS?.sharedServerHello = nil
    session.sharedTLS?.sessionID = ShortBytes()
    session.evidence.clientHello = state
    #expect(line(session).contains("\"sessionID\":\(written),"))
  }

  @Test func `a TLS 1_3 session omits fields that exist only in earlier versions`() {
    var session = SampleSessions.tls12()
    var answer = SampleSessions.answer()
    answer.version = .tls13
    answer.cipherSuite = CipherSuite(rawValue: 0x1301)
    answer.extensions = [ExtensionType(rawValue: 43), ExtensionType(rawValue: 51)]
    answer.keyShareGroup = NamedGroup(rawValue: 0x11EC)
    session.sharedTLS?.sharedServerHello = Shared(answer)
    session.sharedTLS?.group = NamedGroup(rawValue: 0x11EC)
    session.sharedTLS?.serverKeyExchange = nil
    let written = line(session)
    for field in ["extendedMasterSecret", "secureRenegotiation", "\"serverKeyExchange\":null"] {
      #expect(!written.contains(field))
    }
    #expect(
      written.contains("\"keyExchange\":\"hybrid\",\"group\":\"0x11ec\",\"groupName\":\"X25519MLKEM768\""))
  }

  @Test(
    arguments: [
      (0xC02F, 0x001D, false, "ecdhe"), (0x009E, nil, false, "dhe"), (0x002F, nil, false, "rsa"),
      (0xC004, nil, false, "ecdh"), (0x008C, nil, false, "psk"), (0x1301, 0x001D, false, "ecdhe"),
      (0x1301, 0x0100, false, "dhe"), (0x1301, 0x0201, false, "kem"), (0x1301, 0x11EC, true, "hybrid"),
      (0x1301, nil, true, "psk"), (0x1301, nil, false, nil), (0xFFFE, nil, false, nil),
    ] as [(UInt16, UInt16?, Bool, String?)])
  func `the key exchange is derived from the cipher suite and the group`(
    suite: UInt16, group: UInt16?, psk: Bool, name: String?
  ) {
    #expect(
      KeyExchangeName.name(
        suite: CipherSuite(rawValue: suite), group: group.map(NamedGroup.init(rawValue:)),
        isPreSharedKeySelected: psk) == name)
  }

  @Test(arguments: [true, false])
  func `a psk key exchange is derived only from a whole ServerHello`(isWhole: Bool) {
    var serverHello = ServerHelloFacts()
    serverHello.cipherSuite = CipherSuite(rawValue: 0x1301)
    serverHello.extensions = [ExtensionType(rawValue: 41)]
    #expect(KeyExchangeName.name(serverHello, isWhole: isWhole, group: nil) == (isWhole ? "psk" : nil))
  }

  @Test func `the identifier depends on the facts of the connection, not on the capture file`() {
    let session = SampleSessions.tls12()
    #expect(session.identifier == "27a9bb50417006f6")
    var others = [session, session, session, session, session]
    others[0].client = Endpoint(address: others[0].client.address, port: others[0].client.port + 1)
    others[1].server = Endpoint(address: IPAddress(v4: 1), port: others[1].server.port)
    others[2].start = nil
    others[3].sharedTLS?.clientRandom = ShortBytes([1])
    others[4].sharedTLS?.serverRandom = ShortBytes()
    #expect(Set(([session] + others).map(\.identifier)).count == 6)
    var same = session
    same.file = "other.pcap"
    same.firstFrame = 1
    same.serverName = "other.example"
    #expect(same.identifier == session.identifier)
    var http = SampleSessions.http()
    let name = http.identifier
    http.serverName = "EXAMPLE.com"
    #expect(http.identifier == name)
    http.serverName = "other.example"
    #expect(http.identifier != name)
  }

  @Test func `a reused encoder writes the same lines as a new one`() {
    var random = SeededGenerator(seed: 5)
    var encoder = SessionEncoder()
    let sessions = (0..<3000).map { _ in SampleSessions.session(&random) }
    for session in sessions + sessions.prefix(500) {
      var bytes = Bytes()
      encoder.append(session, nil, to: &bytes)
      #expect(String(decoding: bytes, as: UTF8.self) == line(session))
    }
  }
}

extension String {
  fileprivate func range(of text: String) -> Range<String.Index>? {
    ranges(of: text).first
  }
}
