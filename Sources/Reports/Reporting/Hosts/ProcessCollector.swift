package import ATSEvaluation
package import SessionModel
package import SessionRecords
import Values

/// Counts judged sessions by the process that made them, as far as captures name processes.
package struct ProcessCollector {
  /// Processes that are counted separately; a device runs some hundreds.
  package static let maximumProcesses = 4096

  /// The sessions of processes beyond the limit.
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

  /// The processes, the worst first and among equals the one met first; last the sessions whose process is not known.
  /// Nil where no process is known at all.
  package func report() -> [ProcessSummary]? {
    if processes.isEmpty { return nil }
    let indices = processes.enumerated().map { index, process in
      (HostReport.rank(process.verdicts.worst, isRelaxed: process.verdicts.isWorstRelaxed), index)
    }
    let sorted = indices.sorted { $0 < $1 }.map { processes[$0.1] }
    return nameless.verdicts.total > 0 ? sorted + [nameless] : sorted
  }
}
