/// What ATS requires of loads from one host under one dictionary, release and context (policy text C).
public struct EffectivePolicy: Hashable, Sendable {
  /// The suites that are allowed (policy text D.1, C.4).
  public enum CipherPolicy: String, Hashable, Sendable {
    /// The suites of the group `ats`.
    case ats
    /// Those and the group `ats_compatibility`.
    case atsAndCompatibility = "ats+compat"
    /// What the system offers when ATS is off.
    case systemDefault = "os-default"
  }

  /// What app code may do with the result of trust evaluation (policy text C.3).
  public enum TrustMode: String, Hashable, Sendable {
    /// ATS enforces the result: app code can only be stricter.
    case strict
    /// Evaluation runs, and app code may override its result.
    case `default`
  }

  /// The minimum that ATS requires of keys and signatures (policy text C.2).
  public struct CertificateMinimums: Hashable, Sendable {
    /// Bits of an RSA modulus.
    public package(set) var rsaBits: Int
    /// Bits of the field of an elliptic curve.
    public package(set) var ecBits: Int
    /// Bits of the hash of a signature, of the SHA-2 family.
    public package(set) var hashBits: Int

    /// RSA 2048, EC 256, SHA-256.
    public static let ats = CertificateMinimums(rsaBits: 2048, ecBits: 256, hashBits: 256)
  }

  /// The host or address as it was looked up; nil where it is not known.
  public package(set) var host: String?

  /// Whether the destination is local (policy text A.4).
  public package(set) var isDirect: Bool

  /// The release and platform.
  public package(set) var release: SystemRelease

  /// Who is assumed to have made the load.
  public package(set) var context: LoadContext

  /// What decided the context.
  public package(set) var contextSource: LoadContext.Source

  /// The key of NSExceptionDomains (or built-in name) that decided; nil where the global keys or defaults did.
  public package(set) var matchedEntry: String?

  /// Whether the entry is one of the system's own (B.9).
  public package(set) var matchedBuiltIn = false

  /// Whether ATS governs the program at all: not one of an SDK before iOS 9 and OS X 10.11 (A.2).
  public package(set) var isGoverned = true

  /// Whether cleartext HTTP is refused.
  public package(set) var httpsRequired: Bool

  /// Whether ATS itself enforces its requirements for TLS and trust: where it requires HTTPS.
  public var atsEnforced: Bool { httpsRequired }

  /// The minimum TLS version, as a code point; nil where the system's own applies (C.4).
  ///
  /// A dictionary can name a DTLS version, which no TLS version can be compared with: see ``admits(version:)``.
  public package(set) var minimumTLSVersion: UInt16?

  /// The system's own minimum for this program, which applies where ``minimumTLSVersion`` is nil.
  public package(set) var systemMinimumTLSVersion: UInt16 = 0x0301

  /// The suites that are allowed.
  public package(set) var cipherPolicy: CipherPolicy

  /// Whether ephemeral key exchange is required.
  public package(set) var forwardSecrecyRequired: Bool

  /// What ATS requires of keys and signatures; nil where ATS is off and only the system's own rules apply.
  public package(set) var certificateMinimums: CertificateMinimums?

  /// Whether proof from two CT logs is required by NSRequiresCertificateTransparency (10 to 12.0, B.5).
  public package(set) var transparencyKeyInForce = false

  /// Whether the NIAP TLS package is in force (B.13).
  public package(set) var niapPackageRequired: Bool

  /// Digests that the leaf's key must be among, in Base64: nil for no requirement, empty for one that no key meets (B.12).
  public package(set) var leafPins: [String]?

  /// The same for a CA of the path.
  public package(set) var caPins: [String]?

  /// Which key, entry or default decided each setting, in a fixed order.
  public package(set) var reasons: [Reason]

  /// The reason for a setting.
  public struct Reason: Hashable, Sendable {
    /// The setting.
    public package(set) var setting: Setting
    /// The Info.plist key that decided; nil for a default.
    public package(set) var key: String?
    /// The entry that holds the key; nil for a global key or default.
    public package(set) var entry: String?
    /// The reason in words.
    public package(set) var text: String

    package init(setting: Setting, key: String?, entry: String?, text: String) {
      self.setting = setting
      self.key = key
      self.entry = entry
      self.text = text
    }
  }

  /// Creates a policy; what is not named is as under strict ATS.
  package init(
    host: String?, isDirect: Bool = false, release: SystemRelease = .newest, context: LoadContext = .app,
    contextSource: LoadContext.Source = .assumed, matchedEntry: String? = nil, httpsRequired: Bool = true,
    minimumTLSVersion: UInt16? = 0x0303, cipherPolicy: CipherPolicy = .ats,
    forwardSecrecyRequired: Bool = true, certificateMinimums: CertificateMinimums? = .ats,
    niapPackageRequired: Bool = false, leafPins: [String]? = nil, caPins: [String]? = nil,
    reasons: [Reason] = []
  ) {
    self.host = host
    self.isDirect = isDirect
    self.release = release
    self.context = context
    self.contextSource = contextSource
    self.matchedEntry = matchedEntry
    self.httpsRequired = httpsRequired
    self.minimumTLSVersion = minimumTLSVersion
    self.cipherPolicy = cipherPolicy
    self.forwardSecrecyRequired = forwardSecrecyRequired
    self.certificateMinimums = certificateMinimums
    self.niapPackageRequired = niapPackageRequired
    self.leafPins = leafPins
    self.caPins = caPins
    self.reasons = reasons
  }
}
