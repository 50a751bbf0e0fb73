/// The decision whether an unlisted host requires HTTPS, and its reason.
struct GlobalDecision: Hashable, Sendable {
  var httpsRequired: Bool
  var key: String?
  var text: String

  init(_ httpsRequired: Bool, key: String? = nil, _ text: String) {
    self.httpsRequired = httpsRequired
    self.key = key
    self.text = text
  }
}

extension PolicyResolver {
  /// Decides for a host without an entry (policy text C.2, C.5).
  func globalDecision(_ request: PolicyRequest, isDirect: Bool) -> GlobalDecision {
    let release = request.release
    if case .address = request.host, release.exemptsAllAddresses {
      return GlobalDecision(false, "IP literals need no HTTPS before iOS 17 and macOS 14")
    }
    let isAddress = if case .address = request.host { true } else { false }
    let isExempt = isAddress ? release.exemptsDirectAddresses : release.exemptsDirectNames
    if isDirect, isExempt {
      switch dictionary?.allowsLocalNetworking {
      case nil:
        return GlobalDecision(false, "the destination is local, which ATS allows unless NSAllowsLocalNetworking is NO")
      case true?:
        return GlobalDecision(false, key: ATSKeys.localNetworking, "the destination is local and NSAllowsLocalNetworking is YES")
      case false?: break
      }
    }
    guard let keys = dictionary else {
      return request.isAppleBundle
        ? GlobalDecision(false, "the program is Apple's own and has no NSAppTransportSecurity")
        : GlobalDecision(true, "HTTPS is required by default; there is no NSAppTransportSecurity")
    }
    return release.readsNarrowGlobalKeys ? defaultDecision(keys, request, isDirect: isDirect) : arbitraryLoadsDecision(keys)
  }

  /// Implements `tlsRequiredByDefault` of policy text B.6, since iOS 10 and macOS 10.12.
  private func defaultDecision(_ keys: ATSDictionary, _ request: PolicyRequest, isDirect: Bool) -> GlobalDecision {
    if request.context == .media, keys.allowsArbitraryLoadsForMedia == true {
      return GlobalDecision(
        false, key: ATSKeys.arbitraryLoadsForMedia, "\(ATSKeys.arbitraryLoadsForMedia) is YES and AVFoundation makes the load")
    }
    if request.context == .web, keys.allowsArbitraryLoadsInWebContent == true {
      return GlobalDecision(
        false, key: ATSKeys.arbitraryLoadsInWebContent, "\(ATSKeys.arbitraryLoadsInWebContent) is YES and a web view makes the load")
    }
    if let canceler = keys.arbitraryLoadsCancelers.first {
      let value = canceler.value ? "YES" : "NO"
      if isDirect, canceler.key == ATSKeys.localNetworking {
        return GlobalDecision(true, key: canceler.key, "\(canceler.key) is \(value), so local destinations need HTTPS")
      }
      if keys.allowsArbitraryLoads == true {
        return GlobalDecision(
          true, key: canceler.key, "\(canceler.key) is present (\(value)), which cancels NSAllowsArbitraryLoads from iOS 10 and macOS 10.12"
        )
      }
      return GlobalDecision(true, "HTTPS is required by default; \(canceler.key) does not change that for this load")
    }
    return arbitraryLoadsDecision(keys)
  }

  /// Decides as releases before iOS 10 and macOS 10.12, which do not read the narrower keys.
  private func arbitraryLoadsDecision(_ keys: ATSDictionary) -> GlobalDecision {
    switch keys.allowsArbitraryLoads {
    case true?: GlobalDecision(false, key: ATSKeys.arbitraryLoads, "NSAllowsArbitraryLoads is YES")
    case false?: GlobalDecision(true, "HTTPS is required by default, and NSAllowsArbitraryLoads is NO")
    case nil: GlobalDecision(true, "HTTPS is required by default")
    }
  }
}
