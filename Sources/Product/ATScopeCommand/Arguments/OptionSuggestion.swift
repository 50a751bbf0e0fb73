import ATScope

/// What to use instead of an unknown option. ArgumentParser suggests the nearest option, however different it is.
enum OptionSuggestion {
  /// Options that people expect, and those that do it here.
  private static let expected = [
    "plist": "--info-plist FILE", "infoplist": "--info-plist FILE", "f": "--format FORMAT", "json": "--format json",
    "ndjson": "--format ndjson", "csv": "--format csv", "html": "--report html=FILE", "markdown": "--report markdown=FILE",
    "sarif": "--report sarif=FILE", "junit": "--report junit=FILE", "verbose": "--details", "v": "--details",
    "keylogfile": "--keylog FILE", "ca": "--anchors FILE", "cafile": "--anchors FILE", "date": "--at TIME", "time": "--at TIME",
    "release": "--os RELEASE", "ios": "--os RELEASE", "platform": "--os RELEASE",
  ]

  /// Returns ArgumentParser's message, with another suggestion if it is about an unknown option.
  static func improving(_ message: String) -> String {
    let lead = "Error: Unknown option '"
    guard message.hasPrefix(lead) else { return message }
    let rest = message.dropFirst(lead.count)
    let option = rest.prefix { $0 != "'" }
    let name = option.drop { $0 == "-" }.lowercased()
    let first = rest.prefix { $0 != "\n" }
    let guess = first.split(separator: "'").dropLast().last.map { $0.drop { $0 == "-" } }
    var suggestion = ""
    if let known = expected[name] {
      suggestion = " Use \(known)."
    } else if first.contains("Did you mean"), let guess,
      Explanation.nearest(to: name, among: [String(guess)], limit: max(1, name.count / 3)) != nil
    {
      suggestion = " Did you mean '--\(guess)'?"
    }
    return "\(lead)\(option)'.\(suggestion)\(rest.dropFirst(first.count))"
  }
}
