import Values

/// The processes that a capture has named so far, each once, to be shared by all their sessions.
struct ProcessTable {
  private var processes: Set<CapturedProcess> = []

  /// The one object that stands for an equal process; nil if no more are kept.
  mutating func shared(_ process: CapturedProcess) -> CapturedProcess? {
    if let index = processes.firstIndex(of: process) { return processes[index] }
    guard processes.count < CaptureLimits.processes else { return nil }
    processes.insert(process)
    return process
  }
}
