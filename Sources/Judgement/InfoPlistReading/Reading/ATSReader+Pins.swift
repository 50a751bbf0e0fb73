import ByteParsing
import PolicyResolution
import PropertyLists

extension ATSReader {
  /// Reads NSPinnedDomains (policy text B.4, B.12).
  mutating func readPins(_ path: SettingPath, _ entry: Entry) -> [PinnedDomain] {
    guard let domains = entry.value.dictionary else {
      ignoreType(path, entry, expected: "a dictionary")
      return []
    }
    var result: [PinnedDomain] = []
    for domain in domains.entries {
      let path = path / domain.key
      if ATSKeys.isSetting(domain.key) {
        ignore(path, domain, .unknownKey)
        continue
      }
      guard let settings = domain.value.dictionary else {
        ignoreType(path, domain, expected: "a dictionary")
        continue
      }
      if let fault = HostKeyFault(pinned: domain.key) { ignore(path, domain, .unusableHost(fault)) }
      result.append(readPin(settings, key: domain.key, at: path))
    }
    ignoreRepeated(domains, at: path)
    return result
  }

  private mutating func readPin(
    _ settings: PropertyListDictionary, key: String, at path: SettingPath
  ) -> PinnedDomain {
    var result = PinnedDomain(key: key)
    for entry in settings.entries {
      let path = path / entry.key
      switch entry.key {
      case ATSKeys.includesSubdomains:
        // Unlike in NSExceptionDomains, a number does not count here.
        if case .boolean(let value) = entry.value {
          result.includesSubdomains = value
        } else {
          ignoreType(path, entry, expected: "a boolean")
        }
      case ATSKeys.leafIdentities: result.leafDigests = readDigests(path, entry)
      case ATSKeys.caIdentities: result.caDigests = readDigests(path, entry)
      default: ignore(path, entry, .unknownKey)
      }
    }
    ignoreRepeated(settings, at: path)
    return result
  }

  /// The readable digests. The key is a requirement even if there are none.
  private mutating func readDigests(_ path: SettingPath, _ entry: Entry) -> [String] {
    guard let items = entry.value.array else {
      ignoreType(path, entry, expected: "an array")
      return []
    }
    var digests: [String] = []
    for item in items {
      if let text = item.dictionary?[ATSKeys.spkiDigest]?.string, let digest = PinDigest.bytes(of: text),
        !digest.isEmpty
      {
        digests.append(Base64.text(of: digest))
      } else {
        ignore(path, entry, .unreadablePin)
      }
    }
    return digests
  }
}
