package import ATSEvaluation
package import PolicyResolution
package import SessionModel

/// The narrowest dictionary that allows what was seen, and why it is as it is (policy text C.7).
package struct ExceptionPlan: Sendable {
  package typealias Value = NarrowestException.Value

  package struct Key: Sendable {
    /// The entry that holds it; nil for a global key.
    package var entry: String?
    package var key: String
    package var value: Value
    /// The rules that would be broken without it, in the order of reports.
    package var rules: [String]
    /// What was seen that needs it, each once.
    package var observed: [String]
    /// What would make it superfluous, each once.
    package var fixes: [String] = []
    package var sessions: Int
    /// The first of them.
    package var example: ObservedSession?
    /// Whether App Review requires a justification.
    package var needsJustification: Bool { ExceptionPlan.needsJustification(key, value) }
  }

  /// Sessions of one host that no key can allow, for the same reasons.
  package struct Impossible: Sendable {
    /// The host; nil where it is not known.
    package var host: String?
    package var sessions: Int
    /// The first of them.
    package var example: ObservedSession
    /// The rules that they break whatever the dictionary says.
    package var findings: [Finding]
    /// Why no key helps, and what would.
    package var reason: String
  }

  /// Sessions of one host that keys may allow: under them a device offers more than the recorded client did, and what the server does
  /// with that is not shown. The dictionary does not hold these keys for their sake.
  package struct MayHelp: Sendable {
    /// The host; nil where it is not known.
    package var host: String?
    package var sessions: Int
    /// The first of them.
    package var example: ObservedSession
    /// The changes that may help, each by itself, the narrowest first.
    package var options: [NarrowestException]
    /// The rules that the sessions break without them.
    package var rules: [String]
    /// Why no key is known to help.
    package var reason: String
  }

  /// Cleartext sessions of a host that skips HTTPS: the URLs are to be changed, which takes no exception.
  package struct UpgradableURL: Sendable {
    /// The host; nil where it is not known.
    package var host: String?
    package var sessions: Int
    /// The first of them.
    package var example: ObservedSession
    /// The first session over HTTPS that passes.
    package var passing: ObservedSession
  }

  /// A setting of the app's present dictionary that nothing seen needed.
  package struct Unneeded: Hashable, Sendable {
    /// The entry; nil for a global key.
    package var entry: String?
    /// The key; nil for the whole entry.
    package var key: String?
    /// Why it is not needed, as a clause.
    package var reason: String
  }

  /// A demand of the app's present dictionary that servers do not meet and the plan gives up.
  package struct GivenUp: Hashable, Sendable {
    /// The entry; nil for a global key.
    package var entry: String?
    /// The key; nil for an entry that was there only to be strict.
    package var key: String?
  }

  /// Several hosts of one domain with the same keys, which one entry could cover.
  package struct Alternative: Hashable, Sendable {
    package var domain: String
    package var hosts: [String]
  }

  /// How many sessions there are of each kind; every session counts once.
  package struct Counts: Hashable, Sendable {
    /// Sessions that need no key: they meet every rule under the defaults and the app's own demands, or are exempt.
    package var withoutKeys = 0
    package var byKeys = 0
    /// Sessions that no key can allow.
    package var impossible = 0
    /// Sessions that keys may allow, which is not shown.
    package var mayHelp = 0
    /// Cleartext sessions that need another URL and no key.
    package var upgradable = 0
    /// Sessions that break no rule that keys do not allow, and of which something required could not be observed.
    package var undecided = 0
    /// Sessions that were not looked at, because a limit was reached.
    package var leftOut = 0

    package init() {}
  }

  /// The dictionary: what the app demands so far, and the keys that are needed.
  package internal(set) var dictionary = ATSDictionary()
  /// The keys that allow something, by entry in the order of the dictionary.
  package internal(set) var keys: [Key] = []
  /// What no key can allow.
  package internal(set) var impossible: [Impossible] = []
  /// What keys may allow, which is not shown.
  package internal(set) var mayHelp: [MayHelp] = []
  /// Cleartext that needs another URL and no key.
  package internal(set) var upgradable: [UpgradableURL] = []
  /// The hosts of web views that NSAllowsArbitraryLoadsInWebContent stands for, each of which would need an entry of its own; none
  /// where the plan holds entries instead.
  package internal(set) var webContentHosts: [String] = []
  /// What of the present dictionary nothing needed.
  package internal(set) var unneeded: [Unneeded] = []
  package internal(set) var givenUp: [GivenUp] = []
  /// Broader forms of several entries.
  package internal(set) var alternatives: [Alternative] = []
  package internal(set) var counts = Counts()

  package init() {}

  /// Whether App Review requires a justification of a key (policy text H).
  package static func needsJustification(_ key: String, _ value: Value) -> Bool {
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
