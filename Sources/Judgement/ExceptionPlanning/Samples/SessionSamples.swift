package import ATSEvaluation
import ATSEvidence
import ATSRules
import ByteParsing
package import PolicyResolution
package import SessionModel
import TLSParsing

/// Sessions gathered by host, with similar ones counted once; the input of a plan or a matrix.
///
/// Sessions that name the same host belong together whatever their port, because exceptions know no ports. Sessions with different ports
/// are never similar.
package struct SessionSamples: Sendable {
  /// A session, and the number of similar ones.
  package struct Sample: Sendable {
    /// The first of the similar sessions.
    package let session: ObservedSession
    /// The context assumed for the load.
    package let context: LoadContext
    /// The generation of the intermediates with which the session was judged.
    package let generation: Int
    package fileprivate(set) var count: Int

    /// The session as if the capture showed that it is with this host.
    func naming(_ host: String) -> Sample {
      var session = session
      session.serverName = host
      session.serverNameSource = session.application == .http ? .httpHost : .sni
      return Sample(session: session, context: context, generation: generation, count: count)
    }
  }

  package struct Host: Sendable {
    /// The host in the form that exceptions use.
    package let identity: HostIdentity
    /// The distinct sessions in the order in which they were added.
    package internal(set) var samples: [Sample] = []
    package fileprivate(set) var sessions = 0
    /// The number of sessions that were not examined because of a limit.
    package fileprivate(set) var leftOut = 0
  }

  package static let maximumHosts = 20_000

  /// The maximum number of distinct sessions kept per host; real servers have about a dozen.
  package static let maximumSamplesPerHost = 256

  /// The maximum number of distinct sessions kept in total.
  package static let maximumSamples = 50_000

  /// The maximum number of judgements that are recognized by identity.
  private static let maximumRecent = 4096

  /// The hosts in the order in which they were added.
  package private(set) var hosts: [Host] = []

  /// The number of sessions of hosts beyond the limit.
  package private(set) var sessionsOfOtherHosts = 0

  private var hostIndices: [HostIdentity: Int] = [:]
  private var sampleIndices: [SampleKey: Int] = [:]
  private var sampleCount = 0

  /// The table retains the judgements so that no other object can take their identity.
  private var recent = RecentTable<[ObjectIdentifier: (judgement: Shared<Judgement>, host: Int, sample: Int?)]>(
    entriesPerGeneration: maximumRecent / 2)

  package init() {}

  /// The distinct sessions with a host; empty if there are none.
  package func samples(of identity: HostIdentity) -> [Sample] { hostIndices[identity].map { hosts[$0].samples } ?? [] }

  package var sessions: Int { hosts.reduce(sessionsOfOtherHosts) { $0 + $1.sessions } }

  /// Adds a session with its judgement under the current settings, by which similar sessions are recognized, and the generation of the
  /// evaluator's intermediates after that judgement.
  package mutating func add(_ session: ObservedSession, _ judgement: Shared<Judgement>, asOf generation: Int) {
    let identity = judgement.identity
    if let known = recent[identity] {
      count(known.host, known.sample)
      return
    }
    guard let host = index(of: HostIdentity(of: session)) else {
      sessionsOfOtherHosts += 1
      return
    }
    let sample = findSample(session, judgement, asOf: generation, host)
    count(host, sample)
    recent.insert((judgement, host, sample), for: identity)
  }

  private mutating func count(_ host: Int, _ sample: Int?) {
    hosts[host].sessions += 1
    if let sample { hosts[host].samples[sample].count += 1 } else { hosts[host].leftOut += 1 }
  }

  private mutating func index(of identity: HostIdentity) -> Int? {
    if let index = hostIndices[identity] { return index }
    guard hosts.count < SessionSamples.maximumHosts else { return nil }
    hosts.append(Host(identity: identity))
    hostIndices[identity] = hosts.count - 1
    return hosts.count - 1
  }

  private mutating func findSample(
    _ session: ObservedSession, _ judgement: Shared<Judgement>, asOf generation: Int, _ host: Int
  ) -> Int? {
    let key = SampleKey(host: host, session, judgement)
    if let index = sampleIndices[key] { return index }
    guard hosts[host].samples.count < SessionSamples.maximumSamplesPerHost,
      sampleCount < SessionSamples.maximumSamples
    else { return nil }
    sampleCount += 1
    hosts[host].samples.append(Sample(session: session, context: judgement.policy.context, generation: generation, count: 0))
    sampleIndices[key] = hosts[host].samples.count - 1
    return hosts[host].samples.count - 1
  }
}

/// Sessions with equal keys are judged alike under any settings.
private struct SampleKey: Hashable {
  var host: Int
  var isHostHidden: Bool
  var application: ObservedSession.Application
  var port: UInt16
  var context: LoadContext
  /// The minimum version that the system itself requires of the program, which depends on its SDK.
  var systemMinimum: TLSVersion
  var offer: Shared<ClientOffer>?
  var serverHello: Shared<ServerHelloFacts>?
  var chain: CertificateChain?
  var verdict: Verdict
  /// Why ATS does not govern the session. Other settings can end an exemption by settings, but not that of a session that is not a load of
  /// a URL.
  var exemption: String?
  var findings: [Finding]

  init(host: Int, _ session: ObservedSession, _ judgement: Shared<Judgement>) {
    self.host = host
    isHostHidden = HostIdentity.isHidden(in: SessionEvidence(session))
    application = session.application
    port = session.hostPort
    context = judgement.policy.context
    systemMinimum = judgement.policy.systemMinimumTLSVersion
    offer = session.sharedTLS?.sharedOffer
    serverHello = session.sharedTLS?.sharedServerHello
    chain = session.sharedTLS?.chain
    verdict = judgement.verdict
    exemption = judgement.exemption
    findings = judgement.findings
  }
}

extension HostIdentity {
  /// The normalized host identity that the client of a session expects.
  package init(of session: ObservedSession) {
    self = HostIdentity(SessionEvidence(session)).normalized
  }
}
