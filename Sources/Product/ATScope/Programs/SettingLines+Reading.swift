import ATSRules
import InfoPlistReading
import PolicyResolution
import PropertyLists
import ReportFormats

extension SettingLines {
  /// Creates the lines of the keys that affect loads: the global keys and those of each entry.
  init(of list: InfoPropertyList, in file: String) {
    self.init(file: file)
    guard let settings = list.root[ATSKeys.root]?.dictionary else { return }
    for entry in settings.entries {
      if let line = entry.keyLine { note(KeyReference(key: entry.key, entry: nil), at: line) }
      guard entry.key == ATSKeys.exceptionDomains || entry.key == ATSKeys.pinnedDomains,
        let hosts = entry.value.dictionary
      else { continue }
      for host in hosts.entries {
        for setting in host.value.dictionary?.entries ?? [] {
          guard let line = setting.keyLine else { continue }
          note(KeyReference(key: setting.key, entry: host.key), at: line)
        }
      }
    }
  }
}
