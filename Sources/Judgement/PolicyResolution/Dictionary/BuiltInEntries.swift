/// The entries that the system registers before the app's own (policy text B.9).
package enum BuiltInEntries {
  package static let all: [ExceptionEntry] = [
    entry("apple.com", "TLSv1.2"), entry("ls.apple.com", "TLSv1.0"), entry("gs.apple.com", "TLSv1.0"), entry("geo.apple.com", "TLSv1.0"),
    entry("is.autonavi.com", "TLSv1.0"), entry("apple-mapkit.com", "TLSv1.0"), entry("setup.icloud.com", "TLSv1.2"),
  ]

  private static func entry(_ key: String, _ minimum: String) -> ExceptionEntry {
    ExceptionEntry(
      key: key, includesSubdomains: true,
      settings: ExceptionSettings(allowsInsecureHTTPLoads: true, minimumTLSVersion: minimum, requiresForwardSecrecy: false))
  }
}
