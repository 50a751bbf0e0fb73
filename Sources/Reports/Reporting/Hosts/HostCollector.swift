package import ATSEvaluation
import ByteParsing
package import SessionModel
package import SessionRecords
import TLSParsing
import Values

/// Gathers judged sessions by host, for reports that come at the end.
///
/// Its memory follows hosts and distinct findings: of each group of like sessions it keeps the first and a count. Of more than
/// `maximumDetails` hosts it keeps the worst, and counts the others.
package struct HostCollector {
  /// How many hosts are kept with what was found of them; of more, the `worstHosts` worst stay.
  package static let maximumDetails = 20_000

  /// How many hosts are kept where there are more than `maximumDetails`: a list of so many is read by programs alone.
  package static let worstHosts = 2_000

  /// How many hosts are counted separately. A capture of hostile names could hold millions, and a report of so many is useless.
  package static let maximumHosts = 100_000

  /// How many groups there may be over all hosts.
  package static let maximumGroups = 200_000

  /// How many recently met judgements are recognised by their identity.
  private static let maximumRecent = 1024

  /// The sessions of hosts beyond `maximumHosts`, by verdict.
  private var beyond = VerdictCounts()

  /// The sessions of hosts that are counted only, by verdict and by the digest of the host.
  private var counted: [Int: VerdictCounts] = [:]

  /// Where hosts are counted: the rank of the best that is kept. Hosts that are no worse are not added.
  private var bound: Int?

  private let limits: (hosts: Int, groups: Int, detail: Int, worst: Int)
  private let byProcess: Bool
  private var hosts: [HostReport] = []
  private var hostIndices: [HostKey: Int] = [:]
  private var groups: [SessionGroup] = []
  private var pool: Set<Shared<Finding>> = []
  /// By digest.
  private var groupIndices: [Int: [Int]] = [:]
  private var hostsOfGroups: [Int] = []
  private var recent = RecentTable<[RecentKey: Recent]>(maximumCount: maximumRecent / 2)
  private var order = 0

  /// Creates a collector that holds nothing.
  ///
  /// With `byProcess` the sessions of different processes with one host are kept separate.
  package init(byProcess: Bool = false) {
    self.init(
      maximumHosts: HostCollector.maximumHosts, maximumGroups: HostCollector.maximumGroups,
      byProcess: byProcess)
  }

  init(
    maximumHosts: Int, maximumGroups: Int, maximumDetails: Int = maximumDetails, worstHosts: Int = worstHosts,
    byProcess: Bool = false
  ) {
    limits = (maximumHosts, maximumGroups, maximumDetails, worstHosts)
    self.byProcess = byProcess
  }

  /// Hosts, including those that are only counted.
  package var hostCount: Int { hosts.count + counted.count }

  /// The hosts that are counted only, by their worst verdict.
  package var unlistedHosts: VerdictCounts {
    counted.values.reduce(into: VerdictCounts()) { $0.add($1.worst, isRelaxed: $1.isWorstRelaxed) }
  }

  /// The sessions of hosts that are not listed, by verdict: of those that are counted only, and of those beyond `maximumHosts`.
  package var unlisted: VerdictCounts { counted.values.reduce(into: beyond) { $0.add($1) } }

  /// The words for hosts that are not listed; nil where all are.
  var unlistedText: String? {
    let sessions = unlisted
    guard sessions.total > 0 else { return nil }
    let tally = HostBlock.tally(sessions, noun: "session")
    if counted.isEmpty { return "\(tally) with further hosts" }
    return
      "\(tally) with \(Wording.count(counted.count, "further host")), no worse than those listed"
      + (beyond.total > 0 ? ", and with hosts beyond the limit" : "")
  }

  /// Counts a session and what was found in it.
  package mutating func add(_ session: ObservedSession, _ judgement: Shared<Judgement>) {
    order += 1
    let key = RecentKey(
      judgement: judgement.identity, serverHello: session.tls?.serverHello?.identity,
      group: session.tls?.group?.rawValue, port: session.hostPort, transport: session.transport,
      ending: session.ending,
      assumption: session.hasJudgedAssumption ? session.assumedChain?.source : nil)
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
        judgement: judgement, serverHello: session.tls?.serverHello, name: session.serverName,
        address: session.hostAddress, proxy: session.proxyText,
        process: process, clientSubject: session.clientSubject, group: group), for: key)
    if hosts.count > (bound == nil ? limits.detail : 2 * limits.worst) { keepWorst() }
  }

  /// Keeps the worst hosts, among equals those met first, and of the others their counts.
  private mutating func keepWorst() {
    var totals = hosts.map(\.verdicts)
    for (index, group) in groups.enumerated() {
      totals[hostsOfGroups[index]].add(
        group.kept.verdict, isRelaxed: group.kept.isRelaxed, times: group.sessions)
    }
    let ranks = totals.map { HostReport.rank($0.worst, isRelaxed: $0.isWorstRelaxed) }
    let order = hosts.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }
    let kept = order.prefix(limits.worst).sorted()
    bound = order.prefix(limits.worst).last.map { ranks[$0] }
    for index in order.dropFirst(limits.worst) {
      counted[HostKey(hosts[index]).hashValue, default: VerdictCounts()].add(totals[index])
    }
    var newPlaces: [Int: Int] = [:]
    for (place, index) in kept.enumerated() { newPlaces[index] = place }
    hosts = kept.map { hosts[$0] }
    hostIndices.removeAll()
    for (index, host) in hosts.enumerated() { hostIndices[HostKey(host)] = index }
    let keptGroups = groups.indices.compactMap { index in
      newPlaces[hostsOfGroups[index]].map { (group: groups[index], host: $0) }
    }
    groups = keptGroups.map(\.group)
    pool = []
    hostsOfGroups = keptGroups.map(\.host)
    groupIndices.removeAll()
    for (index, kept) in keptGroups.enumerated() {
      groupIndices[kept.group.digest(host: kept.host), default: []].append(index)
    }
    recent = RecentTable(maximumCount: HostCollector.maximumRecent / 2)
  }

  /// The hosts with their groups: the worst first, failing ones by severity.
  package func report() -> [HostReport] {
    var reports = hosts
    for (index, group) in groups.enumerated() {
      let host = hostsOfGroups[index]
      reports[host].groups.append(group)
      reports[host].verdicts.add(
        group.kept.verdict, isRelaxed: group.kept.isRelaxed, times: group.sessions)
    }
    var ports: [String: Set<UInt16>] = [:]
    for host in reports { ports[host.text, default: []].insert(host.port) }
    for index in reports.indices {
      reports[index].needsPort =
        (ports[reports[index].text]?.count ?? 0) > 1 || reports[index].groups.contains { $0.application == .http }
      reports[index].groups.sort { HostCollector.place(of: $0) < HostCollector.place(of: $1) }
    }
    return reports.sortedBySeverity()
  }

  private static func place(of group: SessionGroup) -> (Int, Int) {
    (HostReport.rank(group.kept.verdict, isRelaxed: group.kept.isRelaxed), group.order)
  }

  /// The group of a session, begun where there is none; nil where a limit forbids that and the session is counted.
  private mutating func findGroup(of session: ObservedSession, _ judgement: Shared<Judgement>) -> Int? {
    let verdict = judgement.verdict
    guard let host = findHost(of: session, judgement) else { return nil }
    let group = SessionGroup(session, judgement, order: order, &pool)
    let digest = group.digest(host: host)
    let known = groupIndices[digest]?.first { hostsOfGroups[$0] == host && groups[$0].isLike(group) }
    if let known { return known }
    guard groups.count < limits.groups else {
      hosts[host].ungrouped.add(verdict, isRelaxed: judgement.isRelaxed)
      hosts[host].verdicts.add(verdict, isRelaxed: judgement.isRelaxed)
      return nil
    }
    groupIndices[digest, default: []].append(groups.count)
    groups.append(group)
    hostsOfGroups.append(host)
    return groups.count - 1
  }

  /// The place of a session's host, added where there is none; nil where the session is counted only.
  private mutating func findHost(of session: ObservedSession, _ judgement: Shared<Judgement>) -> Int? {
    let key = HostKey(session, process: byProcess ? session.processLabel : nil)
    if let known = hostIndices[key] {
      hosts[known].note(proxyOf: session)
      return known
    }
    let verdict = judgement.verdict
    let digest = key.hashValue
    let earlier = counted[digest]
    if earlier == nil, hostCount >= limits.hosts {
      beyond.add(verdict, isRelaxed: judgement.isRelaxed)
      return nil
    }
    if let bound, HostReport.rank(verdict, isRelaxed: judgement.isRelaxed) >= bound {
      counted[digest, default: VerdictCounts()].add(verdict, isRelaxed: judgement.isRelaxed)
      return nil
    }
    var host = HostReport(session)
    host.process = key.process
    if let earlier {
      // It was counted only, and now is worse than some that are kept.
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
  /// What a host is known by.
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

  /// A judgement and what else distinguishes groups, by identity: cheap to look up.
  private struct RecentKey: Hashable {
    var judgement: ObjectIdentifier
    var serverHello: ObjectIdentifier?
    var group: UInt16?
    var port: UInt16
    var transport: ObservedSession.Transport
    var ending: SessionEnding?
    var assumption: AssumedChain.Source?
  }

  /// The group of a recent session. The objects are held so that no others take their identity.
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
