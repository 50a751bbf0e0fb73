import ByteParsing
import PolicyResolution

/// The policies of hosts under one dictionary and one set of assumptions, each worked out once.
///
/// What is held is bounded: a full table is emptied. That costs time and no correctness.
struct PolicyCache {
  private let limit: Int
  private var hosts: [HostIdentity] = []
  private var policies: [EffectivePolicy] = []
  private var places = HashedPlaces()

  /// Creates an empty table for so many hosts, one at least.
  init(limit: Int) { self.limit = max(limit, 1) }

  /// The policy for a request; no two may differ in anything but the host and the release.
  mutating func policy(for request: PolicyRequest, from resolver: PolicyResolver) -> EffectivePolicy {
    let hash = request.host.hashValue
    if let known = places.first(
      of: hash,
      where: {
        hosts[$0] == request.host && policies[$0].release == request.release
      })
    {
      return policies[known]
    }
    if hosts.count >= limit {
      hosts.removeAll()
      policies.removeAll()
      places.removeAll()
    }
    hosts.append(request.host)
    policies.append(resolver.policy(for: request))
    places.append(hash)
    return policies[policies.count - 1]
  }
}
