package import ATSEvaluation
import ATSRules
import ByteParsing
package import SessionModel
package import SessionRecords
import TLSParsing
import Values

/// Collects judged sessions by host, for reports that are written at the end.
///
/// Its memory depends on the number of hosts and of distinct findings: a group of like sessions is the first of them and a count. Beyond
/// `maximumDetails` hosts, only the worst are kept and the others are counted.
package struct HostCollector {
  /// The maximum number of hosts with their findings; beyond it, the `worstHosts` worst are kept.
  package static let maximumDetails = 20_000

  /// The number of hosts kept once there are more than `maximumDetails`: only programs read a list of this length.
  package static let worstHosts = 2_000

  /// The maximum number of hosts, listed or counted. A hostile capture can contain millions of names.
  package static let maximumHosts = 100_000

  /// The maximum number of groups over all hosts.
  package static let maximumGroups = 200_000

  /// The maximum number of recent judgements that are recognized by their identity.
  private static let maximumRecent = 1024

  /// The sessions of hosts beyond `maximumHosts`, by verdict.
  private var beyond = VerdictCounts()

  /// The sessions of hosts that are only counted, by verdict and by the digest of the host.
  private var counted: [Int: VerdictCounts] = [:]

  /// The rank of the best listed host once some hosts are only counted. A new host is listed only if it is worse.
  private var bound: Int?

  private let limits: (hosts: Int, groups: Int, detail: Int, worst: Int)
  private let byProcess: Bool
  private var hosts: [HostReport] = []
  private var hostIndices: [HostKey: Int] = [:]
  private var groups: [SessionGroup] = []
  private var pool: Set<Shared<Finding>> = []
  /// The indices of groups by digest.
  private var groupIndices: [Int: [Int]] = [:]
  private var hostsOfGroups: [Int] = []
  private var recent = RecentTable<[RecentKey: Recent]>(entriesPerGeneration: maximumRecent / 2)
  private var order = 0

  /// Creates an empty collector.
  ///
  /// With `byProcess`, sessions of different processes with one host are separate.
  package init(
    maximumHosts: Int = maximumHosts, maximumGroups: Int = maximumGroups, maximumDetails: Int = maximumDetails,
    worstHosts: Int = worstHosts, byProcess: Bool = false
  ) {
    limits = (maximumHosts, maximumGroups, maximumDetails, worstHosts)
    self.byProcess = byProcess
  }

  /// The number of hosts, including those that are only counted.
  package var hostCount: Int { hosts.count + counted.count }

  /// The hosts that are only counted, by their worst verdict.
  package var unlistedHosts: VerdictCounts {
    counted.values.reduce(into: VerdictCounts()) { $0.addWorst(of: $1) }
  }

  /// The sessions of hosts that are not listed, by verdict: hosts that are only counted, and those beyond `maximumHosts`.
  package var unlisted: VerdictCounts { counted.values.reduce(into: beyond) { $0.add($1) } }

  /// The words for the hosts that are not listed; nil if all are listed.
  package var unlistedText: String? {
    let sessions = unlisted
    guard sessions.total > 0 else { return nil }
    let tally = Wording.tally(sessions, noun: "session{s}")
    if counted.isEmpty { return "\(tally) with further hosts" }
    return "\(tally) with \(Wording.count(counted.count, "further host{s}")), no worse than those listed"
      + (beyond.total > 0 ? ", and with hosts beyond the limit" : "")
  }

  /// Counts a session with its findings.
  package mutating func add(_ session: ObservedSession, _ judgement: Shared<Judgement>) {
    order += 1
    let key = RecentKey(
      judgement: judgement.identity, serverHello: session.sharedTLS?.sharedServerHello?.identity, group: session.sharedTLS?.group?.rawValue,
      port: session.hostPort, transport: session.transport, ending: session.ending,
      assumption: session.hasJudgedAssumption ? session.sharedAssumedChain?.source : nil)
    let process = byProcess ? session.processLabel : nil
    if let known = recent[key], known.name == session.serverName, known.process == process,
      known.name != nil || known.address == session.hostAddress,
      known.proxy == session.proxyText, known.clientSubject == session.clientSubject
    {
      groups[known.group].count()
      return
    }
    guard let group = findGroup(of: session, judgement) else { return }
    groups[group].count()
    recent.insert(
      Recent(
        judgement: judgement, serverHello: session.sharedTLS?.sharedServerHello, name: session.serverName, address: session.hostAddress,
        proxy: session.proxyText, process: process, clientSubject: session.clientSubject, group: group), for: key)
    if hosts.count > (bound == nil ? limits.detail : 2 * limits.worst) { keepWorst() }
  }

  /// Keeps the worst hosts, of equals the first, and only counts the others.
  private mutating func keepWorst() {
    var totals = hosts.map(\.verdicts)
    for (index, group) in groups.enumerated() {
      totals[hostsOfGroups[index]].add(group)
    }
    let ranks = totals.map { HostReport.rank($0.worst, isRelaxed: $0.isWorstRelaxed) }
    let order = hosts.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }
    let kept = order.prefix(limits.worst).sorted()
    bound = order.prefix(limits.worst).last.map { ranks[$0] }
    for index in order.dropFirst(limits.worst) {
      counted[HostKey(hosts[index]).hashValue, default: VerdictCounts()].add(totals[index])
    }
    var newIndices: [Int: Int] = [:]
    for (newIndex, index) in kept.enumerated() { newIndices[index] = newIndex }
    hosts = kept.map { hosts[$0] }
    hostIndices.removeAll()
    for (index, host) in hosts.enumerated() { hostIndices[HostKey(host)] = index }
    let keptGroups = groups.indices.compactMap { index in
      newIndices[hostsOfGroups[index]].map { (group: groups[index], host: $0) }
    }
    groups = keptGroups.map(\.group)
    pool = []
    hostsOfGroups = keptGroups.map(\.host)
    groupIndices.removeAll()
    for (index, kept) in keptGroups.enumerated() {
      groupIndices[kept.group.digest(host: kept.host), default: []].append(index)
    }
    recent = RecentTable(entriesPerGeneration: HostCollector.maximumRecent / 2)
  }

  /// Returns the hosts with their groups: the worst first, failing ones by severity.
  package func report() -> [HostReport] {
    var reports = hosts
    for (index, group) in groups.enumerated() {
      let host = hostsOfGroups[index]
      reports[host].groups.append(group)
      reports[host].verdicts.add(group)
    }
    var ports: [String: Set<UInt16>] = [:]
    var (secure, failing): (Set<String>, Set<String>) = ([], [])
    for host in reports {
      ports[host.text, default: []].insert(host.port)
      if host.groups.contains(where: \.passesOverHTTPS) { secure.insert(host.text) }
      if host.groups.contains(where: \.failsOverHTTPS) { failing.insert(host.text) }
    }
    secure.subtract(failing)
    // The settings of each process may differ.
    for indices in reports.indices.grouped(by: { [reports[$0].process, reports[$0].text] }).map(\.elements) {
      let needed = indices.flatMap { index in
        reports[index].groups.map { NarrowestException.entry(host: "", keys: $0.keysNeeded(in: reports[index].text)) }
      }.filter { !$0.settings.isEmpty }
      guard let first = needed.first else { continue }
      let all = needed.reduce(first) { $0.merged(with: $1) ?? $0 }
      for index in indices { reports[index].neededEntry = all }
    }
    for index in reports.indices {
      reports[index].passesOverHTTPS = secure.contains(reports[index].text)
      reports[index].needsPort = (ports[reports[index].text]?.count ?? 0) > 1 || reports[index].groups.contains { $0.application == .http }
      reports[index].groups.sort { HostCollector.sortKey(of: $0) < HostCollector.sortKey(of: $1) }
    }
    return reports.sortedBySeverity()
  }

  private static func sortKey(of group: SessionGroup) -> (Int, Int) {
    (HostReport.rank(group.kept.verdict, isRelaxed: group.kept.isRelaxed), group.order)
  }

  /// Returns the index of the group of a session, creating it if necessary; nil if a limit prevents that and the session is only counted.
  private mutating func findGroup(of session: ObservedSession, _ judgement: Shared<Judgement>) -> Int? {
    guard let host = findHost(of: session, judgement) else { return nil }
    let group = SessionGroup(session, judgement, order: order, &pool)
    let digest = group.digest(host: host)
    let known = groupIndices[digest]?.first { hostsOfGroups[$0] == host && groups[$0].isLike(group) }
    if let known { return known }
    guard groups.count < limits.groups else {
      hosts[host].ungrouped.add(judgement)
      hosts[host].verdicts.add(judgement)
      return nil
    }
    groupIndices[digest, default: []].append(groups.count)
    groups.append(group)
    hostsOfGroups.append(host)
    return groups.count - 1
  }

  /// Returns the index of a session's host, adding it if necessary; nil if the session is only counted.
  private mutating func findHost(of session: ObservedSession, _ judgement: Shared<Judgement>) -> Int? {
    let key = HostKey(session, process: byProcess ? session.processLabel : nil)
    if let known = hostIndices[key] {
      hosts[known].note(proxyOf: session)
      return known
    }
    let digest = key.hashValue
    let earlier = counted[digest]
    if earlier == nil, hostCount >= limits.hosts {
      beyond.add(judgement)
      return nil
    }
    if let bound, HostReport.rank(judgement.verdict, isRelaxed: judgement.isRelaxed) >= bound {
      counted[digest, default: VerdictCounts()].add(judgement)
      return nil
    }
    var host = HostReport(session)
    host.process = key.process
    if let earlier {
      // The host was only counted, and is now worse than some listed hosts.
      host.ungrouped = earlier
      host.verdicts = earlier
      counted[digest] = nil
    }
    hostIndices[key] = hosts.count
    hosts.append(host)
    return hosts.count - 1
  }
}

extension HostCollector {
  /// The identity of a host: its name, or its address if it has no name, its port, and its process if processes are separate.
  private struct HostKey: Hashable {
    var name: String?
    var address: IPAddress?
    var port: UInt16
    var process: String?

    init(_ session: ObservedSession, process: String?) {
      self.process = process
      let host = session.reportedHost
      name = host.name
      address = host.name == nil ? host.address : nil
      port = session.hostPort
    }

    init(_ host: HostReport) {
      (name, port, process) = (host.name, host.port, host.process)
      address = host.name == nil ? host.address : nil
    }
  }

  /// The identity of a judgement and of the other properties that distinguish groups: cheap to look up.
  private struct RecentKey: Hashable {
    var judgement: ObjectIdentifier
    var serverHello: ObjectIdentifier?
    var group: UInt16?
    var port: UInt16
    var transport: ObservedSession.Transport
    var ending: SessionEnding?
    var assumption: AssumedChain.Source?

    /// Hashes the properties that distinguish most groups.
    func hash(into hasher: inout Hasher) {
      hasher.combine(judgement)
      hasher.combine(serverHello)
    }
  }

  /// The group of a recent session. The objects are retained so that their identities are not reused.
  private struct Recent {
    let judgement: Shared<Judgement>
    let serverHello: Shared<ServerHelloFacts>?
    let name: String?
    let address: IPAddress
    let proxy: String?
    let process: String?
    let clientSubject: String?
    let group: Int
  }
}
