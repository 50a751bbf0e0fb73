import SessionModel
import Values

extension ObservedSession {
  /// The process by name and number, as reports show it; nil where the capture does not name it.
  var processLabel: String? {
    guard let process else { return nil }
    if let name = process.name { return process.pid.map { "\(name) (\($0))" } ?? name }
    return process.pid.map { "process \($0)" } ?? process.uid.map { "user \($0)" }
  }
}
