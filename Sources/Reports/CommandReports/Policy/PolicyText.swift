package import ByteParsing
package import PolicyResolution
package import Reporting
import SessionRecords
import TLSParsing

/// The effective ATS policy of a host as text: each setting, its value, and the reason.
package struct PolicyText {
  private let options: TextOptions
  private let settingsSource: String

  /// Creates a report; `settingsFile` is the name of the settings' file as given, or nil for the ATS defaults.
  package init(_ options: TextOptions, settingsFile: String?) {
    self.options = options
    settingsSource = settingsFile.map(DisplayText.escaped) ?? "ATS defaults (no Info.plist)"
  }

  /// Returns the policies of several hosts, one block each.
  package func rendered(_ policies: [EffectivePolicy]) -> Bytes {
    var writer = TextWriter(options)
    for (index, policy) in policies.enumerated() {
      if index > 0 { writer.endLine() }
      write(policy, to: &writer)
    }
    return writer.output
  }

  private func write(_ policy: EffectivePolicy, to writer: inout TextWriter) {
    writer.writeFields(
      [
        (policy.host.map(DisplayText.escaped) ?? "no host", .bold), (policy.release.displayName, .unstyled),
        (settingsSource, .unstyled), (Wording.loads(policy.context), .unstyled),
      ], indent: 0)
    writer.writeRows(PolicyText.rows(of: policy), indent: 2)
  }

  /// Returns a row for each setting, followed by rows for its reasons.
  static func rows(of policy: EffectivePolicy) -> [TextRow] {
    var rows = row("local", policy.isDirect ? "yes" : "no", policy, .isDirect)
    rows += row("entry", entry(of: policy), policy, .matchedEntry)
    rows += row("cleartext", policy.requiresHTTPS ? "not allowed" : "allowed", policy, .requiresHTTPS)
    rows += row(
      "enforced",
      policy.trust == .strict ? "yes: app code cannot accept a certificate that ATS rejects" : "no: app code may override trust evaluation",
      policy, .trust)
    rows += row("TLS version", minimum(of: policy), policy, .minimumTLSVersion)
    rows += row("suites", suites(of: policy), policy, .cipherPolicy)
    rows += row("forward secrecy", policy.requiresForwardSecrecy ? "required" : "not required", policy, .requiresForwardSecrecy)
    rows.add("certificates", certificates(of: policy))
    if policy.transparencyKeyInForce {
      rows += row("transparency", "SCTs from two logs", policy, .transparencyKeyInForce)
    }
    rows += row("leaf pins", pins(policy.leafPins), policy, .leafPins)
    rows += row("CA pins", pins(policy.caPins), policy, .caPins)
    if policy.requiresNIAPPackage || policy.reason(for: .requiresNIAPPackage) != nil {
      let value = policy.requiresNIAPPackage ? "required: the US government's profile for TLS" : "not required"
      rows += row("NIAP package", value, policy, .requiresNIAPPackage)
    }
    return rows
  }

  /// Returns a row for a setting and one for each of its reasons.
  private static func row(_ label: String, _ value: String, _ policy: EffectivePolicy, _ setting: EffectivePolicy.Setting) -> [TextRow] {
    let reasons = policy.reasons.filter { $0.setting == setting }
    return [TextRow(label: label, text: value)]
      + reasons.map { TextRow(label: "", text: (origin(of: $0).map { "\($0): " } ?? "") + DisplayText.escaped($0.text)) }
  }

  /// Returns the key or the entry that determines a setting; nil for a default, and if the text of the reason names it.
  private static func origin(of reason: EffectivePolicy.Reason) -> String? {
    let key = reason.key.flatMap { reason.text.contains($0) ? nil : $0 }
    guard let entry = reason.entry else { return key }
    if let key, key != ATSKeys.exceptionDomains { return "\(key) of \(DisplayText.escaped(entry))" }
    return reason.text.contains("entry \(entry)") ? nil : "entry \(DisplayText.escaped(entry))"
  }

  private static func entry(of policy: EffectivePolicy) -> String {
    guard let entry = policy.matchedEntry else { return "none" }
    return DisplayText.escaped(entry) + (policy.matchedBuiltIn ? " (built into the system)" : "")
  }

  private static func minimum(of policy: EffectivePolicy) -> String {
    let least = policy.effectiveMinimumTLSVersion
    let isSystem = policy.minimumTLSVersion == nil
    let name = TLSVersionText.text(of: least).map { "TLS \($0.dropFirst("TLSv".count))" }
    return "\(name ?? hexadecimalCode(least.rawValue)) or later" + (isSystem ? " (system minimum)" : "")
  }

  private static func suites(of policy: EffectivePolicy) -> String {
    let release = policy.release
    let ats = CipherSuiteGroups.suites(of: .ats, in: release).count
    let compatibility = CipherSuiteGroups.suites(of: .compatibility, in: release).count
    return switch policy.cipherPolicy {
    case .ats: "the \(ats) ATS suites"
    case .atsAndCompatibility: "the \(ats) ATS suites and \(compatibility) with RSA key exchange"
    case .systemDefault: "all suites of the system"
    }
  }

  private static func certificates(of policy: EffectivePolicy) -> String {
    let system = "trusted root, dates, host name, lifetime, Certificate Transparency"
    guard let minimums = policy.certificateMinimums else { return "the system's rules only: \(system)" }
    return "RSA \(minimums.rsaBits) or EC \(minimums.ecBits) bits, SHA-\(minimums.hashBits) or better, "
      + "plus the system's rules: \(system)"
  }

  private static func pins(_ pins: [String]?) -> String {
    guard let pins else { return "none" }
    return pins.isEmpty ? "an empty list, which no certificate meets" : pins.joined(separator: ", ")
  }
}
