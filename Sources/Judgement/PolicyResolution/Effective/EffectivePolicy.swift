public import TLSParsing

/// The requirements of ATS for loads from one host under one dictionary, release and context (policy text C).
public struct EffectivePolicy: Hashable, Sendable {
  /// The allowed cipher suites (policy text D.1, C.4).
  public enum CipherPolicy: String, Hashable, Sendable {
    /// The suites of the group `ats`.
    case ats
    /// The suites of the groups `ats` and `ats_compatibility`.
    case atsAndCompatibility = "ats+compat"
    /// The suites that the system offers if ATS is off.
    case systemDefault = "os-default"
  }

  /// The influence of app code on the result of trust evaluation (policy text C.3).
  public enum TrustMode: String, Hashable, Sendable {
    /// ATS enforces the result; app code can only be stricter.
    case strict
    /// Trust is evaluated, and app code may override the result.
    case `default`
  }

  /// The minimum strength that ATS requires of keys and signatures (policy text C.2).
  public struct CertificateMinimums: Hashable, Sendable {
    /// The minimum size of an RSA modulus in bits.
    public package(set) var rsaBits: Int
    /// The minimum size of the field of an elliptic curve in bits.
    public package(set) var ecBits: Int
    /// The minimum size of the signature's hash in bits, from the SHA-2 family.
    public package(set) var hashBits: Int

    /// The minimums of ATS: RSA 2048, EC 256, SHA-256.
    package static let ats = CertificateMinimums(rsaBits: 2048, ecBits: 256, hashBits: 256)
  }

  /// The host or address that was looked up; nil if it is unknown.
  public package(set) var host: String?

  /// Whether the destination is local (policy text A.4).
  public package(set) var isDirect = false

  /// The release and platform whose policy this is.
  public package(set) var release = SystemRelease.newest

  /// The context assumed for the load.
  public package(set) var context = LoadContext.app

  /// The origin of `context`.
  package var contextSource = LoadContext.Source.assumed

  /// The NSExceptionDomains key, or the built-in name, whose entry applies; nil if the global keys or the defaults do.
  public package(set) var matchedEntry: String?

  /// Whether the entry is one of the system's own (B.9).
  public package(set) var matchedBuiltIn = false

  /// Whether ATS governs the program; false if the release or its SDK is older than iOS 9 and OS X 10.11 (A.2).
  public package(set) var isGoverned = true

  /// Whether cleartext HTTP is refused.
  public package(set) var requiresHTTPS = true

  /// The minimum TLS version; nil if the system's own minimum applies (C.4).
  ///
  /// A dictionary can name a DTLS version, with which no TLS version can be compared; see `admits(_:)`.
  public package(set) var minimumTLSVersion: TLSVersion? = .tls12

  /// The system's own minimum for this program, which applies if ``minimumTLSVersion`` is nil.
  public package(set) var systemMinimumTLSVersion = TLSVersion.tls10

  /// The allowed cipher suites.
  public package(set) var cipherPolicy = CipherPolicy.ats

  /// Whether ephemeral key exchange is required.
  public package(set) var requiresForwardSecrecy = true

  /// The requirements of ATS for keys and signatures; nil if ATS is off and only the system's own rules apply.
  public package(set) var certificateMinimums: CertificateMinimums? = .ats

  /// Whether NSRequiresCertificateTransparency requires SCTs from two logs (10 to 12.0, B.5).
  public package(set) var transparencyKeyInForce = false

  /// Whether the NIAP TLS package is required (B.13).
  public package(set) var requiresNIAPPackage = false

  /// The Base64 digests one of which the leaf's key must have; nil means no requirement, empty one that no key meets (B.12).
  public package(set) var leafPins: [String]?

  /// The Base64 digests one of which the key of a CA in the path must have; nil and empty as for ``leafPins``.
  public package(set) var caPins: [String]?

  /// The key, entry or default that determined each setting, in a fixed order.
  public package(set) var reasons: [Reason] = []

  /// The reason for a setting.
  public struct Reason: Hashable, Sendable {
    /// The setting that the reason is for.
    public package(set) var setting: Setting
    /// The Info.plist key that determined it; nil for a default.
    public package(set) var key: String?
    /// The domain of the entry that contains the key; nil for a global key or a default.
    public package(set) var entry: String?
    /// The reason as text.
    public package(set) var text: String

    package init(setting: Setting, key: String?, entry: String?, text: String) {
      self.setting = setting
      self.key = key
      self.entry = entry
      self.text = text
    }
  }

  /// Creates a policy; each property other than the host is as under strict ATS.
  package init(host: String?) {
    self.host = host
  }
}
