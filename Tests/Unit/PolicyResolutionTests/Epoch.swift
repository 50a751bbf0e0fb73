import PolicyResolution

/// A release at which the policy changed, with the change (policy text F.1).
struct Epoch: Hashable, Sendable {
  /// The iOS release with the change.
  var iOS: SystemVersion
  /// The macOS release with the change.
  var macOS: SystemVersion
  var change: String

  /// Every change, the oldest first.
  static let all: [Epoch] = [
    Epoch(
      SystemVersion(9), SystemVersion(10, 11),
      "ATS begins: TLS 1.2, forward secrecy, RSA 2048 or EC 256, SHA-256; only NSAllowsArbitraryLoads and "
        + "NSExceptionDomains are read; local names and addresses are covered too"),
    Epoch(
      SystemVersion(10), SystemVersion(10, 12),
      "the keys for web content, media and local networking cancel NSAllowsArbitraryLoads; local names and all "
        + "IP literals are exempt"),
    Epoch(
      SystemVersion(11), SystemVersion(10, 13), "SHA-1 and short keys are rejected under system roots"),
    Epoch(
      SystemVersion(12), SystemVersion(10, 14), "ChaCha20-Poly1305 and TLS 1.3 suites join the groups"),
    Epoch(
      SystemVersion(12, 1), SystemVersion(10, 14, 2),
      "Certificate Transparency for every new public certificate; NSRequiresCertificateTransparency has no "
        + "more use"),
    Epoch(SystemVersion(12, 2), SystemVersion(10, 14, 4), "TLS 1.3 by default"),
    Epoch(
      SystemVersion(13), SystemVersion(10, 15),
      "SHA-2, RSA 2048 and a name in subjectAltName for all server certificates; at most 825 days"),
    Epoch(
      SystemVersion(14), SystemVersion(11),
      "NSPinnedDomains; TLSv1.3 as a minimum takes effect; at most 398 days under system roots"),
    Epoch(
      SystemVersion(14, 6), SystemVersion(11, 4),
      "the required number of SCTs depends on the validity in days"),
    Epoch(SystemVersion(15), SystemVersion(12), "TLS 1.0 and 1.1 are deprecated"),
    Epoch(
      SystemVersion(15, 4), SystemVersion(12, 3), "CBC suites with SHA-256 or SHA-384 leave both groups"),
    Epoch(
      SystemVersion(17), SystemVersion(14),
      "addresses and ranges as keys of NSExceptionDomains; public IP literals need HTTPS"),
    Epoch(
      SystemVersion(18, 4), SystemVersion(15, 4),
      "evaluation moves into the open Security framework; NSThirdParty… and NSTemporary… keys are not read"),
    Epoch(SystemVersion(18, 5), SystemVersion(15, 5), "values of the wrong type count as absent"),
    Epoch(
      SystemVersion(26), SystemVersion(26),
      "TLS 1.2 is the system's minimum for programs built with the 26 SDK; post-quantum key exchange is offered"
    ),
    Epoch(
      SystemVersion(26, 4), SystemVersion(26, 4),
      "NSRequiresNIAPTLSPackageVersion and NSExceptionRequiresNIAPTLSPackageVersion"),
    Epoch(SystemVersion(26, 5), SystemVersion(26, 5), "the newest known release"),
  ]

  private init(_ iOS: SystemVersion, _ macOS: SystemVersion, _ change: String) {
    self.iOS = iOS
    self.macOS = macOS
    self.change = change
  }

  /// The iOS release with the change.
  var release: SystemRelease { SystemRelease(platform: .ios, version: iOS) }

  static func last(of release: SystemRelease) -> Epoch? {
    all.last { release.isAtLeast($0.iOS.major, $0.iOS.minor) }
  }
}
