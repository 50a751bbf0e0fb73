public import ByteParsing
import CommandReports
import Reporting
import SessionLinking
import SessionModel
import SessionReading

/// Collects the hosts whose certificate chains are hidden in captures, as `certificates --missing` does.
public struct MissingChains: Sendable {
  private let options: AuditOptions

  /// The maximum number of hosts; sessions with further hosts are counted.
  private static let maximumHosts = 65_536

  /// Creates a search in the sessions that the options choose.
  public init(_ options: AuditOptions) { self.options = options }

  /// Reads the inputs.
  public func run() -> Hosts {
    var sink = Sink(options)
    let outcome = Audit.read(options, into: &sink)
    // The hosts with the most sessions first.
    let sorted = sink.hosts.sorted { $0.sessions > $1.sessions }
    return Hosts(
      outcome: outcome, hostCount: sorted.count,
      report: MissingChainsReport(
        sorted, furtherSessions: sink.furtherSessions,
        inputs: options.inputs.map { $0.path ?? $0.displayName }, selectsSessions: options.selectsSessions))
  }

  /// The hosts with hidden chains, those with the most sessions first.
  public struct Hosts: Report {
    /// The outcome of reading the inputs.
    public let outcome: RunOutcome

    /// The number of hosts with hidden chains, at most 65,536.
    public let hostCount: Int

    fileprivate let report: MissingChainsReport

    /// The report in a format; JSON is an object of the schema `atscope.missing/1`.
    public func rendered(_ format: TextOrJSON, width: Int, useColor: Bool) -> Bytes {
      switch format {
      case .text: report.text(TextOptions(width: width, useColor: useColor))
      case .json: report.json()
      }
    }

    /// A POSIX shell script that collects the chains with OpenSSL.
    public func script() -> Bytes { report.script() }
  }

  private struct Sink: SessionSink, ~Copyable {
    private(set) var hosts: [MissingChain] = []
    private(set) var furtherSessions = 0
    private var indices: [String: Int] = [:]
    private var shown: Set<String> = []
    private let choice: SessionChoice

    init(_ options: AuditOptions) { choice = SessionChoice(options) }

    mutating func take(_ session: ObservedSession) {
      guard let tls = session.sharedTLS, choice.takes(session) else { return }
      let key = SuppliedChains.endpoint(session.host, session.hostPort)
      guard tls.chain == nil else {
        guard EarlierSessions.captured(in: session) != nil else { return }
        if let index = indices[key] { hosts[index].isShownElsewhere = true }
        if shown.count < MissingChains.maximumHosts { shown.insert(key) }
        return
      }
      if session.hasJudgedAssumption { return }
      let mayApply = SuppliedChains.mayApply(to: session)
      if let index = indices[key] { return hosts[index].note(session, isSettledByChain: mayApply) }
      guard hosts.count < MissingChains.maximumHosts else {
        furtherSessions += 1
        return
      }
      var host = MissingChain(session)
      host.note(session, isSettledByChain: mayApply)
      host.isShownElsewhere = shown.contains(key)
      indices[key] = hosts.count
      hosts.append(host)
    }
  }
}
