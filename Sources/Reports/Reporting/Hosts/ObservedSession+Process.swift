import SessionObservation

extension ObservedSession {
  /// The process by name and number, as reports show it; nil where the capture does not name it.
  var processLabel: String? { nil }
}
