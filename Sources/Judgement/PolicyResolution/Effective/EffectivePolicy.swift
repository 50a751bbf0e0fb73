/// What ATS asks of the loads of one host under one dictionary, release and context (policy text C).
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

  /// The host or address as it was looked up; nil where it is not known.
  public var host: String?

  /// Whether the destination is local (policy text A.4).
  public var isDirect: Bool

  /// The release and platform.
  public var release: SystemRelease

  /// Who is taken to have made the load.
  public var context: LoadContext

  /// What decided the context: `option`, `process` or `default`.
  public var contextSource: String

  /// The key of NSExceptionDomains (or built-in name) that decided; nil where the global keys or defaults did.
  public var matchedEntry: String?

  /// Whether cleartext HTTP is refused.
  public var httpsRequired: Bool

  /// Whether ATS itself enforces its demands on TLS.
  public var atsEnforced: Bool

  /// The least version, as a code point; nil where the system's own applies (C.4).
  public var minimumTLSVersion: UInt16?

  /// The suites that are allowed.
  public var cipherPolicy: CipherPolicy

  /// Whether ephemeral key exchange is asked for.
  public var forwardSecrecyRequired: Bool

  /// Whether the NIAP TLS package is in force (B.13).
  public var niapPackageRequired: Bool

  /// Digests that the leaf's key must be among: nil no demand, empty a demand that nothing meets (B.12).
  public var leafPins: [String]?

  /// The same for a CA of the path.
  public var caPins: [String]?

  /// Which key, entry or default decided each setting, in a fixed order, as text.
  public var reasons: [Reason]

  /// Why a setting is as it is.
  public struct Reason: Hashable, Sendable {
    /// The setting, such as `httpsRequired`.
    public var setting: String
    /// The Info.plist key that decided; nil for a default.
    public var key: String?
    /// The entry that holds the key; nil for a global key or default.
    public var entry: String?
    /// The reason in words.
    public var text: String

    /// Creates a reason.
    public init(setting: String, key: String?, entry: String?, text: String) {
      self.setting = setting
      self.key = key
      self.entry = entry
      self.text = text
    }
  }
}
