import PolicyResolution

/// The policies of hosts under one dictionary and one set of assumptions, each resolved once.
///
/// A full table is emptied to limit memory; that costs time, but no correctness.
struct PolicyCache {
  private struct Key: Hashable {
    let host: HostIdentity
    let release: SystemRelease
  }

  private let limit: Int
  private var policies: [Key: EffectivePolicy] = [:]

  init(limit: Int) { self.limit = max(limit, 1) }

  /// The policy for a request. All requests must be equal except for host and release.
  mutating func policy(for request: PolicyRequest, from resolver: PolicyResolver) -> EffectivePolicy {
    let key = Key(host: request.host, release: request.release)
    if let known = policies[key] { return known }
    if policies.count >= limit { policies.removeAll() }
    let policy = resolver.policy(for: request)
    policies[key] = policy
    return policy
  }
}
