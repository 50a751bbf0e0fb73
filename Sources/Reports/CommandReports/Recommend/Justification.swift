import ATSRules
import ExceptionPlanning
import PolicyResolution
import Reporting
import SessionRecords

/// Drafts of the justification of a key for App Review (policy text H).
///
/// A draft contains the observed facts, and placeholders in brackets for what only the developer knows.
enum Justification {
  /// Returns the draft for a key; nil if the key requires none.
  static func draft(for key: ExceptionPlan.Key) -> String? {
    guard key.needsJustification else { return nil }
    let sessions = Wording.count(key.sessions, "recorded connection")
    guard let host = key.entry.map(DisplayText.escaped) else {
      return "The app loads content from hosts that it cannot name in advance (\(sessions)): "
        + "[what content, and why its sources are not known]. [Why it carries no personal data, or how it is protected.]"
    }
    let need =
      key.key == ATSKeys.minimumTLSVersion
      ? "Connections to \(host) use \(versions(key)) (\(sessions)), older than App Transport Security accepts."
      : isCleartext(key)
        ? "The app loads \(host) over HTTP (\(sessions)); the server offers these resources without encryption."
        : "Connections to \(host) use a cipher suite that App Transport Security does not accept (\(sessions))."
    return
      "\(need) It is run by [whom], and cannot be changed because [a server of another party without secure "
      + "transport / a device that cannot be upgraded / media that are encrypted already]. The app sends it [what data, "
      + "none of it personal]. The exception covers this host alone, and will be removed [when]."
  }

  private static func isCleartext(_ key: ExceptionPlan.Key) -> Bool { key.rules.contains(RuleID.https.rawValue) }

  private static func versions(_ key: ExceptionPlan.Key) -> String {
    let seen = key.observed.filter { $0.hasPrefix("TLS 1.") || $0.hasPrefix("SSL") }
    return seen.isEmpty ? "an early TLS version" : seen.map(DisplayText.escaped).joined(separator: " and ")
  }
}
