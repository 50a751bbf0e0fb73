/// Who carries out a step of a fix. A fix consists of steps such as `Server: renew the certificate`, separated by full stops.
package enum FixActor: String, CaseIterable {
  case recording = "Recording"
  case server = "Server"
  case serverIfRepeated = "Server, if a new recording fails too"
  case app = "App"
  case devices = "Devices"

  /// Returns several fixes as one text.
  package static func merged(_ fixes: [String]) -> String { steps(of: fixes).joined(separator: ". ") }

  /// Returns the steps of several fixes, one text for each actor, in which none is repeated.
  package static func steps(of fixes: [String]) -> [String] {
    var steps: [(label: String, texts: [String])] = ([""] + allCases.map { "\($0.rawValue): " }).map { ($0, []) }
    for fix in fixes {
      var index = 0
      for part in fix.split(separator: ". ") {
        let own = steps.lastIndex { part.hasPrefix($0.label) } ?? 0
        if own > 0 { index = own }
        let text = String(part.dropFirst(own > 0 ? steps[own].label.count : 0))
        if !steps[index].texts.contains(text) { steps[index].texts.append(text) }
      }
    }
    return steps.filter { !$0.texts.isEmpty }.map { $0.label + $0.texts.joined(separator: "; ") }
  }

  /// Returns whether a text contains each step of a fix.
  package static func isIncluded(_ fix: String, in text: String) -> Bool {
    fix.split(separator: ". ").allSatisfy { part in
      let label = allCases.map { "\($0.rawValue): " }.first { part.hasPrefix($0) } ?? ""
      return text.contains(part.dropFirst(label.count))
    }
  }
}
