import PolicyResolution
import PropertyLists

/// Reads NSAppTransportSecurity as the system does, and records what it skips (policy text B).
///
/// The type rules are those of iOS 18.5 and macOS 15.5 for every release.
struct ATSReader {
  typealias Entry = PropertyListDictionary.Entry

  private(set) var ignored: [IgnoredSetting] = []

  mutating func readRoot(_ root: PropertyListDictionary) -> ATSDictionary? {
    for entry in root.entries where entry.key != ATSKeys.root {
      if let devices = ATSKeys.devices(ofVariant: entry.key) {
        ignore(SettingPath([entry.key]), entry, .variant(devices: devices))
      } else if NearestKey.isMeantAsRoot(entry.key) {
        ignore(SettingPath([entry.key]), entry, .unknownKey)
      }
    }
    guard let entry = root.entry(ATSKeys.root) else { return nil }
    let path = SettingPath([ATSKeys.root])
    for entry in root.repeated where entry.key == ATSKeys.root {
      ignore(path, entry, .repeatedKey(lastCounts: root.lastCounts))
    }
    guard let dictionary = entry.value.dictionary else {
      ignoreType(path, entry, expected: "a dictionary")
      return nil
    }
    return read(dictionary, at: path)
  }

  private mutating func read(_ dictionary: PropertyListDictionary, at path: SettingPath) -> ATSDictionary {
    var ats = ATSDictionary()
    for entry in dictionary.entries {
      let path = path / entry.key
      switch entry.key {
      case ATSKeys.arbitraryLoads: ats.allowsArbitraryLoads = boolean(path, entry)
      case ATSKeys.arbitraryLoadsForMedia: ats.allowsArbitraryLoadsForMedia = boolean(path, entry)
      case ATSKeys.arbitraryLoadsInWebContent: ats.allowsArbitraryLoadsInWebContent = boolean(path, entry)
      case ATSKeys.localNetworking: ats.allowsLocalNetworking = boolean(path, entry)
      case ATSKeys.niap: ats.requiredNIAPPackage = package(path, entry)
      case ATSKeys.exceptionDomains:
        ats.exceptionDomains = readHosts(path, entry) { $0.readException($1, $2, at: $3) }
      case ATSKeys.pinnedDomains:
        ats.pinnedDomains = readHosts(path, entry) { $0.readPin($1, $2, at: $3) }
      default: ignoreKey(path, entry)
      }
    }
    ignoreRepeated(dictionary, at: path)
    let cancelers = ats.arbitraryLoadsCancelers.map(\.key)
    if ats.allowsArbitraryLoads == true, !cancelers.isEmpty, let entry = dictionary.entry(ATSKeys.arbitraryLoads) {
      ignore(path / ATSKeys.arbitraryLoads, entry, .canceled(by: cancelers))
    }
    return ats
  }

  /// Reads the entries of a dictionary of hosts, except those that are not dictionaries.
  private mutating func readHosts<Host>(
    _ path: SettingPath, _ entry: Entry, read: (inout ATSReader, Entry, PropertyListDictionary, SettingPath) -> Host
  ) -> [Host] {
    guard let domains = entry.value.dictionary else {
      ignoreType(path, entry, expected: "a dictionary")
      return []
    }
    var hosts: [Host] = []
    for domain in domains.entries {
      let path = path / domain.key
      if ATSKeys.isSetting(domain.key) {
        ignore(path, domain, .unknownKey)
      } else if let settings = domain.value.dictionary {
        hosts.append(read(&self, domain, settings, path))
      } else {
        ignoreType(path, domain, expected: "a dictionary")
      }
    }
    ignoreRepeated(domains, at: path)
    return hosts
  }

  private mutating func readException(_ domain: Entry, _ settings: PropertyListDictionary, at path: SettingPath) -> ExceptionEntry {
    var result = ExceptionEntry(key: domain.key)
    for entry in settings.entries {
      let path = path / entry.key
      switch entry.key {
      case ATSKeys.includesSubdomains: result.includesSubdomains = boolean(path, entry)
      case ATSKeys.certificateTransparency: result.requiresCertificateTransparency = boolean(path, entry)
      case ATSKeys.exceptionNIAP: result.requiredNIAPPackage = package(path, entry)
      default:
        if readSetting(path, entry, prefix: ATSKeys.exceptionPrefix, into: &result.settings) { continue }
        ignoreKey(path, entry)
        for alias in ExceptionEntry.Alias.allCases {
          var early = result.aliases[alias] ?? ExceptionSettings()
          if readSetting(path, entry, prefix: alias.rawValue, into: &early), !early.isEmpty {
            result.aliases[alias] = early
          }
        }
      }
    }
    ignoreRepeated(settings, at: path)
    if let fault = HostKeyFault(domain.key) { ignore(path, domain, .unusableHost(fault)) }
    return result
  }

  /// Reads one of the three settings that have early names, and returns whether the key was one of them.
  private mutating func readSetting(_ path: SettingPath, _ entry: Entry, prefix: String, into settings: inout ExceptionSettings) -> Bool {
    guard entry.key.hasPrefix(prefix) else { return false }
    switch ATSKeys.exceptionPrefix + entry.key.dropFirst(prefix.count) {
    case ATSKeys.insecureLoads: settings.allowsInsecureHTTPLoads = boolean(path, entry)
    case ATSKeys.forwardSecrecy: settings.requiresForwardSecrecy = boolean(path, entry)
    case ATSKeys.minimumTLSVersion: settings.minimumTLSVersion = version(path, entry)
    default: return false
    }
    return true
  }

  // MARK: Values

  /// A Boolean: any number counts, and only 1 is true (B.1). Nil for other types, which count as absent.
  static func boolean(_ value: PropertyListValue) -> Bool? {
    switch value {
    case .boolean(let value): value
    case .integer(let value): value == 1
    case .real(let value): value == 1
    default: nil
    }
  }

  private mutating func boolean(_ path: SettingPath, _ entry: Entry) -> Bool? {
    if let value = ATSReader.boolean(entry.value) { return value }
    ignoreType(path, entry, expected: "a boolean")
    return nil
  }

  private mutating func version(_ path: SettingPath, _ entry: Entry) -> String? {
    guard let text = entry.value.string else {
      ignoreType(path, entry, expected: "a string")
      return nil
    }
    if TLSVersionText.version(of: text) == nil { ignore(path, entry, .unknownValue(text)) }
    return text
  }

  private mutating func package(_ path: SettingPath, _ entry: Entry) -> NIAPPackage? {
    guard let text = entry.value.string else {
      ignoreType(path, entry, expected: "a string")
      return nil
    }
    guard let package = NIAPPackage.allCases.first(where: { $0.rawValue.utf8.elementsEqual(text.utf8) })
    else {
      ignore(path, entry, .unknownValue(text))
      return nil
    }
    return package
  }

  // MARK: What is skipped

  mutating func ignore(_ path: SettingPath, _ entry: Entry, _ reason: IgnoredSetting.Reason) {
    ignored.append(IgnoredSetting(path: path, line: entry.keyLine, reason: reason))
  }

  mutating func ignoreType(_ path: SettingPath, _ entry: Entry, expected: String) {
    ignore(path, entry, .wrongType(found: entry.value.typeName, expected: expected))
  }

  private mutating func ignoreKey(_ path: SettingPath, _ entry: Entry) {
    if let alias = ATSKeys.alias(entry.key) {
      ignore(path, entry, .earlyName(current: alias.current, wasRead: alias.wasRead))
    } else {
      ignore(path, entry, .unknownKey)
    }
  }

  mutating func ignoreRepeated(_ dictionary: PropertyListDictionary, at path: SettingPath) {
    for entry in dictionary.repeated {
      ignore(path / entry.key, entry, .repeatedKey(lastCounts: dictionary.lastCounts))
    }
  }
}
