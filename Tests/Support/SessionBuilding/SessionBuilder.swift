package import ATSEvaluation
import ATSEvidence
package import ATSRules
import ByteParsing
import CertificateIssuing
package import PolicyResolution
package import SessionModel
package import TLSParsing
package import TrustEvaluation
package import Values

/// Builds observed sessions for tests: by default an established TLS 1.2 session with `www.example.com` on 2026-02-01.
package struct SessionBuilder {
  package var host: String? = "www.example.com"
  package var source: ObservedSession.NameSource? = .sni
  package var port: UInt16 = 443
  package var address = IPAddress(v4: 0xCB00_7107)
  package var time: Timestamp? = Timestamp("2026-02-01T12:00:00Z")

  package var offeredVersions: [UInt16] = [0x0304, 0x0303]
  package var offeredSuites: [UInt16] = [0x1301, 0x1302, 0xC02F, 0xC030]
  package var offeredExtensions: [ExtensionType] = [
    .serverName, .extendedMasterSecret, .renegotiationInfo, .statusRequest, .signedCertificateTimestamp,
  ]
  package var offeredGroups: [UInt16] = [0x001D, 0x0017, 0x0018]
  package var signatureSchemes: [UInt16] = [0x0403, 0x0804, 0x0401, 0x0501]
  package var alpn: [String] = ["h2", "http/1.1"]
  package var hasOffer = true

  package var version: UInt16 = 0x0303
  package var suite: UInt16? = 0xC02F
  package var answerExtensions: [ExtensionType] = [.extendedMasterSecret, .renegotiationInfo]
  package var keyShare: UInt16?
  package var compression: UInt8? = 0
  package var isHelloRetryRequest = false
  package var hasAnswer = true
  package var chosenALPN: String?

  package var certificates: [ObservedCertificate]? = [CertificateBuilder.leaf(), CertificateBuilder.intermediate()]
  package var isChainComplete = true

  /// Changes the finished session.
  package var finish: (inout ObservedSession) -> Void = { _ in }

  package init(_ change: (inout SessionBuilder) -> Void = { _ in }) { change(&self) }

  /// A TLS 1.3 session without key material, so its certificates are encrypted.
  package static func tls13(_ change: (inout SessionBuilder) -> Void = { _ in }) -> SessionBuilder {
    SessionBuilder { builder in
      builder.version = 0x0304
      builder.suite = 0x1301
      builder.answerExtensions = [.supportedVersions, .keyShare]
      builder.keyShare = 0x001D
      builder.certificates = nil
      change(&builder)
    }
  }

  package var session: ObservedSession {
    var session = ObservedSession(
      file: "test.pcap", firstFrame: 1, lastFrame: 9, start: time, end: time, transport: .tcp,
      application: .tls,
      client: Endpoint(address: IPAddress(v4: 0x0A00_0002), port: 50_000),
      server: Endpoint(address: address, port: port))
    session.serverName = host
    session.serverNameSource = source
    var facts = TLSFacts()
    session.evidence.clientHello = hasOffer ? .complete : .missing
    if hasOffer { facts.sharedOffer = offer }
    if hasAnswer {
      facts.sharedServerHello = answer
      session.evidence.serverHello = .complete
      facts.outcome = .established
      facts.isResumed = false
    }
    if let certificates {
      facts.chain = CertificateChain(certificates, isComplete: isChainComplete)
      session.evidence.certificates = isChainComplete ? .complete : .partial
      session.evidence.certificateStatus = .notSent
    } else if hasAnswer, version == 0x0304 {
      session.evidence.certificates = .encrypted
    }
    facts.serverName = source == .sni ? host : nil
    session.sharedTLS = Shared(facts)
    finish(&session)
    return session
  }

  private var offer: Shared<ClientOffer> {
    var content = ClientOffer()
    content.versions = offeredVersions.map(TLSVersion.init)
    content.cipherSuites = offeredSuites.map(CipherSuite.init)
    content.extensions = offeredExtensions
    content.groups = offeredGroups.map(NamedGroup.init)
    content.signatureSchemes = signatureSchemes.map(SignatureScheme.init)
    content.alpn = alpn
    return Shared(content)
  }

  private var answer: Shared<ServerHelloFacts> {
    var content = ServerHelloFacts()
    content.version = TLSVersion(rawValue: version)
    content.cipherSuite = suite.map(CipherSuite.init)
    content.extensions = answerExtensions
    content.keyShareGroup = keyShare.map(NamedGroup.init)
    content.compressionMethod = compression
    content.isHelloRetryRequest = isHelloRetryRequest
    content.alpn = chosenALPN
    return Shared(content)
  }

  /// A handshake that the server rejected with an alert before a ServerHello; by default with the offer of a device.
  package static func refused(_ alert: UInt8, _ change: (inout SessionBuilder) -> Void = { _ in }) -> SessionBuilder {
    SessionBuilder { builder in
      builder.hasAnswer = false
      builder.certificates = nil
      builder.offeredSuites = [
        0x1301, 0x1302, 0x1303, 0xC02C, 0xC02B, 0xCCA9, 0xC030, 0xC02F, 0xCCA8, 0xC00A, 0xC009, 0xC014,
        0xC013,
      ]
      builder.offeredGroups = [0x001D, 0x0017, 0x0018, 0x0019]
      builder.signatureSchemes = [0x0403, 0x0804, 0x0401, 0x0503, 0x0805, 0x0501, 0x0806, 0x0601]
      builder.finish = { session in
        session.sharedTLS?.outcome = .refusedByServer
        session.sharedTLS?.serverAlerts = [
          ObservedAlert(level: 2, description: AlertDescription(rawValue: alert), frame: 5)
        ]
        session.evidence.serverHello = .notSent
        session.evidence.certificates = .notSent
      }
      change(&builder)
    }
  }

  /// A session of cleartext HTTP.
  package static func http(
    host: String?, _ requests: [HTTPFacts.Request]? = nil,
    _ change: (inout ObservedSession) -> Void = { _ in }
  ) -> ObservedSession {
    var session = SessionBuilder().session
    session.application = .http
    session.server = Endpoint(address: session.server.address, port: 80)
    session.serverName = host
    session.serverNameSource = host == nil ? nil : .httpHost
    session.sharedTLS = nil
    session.evidence = Evidence()
    session.evidence.clientHello = .complete
    var request = HTTPFacts.Request(method: "GET", host: host, path: "/", frame: 1)
    request.status = 200
    request.contentType = "text/html"
    let requests = requests ?? [request]
    session.http = HTTPFacts(requestCount: requests.count, requests: requests)
    change(&session)
    return session
  }
}

extension Judge {
  /// Judges a session without the cache, with a given evaluation of its chain.
  package func judgeAnew(_ session: ObservedSession, trust: ChainTrust? = nil) -> Judgement {
    let evidence = SessionEvidence(session, at: time(of: session))
    let clock = JudgingClock(time(of: session))
    let isTimeStated = assumptions.judgedAt != nil
    var context = JudgingContext(
      evidence, clock: clock, isTimeStated: isTimeStated, chainTrust: trust, path: trust?.paths.first, status: status)
    context.alternatives = evidence.alternatives.map {
      JudgingContext($0, clock: clock, isTimeStated: isTimeStated, status: status)
    }
    return judgement(of: evidence, under: policy(for: session), in: context)
  }
}

/// Judges a session under an ATS dictionary, a release and further assumptions.
package func judged(
  _ session: ObservedSession, _ dictionary: ATSDictionary? = nil, os: String = "ios26.5",
  trust: ChainTrust? = nil, _ change: (inout JudgingAssumptions) -> Void = { _ in }
) -> Judgement {
  var assumptions = JudgingAssumptions()
  guard let release = try? SystemRelease(named: os) else { preconditionFailure("not a release: \(os)") }
  assumptions.release = release
  change(&assumptions)
  return Judge(dictionary: dictionary, assumptions: assumptions).judgeAnew(session, trust: trust)
}

/// An ATS dictionary with one entry.
package func entry(_ key: String, _ settings: ExceptionSettings, includesSubdomains: Bool? = nil) -> ATSDictionary {
  ATSDictionary(
    exceptionDomains: [ExceptionEntry(key: key, includesSubdomains: includesSubdomains, settings: settings)])
}

extension Judgement {
  /// The finding of a rule; a judgement has one for every rule.
  package subscript(_ rule: String) -> Finding {
    guard let finding = findings.first(where: { $0.id == rule }) else { preconditionFailure("no finding of \(rule)") }
    return finding
  }

  /// The outcome of a rule.
  package func outcome(_ rule: String) -> Finding.Outcome { self[rule].outcome }
}
