package import PolicyResolution

/// One configuration that `nscurl --ats-diagnostics` tests on a host (policy text G).
package struct DiagnosticConfiguration: Hashable, Sendable {
  /// The position in the series, from 1.
  package var row: Int

  /// The heading under which nscurl lists it, with `HOST` for the host.
  package var group: String

  /// nscurl's title of the configuration.
  package var title: String

  /// Whether the configuration is this program's own rather than nscurl's.
  package var isOurs = false

  /// The keys of the entry for the host; nil if there is no entry.
  var settings: ExceptionSettings?

  var globals = ATSDictionary()

  /// The context to which the row applies; nil for the context of the session.
  package var context: LoadContext?

  /// The value of NSAppTransportSecurity for a host; if the key is nil, the host gets no entry.
  package func dictionary(forKey key: String?) -> ATSDictionary {
    var dictionary = globals
    if let settings, let key { dictionary.exceptionDomains = [ExceptionEntry(key: key, settings: settings)] }
    return dictionary
  }

  var isATSOff: Bool { globals.allowsArbitraryLoads == true }

  /// The sixteen configurations of nscurl, in its order.
  package static let nscurl: [DiagnosticConfiguration] = {
    var list = [
      DiagnosticConfiguration(row: 1, group: "Default ATS Secure Connection", title: "ATS Default Connection"),
      DiagnosticConfiguration(
        row: 2, group: "Allowing Arbitrary Loads", title: "Allow All Loads", globals: ATSDictionary(allowsArbitraryLoads: true)),
    ]
    func add(_ group: String, _ title: String, _ settings: ExceptionSettings) {
      list.append(DiagnosticConfiguration(row: list.count + 1, group: group, title: title, settings: settings))
    }
    let versions = ["TLSv1.3", "TLSv1.2", "TLSv1.1", "TLSv1.0"]
    for version in versions {
      add("Configuring TLS exceptions for HOST", version, ExceptionSettings(minimumTLSVersion: version))
    }
    add("Configuring PFS exceptions for HOST", "Disabling Perfect Forward Secrecy", ExceptionSettings(requiresForwardSecrecy: false))
    add(
      "Configuring PFS exceptions and allowing insecure HTTP for HOST", "Disabling Perfect Forward Secrecy and Allowing Insecure HTTP",
      ExceptionSettings(allowsInsecureHTTPLoads: true, requiresForwardSecrecy: false))
    for version in versions {
      add(
        "Configuring TLS exceptions with PFS disabled for HOST", "\(version) with PFS disabled",
        ExceptionSettings(minimumTLSVersion: version, requiresForwardSecrecy: false))
    }
    for version in versions {
      add(
        "Configuring TLS exceptions with PFS disabled and insecure HTTP allowed for HOST",
        "\(version) with PFS disabled and insecure HTTP allowed",
        ExceptionSettings(allowsInsecureHTTPLoads: true, minimumTLSVersion: version, requiresForwardSecrecy: false))
    }
    return list
  }()

  /// Three additional configurations with keys of newer systems.
  package static let ours: [DiagnosticConfiguration] = [
    DiagnosticConfiguration(
      row: 17, group: "Requiring the NIAP TLS package", title: "FCP_v2.1", isOurs: true,
      globals: ATSDictionary(requiredNIAPPackage: .fcp2d1)),
    DiagnosticConfiguration(
      row: 18, group: "Allowing local networking", title: "NSAllowsLocalNetworking", isOurs: true,
      globals: ATSDictionary(allowsLocalNetworking: true)),
    DiagnosticConfiguration(
      row: 19, group: "Allowing arbitrary loads in web content", title: "NSAllowsArbitraryLoadsInWebContent",
      isOurs: true, globals: ATSDictionary(allowsArbitraryLoadsInWebContent: true), context: .web),
  ]

  /// The rows among which the narrowest passing one is searched, from the narrowest.
  static let fromNarrowest = [7, 5, 6, 11, 12, 8, 2]
}
