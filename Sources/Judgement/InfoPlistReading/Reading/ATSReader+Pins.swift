import ByteParsing
import PolicyResolution
import PropertyLists

extension ATSReader {
  /// Reads an entry of NSPinnedDomains (policy text B.4, B.12).
  mutating func readPin(_ domain: Entry, _ settings: PropertyListDictionary, at path: SettingPath) -> PinnedDomain {
    if let fault = HostKeyFault(pinned: domain.key) { ignore(path, domain, .unusableHost(fault)) }
    var result = PinnedDomain(key: domain.key)
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
      if let text = item.dictionary?[ATSKeys.spkiDigest]?.string, let digest = PinDigest.bytes(of: text) {
        digests.append(Base64.text(of: digest))
      } else {
        ignore(path, entry, .unreadablePin)
      }
    }
    return digests
  }
}
