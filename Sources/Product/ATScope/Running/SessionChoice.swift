import SessionModel

/// Selects sessions by host and process.
struct SessionChoice: Sendable {
  private let hosts: [HostPattern]
  private let processes: Set<String>

  /// Apple's systems truncate process names to one of these numbers of bytes of the executable's name.
  private static let processNameLengths = [16, 32]

  init(_ options: AuditOptions) {
    hosts = options.hosts
    processes = options.processes.reduce(into: []) { $0.formUnion([$1] + SessionChoice.truncated($1)) }
  }

  /// The names that captures may have for a process with a long name.
  private static func truncated(_ name: String) -> [String] {
    processNameLengths.filter { $0 < name.utf8.count }.map { String(decoding: name.utf8.prefix($0), as: UTF8.self) }
  }

  /// Whether a name in a capture, which may be truncated, is that of a process.
  static func isProcess(_ captured: String, _ name: String) -> Bool {
    captured == name || truncated(name).contains(captured)
  }

  /// Whether a session is selected. A session of an unknown process matches no process.
  func takes(_ session: ObservedSession) -> Bool {
    guard session.isShown(hosts) else { return false }
    return processes.isEmpty || session.process?.name.map(takes(process:)) ?? false
  }

  /// Whether the sessions of a host are selected, as far as its name, or its address if it has no name, decides that.
  func takes(host: String, port: UInt16, process: String?) -> Bool {
    guard hosts.isEmpty || hosts.contains(where: { $0.matches(host, port: port) }) else { return false }
    return processes.isEmpty || process.map(takes(process:)) ?? false
  }

  func takes(process: String) -> Bool { processes.isEmpty || processes.contains(process) }
}
