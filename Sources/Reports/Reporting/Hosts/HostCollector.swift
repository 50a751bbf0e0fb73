public import ATSEvaluation
import ByteParsing
public import SessionObservation
public import SessionRecords
import TLSParsing
import Values

/// Gathers judged sessions by host, for reports that come at the end.
///
/// Its memory follows hosts and distinct findings: of each group of like sessions it keeps the first and a count.
public struct HostCollector {
  /// How many hosts are told apart. A capture of hostile names could hold millions; a report of so many helps nobody.
  public static let hostLimit = 100_000

  /// How many groups there may be over all hosts.
  public static let groupLimit = 200_000

  /// How many recently met judgements are recognised by their identity.
  private static let recentLimit = 4096

  /// The sessions of hosts beyond `hostLimit`, by verdict.
  public private(set) var unlisted = VerdictCounts()

  private let limits: (hosts: Int, groups: Int)
  private let byProcess: Bool
  private var hosts: [HostReport] = []
  private var placesOfHosts = HashedPlaces()
  private var groups: [SessionGroup] = []
  private var placesOfGroups = HashedPlaces()
  private var hostsOfGroups: [Int] = []
  private var recent: [Recent] = []
  private var placesOfRecent = HashedPlaces()
  private var order = 0

  /// Creates a collector that holds nothing.
  ///
  /// With `byProcess` the sessions of different processes with one host are told apart.
  public init(byProcess: Bool = false) {
    self.init(hostLimit: HostCollector.hostLimit, groupLimit: HostCollector.groupLimit, byProcess: byProcess)
  }

  init(hostLimit: Int, groupLimit: Int, byProcess: Bool = false) {
    limits = (hostLimit, groupLimit)
    self.byProcess = byProcess
  }

  /// Hosts that were told apart.
  public var hostCount: Int { hosts.count }

  /// Counts a session and what was found in it.
  public mutating func add(_ session: ObservedSession, _ judgement: Judgement) {
    order += 1
    let key = RecentKey(
      judgement: ObjectIdentifier(judgement), answer: session.identities.answer,
      group: session.tls?.group?.rawValue, port: session.hostPort, transport: session.transport,
      ending: session.ending,
      assumption: session.hasJudgedAssumption ? session.assumedChain?.source : nil)
    // By index, so that the entry is looked at where it lies and not copied with all that it holds.
    let known = placesOfRecent.first(of: key.digest) { recent[$0].key == key }
    let process = byProcess ? session.processLabel : nil
    if let known, recent[known].name == session.serverName, recent[known].process == process,
      recent[known].name != nil || recent[known].address == session.hostAddress,
      recent[known].proxy == session.proxyText
    {
      groups[recent[known].group].count()
      return
    }
    guard let group = findGroup(of: session, judgement) else { return }
    groups[group].count()
    let entry = Recent(
      key: key, judgement: judgement, answer: session.tls?.answer, name: session.serverName,
      address: session.hostAddress, proxy: session.proxyText,
      process: process, group: group)
    if let known {
      recent[known] = entry
      return
    }
    if recent.count >= HostCollector.recentLimit {
      recent.removeAll(keepingCapacity: true)
      placesOfRecent.removeAll()
    }
    placesOfRecent.append(key.digest)
    recent.append(entry)
  }

  /// The hosts with their groups: the worst first, failing ones by severity.
  public func report() -> [HostReport] {
    var reports = hosts
    for (index, group) in groups.enumerated() {
      let host = hostsOfGroups[index]
      reports[host].groups.append(group)
      reports[host].verdicts.add(
        group.judgement.content.verdict, isRelaxed: group.judgement.isRelaxed, times: group.sessions)
    }
    for index in reports.indices {
      reports[index].groups.sort { HostCollector.place(of: $0) < HostCollector.place(of: $1) }
    }
    return reports.sortedBySeverity()
  }

  private static func place(of group: SessionGroup) -> (Int, Int) {
    let judgement = group.judgement
    return (HostReport.rank(judgement.content.verdict, isRelaxed: judgement.isRelaxed), group.order)
  }

  /// The group of a session, begun where there is none; nil where a limit forbids that and the session is counted.
  private mutating func findGroup(of session: ObservedSession, _ judgement: Judgement) -> Int? {
    let verdict = judgement.content.verdict
    guard let host = findHost(of: session) else {
      unlisted.add(verdict, isRelaxed: judgement.isRelaxed)
      return nil
    }
    let group = SessionGroup(session, judgement, order: order)
    let digest = group.digest(host: host)
    let known = placesOfGroups.first(of: digest) { place in
      hostsOfGroups[place] == host && groups[place].isLike(group)
    }
    if let known { return known }
    guard groups.count < limits.groups else {
      hosts[host].ungrouped.add(verdict, isRelaxed: judgement.isRelaxed)
      hosts[host].verdicts.add(verdict, isRelaxed: judgement.isRelaxed)
      return nil
    }
    groups.append(group)
    hostsOfGroups.append(host)
    placesOfGroups.append(digest)
    return groups.count - 1
  }

  private mutating func findHost(of session: ObservedSession) -> Int? {
    let key = HostKey(session, process: byProcess ? session.processLabel : nil)
    let known = placesOfHosts.first(of: key.digest) { key.fits(hosts[$0]) }
    if let known {
      hosts[known].note(proxyOf: session)
      return known
    }
    guard hosts.count < limits.hosts else { return nil }
    var host = HostReport(session)
    host.process = key.process
    hosts.append(host)
    placesOfHosts.append(key.digest)
    return hosts.count - 1
  }
}

extension HostCollector {
  /// What a host is known by.
  private struct HostKey {
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

    var digest: Int {
      var hasher = Hasher()
      hasher.combine(name)
      hasher.combine(address)
      hasher.combine(port)
      hasher.combine(process)
      return hasher.finalize()
    }

    func fits(_ host: HostReport) -> Bool {
      port == host.port && name == host.name && (address == nil || address == host.address)
        && process == host.process
    }
  }

  /// A judgement and what else tells groups apart, by identity: cheap to look up.
  private struct RecentKey: Equatable {
    var judgement: ObjectIdentifier
    /// 0 where there is none.
    var answer: UInt
    var group: UInt16?
    var port: UInt16
    var transport: ObservedSession.Transport
    var ending: SessionEnding?
    var assumption: AssumedChain.Source?

    /// Two addresses tell nearly all keys apart; equality looks at everything.
    var digest: Int { Int(bitPattern: UInt(bitPattern: judgement) ^ answer.byteSwapped) }
  }

  /// The group of a recent session. The objects are held so that no others take their identity.
  private struct Recent {
    let key: RecentKey
    let judgement: Judgement
    let answer: ServerAnswer?
    let name: String?
    let address: IPAddress
    let proxy: String?
    let process: String?
    let group: Int
  }
}
