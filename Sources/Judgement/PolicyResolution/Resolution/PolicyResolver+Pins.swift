import Values

extension PolicyResolver {
  /// The requirements of NSPinnedDomains for a host (policy text B.12).
  package func pins(for host: HostIdentity, in release: SystemRelease) -> PinDemands {
    guard !pinnedDomains.isEmpty, release.readsPins, var name = host.normalized.text else { return PinDemands() }
    if name.hasSuffix(".") { name.removeLast() }
    let serving = pinnedDomains.find(host: name.asciiLowercase)
    return PinDemands(leaf: union(serving.map(\.leafDigests)), ca: union(serving.map(\.caDigests)))
  }

  /// All digests of the entries that have the key, sorted because a dictionary has no order; nil if none has it.
  private func union(_ lists: [[String]?]) -> [String]? {
    let present = lists.compactMap { $0 }
    return present.isEmpty ? nil : Set(present.joined()).sorted()
  }

  func applyPins(to policy: inout EffectivePolicy, host: HostIdentity) {
    let demands = pins(for: host, in: policy.release)
    policy.leafPins = demands.leaf
    policy.caPins = demands.ca
    let kinds: [(EffectivePolicy.Setting, [String]?, String)] = [
      (.leafPins, demands.leaf, "the leaf's key"), (.caPins, demands.ca, "a CA's key"),
    ]
    // The rule says that pins do not apply to web content (policy text B.12).
    let loads = policy.context == .web ? ", except in web content" : ""
    for case (let setting, let list?, let what) in kinds {
      let demand =
        switch list.count {
        case 0: "\(what) without a readable digest, which no chain can meet"
        case 1: "\(what) to have the listed digest"
        default: "\(what) to have one of \(list.count) listed digests"
        }
      policy.add(setting, key: ATSKeys.pinnedDomains, "\(ATSKeys.pinnedDomains) requires \(demand)\(loads)")
    }
  }

  /// Applies the NIAP requirement; that of the entry overrides the global one (B.13).
  func applyNIAP(to policy: inout EffectivePolicy, entry: ExceptionEntry?) {
    guard policy.release.readsNIAPKeys else { return }
    if let package = entry?.requiredNIAPPackage {
      policy.requiresNIAPPackage = package.isDemand
      policy.add(.requiresNIAPPackage, key: ATSKeys.exceptionNIAP, entry: entry?.key, "\(ATSKeys.exceptionNIAP) is \(package.rawValue)")
    } else if let package = dictionary?.requiredNIAPPackage {
      policy.requiresNIAPPackage = package.isDemand
      policy.add(.requiresNIAPPackage, key: ATSKeys.niap, "\(ATSKeys.niap) is \(package.rawValue)")
    }
  }
}
