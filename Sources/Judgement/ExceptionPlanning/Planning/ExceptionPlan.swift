public import ATSEvaluation
public import PolicyResolution
public import SessionModel

/// The narrowest dictionary that allows what was seen, and why it is as it is (policy text C.7).
public struct ExceptionPlan: Sendable {
  /// A value of a key.
  public typealias Value = NarrowestException.Value

  /// A key of the plan that allows something.
  public struct Key: Sendable {
    /// The entry that holds it; nil for a global key.
    public var entry: String?
    /// The key.
    public var key: String
    /// Its value.
    public var value: Value
    /// The rules that would be broken without it, in the order of reports.
    public var rules: [String]
    /// What was seen that needs it, each once.
    public var observed: [String]
    /// What would make it superfluous, each once.
    public var fixes: [String] = []
    /// How many sessions need it.
    public var sessions: Int
    /// The first of them.
    public var example: ObservedSession?
    /// Whether App Review asks for a justification.
    public var needsJustification: Bool { ExceptionPlan.needsJustification(key, value) }
  }

  /// Sessions of one host that no key can allow, for the same reasons.
  public struct Impossible: Sendable {
    /// The host; nil where it is not known.
    public var host: String?
    /// How many sessions there are.
    public var sessions: Int
    /// The first of them.
    public var example: ObservedSession
    /// The rules that they break whatever the dictionary says.
    public var findings: [Finding]
    /// Why no key helps, and what would.
    public var reason: String
  }

  /// Sessions of one host that keys may allow: under them a device offers more than the recorded client did, and what the server does
  /// with that is not shown. The dictionary does not hold these keys for their sake.
  public struct MayHelp: Sendable {
    /// The host; nil where it is not known.
    public var host: String?
    /// How many sessions there are.
    public var sessions: Int
    /// The first of them.
    public var example: ObservedSession
    /// The changes that may help, each by itself, the narrowest first.
    public var options: [NarrowestException]
    /// The rules that the sessions break without them.
    public var rules: [String]
    /// Why no key is known to help.
    public var reason: String
  }

  /// Cleartext sessions of a host that passes over HTTPS: the URLs are to be changed, which takes no exception.
  public struct UpgradableURL: Sendable {
    /// The host; nil where it is not known.
    public var host: String?
    /// How many sessions there are.
    public var sessions: Int
    /// The first of them.
    public var example: ObservedSession
    /// The first session over HTTPS that passes.
    public var passing: ObservedSession
  }

  /// A setting of the app's present dictionary that nothing seen needed.
  public struct Unneeded: Hashable, Sendable {
    /// The entry; nil for a global key.
    public var entry: String?
    /// The key; nil for the whole entry.
    public var key: String?
    /// Why it is not needed, as a clause.
    public var reason: String
  }

  /// A demand of the app's present dictionary that servers do not meet and the plan gives up.
  public struct GivenUp: Hashable, Sendable {
    /// The entry; nil for a global key.
    public var entry: String?
    /// The key; nil for an entry that was there only to be strict.
    public var key: String?
  }

  /// Several hosts of one domain with the same keys, which one entry could cover.
  public struct Alternative: Hashable, Sendable {
    /// The domain.
    public var domain: String
    /// The hosts.
    public var hosts: [String]
  }

  /// How the sessions fare.
  public struct Counts: Hashable, Sendable {
    /// Sessions that need no key: they break no rule under the defaults and the app's own demands.
    public var withoutKeys = 0
    /// Sessions that the plan's keys allow.
    public var byKeys = 0
    /// Sessions that no key can allow.
    public var impossible = 0
    /// Sessions that keys may allow, which is not shown.
    public var mayHelp = 0
    /// Cleartext sessions that need another URL and no key.
    public var upgradable = 0
    /// Of those that need no key and those that keys allow, those of which something required could not be seen.
    public var undecided = 0
    /// Sessions that were not looked at, because a limit was reached.
    public var leftOut = 0

    /// Creates counts of nothing.
    public init() {}
  }

  /// The dictionary: what the app demands so far, and the keys that are needed.
  public internal(set) var dictionary = ATSDictionary()
  /// The keys that allow something, by entry in the order of the dictionary.
  public internal(set) var keys: [Key] = []
  /// What no key can allow.
  public internal(set) var impossible: [Impossible] = []
  /// What keys may allow, which is not shown.
  public internal(set) var mayHelp: [MayHelp] = []
  /// Cleartext that needs another URL and no key.
  public internal(set) var upgradable: [UpgradableURL] = []
  /// The hosts of web views that NSAllowsArbitraryLoadsInWebContent stands for, each of which would need an entry of its own; none
  /// where the plan holds entries instead.
  public internal(set) var webContentHosts: [String] = []
  /// What of the present dictionary nothing needed.
  public internal(set) var unneeded: [Unneeded] = []
  /// Demands given up.
  public internal(set) var givenUp: [GivenUp] = []
  /// Broader forms of several entries.
  public internal(set) var alternatives: [Alternative] = []
  /// How the sessions fare.
  public internal(set) var counts = Counts()

  /// Creates the plan of nothing.
  public init() {}

  /// Whether App Review asks for a justification of a key (policy text H).
  public static func needsJustification(_ key: String, _ value: Value) -> Bool {
    switch key {
    case ATSKeys.arbitraryLoads, ATSKeys.forMedia, ATSKeys.inWebContent,
      ATSKeys.insecureLoads:
      return value == .boolean(true)
    case ATSKeys.minimumTLSVersion:
      return value == .string("TLSv1.0") || value == .string("TLSv1.1")
    default: return false
    }
  }
}
