import ByteParsing
import PolicyResolution

/// The policies of hosts under one dictionary and one set of assumptions, each resolved once.
struct PolicyCache {
  private struct Key: Hashable {
    let host: HostIdentity
    let release: SystemRelease
  }

  private var policies: RecentTable<[Key: EffectivePolicy]>

  init(limit: Int) { policies = RecentTable(maximumCount: limit / 2) }

  /// The policy for a request. All requests must be equal except for host and release.
  mutating func policy(for request: PolicyRequest, from resolver: PolicyResolver) -> EffectivePolicy {
    let key = Key(host: request.host, release: request.release)
    if let known = policies[key] { return known }
    let policy = resolver.policy(for: request)
    policies.insert(policy, for: key)
    return policy
  }
}
