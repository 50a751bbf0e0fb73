import ATSRules
import ExceptionPlanning
import PolicyResolution
import Reporting
import SessionRecords

/// Drafts of the justification of a key for App Review (policy text H).
///
/// A draft contains the observed facts, and placeholders in brackets for what only the developer knows.
enum Justification {
  /// Returns the draft for a key; nil if the key requires none, or may not be needed.
  static func draft(for key: ExceptionPlan.Key) -> String? {
    guard key.needsJustification, !key.dependsOnOffer else { return nil }
    let sessions = Wording.count(key.sessions, "recorded connection{s}")
    guard let host = key.entry.map(DisplayText.escaped) else {
      return "The app loads content from hosts that it cannot name in advance (\(sessions)): "
        + "[what content, and why its sources are not known]. [Why it carries no personal data, or how it is protected.]"
    }
    let need = need(for: key, host: host, sessions: sessions)
    return "\(need) It is run by [whom], and cannot be changed because [a server of another party without secure "
      + "transport / a device that cannot be upgraded / media that are encrypted already]. The app sends it [what data, "
      + "none of it personal]. The exception covers this host alone, and will be removed [when]."
  }

  /// Returns the sentence that says why the key is needed.
  private static func need(for key: ExceptionPlan.Key, host: String, sessions: String) -> String {
    if key.key == ATSKeys.minimumTLSVersion {
      return "Connections to \(host) use \(versions(key)) (\(sessions)), older than App Transport Security accepts."
    }
    if key.rules == [RuleID.https.rawValue] {
      return "The app loads \(host) over HTTP (\(sessions)), because [the reason that the server does not offer HTTPS]."
    }
    if Set(key.rules).isSubset(of: cipherRules) {
      return "Connections to \(host) use a cipher suite that App Transport Security does not accept (\(sessions))."
    }
    let observed = key.observed.prefix(maximumObservations).map(DisplayText.escaped).joined(separator: "; ")
    return "Connections to \(host) do not meet the requirements of App Transport Security (\(sessions)): \(observed)."
  }

  private static let cipherRules = Set([RuleID.cipherSuite, .forwardSecrecy, .niap].map(\.rawValue))

  /// The maximum number of observations in a draft, as in the reasons of the key.
  private static let maximumObservations = 3

  private static func versions(_ key: ExceptionPlan.Key) -> String {
    let seen = key.observed.filter { $0.hasPrefix("TLS 1.") || $0.hasPrefix("SSL") }
    return seen.isEmpty ? "an early TLS version" : seen.map(DisplayText.escaped).joined(separator: " and ")
  }
}
