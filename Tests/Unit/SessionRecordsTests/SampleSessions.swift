import ATSEvaluation
import ATSEvidence
import ATSRules
import ByteParsing
import CertificateParsing
import PolicyResolution
import SeededRandom
import SessionModel
import TLSParsing
import Values

/// Handwritten and random sessions.
enum SampleSessions {
  /// A certificate with facts that depend on its bytes, as if they were decoded.
  static func certificate(_ der: Bytes) -> ObservedCertificate {
    var certificate = Certificate(der: der)
    if der.count < 4 {
      certificate.decodingError = "too short"
      return ObservedCertificate(certificate: certificate, sha256: hexadecimal(der), spkiSHA256: nil)
    }
    certificate.subject = "CN=host\(der[0]).example,O=Ex\\,ample"
    certificate.issuer = "CN=Issuer \(der[1])"
    certificate.serial = hexadecimal(der.prefix(3))
    certificate.notBefore = Timestamp(seconds: 1_700_000_000)
    certificate.notAfter = Timestamp(seconds: 1_720_000_000)
    certificate.publicKey.algorithm = "rsa"
    certificate.publicKey.bits = 2048
    certificate.signatureAlgorithm = "sha256WithRSAEncryption"
    certificate.dnsNames = ["host\(der[0]).example"]
    certificate.ipAddresses = [IPAddress(v4: 0xC000_0201), IPAddress(v6: 0x2001_0DB8_0000_0000, 1)]
    certificate.extendedKeyUsage = der[2] & 1 == 0 ? ["serverAuth"] : nil
    certificate.embeddedSCTs = Int(der[3] & 3)
    return ObservedCertificate(
      certificate: certificate, sha256: String(repeating: "ab", count: 32),
      spkiSHA256: String(repeating: "cd", count: 32))
  }

  /// An ordinary TLS 1.2 session.
  static func tls12() -> ObservedSession {
    var session = ObservedSession(
      file: "trace.pcapng", firstFrame: 12, lastFrame: 40,
      start: Timestamp(seconds: 1_777_630_272, nanoseconds: 123_456_000),
      end: Timestamp(seconds: 1_777_630_273),
      transport: .tcp, application: .tls,
      client: Endpoint(address: IPAddress(v4: 0x0A00_0002), port: 52011),
      server: Endpoint(address: IPAddress(v4: 0xCB00_7107), port: 443))
    session.serverName = "api.example.com"
    session.serverNameSource = .sni
    var facts = TLSFacts()
    facts.sharedOffer = Shared(offer())
    facts.sharedServerHello = Shared(answer())
    facts.serverName = "api.example.com"
    facts.clientRandom = ShortBytes((0..<32).map { UInt8($0) })
    facts.serverRandom = ShortBytes((0..<32).map { UInt8(0xFF - $0) })
    facts.sessionID = ShortBytes([0xDE, 0xAD])
    facts.isResumed = false
    facts.group = NamedGroup(rawValue: 0x001D)
    facts.serverKeyExchange = ServerKeyExchangeFacts(
      bits: 253, group: NamedGroup(rawValue: 0x001D), signatureScheme: SignatureScheme(rawValue: 0x0804))
    facts.handshakeSignature = .valid
    facts.hasStapledOCSPResponse = true
    facts.ocspResponse = [1, 2, 3]
    facts.sctList = [4, 5]
    facts.outcome = .established
    facts.chain = CertificateChain([certificate([7, 8, 2, 1, 9])], isComplete: true)
    session.sharedTLS = Shared(facts)
    session.evidence.clientHello = .complete
    session.evidence.serverHello = .complete
    session.evidence.certificates = .complete
    session.evidence.certificateStatus = .complete
    session.evidence.serverKeyExchange = .complete
    session.evidence.frames[.clientHello] = FrameList([12])
    session.evidence.frames[.serverHello] = FrameList([14])
    session.evidence.frames[.certificates] = FrameList([14, 15])
    session.evidence.frames[.outcome] = FrameList([40])
    return session
  }

  static func offer() -> ClientOffer {
    var offer = ClientOffer()
    offer.legacyVersion = .tls12
    offer.versions = [.tls13, .tls12]
    offer.cipherSuites = [CipherSuite(rawValue: 0x1301), CipherSuite(rawValue: 0xC02F)]
    offer.compressionMethods = [0]
    offer.extensions = [ExtensionType(rawValue: 0), ExtensionType(rawValue: 43)]
    offer.groups = [NamedGroup(rawValue: 0x001D)]
    offer.signatureSchemes = [SignatureScheme(rawValue: 0x0804)]
    offer.alpn = ["h2", "http/1.1"]
    offer.ja3 = String(repeating: "0", count: 32)
    offer.ja4 = "t13d0202h2_000000000000_000000000000"
    return offer
  }

  static func answer() -> ServerHelloFacts {
    var answer = ServerHelloFacts()
    answer.version = .tls12
    answer.cipherSuite = CipherSuite(rawValue: 0xC02F)
    answer.compressionMethod = 0
    answer.extensions = [ExtensionType(rawValue: 23), ExtensionType(rawValue: 0xFF01)]
    answer.alpn = "h2"
    return answer
  }

  /// A session with cleartext requests.
  static func http() -> ObservedSession {
    var session = ObservedSession(
      file: "trace.pcapng", firstFrame: 3, lastFrame: 6, start: Timestamp(seconds: 0), end: nil,
      transport: .tcp, application: .http,
      client: Endpoint(address: IPAddress(v6: 0x2001_0DB8_0000_0000, 2), port: 40000),
      server: Endpoint(address: IPAddress(v6: 0x2001_0DB8_0000_0000, 1), port: 80))
    session.serverName = "example.com"
    session.serverNameSource = .httpHost
    session.tunnel = [EnclosingLayer("vlan 12")]
    var request = HTTPFacts.Request(method: "GET", host: "example.com", path: "/a", frame: 4)
    request.status = 301
    request.redirectScheme = "https"
    request.redirectHost = "example.com"
    request.contentType = "text/html"
    request.requestContentType = "text/plain"
    request.scheme = "ws"
    session.http = HTTPFacts(requestCount: 3, requests: [request])
    session.evidence.clientHello = .complete
    session.evidence.frames[.clientHello] = FrameList([4])
    session.evidence.frames[.outcome] = FrameList([6])
    return session
  }

  /// A judgement with a failing, a relaxed and an unknown rule.
  static func judgement(host: String? = "api.example.com") -> Shared<Judgement> {
    var version = Finding(id: "ATS-TLS-VERSION", outcome: .fail)
    version.observed = "TLS 1.0"
    version.expected = "TLS 1.2 or later"
    version.parts = [.serverHello]
    version.fix = .server("enable TLS 1.2")
    var suite = Finding(id: "ATS-PFS", outcome: .relaxed)
    suite.parts = [.clientHello, .certificates]
    suite.decidingKey = KeyReference(key: "NSExceptionRequiresForwardSecrecy", entry: "example.com")
    var dates = Finding(id: "ATS-CERT-DATES", outcome: .unknown)
    dates.missing = .encrypted
    dates.settledBy = [.keyLog]
    dates.certificateIndex = 0
    dates.notes = ["A \"note\"."]
    var policy = EffectivePolicy(host: host)
    policy.matchedEntry = "example.com"
    policy.leafPins = ["AAAA"]
    policy.reasons = [
      EffectivePolicy.Reason(
        setting: .requiresForwardSecrecy, key: "NSExceptionRequiresForwardSecrecy", entry: "example.com",
        text: "the key is NO")
    ]
    return Shared(
      Judgement(
        verdict: .fail, exemption: nil, primaryRule: .tlsVersion, score: 49, confidencePercent: 55,
        grade: "F", policy: policy, findings: [version, suite, dates],
        predictedError: PredictedError(
          domain: "NSURLErrorDomain", code: -1200, underlyingDomain: "kCFStreamErrorDomainSSL",
          underlyingCode: -9836),
        narrowestException: .entry(
          host: "api.example.com",
          keys: ["NSExceptionMinimumTLSVersion": .string("TLSv1.0"), "NSIncludesSubdomains": .boolean(false)])
      ))
  }

  // MARK: Random sessions

  /// A random text with characters that must be escaped.
  static func text(_ random: inout SeededGenerator) -> String {
    let pieces = [
      "a", "example.com", "/", "\"", "\\", "\u{1B}[31m", "\u{202E}", "\u{0}", "\n", "é", "日本", "\u{7F}",
      "\u{85}",
      "\u{2066}", "\u{061C}", "\\x41", "\\u{202e}", "\u{10FF80}", "\u{10FFFF}", "😀", "e\u{301}", "\u{FEFF}",
    ]
    return (0..<random.below(5)).map { _ in random.pick(pieces) }.joined()
  }

  static func optionalText(_ random: inout SeededGenerator) -> String? {
    random.once(in: 3) ? nil : text(&random)
  }

  static func bytes(_ random: inout SeededGenerator, _ limit: Int) -> Bytes {
    Bytes((0..<random.below(limit + 1)).map { _ in UInt8(random.below(256)) })
  }

  static func codePoints<Value>(_ random: inout SeededGenerator, _ make: (UInt16) -> Value) -> [Value] {
    (0..<random.below(6)).map { _ in make(UInt16(random.below(0x10000))) }
  }

  static func time(_ random: inout SeededGenerator) -> Timestamp? {
    if random.once(in: 6) { return nil }
    let seconds: Int64 = random.pick([0, -1, 1_777_630_272, .max, .min, Int64(random.below(1 << 33))])
    return Timestamp(seconds: seconds, nanoseconds: random.pick([0, 1000, 123_456_000, 7, 999_999_999]))
  }

  static func address(_ random: inout SeededGenerator) -> IPAddress {
    switch random.below(4) {
    case 0: IPAddress(v6: random.next(), random.next())
    case 1: IPAddress(v6: random.pick([0, 1, 0x2001_0DB8_0000_0000]), random.pick([0, 1, 0xFFFF_0102_0304]))
    default: IPAddress(v4: UInt32(truncatingIfNeeded: random.next()))
    }
  }

  static func frames(_ random: inout SeededGenerator) -> FrameList {
    FrameList((0..<random.below(5)).map { _ in UInt64(random.below(1000) + 1) })
  }

  static func evidence(_ random: inout SeededGenerator) -> Evidence {
    let states: [Evidence.State] = [.complete, .partial, .missing, .encrypted, .resumed, .notSent]
    var evidence = Evidence()
    evidence.clientHello = random.pick(states)
    evidence.serverHello = random.pick(states)
    evidence.certificates = random.pick(states)
    evidence.certificateStatus = random.pick(states)
    evidence.serverKeyExchange = random.pick(states)
    evidence.missingBytes = random.pick([0, 1, 70_000])
    evidence.truncatedPackets = random.below(3)
    evidence.isClockPlausible = !random.once(in: 4)
    evidence.incomplete = random.pick([nil, .startedLate, .loss, .snaplen, .oneDirection, .stillOpen, .limit])
    for part in Evidence.Part.allCases { evidence.frames[part] = frames(&random) }
    evidence.notes = (0..<random.below(3)).map { _ in EvidenceNote(rawValue: text(&random)) }
    return evidence
  }

  static func facts(_ random: inout SeededGenerator) -> TLSFacts {
    var facts = TLSFacts()
    if !random.once(in: 5) {
      var offer = ClientOffer()
      offer.versions = codePoints(&random, TLSVersion.init(rawValue:))
      offer.legacyVersion = random.pick([.tls12, .tls10, offer.versions.first ?? .tls12])
      offer.cipherSuites = codePoints(&random, CipherSuite.init(rawValue:))
      offer.compressionMethods = random.pick([[], [0], [1, 0]])
      offer.extensions = codePoints(&random, ExtensionType.init(rawValue:))
      if random.once(in: 2) { offer.extensions.append(ExtensionType(rawValue: 43)) }
      if random.once(in: 4) { offer.extensions.append(ExtensionType(rawValue: 0xFE0D)) }
      offer.groups = codePoints(&random, NamedGroup.init(rawValue:))
      offer.signatureSchemes = codePoints(&random, SignatureScheme.init(rawValue:))
      offer.certificateSignatureSchemes = codePoints(&random, SignatureScheme.init(rawValue:))
      offer.alpn = (0..<random.below(3)).map { _ in text(&random) }
      offer.isSSL2Format = random.once(in: 5)
      offer.ja3 = random.once(in: 2) ? nil : "0123456789abcdef0123456789abcdef"
      offer.ja4 = optionalText(&random)
      facts.sharedOffer = Shared(offer)
    }
    if !random.once(in: 5) {
      var answer = ServerHelloFacts()
      answer.version = TLSVersion(rawValue: random.pick([0x0303, 0x0304, 0x0301, 0x7F1C, 0x0002, 0]))
      answer.cipherSuite =
        random.once(in: 5) ? nil : CipherSuite(rawValue: random.pick([0xC02F, 0x1301, 0x002F, 0xFFFE]))
      answer.compressionMethod = random.pick([nil, 0, 1])
      answer.extensions = codePoints(&random, ExtensionType.init(rawValue:))
      if random.once(in: 2) { answer.extensions.append(ExtensionType(rawValue: 51)) }
      answer.alpn = optionalText(&random)
      answer.keyShareGroup = random.pick([nil, NamedGroup(rawValue: 0x001D), NamedGroup(rawValue: 0x11EC)])
      answer.isHelloRetryRequest = random.once(in: 6)
      answer.ja3s = random.once(in: 2) ? nil : String(repeating: "fedc", count: 8)
      facts.sharedServerHello = Shared(answer)
    }
    facts.serverName = optionalText(&random)
    facts.clientRandom = ShortBytes(bytes(&random, 33))
    facts.serverRandom = ShortBytes(bytes(&random, 33))
    facts.sessionID = ShortBytes(bytes(&random, 33))
    facts.hasHelloRetryRequest = random.once(in: 4)
    facts.isResumed = random.pick([nil, true, false])
    facts.resumption = random.pick([nil, .sessionID, .ticket, .psk])
    facts.group = random.pick([
      nil, NamedGroup(rawValue: 0x001D), NamedGroup(rawValue: 0x11EC), NamedGroup(rawValue: 0x0100),
    ])
    if random.once(in: 2) {
      facts.serverKeyExchange = ServerKeyExchangeFacts(
        bits: random.pick([nil, 253, 2048]),
        group: random.pick([nil, facts.group, NamedGroup(rawValue: 0x0017)]),
        signatureScheme: random.pick([nil, SignatureScheme(rawValue: 0x0201)]))
    }
    facts.hasStapledOCSPResponse = random.once(in: 2)
    facts.ocspResponse = random.once(in: 2) ? nil : bytes(&random, 9)
    facts.sctList = random.once(in: 2) ? nil : bytes(&random, 9)
    facts.isClientCertificateRequested = random.once(in: 4)
    for _ in 0..<random.below(3) {
      facts.clientAlerts.append(
        ObservedAlert(
          level: UInt8(random.below(4)), description: AlertDescription(rawValue: UInt8(random.below(256))),
          frame: UInt64(random.below(99))))
    }
    facts.serverAlerts = random.once(in: 2) ? facts.clientAlerts.reversed() : []
    facts.outcome = random.pick([.established, .refusedByClient, .refusedByServer, .reset, .incomplete])
    facts.chain = chain(&random)
    if facts.chain?.certificates.count ?? 0 > 1, random.once(in: 2) {
      facts.issuerOCSPResponses = [1: [0x30] + bytes(&random, 9)]
    }
    facts.clientChain = random.once(in: 2) ? chain(&random) : nil
    return facts
  }

  static func chain(_ random: inout SeededGenerator) -> CertificateChain? {
    if random.once(in: 3) { return nil }
    let list = (0..<random.below(4)).map { _ in certificate(bytes(&random, 12)) }
    return CertificateChain(list, isComplete: random.once(in: 2))
  }

  static func session(_ random: inout SeededGenerator) -> ObservedSession {
    var session = ObservedSession(
      file: text(&random), firstFrame: random.pick([0, 1, 1234, .max]),
      lastFrame: random.pick([0, 77, .max]),
      start: time(&random), end: time(&random), transport: random.pick([.tcp, .udp, .quic]),
      application: random.pick([.tls, .tls, .tls, .http, .dtls]),
      client: Endpoint(address: address(&random), port: UInt16(random.below(0x10000))),
      server: Endpoint(address: address(&random), port: random.pick([443, 80, 0, 65535])))
    session.serverName = optionalText(&random)?.asciiLowercase
    session.serverNameSource = random.pick([nil, .connect, .sni, .httpHost, .address])
    session.tunnel = (0..<random.below(3)).map { _ in EnclosingLayer(text(&random)) }
    session.evidence = evidence(&random)
    if session.application == .http {
      let requests = (0..<random.below(3)).map { _ in
        var request = HTTPFacts.Request(
          method: text(&random), host: optionalText(&random), path: text(&random),
          frame: UInt64(random.below(99)))
        request.status = random.pick([nil, 200, 301])
        request.redirectScheme = optionalText(&random)
        request.redirectHost = optionalText(&random)
        request.contentType = optionalText(&random)
        request.upgrade = optionalText(&random)
        request.isTruncated = random.once(in: 2)
        return request
      }
      session.http = random.once(in: 8) ? nil : HTTPFacts(requestCount: random.below(99), requests: requests)
    } else {
      session.sharedTLS = random.once(in: 8) ? nil : Shared(facts(&random))
    }
    if random.once(in: 4), var chain = assumedChain(&random) {
      if random.once(in: 2) {
        chain.alternatives = (0..<random.below(3)).compactMap { _ in assumedChain(&random) }
      }
      session.sharedAssumedChain = Shared(chain)
    }
    return session
  }

  private static func assumedChain(_ random: inout SeededGenerator) -> AssumedChain? {
    chain(&random).map { chain in
      AssumedChain(
        chain: chain, source: random.pick([.earlierSession, .supplied, .probable]),
        origin: random.once(in: 2)
          ? nil : AssumedChain.Origin(session: "00112233445566aa", file: text(&random), frames: FrameList([6, 8])),
        file: optionalText(&random),
        ocspResponse: random.once(in: 2) ? nil : bytes(&random, 9),
        issuerOCSPResponses: chain.certificates.count > 1 ? [1: [0x30] + bytes(&random, 9)] : [:],
        sctList: random.once(in: 2) ? nil : bytes(&random, 9))
    }
  }
}
