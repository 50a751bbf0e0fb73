package import ATSEvaluation
package import ATSRules
import CertificateParsing
import PolicyResolution
package import SessionModel
package import SessionRecords
package import TLSParsing
package import Values

/// The sessions with one host that have equal findings and negotiated the same parameters.
package struct SessionGroup: Sendable {
  /// The judgement that the sessions share.
  let kept: KeptJudgement
  package let transport: ObservedSession.Transport
  package let application: ObservedSession.Application
  /// The negotiated version; nil if it was not observed.
  package let version: TLSVersion?
  /// The cipher suite; nil if it was not observed.
  package let cipherSuite: CipherSuite?
  /// The group of the key exchange; nil if it was not observed.
  package let group: NamedGroup?
  /// The ending of the handshakes; nil for cleartext HTTP.
  package let ending: SessionEnding?
  /// The versions that the first client offered, if the server refused them; otherwise nil.
  let refusedVersions: String?
  /// Whether Encrypted ClientHello may hide another host in the first session.
  let mayHaveHiddenHost: Bool
  /// The input that contains the first session.
  package let file: String
  package let firstFrame: UInt64
  /// The files of a rotated capture that contain the first session; empty for other captures.
  package let parts: [CapturePart]
  /// The evidence of the first session.
  package let evidence: Evidence
  /// The source of the certificates that are judged for the first session instead of its own; nil if its own are judged.
  package let assumed: Assumption?
  /// The subject of the client certificate; nil if it was not observed.
  package let clientSubject: String?
  /// Whether the first session contains the server's complete chain.
  package let showsChain: Bool
  /// The other session whose certificates are judged for the first session; nil if there is none.
  package var origin: AssumedChain.Origin? { assumed?.origin }
  /// The source of certificates that are judged instead of the sessions' own; nil if their own are judged.
  package var assumption: AssumedChain.Source? { assumed?.source }
  /// The index of the first session among all collected sessions.
  package let order: Int
  package private(set) var sessions = 0

  init(_ session: ObservedSession, _ judgement: Shared<Judgement>, order: Int, _ pool: inout Set<Shared<Finding>>) {
    kept = KeptJudgement(judgement, &pool)
    transport = session.transport
    application = session.application
    version = session.sharedTLS?.sharedServerHello?.version
    cipherSuite = session.sharedTLS?.sharedServerHello?.cipherSuite
    group = session.sharedTLS?.group
    ending = session.ending
    refusedVersions = ending == .refused(by: .server, alert: .protocolVersion) ? session.sharedTLS?.offer?.versionsText : nil
    mayHaveHiddenHost = session.sharedTLS?.mayHaveHiddenHost == true
    file = session.file
    firstFrame = session.firstFrame
    parts = session.parts
    evidence = session.evidence
    assumed = Assumption(session)
    clientSubject = session.clientSubject
    showsChain = session.sharedTLS?.chain.map { $0.isComplete && !$0.certificates.isEmpty } ?? false
    self.order = order
  }

  /// The judgement that the sessions share, reassembled at each call; reports on many hosts use `kept`.
  package var judgement: Shared<Judgement> { kept.whole }

  /// Whether the system rejects the sessions for a finding although ATS is off.
  package func isRejected(for finding: Finding) -> Bool { kept.isRejected(for: finding) }

  /// Whether the sessions pass over HTTPS without an exception.
  var passesOverHTTPS: Bool { application == .tls && kept.verdict == .pass && !kept.isRelaxed }

  /// Whether the sessions fail over HTTPS, or pass only with an exception.
  var failsOverHTTPS: Bool { application == .tls && (kept.verdict == .fail || kept.isRelaxed) }

  /// What to record instead, if the handshakes ended without a ServerHello because the server was unreachable, refused, or ended the
  /// connection; otherwise nil.
  var newRecording: String? { version == nil ? ending?.newRecording(isFailing: kept.verdict == .fail) : nil }

  /// Whether the ending is the reason that nothing else was observed.
  var isUnanswered: Bool { newRecording != nil }

  mutating func count() { sessions += 1 }

  /// The keys that an entry needs to allow what another entry or a global key allows now.
  func keysNeeded(in entry: String) -> [String: NarrowestException.Value] {
    var keys: [String: NarrowestException.Value] = [:]
    if application == .http, kept.verdict == .exempt, !kept.policy.requiresHTTPS, kept.policy.matchedEntry != entry {
      keys[ATSKeys.insecureLoads] = .boolean(true)
    }
    for finding in kept.unsettled where finding.outcome == .relaxed && finding.decidingKey?.entry != entry {
      switch finding.rule {
      case .tlsVersion: keys[ATSKeys.minimumTLSVersion] = version.flatMap(TLSVersionText.text).map { .string($0) }
      case .forwardSecrecy: keys[ATSKeys.forwardSecrecy] = .boolean(false)
      case .cipherSuite:
        keys[ATSKeys.insecureLoads] = .boolean(true)
        keys[ATSKeys.forwardSecrecy] = .boolean(false)
      default: keys[ATSKeys.insecureLoads] = .boolean(true)
      }
    }
    return keys
  }

  /// Returns a hash of the host's index and of the properties that like sessions share.
  func digest(host: Int) -> Int {
    var hasher = Hasher()
    hasher.combine(host)
    hasher.combine(version)
    hasher.combine(cipherSuite)
    hasher.combine(kept.score?.points)
    hasher.combine(ending)
    for (index, finding) in kept.unsettled.enumerated() where finding.outcome != .notApplicable {
      hasher.combine(index)
      hasher.combine(finding.observed)
    }
    return hasher.finalize()
  }

  /// Returns whether the sessions of both groups are alike.
  func isLike(_ other: SessionGroup) -> Bool {
    transport == other.transport && application == other.application && version == other.version
      && cipherSuite == other.cipherSuite && group == other.group && ending == other.ending
      && assumption == other.assumption && clientSubject == other.clientSubject && kept.isLike(other.kept)
  }
}

/// The results for one host: a name, or an address if there is no name, and a port.
package struct HostReport: Sendable {
  /// The name in lower case; nil if the host is an address.
  package let name: String?
  /// The address of the first session.
  package let address: IPAddress
  package let port: UInt16
  /// The process of the sessions; nil if it is unknown or hosts are not separated by process.
  package internal(set) var process: String?
  /// The groups of sessions, the worst first.
  package internal(set) var groups: [SessionGroup] = []
  package internal(set) var verdicts = VerdictCounts()
  /// The sessions without a group, because a limit was reached.
  package internal(set) var ungrouped = VerdictCounts()
  /// Whether the name alone is ambiguous: another port of the host occurs, or cleartext on the port of HTTPS.
  package internal(set) var needsPort = false
  /// The entry for the host that sessions on any port need, because it replaces the entry or global key that allows them; nil if none does.
  var neededEntry: NarrowestException?
  /// Whether a session with the host, on any port, passes over HTTPS without an exception, and none fails.
  package internal(set) var passesOverHTTPS = false
  /// The proxies of the sessions, such as `HTTP proxy 192.0.2.1:3128`; at most `HostReport.maximumProxies`.
  package private(set) var proxies: [String] = []

  /// The proxies as a phrase, such as `through HTTP proxy 192.0.2.1:3128`; nil if no session used a proxy.
  package var proxyPhrase: String? { proxies.isEmpty ? nil : "through \(proxies.joined(separator: ", "))" }

  /// The maximum number of proxies of one host.
  private static let maximumProxies = 8

  /// Creates the report on a session's host, without groups.
  init(_ session: ObservedSession) {
    (name, address) = session.reportedHost
    port = session.hostPort
    note(proxyOf: session)
  }

  /// Adds the proxy of a session, if it has one.
  mutating func note(proxyOf session: ObservedSession) {
    guard let proxy = session.proxyText, !proxies.contains(proxy), proxies.count < HostReport.maximumProxies else { return }
    proxies.append(proxy)
  }

  package var sessions: Int { verdicts.total }

  package var verdict: Verdict { verdicts.worst }

  /// Whether the worst verdict is a pass that requires an ATS key.
  package var isRelaxed: Bool { verdicts.isWorstRelaxed }

  /// The endings of failed handshakes with their numbers of sessions, the most frequent first.
  package var failedEndings: [(ending: SessionEnding, sessions: Int)] {
    let failed = groups.compactMap { group in
      group.ending.flatMap { $0.isFailure ? (ending: $0, sessions: group.sessions) : nil }
    }
    // Equals keep the order of their groups, so that the report is the same in each run.
    return failed.grouped(by: \.ending)
      .map { ending, groups in (ending: ending, sessions: groups.reduce(0) { $0 + $1.sessions }) }
      .sorted { $0.sessions > $1.sessions }
  }

  var worstGroups: [SessionGroup] { groups.filter { $0.kept.verdict == verdict } }

  /// The distinct errors that an app would receive for the failing sessions; one that is certain for some sessions is not conditional.
  package var predictedErrors: [PredictedError] {
    let errors = worstGroups.compactMap(\.kept.predictedError).distinct()
    return errors.filter { error in
      var certain = error
      certain.dependsOnOffer = false
      return error == certain || !errors.contains(certain)
    }
  }

  /// The smallest changes that allow the failing sessions and still allow the others, each with its number of failing sessions. Keys for
  /// the entry of one host are merged (policy text C.7). Cleartext of a host that passes over HTTPS needs another URL rather than a key.
  var exceptions: [(exception: NarrowestException, sessions: Int)] {
    var exceptions: [(exception: NarrowestException, sessions: Int)] = []
    for group in worstGroups {
      guard let exception = group.kept.narrowestException, !needsOnlyURL(group) else { continue }
      let merged = exceptions.map { $0.exception.merged(with: exception) }
      if let index = merged.firstIndex(where: { $0 != nil }), let both = merged[index] {
        exceptions[index] = (both, exceptions[index].sessions + group.sessions)
      } else {
        exceptions.append((exception, group.sessions))
      }
    }
    return exceptions.map { (completed($0.exception), $0.sessions) }
  }

  /// Returns the smallest change that allows the sessions of one failing group and still allows the others; nil if they need another URL.
  package func exception(for group: SessionGroup) -> NarrowestException? {
    needsOnlyURL(group) ? nil : group.kept.narrowestException.map(completed)
  }

  /// Whether the sessions of a group are allowed if their URLs are changed to HTTPS.
  func needsOnlyURL(_ group: SessionGroup) -> Bool { passesOverHTTPS && group.application == .http }

  /// Returns the fix of a failing rule for this host; nil if there is none.
  package func fix(of finding: Finding) -> Fix? {
    passesOverHTTPS && finding.rule == .https
      ? .app("change the URL to https: the host passes there without a key") : finding.fix
  }

  /// Adds the keys that other sessions need in the entry for the host.
  private func completed(_ exception: NarrowestException) -> NarrowestException {
    guard case .entry(let host, _) = exception, case .entry(_, let keys)? = neededEntry else { return exception }
    return exception.merged(with: .entry(host: host, keys: keys)) ?? exception
  }

  package var best: Verdict { verdicts.best }

  /// The host without the port: text from an input, not escaped.
  var text: String { name ?? address.description }

  /// The host and port: text from an input, not escaped.
  package var label: String {
    if let name { return "\(name):\(port)" }
    return Endpoint(address: address, port: port).description
  }
}

extension ObservedSession {
  /// The subject of the client certificate; nil if it was not observed.
  package var clientSubject: String? { sharedTLS?.clientChain?.certificates.first?.certificate.subject }

  /// The address of the host, and its name in lower case; the name is nil if the host is an address.
  var reportedHost: (name: String?, address: IPAddress) {
    guard serverNameSource != .address, let name = serverName else { return (nil, hostAddress) }
    if name.utf8.first.map(ObservedSession.canBeginAddress) == true, let literal = IPAddress(name.prefix { $0 != "%" }) {
      return (nil, literal)
    }
    return (name, hostAddress)
  }

  private static func canBeginAddress(_ byte: UInt8) -> Bool {
    (0x30...0x3A).contains(byte) || (0x61...0x66).contains(byte)
  }
}

extension HostReport {
  /// Returns a rank, from the worst to the best: failing, unknown, exempt, relaxed, passing.
  static func rank(_ verdict: Verdict, isRelaxed: Bool) -> Int {
    switch verdict {
    case .fail: 0
    case .unknown: 1
    case .exempt: 2
    case .pass: isRelaxed ? 3 : 4
    }
  }
}
