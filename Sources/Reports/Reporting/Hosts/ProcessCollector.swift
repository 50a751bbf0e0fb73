package import ATSEvaluation
package import SessionModel
package import SessionRecords
import Values

/// Counts judged sessions by process, as far as captures name processes.
package struct ProcessCollector {
  /// The maximum number of processes; a device runs some hundreds.
  package static let maximumProcesses = 4096

  /// The number of sessions of processes beyond the maximum.
  package private(set) var unlisted = 0

  private var processes: [ProcessSummary] = []
  private var indices: [Key: Int] = [:]
  private var nameless = ProcessSummary()

  private struct Key: Hashable {
    var name: String?
    var pid: Int32?
  }

  package init() {}

  package mutating func add(_ session: borrowing ObservedSession, _ judgement: Shared<Judgement>) {
    guard let process = session.process, process.name != nil || process.pid != nil else {
      nameless.add(judgement)
      return
    }
    let key = Key(name: process.name, pid: process.pid)
    if let known = indices[key] {
      processes[known].add(judgement)
      return
    }
    guard processes.count < ProcessCollector.maximumProcesses else {
      unlisted += 1
      return
    }
    indices[key] = processes.count
    var summary = ProcessSummary(name: key.name, pid: key.pid)
    summary.add(judgement)
    processes.append(summary)
  }

  /// Returns the processes, the worst first, of equals the first; the sessions without a known process are last. Returns nil if no
  /// process is known.
  package func report() -> [ProcessSummary]? {
    if processes.isEmpty { return nil }
    let indices = processes.enumerated().map { index, process in
      (HostReport.rank(process.verdicts.worst, isRelaxed: process.verdicts.isWorstRelaxed), index)
    }
    let sorted = indices.sorted { $0 < $1 }.map { processes[$0.1] }
    return nameless.verdicts.total > 0 ? sorted + [nameless] : sorted
  }
}
