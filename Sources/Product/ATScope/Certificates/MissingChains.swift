public import ByteParsing
import Reporting
import SessionLinking
import SessionModel

/// Gathers the hosts whose chains captures hide: what `certificates --missing` lists.
public struct MissingChains: Sendable {
  /// Hosts that are kept; sessions with further ones are counted.
  public static let maximumHosts = 65_536

  private var hosts: [MissingChain] = []
  private var furtherSessions = 0

  /// Reads the inputs.
  public static func run(_ options: AuditOptions) -> (missing: MissingChains, outcome: RunOutcome) {
    var sink = Sink(options)
    let outcome = Audit.read(options, into: &sink)
    return (sink.missing, outcome)
  }

  /// How many hosts hide their chains.
  public var hostCount: Int { hosts.count }

  /// The hosts with the most sessions first.
  private func report(_ inputs: [String]) -> MissingChainsReport {
    let sorted = hosts.enumerated().sorted {
      ($1.element.sessions, $0.offset) < ($0.element.sessions, $1.offset)
    }
    return MissingChainsReport(
      sorted.map(\.element), furtherSessions: furtherSessions, inputs: inputs)
  }

  /// The list for people; the commands in it name the inputs.
  public func text(of inputs: [String], width: Int = 80, useColor: Bool = false) -> Bytes {
    report(inputs).text(TextOptions(width: width, useColor: useColor))
  }

  /// The list as an object of the schema `atscope.missing/1`.
  public func json() -> Bytes { report([]).json() }

  /// A POSIX shell script that collects the chains with OpenSSL.
  public func script(for inputs: [String]) -> Bytes { report(inputs).script() }

  private struct Sink: SessionSink, ~Copyable {
    var missing = MissingChains()
    private var indices: [String: Int] = [:]
    private var shown: Set<String> = []
    private let choice: SessionChoice

    init(_ options: AuditOptions) { choice = SessionChoice(options) }

    mutating func take(_ session: ObservedSession) {
      guard let tls = session.tls, choice.takes(session) else { return }
      let key = SuppliedChains.endpoint(
        session.serverName ?? session.hostAddress.description, session.hostPort)
      guard tls.chain == nil else {
        guard EarlierSessions.captured(in: session) != nil else { return }
        if let index = indices[key] { missing.hosts[index].isShownElsewhere = true }
        if shown.count < MissingChains.maximumHosts { shown.insert(key) }
        return
      }
      if session.hasJudgedAssumption { return }
      if let index = indices[key] { return missing.hosts[index].note(session) }
      guard missing.hosts.count < MissingChains.maximumHosts else {
        missing.furtherSessions += 1
        return
      }
      var host = MissingChain(session)
      host.note(session)
      host.isShownElsewhere = shown.contains(key)
      indices[key] = missing.hosts.count
      missing.hosts.append(host)
    }
  }
}
