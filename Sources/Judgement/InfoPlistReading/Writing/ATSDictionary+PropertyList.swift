package import PolicyResolution
package import PropertyLists

extension ATSDictionary {
  /// The value of NSAppTransportSecurity: keys in byte order, hosts in the order of the dictionary.
  ///
  /// Early names are left out, because every system reads the current ones.
  package var propertyList: PropertyListDictionary {
    var result = PropertyListDictionary()
    func add(_ key: String, _ value: Bool?) { if let value { result.append(key, .boolean(value)) } }
    add(ATSKeys.arbitraryLoads, allowsArbitraryLoads)
    add(ATSKeys.arbitraryLoadsForMedia, allowsArbitraryLoadsForMedia)
    add(ATSKeys.arbitraryLoadsInWebContent, allowsArbitraryLoadsInWebContent)
    add(ATSKeys.localNetworking, allowsLocalNetworking)
    if !exceptionDomains.isEmpty {
      let entries = exceptionDomains.map { ($0.key, PropertyListValue.dictionary($0.propertyList)) }
      result.append(ATSKeys.exceptionDomains, .dictionary(PropertyListDictionary(entries)))
    }
    if !pinnedDomains.isEmpty {
      let entries = pinnedDomains.map { ($0.key, PropertyListValue.dictionary($0.propertyList)) }
      result.append(ATSKeys.pinnedDomains, .dictionary(PropertyListDictionary(entries)))
    }
    if let requiredNIAPPackage { result.append(ATSKeys.niap, .string(requiredNIAPPackage.rawValue)) }
    return result
  }

  /// Returns a complete Info.plist that contains only these settings, and the SDK on which the effect of some depends.
  package func infoPropertyList(sdkName: String? = nil) -> PropertyListValue {
    var root = PropertyListDictionary()
    if let sdkName { root.append(AppInformation.sdkKey, .string(sdkName)) }
    root.append(ATSKeys.root, .dictionary(propertyList))
    return .dictionary(root)
  }
}

extension ExceptionEntry {
  fileprivate var propertyList: PropertyListDictionary {
    var result = PropertyListDictionary()
    if let allowed = settings.allowsInsecureHTTPLoads {
      result.append(ATSKeys.insecureLoads, .boolean(allowed))
    }
    if let minimum = settings.minimumTLSVersion { result.append(ATSKeys.minimumTLSVersion, .string(minimum)) }
    if let secrecy = settings.requiresForwardSecrecy {
      result.append(ATSKeys.forwardSecrecy, .boolean(secrecy))
    }
    if let package = requiredNIAPPackage { result.append(ATSKeys.exceptionNIAP, .string(package.rawValue)) }
    if let includes = includesSubdomains { result.append(ATSKeys.includesSubdomains, .boolean(includes)) }
    if let proof = requiresCertificateTransparency { result.append(ATSKeys.certificateTransparency, .boolean(proof)) }
    return result
  }
}

extension PinnedDomain {
  package var propertyList: PropertyListDictionary {
    var result = PropertyListDictionary()
    if includesSubdomains { result.append(ATSKeys.includesSubdomains, .boolean(true)) }
    func add(_ key: String, _ digests: [String]?) {
      guard let digests else { return }
      let items = digests.map {
        PropertyListValue.dictionary(PropertyListDictionary([(ATSKeys.spkiDigest, .string($0))]))
      }
      result.append(key, .array(items))
    }
    add(ATSKeys.caIdentities, caDigests)
    add(ATSKeys.leafIdentities, leafDigests)
    return result
  }
}
