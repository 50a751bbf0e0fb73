import PolicyResolution
import PropertyLists
import SessionRecords

extension JSONObject {
  /// Writes NSAppTransportSecurity as a list of settings: hosts are values, so that member names do not depend on the input.
  ///
  /// `dictionary` is the key whose entries are by host, or null for a global key. An entry without keys has the `key` null.
  mutating func settings(_ key: String, _ dictionary: PropertyListDictionary) {
    array(key) { json in
      for (key, value) in dictionary.entries.map({ ($0.key, $0.value) }) {
        guard [ATSKeys.exceptionDomains, ATSKeys.pinnedDomains].contains(key),
          case .dictionary(let hosts) = value
        else {
          json.setting(nil, entry: nil, key: key, value)
          continue
        }
        for host in hosts.entries {
          guard case .dictionary(let settings) = host.value else { continue }
          if settings.entries.isEmpty { json.setting(key, entry: host.key, key: nil, nil) }
          for setting in settings.entries {
            json.setting(key, entry: host.key, key: setting.key, setting.value)
          }
        }
      }
    }
  }

  /// Writes a Boolean, a text, or the digests in a list of pinned identities.
  fileprivate mutating func settingValue(_ key: String, _ value: PropertyListValue?) {
    switch value {
    case .boolean(let value): boolean(key, value)
    case .string(let text): self.text(key, text)
    case .array(let identities):
      array(key) { json in
        for case .dictionary(let identity) in identities {
          json.object { $0.settingValue(ATSKeys.spkiDigest, identity[ATSKeys.spkiDigest]) }
        }
      }
    default: null(key)
    }
  }
}

extension JSONArray {
  fileprivate mutating func setting(_ dictionary: String?, entry: String?, key: String?, _ value: PropertyListValue?) {
    object { json in
      json.string("dictionary", dictionary)
      json.text("entry", entry)
      json.text("key", key)
      json.settingValue("value", value)
    }
  }
}
