import SessionModel

/// Selects sessions by host and process.
struct SessionChoice: Sendable {
  private let hosts: [HostPattern]
  private let processes: Set<String>

  /// Apple's systems truncate process names to this many bytes of the executable's name.
  static let processNameLength = 16

  init(_ options: AuditOptions) {
    hosts = options.hosts
    var names = Set(options.processes)
    for name in options.processes where name.utf8.count > SessionChoice.processNameLength {
      names.insert(String(decoding: name.utf8.prefix(SessionChoice.processNameLength), as: UTF8.self))
    }
    processes = names
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
