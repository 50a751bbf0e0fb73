package import ATSEvaluation
import CertificateParsing
package import SessionModel
package import SessionRecords
package import TLSParsing
package import Values

/// The sessions with one host that were judged alike and negotiated the same.
package struct SessionGroup: Sendable {
  /// What was found in each of them.
  let kept: KeptJudgement
  /// How they travelled.
  package let transport: ObservedSession.Transport
  /// What was spoken.
  package let application: ObservedSession.Application
  /// The negotiated version; nil where none was observed.
  package let version: TLSVersion?
  /// The suite; nil where none was observed.
  package let cipherSuite: CipherSuite?
  /// The group of the key exchange; nil where none was observed.
  package let group: NamedGroup?
  /// Their outcome; nil for cleartext HTTP.
  package let ending: SessionEnding?
  /// The input that holds the first of them.
  package let file: String
  /// The first packet of the first of them.
  package let firstFrame: UInt64
  /// The files of a rotated capture that hold the first of them; empty for any other.
  package let parts: [CapturePart]
  /// The evidence of the first of them.
  package let evidence: Evidence
  /// The earlier session whose certificates the first of them goes back to; nil where rules look at its own.
  package let origin: AssumedChain.Origin?
  /// The source of certificates that rules judge in place of its own; nil where they judge its own.
  package let assumption: AssumedChain.Source?
  /// The subject of the certificate that the client sent; nil where none was observed.
  package let clientSubject: String?
  /// Whether the first of them showed the server's chain in full.
  package let showsChain: Bool
  /// The index of the first of them among all sessions collected.
  package let order: Int
  /// How many there are.
  package private(set) var sessions = 0

  init(_ session: ObservedSession, _ judgement: Shared<Judgement>, order: Int, _ pool: inout Set<Shared<Finding>>) {
    kept = KeptJudgement(judgement, &pool)
    transport = session.transport
    application = session.application
    version = session.tls?.serverHello?.version
    cipherSuite = session.tls?.serverHello?.cipherSuite
    group = session.tls?.group
    ending = session.ending
    file = session.file
    firstFrame = session.firstFrame
    parts = session.parts
    evidence = session.evidence
    origin = session.hasJudgedAssumption ? session.assumedChain?.origin : nil
    assumption = session.hasJudgedAssumption ? session.assumedChain?.source : nil
    clientSubject = session.clientSubject
    showsChain = session.tls?.chain.map { $0.isComplete && !$0.certificates.isEmpty } ?? false
    self.order = order
  }

  /// What was found in each of them, put together at each call: `kept` has what reports of many hosts need.
  var judgement: Shared<Judgement> { kept.whole }

  /// Counts one more session.
  mutating func count() { sessions += 1 }

  /// A hash of what makes sessions with a host alike, and of the host by its index.
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

  /// Whether sessions of both are alike.
  func isLike(_ other: SessionGroup) -> Bool {
    transport == other.transport && application == other.application && version == other.version
      && cipherSuite == other.cipherSuite && group == other.group && ending == other.ending
      && assumption == other.assumption && clientSubject == other.clientSubject && kept.isLike(other.kept)
  }
}

/// The judgements of one host: a name, or an address where there is no name, and a port.
package struct HostReport: Sendable {
  /// The name in lower case; nil where the host is an address.
  package let name: String?
  /// The address of the first session.
  package let address: IPAddress
  /// The port.
  package let port: UInt16
  /// The process whose sessions these are; nil where it is unknown or hosts are not separated by process.
  package internal(set) var process: String?
  /// The groups of its sessions, the worst first.
  package internal(set) var groups: [SessionGroup] = []
  /// Its sessions by verdict.
  package internal(set) var verdicts = VerdictCounts()
  /// Those of its sessions that are in no group, because a limit was reached.
  package internal(set) var ungrouped = VerdictCounts()
  /// Whether the name alone does not identify it: another port of the same host occurs, or cleartext on the port of HTTPS.
  package internal(set) var needsPort = false
  /// The proxies that its sessions went through, such as `HTTP proxy 192.0.2.1:3128`; at most `HostReport.maximumProxies`.
  package private(set) var proxies: [String] = []

  /// `through HTTP proxy 192.0.2.1:3128`; nil where no session went through a proxy.
  var proxyPhrase: String? { proxies.isEmpty ? nil : "through \(proxies.joined(separator: ", "))" }

  /// How many proxies of one host are named.
  private static let maximumProxies = 8

  /// Creates the report of a session's host, which has no groups yet.
  init(_ session: ObservedSession) {
    (name, address) = session.reportedHost
    port = session.hostPort
    note(proxyOf: session)
  }

  /// Adds the proxy of a session.
  mutating func note(proxyOf session: ObservedSession) {
    guard let proxy = session.proxyText, !proxies.contains(proxy), proxies.count < HostReport.maximumProxies
    else { return }
    proxies.append(proxy)
  }

  /// How many sessions there are.
  package var sessions: Int { verdicts.total }

  /// The worst verdict of a session.
  package var verdict: Verdict { verdicts.worst }

  /// Whether the worst verdict is a pass that rests on a key.
  package var isRelaxed: Bool { verdicts.isWorstRelaxed }

  /// The ways in which handshakes with it failed, with how many sessions did: the most first.
  package var failedEndings: [(ending: SessionEnding, sessions: Int)] {
    var endings: [(ending: SessionEnding, sessions: Int)] = []
    for group in groups {
      guard let ending = group.ending, ending.isFailure else { continue }
      if let known = endings.firstIndex(where: { $0.ending == ending }) {
        endings[known].sessions += group.sessions
      } else {
        endings.append((ending, group.sessions))
      }
    }
    // Among equals in the order of the groups, so that the report is the same in each run.
    return endings.enumerated().sorted { ($1.element.sessions, $0.offset) < ($0.element.sessions, $1.offset) }
      .map(\.element)
  }

  /// The best verdict of a session.
  package var best: Verdict { verdicts.best }

  /// The host as text from an input, without the port: not yet made safe to show.
  var text: String { name ?? address.description }

  /// The host and port as text from an input: not yet made safe to show.
  package var label: String {
    if let name { return "\(name):\(port)" }
    return Endpoint(address: address, port: port).description
  }
}

extension ObservedSession {
  /// The subject of the certificate that the client sent; nil where none was observed.
  var clientSubject: String? { tls?.clientChain?.certificates.first?.certificate.subject }

  /// The name of the host in lower case, nil where the host is an address, and the address.
  var reportedHost: (name: String?, address: IPAddress) {
    guard serverNameSource != .address, let name = serverName?.lowercased() else { return (nil, hostAddress) }
    if name.utf8.first.map(ObservedSession.canBeginAddress) == true, let literal = IPAddress(name) {
      return (nil, literal)
    }
    return (name, hostAddress)
  }

  private static func canBeginAddress(_ byte: UInt8) -> Bool {
    (0x30...0x3A).contains(byte) || (0x61...0x66).contains(byte)
  }
}

extension HostReport {
  /// The worse the lesser: failing, unknown, exempt, relaxed, passing.
  static func rank(_ verdict: Verdict, isRelaxed: Bool) -> Int {
    switch verdict {
    case .fail: 0
    case .unknown: 1
    case .exempt: 2
    case .pass: isRelaxed ? 3 : 4
    }
  }
}
