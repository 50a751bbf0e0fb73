import ByteParsing
import PolicyResolution
import PropertyLists
import SessionRecords

extension ContiguousArray where Element == UInt8 {
  /// Appends NSAppTransportSecurity as a list of settings: hosts are values, so that the members are the same for every input.
  ///
  /// `dictionary` is the key whose entries are by host, or null for a global key. An entry without keys has a null `key`.
  mutating func appendJSONSettings(_ dictionary: PropertyListDictionary) {
    append(0x5B)
    for (key, value) in dictionary.entries.map({ ($0.key, $0.value) }) {
      guard [ATSKeys.exceptionDomains, ATSKeys.pinnedDomains].contains(key),
        case .dictionary(let hosts) = value
      else {
        appendSetting(nil, entry: nil, key: key, value)
        continue
      }
      for host in hosts.entries {
        guard case .dictionary(let settings) = host.value else { continue }
        if settings.entries.isEmpty { appendSetting(key, entry: host.key, key: nil, nil) }
        for setting in settings.entries {
          appendSetting(key, entry: host.key, key: setting.key, setting.value)
        }
      }
    }
    append(0x5D)
  }

  private mutating func appendSetting(
    _ dictionary: String?, entry: String?, key: String?, _ value: PropertyListValue?
  ) {
    appendJSONComma()
    appendRaw("{\"dictionary\":")
    appendJSONString(dictionary)
    appendRaw(",\"entry\":")
    appendJSONText(entry)
    appendRaw(",\"key\":")
    appendJSONText(key)
    appendRaw(",\"value\":")
    appendSettingValue(value)
    append(0x7D)
  }

  /// Appends a boolean, a text, or the digests of a list of pinned identities.
  private mutating func appendSettingValue(_ value: PropertyListValue?) {
    switch value {
    case .boolean(let value): appendJSON(value)
    case .string(let text): appendJSONText(text)
    case .array(let identities):
      append(0x5B)
      for case .dictionary(let identity) in identities {
        appendJSONComma()
        appendRaw("{\"\(ATSKeys.spkiDigest)\":")
        appendSettingValue(identity[ATSKeys.spkiDigest])
        append(0x7D)
      }
      append(0x5D)
    default: appendRaw("null")
    }
  }
}
