import SessionModel
import Values

/// Says which sessions are shown: those with certain hosts, and of certain processes.
struct SessionChoice: Sendable {
  private let hosts: [HostPattern]
  private let processes: Set<String>

  /// Apple's systems name processes by so many bytes of the executable's name.
  private static let nameLength = 16

  init(_ options: AuditOptions) {
    hosts = options.hosts
    var names = Set(options.processes)
    for name in options.processes where name.utf8.count > SessionChoice.nameLength {
      names.insert(String(decoding: name.utf8.prefix(SessionChoice.nameLength), as: UTF8.self))
    }
    processes = names
  }

  /// Whether a session is shown. One whose process is not known belongs to none that could be asked for.
  func takes(_ session: ObservedSession) -> Bool {
    guard session.isShown(hosts) else { return false }
    return processes.isEmpty || session.process?.name.map(takes(process:)) ?? false
  }

  /// Whether the sessions of a process are shown.
  func takes(process: String) -> Bool { processes.isEmpty || processes.contains(process) }
}
