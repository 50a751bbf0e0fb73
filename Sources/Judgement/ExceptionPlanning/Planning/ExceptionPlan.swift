package import ATSEvaluation
package import ATSRules
package import PolicyResolution
package import SessionModel

/// The narrowest dictionary that allows the recorded sessions, with reasons (policy text C.7).
package struct ExceptionPlan: Sendable {
  package typealias Value = NarrowestException.Value

  package struct Key: Sendable {
    /// The domain of the entry that contains the key; nil for a global key.
    package var entry: String?
    package var key: String
    package var value: Value
    /// The ids of the rules that would be violated without it, in the order of reports.
    package var rules: [String]
    /// The distinct observations that require it.
    package var observed: [String]
    /// The distinct fixes that would make it superfluous.
    package var fixes: [Fix] = []
    package var sessions: Int
    /// The first session that requires it.
    package var example: ObservedSession?
    /// Whether the sessions require it only because their client offered too little, so that a device may not need it.
    package var dependsOnOffer = false
    /// Whether App Review requires a justification.
    package var needsJustification: Bool { ExceptionPlan.needsJustification(key, value) }
  }

  /// Sessions of one host that no key can allow, or only one that is for other hosts too, for the same reasons.
  package struct Impossible: Sendable {
    /// The host; nil if it is unknown.
    package var host: String?
    package var sessions: Int
    /// The first of the sessions.
    package var example: ObservedSession
    /// The findings of rules that the sessions violate under any dictionary.
    package var findings: [Finding]
    /// Why no key helps, and what would help.
    package var reason: String
    /// Whether the key that the reason names allows them; it is for other hosts too.
    package var needsBroaderKey = false
  }

  /// Sessions of one host that keys may allow. Under such keys a device offers more than the recorded client did, and the server's answer
  /// to that is unknown, so the dictionary does not contain the keys.
  package struct MayHelp: Sendable {
    /// The host; nil if it is unknown.
    package var host: String?
    package var sessions: Int
    /// The first of the sessions.
    package var example: ObservedSession
    /// The alternative changes that may help, the narrowest first.
    package var options: [NarrowestException]
    /// The ids of the rules that the sessions violate without the changes.
    package var rules: [String]
    /// Why no key is known to help.
    package var reason: String
  }

  /// Cleartext sessions of a host that also serves HTTPS. The app should change the URLs, which needs no exception.
  package struct UpgradableURL: Sendable {
    /// The host; nil if it is unknown.
    package var host: String?
    package var sessions: Int
    /// The first of the sessions.
    package var example: ObservedSession
    /// The first HTTPS session that passes.
    package var passing: ObservedSession
  }

  /// A setting of the app's present dictionary that the plan does not contain, because no recorded session is known to need it.
  package struct Unneeded: Hashable, Sendable {
    /// Why the plan does not contain the setting. The raw value is its name in JSON.
    package enum Kind: String, Hashable, Sendable {
      /// No session needs it.
      case unused
      /// Sessions need it, but narrower entries replace it.
      case replaced
      /// A global key without which sessions fail that no narrower key is known to allow.
      case missed = "mayBeNeeded"
    }

    /// The domain of the entry; nil for a global key.
    package var entry: String?
    /// The key; nil for the whole entry.
    package var key: String?
    /// Why it is not needed, as a clause.
    package var reason: String
    package var kind = Kind.unused
  }

  /// A requirement of the app's present dictionary that recorded sessions do not meet and that the plan drops.
  package struct Abandoned: Hashable, Sendable {
    /// The domain of the entry, or the host whose new entry no longer contains a requirement of the one that it replaces; nil for a global
    /// key.
    package var entry: String?
    /// The key; nil for an entry that was removed.
    package var key: String?
    /// Whether sessions do not meet it only because the client offered too little.
    package var dependsOnOffer = false
  }

  /// An entry without keys that the app's present dictionary does not contain.
  package struct BareEntry: Hashable, Sendable {
    /// The domain of the entry.
    package var entry: String
    /// The effect of the entry, as a clause.
    package var reason: String
  }

  /// Several hosts of one domain with the same keys, which one entry could cover. The domain may be a public suffix that is not in the
  /// built-in list.
  package struct Alternative: Hashable, Sendable {
    package var domain: String
    package var hosts: [String]
  }

  /// The numbers of sessions of each kind; every session counts once.
  package struct Counts: Hashable, Sendable {
    /// Sessions that need no key: they meet every rule under the defaults and the app's own demands, or are exempt.
    package var withoutKeys = 0
    package var byKeys = 0
    /// Sessions that no key can allow, or only one that is for other hosts too.
    package var impossible = 0
    /// Sessions that keys may allow, although no session proves it.
    package var mayHelp = 0
    /// Cleartext sessions that need another URL rather than a key.
    package var upgradable = 0
    /// Sessions that need no key, or are allowed by keys, but lack required evidence.
    package var undecided = 0
    /// Sessions that were not examined because of a limit.
    package var leftOut = 0

    package init() {}
  }

  /// The dictionary: the app's existing requirements, and the keys that are needed.
  package internal(set) var dictionary = ATSDictionary()
  /// The keys that allow something, by entry in the order of the dictionary.
  package internal(set) var keys: [Key] = []
  /// Sessions that no key can allow, or only one that is for other hosts too.
  package internal(set) var impossible: [Impossible] = []
  /// Sessions that keys may allow, although no session proves it.
  package internal(set) var mayHelp: [MayHelp] = []
  /// Cleartext sessions that need another URL rather than a key.
  package internal(set) var upgradable: [UpgradableURL] = []
  /// The hosts of undecided sessions; nil for an unknown host.
  package internal(set) var undecidedHosts: [String?] = []
  /// The hosts of web views that NSAllowsArbitraryLoadsInWebContent covers and that would otherwise each need an entry; empty if the plan
  /// contains entries instead.
  package internal(set) var webContentHosts: [String] = []
  /// The settings of the present dictionary that no session needed.
  package internal(set) var unneeded: [Unneeded] = []
  package internal(set) var abandoned: [Abandoned] = []
  /// The new entries without keys.
  package internal(set) var bareEntries: [BareEntry] = []
  /// Broader entries that could each replace several.
  package internal(set) var alternatives: [Alternative] = []
  package internal(set) var counts = Counts()

  package init() {}

  /// Whether App Review requires a justification of a key (policy text H).
  package static func needsJustification(_ key: String, _ value: Value) -> Bool {
    switch key {
    case ATSKeys.arbitraryLoads, ATSKeys.arbitraryLoadsForMedia, ATSKeys.arbitraryLoadsInWebContent,
      ATSKeys.insecureLoads:
      return value == .boolean(true)
    case ATSKeys.minimumTLSVersion:
      return value == .string("TLSv1.0") || value == .string("TLSv1.1")
    default: return false
    }
  }
}
