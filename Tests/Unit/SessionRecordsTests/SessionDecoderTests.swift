import ByteParsing
import JSONReading
import SeededRandom
import SessionModel
import SessionRecords
import Testing
import Values

@Suite struct SessionDecoderTests {
  private func line(_ session: ObservedSession, withJudgement: Bool = false) -> Bytes {
    var encoder = SessionEncoder()
    var bytes = Bytes()
    encoder.append(session, withJudgement ? SampleSessions.judgement() : nil, to: &bytes)
    return bytes
  }

  private func decode(_ text: Bytes) throws(JSONError) -> ObservedSession? {
    var decoder = SessionDecoder(makeCertificate: SampleSessions.certificate)
    guard case .session(let session) = try decoder.decode(text.span, number: 1) else { return nil }
    return session
  }

  private func decode(_ text: String) throws(JSONError) -> ObservedSession? {
    try decode(Bytes(text.utf8))
  }

  @Test func `a decoded session is encoded to the same line`() throws {
    var random = SeededGenerator(seed: 6)
    var decoder = SessionDecoder(makeCertificate: SampleSessions.certificate)
    for number in 1...1000 {
      let written = line(SampleSessions.session(&random), withJudgement: random.once(in: 3))
      guard case .session(let session) = try decoder.decode(written.span, number: number) else {
        Issue.record("no session in line \(number)")
        continue
      }
      let again = line(session)
      // The decoder does not read the judgement.
      #expect(written.starts(with: again.dropLast()))
    }
  }

  @Test(arguments: [
    "", "0", "=cmd|' /C calc'!A0", String(repeating: "0", count: 33), String(repeating: "F", count: 32),
  ])
  func `a JA3 fingerprint that is not 32 lower-case hexadecimal digits is rejected`(text: String) throws {
    let digest = String(repeating: "0", count: 32)
    let written = String(decoding: line(SampleSessions.tls12()), as: UTF8.self)
    #expect(written.contains(digest))
    #expect(throws: JSONError.self) {
      try decode(written.replacing("\"ja3\":\"\(digest)\"", with: "\"ja3\":\"\(text)\""))
    }
  }

  @Test func `server names are read in lower case`() throws {
    let written = String(decoding: line(SampleSessions.tls12()), as: UTF8.self)
    #expect(try decode(written.replacing("api.example.com", with: "API.Example.COM"))?.serverName == "api.example.com")
  }

  @Test func `the facts that judging needs are decoded`() throws {
    var original = SampleSessions.tls12()
    original.sharedTLS?.sharedServerHello = Shared(SampleSessions.answer())
    let session = try #require(try decode(line(original)))
    #expect(session.file == original.file && session.firstFrame == 12 && session.lastFrame == 40)
    #expect(session.start == original.start && session.end == original.end)
    #expect(session.client == original.client && session.server == original.server)
    #expect(session.serverName == original.serverName && session.serverNameSource == .sni)
    #expect(session.evidence == original.evidence)
    let facts = try #require(session.sharedTLS)
    let expected = try #require(original.sharedTLS)
    #expect(facts.sharedOffer == expected.sharedOffer && facts.sharedServerHello == expected.sharedServerHello)
    #expect(facts.clientRandom == expected.clientRandom && facts.serverRandom == expected.serverRandom)
    #expect(facts.sessionID == expected.sessionID && facts.group == expected.group)
    #expect(facts.serverKeyExchange == expected.serverKeyExchange)
    #expect(facts.isResumed == false && facts.isEstablished && facts.outcome == .established && facts.hasStapledOCSPResponse)
    #expect(facts.ocspResponse == expected.ocspResponse && facts.sctList == expected.sctList)
    #expect(facts.chain == expected.chain && facts.chain?.isComplete == true)
    let http = try #require(try decode(line(SampleSessions.http())))
    #expect(http.http == SampleSessions.http().http && http.tunnel.map(\.text) == ["vlan 12"] && http.sharedTLS == nil)
  }

  @Test func `equal offers, ServerHellos and chains become one object`() throws {
    var decoder = SessionDecoder(makeCertificate: SampleSessions.certificate)
    let written = line(SampleSessions.tls12())
    guard case .session(let first) = try decoder.decode(written.span, number: 1),
      case .session(let second) = try decoder.decode(written.span, number: 2)
    else {
      Issue.record("no session")
      return
    }
    #expect(first.sharedTLS?.sharedOffer?.identity == second.sharedTLS?.sharedOffer?.identity && first.sharedTLS?.sharedOffer != nil)
    #expect(
      first.sharedTLS?.sharedServerHello?.identity == second.sharedTLS?.sharedServerHello?.identity
        && first.sharedTLS?.sharedServerHello != nil)
    #expect(first.sharedTLS?.chain === second.sharedTLS?.chain && first.sharedTLS?.chain != nil)
  }

  @Test func `keys are read in any order and with white space, and unknown keys are skipped`() throws {
    let text = """
      { "evidence" : {"clientHello":"complete", "later": {"a":[1,-2.5e+3,null,true,{"b":"\\u00e9"}]}},
        "server":{"port":443,"address":"::1"}, "client":{"address":"::2","port":1}, "tls": null,
        "application":"tls","transport":"tcp","capture":{"lastFrame":2,"firstFrame":1,"file":"\\u0061\\ud83d\\ude00"},
        "schema":"atscope.session/1" }
      """
    let session = try #require(try decode(text))
    #expect(session.file == "a😀" && session.lastFrame == 2 && session.sharedTLS == nil)
  }

  @Test func `records other than sessions and blank lines are recognized`() throws {
    var decoder = SessionDecoder(makeCertificate: SampleSessions.certificate)
    func line(_ text: String) throws -> String {
      "\(try decoder.decode(Bytes(text.utf8).span, number: 1))"
    }
    #expect(try line("{\"schema\":\"atscope.run/1\",\"tls\":3}") == "run(isBare: true)")
    #expect(try line("{\"schema\":\"atscope.run/1\",\"tool\":\"atscope\"}") == "run(isBare: false)")
    for text in ["{\"schema\":\"atscope.summary/1\",\"sessions\":9}", "{\"sessions\":9,\"schema\":\"atscope.summary/1\"}"] {
      guard case .summary(let summary) = try decoder.decode(Bytes(text.utf8).span, number: 1) else {
        Issue.record("no summary")
        continue
      }
      #expect(summary.sessions == 9)
    }
    #expect(try line("{\"schema\":\"atscope.input/1\"}") == "input")
    #expect(try line(" \r") == "blank")
    // Some shells begin a file with a byte order mark.
    #expect(try line("\u{FEFF}{\"schema\":\"atscope.run/1\",\"tool\":\"atscope\"}") == "run(isBare: false)")
    #expect(try line("\u{FEFF}") == "blank")
  }

  @Test func `sessions saved without certificates cannot be judged again`() throws {
    var run = RunRecord(toolVersion: "1", policyVersion: "1", command: "audit")
    var decoder = SessionDecoder(makeCertificate: SampleSessions.certificate)
    for isRejudgeable in [true, false] {
      run.isRejudgeable = isRejudgeable
      var bytes = Bytes()
      bytes.appendJSON(run)
      switch try decoder.decode(bytes.span, number: 1) {
      case .run: #expect(isRejudgeable)
      case .notRejudgeable: #expect(!isRejudgeable)
      default: Issue.record("a run is neither")
      }
    }
    var compact = SessionEncoder(isCompact: true)
    var bytes = Bytes()
    compact.append(SampleSessions.tls12(), nil, to: &bytes)
    let written = String(decoding: bytes, as: UTF8.self)
    for member in ["der", "ocspResponse", "sctList"] {
      #expect(String(decoding: line(SampleSessions.tls12()), as: UTF8.self).contains("\"\(member)\""))
      #expect(!written.contains("\"\(member)\""))
    }
    #expect(throws: JSONError.self) { try decode(bytes) }
  }

  @Test func `a line truncated anywhere throws`() {
    let whole = line(SampleSessions.tls12(), withJudgement: true)
    #expect(throws: Never.self) { try decode(whole) }
    for count in 1..<whole.count {
      #expect(throws: JSONError.self) { try decode(Bytes(whole.prefix(count))) }
    }
  }

  @Test func `a line with changed bytes parses or throws`() throws {
    var random = SeededGenerator(seed: 7)
    let whole = line(SampleSessions.tls12(), withJudgement: true)
    let other = line(SampleSessions.http())
    var readable = 0
    for _ in 0..<TestEffort.rounds(10_000) {
      var changed = random.once(in: 3) ? other : whole
      for _ in 0...random.below(3) { changed[random.below(changed.count)] = UInt8(random.below(256)) }
      guard let session = try? decode(changed) else { continue }
      // A decoded session can be encoded and decoded again.
      let again = line(session)
      let reread = try #require(try decode(again))
      #expect(line(reread) == again)
      readable += 1
    }
    #expect(readable > TestEffort.rounds(1000))
  }

  @Test func `any bytes give a session or an error`() {
    var random = SeededGenerator(seed: 8)
    let pieces = [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "null", "true", "1", "-", "e9", "\"tls\"", "\"schema\"",
      "\"atscope.session/1\"", "\"der\"", "\\u", "\\ud800", "\u{0}", "\"capture\":{",
    ]
    for _ in 0..<TestEffort.rounds(30_000) {
      var text = Bytes()
      for _ in 0..<random.below(20) { text.append(contentsOf: random.pick(pieces).utf8) }
      if random.once(in: 4) { text = SampleSessions.bytes(&random, 60) }
      _ = try? decode(text)
    }
  }

  @Test(
    arguments: [
      ("[]", .notARecord), ("1", .notARecord), ("{}", .notARecord), ("{\"schema\":1}", .wrongType),
      ("{\"schema\":\"a\",\"schema\":\"a\"}", .duplicateKey), ("{\"schema\":\"\\q\"}", .invalidText),
      ("{\"schema\":\"\\ud800\"}", .invalidText), ("{\"schema\":\"\\ud800\\u0041\"}", .invalidText),
      ("{\"schema\":\"atscope.session/1\"}", .missingField), ("{\"x\":01x}", .unexpectedByte(0x78)),
      ("{\"schema\":\"atscope.session/1\"", .truncated), ("{\"schema\":\"a\"} x", .unexpectedByte(0x78)),
      ("{\"schema\":\"a\",}", .wrongType), ("{,\"schema\":\"a\"}", .wrongType),
      ("{\"a\":[1,]}", .unexpectedByte(0x5D)),
      ("{\"a\":{\"b\":1,}}", .unexpectedByte(0x7D)),
      ("{\"capture\":{\"firstFrame\":18446744073709551616}}", .numberOutOfRange),
      ("{\"capture\":{\"firstFrame\":1e3}}", .numberOutOfRange),
      ("{\"capture\":{\"firstFrame\":-1}}", .numberOutOfRange),
      ("{\"capture\":{\"firstFrame\":1.5}}", .numberOutOfRange),
      ("{\"capture\":{\"firstFrame\":01}}", .unexpectedByte(0x30)),
      ("{\"capture\":{\"file\":\"a\\\\\"}}", .invalidText), ("{\"transport\":\"sctp\"}", .unknownValue),
      ("{\"server\":{\"address\":\"1.2.3\",\"port\":1}}", .unknownValue),
      ("{\"server\":{\"address\":\"1.2.3.4\",\"port\":65536}}", .numberOutOfRange),
      ("{\"server\":{\"address\":\"1.2.3.4\"}}", .missingField), ("{\"start\":\"yesterday\"}", .unknownValue),
      ("{\"certificates\":[{\"der\":\"A\"}]}", .unknownValue), ("{\"certificates\":[{}]}", .missingField),
      ("{\"tls\":{\"version\":\"0x03\"}}", .unknownValue),
      ("{\"tls\":{\"version\":\"0x03g3\"}}", .unknownValue),
      ("{\"tls\":{\"clientRandom\":\"abc\"}}", .unknownValue),
      ("{\"tls\":{\"outcome\":\"won\"}}", .unknownValue),
      ("{\"evidence\":{\"frames\":{\"outcome\":[0]}}}", .numberOutOfRange), ("{\"tls\":[]}", .wrongType),
    ] as [(String, JSONError.Reason)])
  func `an invalid record throws its reason and line`(text: String, reason: JSONError.Reason) {
    let error = #expect(throws: JSONError.self) { try decode(text) }
    #expect(error?.reason == reason)
    #expect(error?.line == 1)
  }

  @Test func `invalid UTF-8 is rejected`() {
    let bytes = Bytes("{\"capture\":{\"file\":\"".utf8) + [0xFF] + Bytes("\"}}".utf8)
    let error = #expect(throws: JSONError.self) { try decode(bytes) }
    #expect(error?.reason == .invalidText)
    #expect(error?.field == "file")
  }

  @Test(arguments: ["[", "{\"a\":"])
  func `the nesting depth is limited`(bracket: String) {
    let text = "{\"x\":" + String(repeating: bracket, count: 200_000)
    let error = #expect(throws: JSONError.self) { try decode(text) }
    #expect(error?.reason == .tooDeep)
  }

  @Test func `lists and lines have limits`() {
    let frames = "{\"evidence\":{\"frames\":{\"outcome\":[1" + String(repeating: ",1", count: 64) + "]}}}"
    #expect(throws: JSONError.self) { try decode(frames) }
    let keys = "{" + (0..<600).map { "\"k\($0)\":0" }.joined(separator: ",") + "}"
    let error = #expect(throws: JSONError.self) { try decode(keys) }
    #expect(error?.reason == .tooLarge)
    let long = Bytes(repeating: 0x20, count: SessionDecoder.maximumLineByteCount + 1)
    #expect(throws: JSONError.self) { try decode(long) }
  }

  @Test func `an error is described in one line`() {
    let error = JSONError(.numberOutOfRange, in: "port", line: 3, offset: 120)
    #expect(error.description == "line 3, byte 120, in \"port\": number out of range")
  }
}
