import ATSRules
import PolicyResolution

/// A key of NSAppTransportSecurity, described for users (policy text B.2 to B.5, B.12, B.13).
package struct SettingDescription: Hashable, Sendable {
  package var key: String
  package var parent: String

  /// The type of the value, and its default.
  package var value: String

  /// The first release that reads the key.
  package var since: String

  /// The effect of the key.
  package var meaning: String

  /// The rules that the key relaxes, each with its condition if it has one; empty if there are none.
  package var relaxed: [(rule: String, condition: String)] {
    RuleCatalogue.all.flatMap { rule in
      rule.relaxedBy.filter { $0 == key || $0.hasPrefix(key + " ") }.map { (rule.id, String($0.dropFirst(key.count))) }
    }
  }

  private init(_ key: String, in parent: Parent, _ value: String, since: String = "iOS 9, macOS 10.11", _ meaning: String) {
    self.key = key
    self.parent = parent.rawValue
    self.value = value
    self.since = since
    self.meaning = meaning
  }

  private enum Parent: String {
    case infoPlist = "the Info.plist"
    case settings = "NSAppTransportSecurity"
    case exception = "an entry of NSExceptionDomains"
    case pins = "an entry of NSPinnedDomains"
    case exceptionOrPins = "an entry of NSExceptionDomains or NSPinnedDomains"
    case pin = "an item of NSPinnedLeafIdentities or NSPinnedCAIdentities"
  }

  private static let boolean = "boolean, NO by default"

  /// Every key that any release reads.
  package static let all: [SettingDescription] = [
    SettingDescription(
      ATSKeys.root, in: .infoPlist, "dictionary",
      "The settings of App Transport Security. Without it the defaults apply: HTTPS with TLS "
        + "1.2, forward secrecy and a trusted certificate."),
    SettingDescription(
      ATSKeys.arbitraryLoads, in: .settings, boolean,
      "YES disables ATS for every host without an entry in NSExceptionDomains. From iOS 10 "
        + "and macOS 10.12, it has no effect if NSAllowsArbitraryLoadsForMedia, "
        + "NSAllowsArbitraryLoadsInWebContent or NSAllowsLocalNetworking is present. App Review "
        + "requires a justification."),
    SettingDescription(
      ATSKeys.arbitraryLoadsForMedia, in: .settings, boolean, since: "iOS 10, macOS 10.12",
      "YES disables ATS for media that AVFoundation loads from hosts without an entry. App "
        + "Review requires a justification."),
    SettingDescription(
      ATSKeys.arbitraryLoadsInWebContent, in: .settings, boolean, since: "iOS 10, macOS 10.12",
      "YES disables ATS for web views that load from hosts without an entry. Loads by the "
        + "app itself are not covered. App Review requires a justification."),
    SettingDescription(
      ATSKeys.localNetworking, in: .settings, "boolean; YES allows what is allowed without the key", since: "iOS 10, macOS 10.12",
      "NO forbids cleartext HTTP to local names and addresses, which is allowed otherwise. With either "
        + "value NSAllowsArbitraryLoads has no effect."),
    SettingDescription(
      ATSKeys.exceptionDomains, in: .settings, "dictionary of hosts",
      "Settings for individual hosts. A host's entry replaces the other keys for that host "
        + "entirely: an empty entry means strict ATS. From iOS 17 and macOS 14, a key may be an "
        + "IP address or a range such as 10.0.0.0/8."),
    SettingDescription(
      ATSKeys.pinnedDomains, in: .settings, "dictionary of hosts", since: "iOS 14, macOS 11",
      "Public keys that the certificates of individual hosts must have."),
    SettingDescription(
      ATSKeys.niap, in: .settings, "string: none, FCP_v2.1 or recommended", since: "iOS 26.4, macOS 26.4",
      "Requires the NIAP package for TLS of every host without a separate setting."),
    SettingDescription(
      ATSKeys.includesSubdomains, in: .exceptionOrPins, boolean,
      "YES applies exceptions to all names below the host, and pins to names one label below "
        + "it. It has no effect for addresses and ranges."),
    SettingDescription(
      ATSKeys.insecureLoads, in: .exception, boolean,
      "YES allows cleartext HTTP to the host. For HTTPS, the app may then accept a certificate "
        + "that the system does not trust. The TLS version and forward secrecy are still required."),
    SettingDescription(
      ATSKeys.minimumTLSVersion, in: .exception, "string: TLSv1.0, TLSv1.1, TLSv1.2 (default) or TLSv1.3",
      "The minimum TLS version for the host. TLSv1.3 is read from iOS 14 and macOS 11. App "
        + "Review requires a justification for less than TLSv1.2."),
    SettingDescription(
      ATSKeys.forwardSecrecy, in: .exception, "boolean, YES by default",
      "NO also allows cipher suites with RSA key exchange, which have no forward secrecy."),
    SettingDescription(
      ATSKeys.certificateTransparency, in: .exception, boolean, since: "iOS 10 and macOS 10.12; not read from iOS 12.1 and macOS 10.14.2",
      "Required SCTs from two Certificate Transparency logs. The system now requires SCTs "
        + "for every public certificate, and does not read the key."),
    SettingDescription(
      ATSKeys.exceptionNIAP, in: .exception, "string: none, FCP_v2.1 or recommended",
      since: "iOS 26.4, macOS 26.4", "Requires the NIAP package for TLS of the host."),
    SettingDescription(
      ATSKeys.leafIdentities, in: .pins, "array of dictionaries", since: "iOS 14, macOS 11",
      "The key of the server certificate must be one of these."),
    SettingDescription(
      ATSKeys.caIdentities, in: .pins, "array of dictionaries", since: "iOS 14, macOS 11",
      "A CA certificate of the chain must have one of these keys."),
    SettingDescription(
      ATSKeys.spkiDigest, in: .pin, "string", since: "iOS 14, macOS 11",
      "Base64 of the SHA-256 digest of the certificate's SubjectPublicKeyInfo (DER)."),
  ]

  /// The key with this name, compared without regard to case; nil if there is none.
  package static func named(_ name: String) -> SettingDescription? {
    all.first { $0.key.lowercased() == name.lowercased() }
  }
}
