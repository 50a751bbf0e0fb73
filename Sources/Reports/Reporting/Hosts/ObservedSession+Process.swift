import SessionModel
import Values

extension ObservedSession {
  /// The display name of the process, by name and process ID; nil if the capture does not contain it.
  package var processLabel: String? {
    guard let process else { return nil }
    if let name = process.name { return process.pid.map { "\(name) (\($0))" } ?? name }
    return process.pid.map { "process \($0)" } ?? process.uid.map { "user \($0)" }
  }
}
