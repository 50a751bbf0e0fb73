import ATSEvaluation
import ExceptionPlanning
import PolicyResolution
import SessionModel
import TLSParsing
import Values

/// Builds sessions without observed certificates, so that only the handshake is judged.
enum Sessions {
  static func tls(
    _ host: String?, version: UInt16 = 0x0303, suite: UInt16 = 0xC02F, offersTLS13: Bool = true,
    address: IPAddress = IPAddress(v4: 0xCB00_7107), frame: UInt64 = 1
  ) -> ObservedSession {
    var session = blank(host, address, port: 443, frame: frame)
    var offer = ClientOffer()
    offer.versions = (offersTLS13 ? [0x0304] : []).map(TLSVersion.init(rawValue:)) + [.tls12]
    offer.cipherSuites = [0x1301, 0xC02F, 0xC030].map(CipherSuite.init(rawValue:))
    offer.alpn = ["h2", "http/1.1"]
    var answer = ServerHelloFacts()
    answer.version = TLSVersion(rawValue: version)
    answer.cipherSuite = CipherSuite(rawValue: suite)
    if version == 0x0304 {
      answer.extensions = [.supportedVersions, .keyShare]
      answer.keyShareGroup = NamedGroup(rawValue: 0x001D)
    }
    var facts = TLSFacts()
    facts.sharedOffer = Shared(offer)
    facts.sharedServerHello = Shared(answer)
    facts.outcome = .established
    session.sharedTLS = Shared(facts)
    session.evidence.clientHello = .complete
    session.evidence.serverHello = .complete
    session.evidence.certificates = version == 0x0304 ? .encrypted : .missing
    session.serverNameSource = session.serverNameSource ?? .sni
    return session
  }

  /// The cipher suites that a device offers under strict ATS.
  static let permitted: [UInt16] = [
    0x1301, 0x1302, 0x1303, 0xC02C, 0xC02B, 0xCCA9, 0xC030, 0xC02F, 0xCCA8, 0xC00A, 0xC009, 0xC014, 0xC013,
  ]

  /// A handshake that the server refused with an alert instead of a ServerHello; by default the client offered everything that
  /// a device offers.
  static func refused(
    _ host: String, alert: UInt8, versions: [UInt16] = [0x0304, 0x0303], suites: [UInt16] = permitted
  ) -> ObservedSession {
    var session = tls(host)
    var offer = ClientOffer()
    offer.versions = versions.map(TLSVersion.init(rawValue:))
    offer.cipherSuites = suites.map(CipherSuite.init(rawValue:))
    offer.extensions = [.serverName, .supportedVersions]
    offer.groups = [0x001D, 0x0017, 0x0018, 0x0019].map(NamedGroup.init(rawValue:))
    offer.signatureSchemes = [0x0403, 0x0804, 0x0401, 0x0503, 0x0805, 0x0501, 0x0806, 0x0601].map(
      SignatureScheme.init(rawValue:))
    offer.alpn = ["h2", "http/1.1"]
    var facts = TLSFacts()
    facts.sharedOffer = Shared(offer)
    facts.outcome = .refusedByServer
    facts.serverAlerts = [ObservedAlert(level: 2, description: AlertDescription(rawValue: alert), frame: 5)]
    session.sharedTLS = Shared(facts)
    session.evidence.serverHello = .notSent
    session.evidence.certificates = .notSent
    return session
  }

  static func cleartext(
    _ host: String?, address: IPAddress = IPAddress(v4: 0xCB00_7107), frame: UInt64 = 1
  ) -> ObservedSession {
    var session = blank(host, address, port: 80, frame: frame)
    session.application = .http
    session.evidence.clientHello = .complete
    var request = HTTPFacts.Request(method: "GET", host: host, path: "/", frame: frame)
    request.status = 200
    request.contentType = "text/html"
    session.http = HTTPFacts(requestCount: 1, requests: [request])
    session.serverNameSource = host == nil ? nil : .httpHost
    return session
  }

  private static func blank(_ host: String?, _ address: IPAddress, port: UInt16, frame: UInt64)
    -> ObservedSession
  {
    var session = ObservedSession(
      file: "test.pcap", firstFrame: frame, lastFrame: frame,
      start: Timestamp(iso8601: "2026-02-01T12:00:00Z"), end: nil,
      transport: .tcp, application: .tls, client: Endpoint(address: IPAddress(v4: 0x0A00_0002), port: 50_000),
      server: Endpoint(address: address, port: port))
    session.serverName = host
    return session
  }
}

/// Judges sessions and makes plans with one release and context.
struct Engine {
  var os = "ios26.5"
  var context = LoadContext.app
  var sdk: SystemRelease?
  var appOverridesTrust = false
  /// Whether an undecided session with a ServerHello passes.
  var passesUnseenCertificates = false

  var release: SystemRelease { (try? SystemRelease(named: os)) ?? .newest }

  func content(
    _ session: ObservedSession, _ dictionary: ATSDictionary?, _ context: LoadContext? = nil
  ) -> Judgement {
    var assumptions = JudgingAssumptions()
    assumptions.release = release
    assumptions.context = context ?? self.context
    assumptions.sdk = sdk
    assumptions.appOverridesTrust = appOverridesTrust
    var judge = Judge(dictionary: dictionary, assumptions: assumptions)
    var content = judge.judge(session).value
    if passesUnseenCertificates, content.verdict == .unknown, session.sharedTLS?.sharedServerHello != nil {
      content.verdict = .pass
    }
    return content
  }

  func samples(_ sessions: [ObservedSession], present: ATSDictionary? = nil) -> SessionSamples {
    var samples = SessionSamples()
    for session in sessions { samples.add(session, Shared(content(session, present)), asOf: 0) }
    return samples
  }

  func plan(
    _ sessions: [ObservedSession], elsewhere: [ObservedSession] = [], present: ATSDictionary? = nil
  ) -> ExceptionPlan {
    ExceptionPlanner.plan(
      for: samples(sessions, present: present), elsewhere: [samples(elsewhere)], present: present, release: release
    ) { content($0.session, $1, $2) }
  }

  func diagnosis(_ sessions: [ObservedSession], includesOurs: Bool = false) -> [HostDiagnosis] {
    let matrix = DiagnosticMatrix(release: release, includesOurs: includesOurs) {
      content($0.session, $1, $2)
    }
    return samples(sessions).hosts.flatMap { matrix.diagnoses(of: $0) }
  }
}

/// An ATS dictionary with one entry.
func entry(_ key: String, _ settings: ExceptionSettings) -> ATSDictionary {
  ATSDictionary(exceptionDomains: [ExceptionEntry(key: key, settings: settings)])
}

extension Judgement {
  /// Whether no key would allow the session.
  var isImpossible: Bool { if case .impossible? = narrowestException { true } else { false } }
}
