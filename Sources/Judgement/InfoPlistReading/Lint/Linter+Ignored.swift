import PolicyResolution
import PropertyLists
import Values

/// Checks for settings that are not read: wrong types, wrong levels, unknown and early names.
extension Linter {
  /// Reports ATS keys next to NSAppTransportSecurity instead of in it.
  mutating func checkRoot() {
    for entry in list.root.entries {
      let path = SettingPath([entry.key])
      if entry.key != ATSKeys.root, ATSKeys.isSetting(entry.key) || ATSKeys.alias(entry.key) != nil {
        add(
          .misplaced, at: path, line: entry.keyLine, "\(entry.key) is ignored at the top level",
          suggestion: Linter.correction(of: entry.key))
      } else if entry.key == ATSKeys.pinningRequired {
        add(
          .pinRequired, at: path, line: entry.keyLine,
          list.isPinningRequired
            ? "SecTrustPinningRequired makes trust fail for all servers unless both lists of pins are present and empty"
            : "SecTrustPinningRequired is an undocumented key", suggestion: "remove it, and pin with NSPinnedDomains")
      }
    }
  }

  mutating func checkIgnored() {
    var unreadablePins: Set<SettingPath> = []
    for ignored in list.ignored {
      switch ignored.reason {
      case .wrongType(let found, let expected): reportType(ignored, found: found, expected: expected)
      case .unknownKey: reportUnknownKey(ignored)
      case .earlyName(let current, let wasRead): reportAlias(ignored, current: current, wasRead: wasRead)
      case .unknownValue(let text): reportValue(ignored, text)
      case .repeatedKey(let lastCounts):
        add(.keyDuplicate, at: ignored, IgnoredSetting.repetition(lastCounts: lastCounts), suggestion: "remove one of the two")
      case .variant(let devices):
        add(
          .keyDuplicate, at: ignored, "the key replaces NSAppTransportSecurity on \(devices), and its settings are not checked",
          suggestion: "check them as NSAppTransportSecurity in a copy of the file")
      case .unreadablePin where unreadablePins.insert(ignored.path).inserted: reportUnreadablePins(ignored)
      // Host keys and canceled keys have findings of their own.
      case .unreadablePin, .unusableHost, .canceled: break
      }
    }
  }

  private mutating func reportType(_ ignored: IgnoredSetting, found: String, expected: String) {
    let key = ignored.path.keys.last ?? ""
    let isInPins = ignored.path.isOfPins
    let what = "it is \(found), not \(expected)"
    switch ignored.path.keys.count {
    case 1:
      add(.rootType, at: ignored, "NSAppTransportSecurity counts as absent: \(what)", suggestion: "make it a dictionary")
    case 2 where key == ATSKeys.exceptionDomains || key == ATSKeys.pinnedDomains:
      add(.domainsType, at: ignored, "\(key) is ignored: \(what); the other keys still apply", suggestion: "make it a dictionary of hosts")
    case 3:
      add(
        .entryType, at: ignored, isInPins ? "no key is pinned for the host: \(what)" : "the host counts as unlisted: \(what)",
        suggestion: "make the entry a dictionary")
    case _ where key == ATSKeys.minimumTLSVersion:
      add(.tlsValue, at: ignored, "the minimum stays TLS 1.2: \(what)", suggestion: "write a string such as TLSv1.2")
    case _ where key == ATSKeys.niap || key == ATSKeys.exceptionNIAP:
      add(.niapValue, at: ignored, "the key counts as absent: \(what)", suggestion: Linter.niapSuggestion)
    case _
    where isInPins && key == ATSKeys.includesSubdomains
      && (found == "an integer" || found == "a real number"):
      add(
        .pinSubdomain, at: ignored, "the pins apply to the host alone: a number is not accepted here, unlike in NSExceptionDomains",
        suggestion: "write <true/>")
    case _ where ATSKeys.globalBooleans.contains(key) || ATSKeys.entryBooleans.contains(key):
      add(.boolType, at: ignored, "\(key) counts as absent: \(what); \(whenAbsent(key))", suggestion: "write <true/> or <false/>")
    // Early names have a finding of their own, and so have pins without digests.
    default: break
    }
  }

  /// Reports a key or value that only the built app has.
  mutating func reportVariable(in what: String, at path: SettingPath, line: Int?) {
    add(
      .buildVariable, at: path, line: line, "the \(what) has a build variable, so it is not checked",
      suggestion: "check the Info.plist of the built app, in which Xcode has replaced the build variable")
  }

  static let niapSuggestion = "write FCP_v2.1, recommended or none"

  private func whenAbsent(_ key: String) -> String {
    switch key {
    case ATSKeys.localNetworking, ATSKeys.arbitraryLoadsInWebContent, ATSKeys.arbitraryLoadsForMedia:
      if arbitraryLoadsCount {
        return (release.readsNarrowGlobalKeys ? "so it does not cancel NSAllowsArbitraryLoads, and " : "") + "ATS is off"
      }
      return key == ATSKeys.localNetworking ? "local names and addresses may use cleartext" : "ATS stays on"
    case ATSKeys.includesSubdomains: return "subdomains are not covered"
    case ATSKeys.insecureLoads: return "cleartext is not allowed"
    case ATSKeys.forwardSecrecy: return "forward secrecy is required"
    case ATSKeys.certificateTransparency: return "current systems ignore the key anyway"
    default: return "ATS stays on"
    }
  }

  private mutating func reportUnknownKey(_ ignored: IgnoredSetting) {
    let key = ignored.path.keys.last ?? ""
    let isGlobal = ignored.path.keys.count == 2
    let isInPins = !isGlobal && ignored.path.isOfPins
    let readHere = isGlobal ? ATSKeys.globals : isInPins ? ATSKeys.pinnedEntry : ATSKeys.entry
    if HostKeyFault.hasBuildVariable(key) {
      reportVariable(in: "key", at: ignored.path, line: ignored.line)
      return
    }
    if ATSKeys.isSetting(key) {
      add(
        .misplaced, at: ignored, "\(key) is ignored here",
        suggestion: levelsBelowItself(ignored.path).map { "move its entries up \($0.form(of: "{one|\($0)} level{s}"))" }
          ?? Linter.correction(of: key, isInPins: isInPins))
    } else {
      let nearest = ignored.path.keys.count == 1 ? ATSKeys.root : NearestKey.nearest(to: key, among: readHere)
      // The texts would look the same.
      if let nearest, nearest == HostKeyFault.trimmed(key) {
        add(
          .unknownKey, at: ignored, "the key is \(nearest) with a blank or an invisible character, so no system reads it",
          suggestion: "remove the character")
        return
      }
      add(
        .unknownKey, at: ignored, "no system reads the key \(key)",
        suggestion: nearest.map { "did you mean \($0)?" } ?? "remove it")
    }
  }

  /// Returns how to correct a setting at a level where it is ignored.
  private static func correction(of key: String, isInPins: Bool = false) -> String {
    if key == ATSKeys.certificateTransparency { return "remove it: current systems require Certificate Transparency without it" }
    let name = ATSKeys.alias(key)?.current ?? key
    let isForPins = !ATSKeys.entry.contains(name) || isInPins && ATSKeys.pinnedEntry.contains(name)
    let level =
      name == ATSKeys.root
      ? "the top level"
      : ATSKeys.globals.contains(name)
        ? "the dictionary NSAppTransportSecurity"
        : "an entry of \(isForPins ? ATSKeys.pinnedDomains : ATSKeys.exceptionDomains)"
    return name == key ? "move it to \(level)" : "write \(name) in \(level)"
  }

  /// The number of levels between the last key of the path and the same key above it; nil if there is none.
  private func levelsBelowItself(_ path: SettingPath) -> Int? {
    guard let key = path.keys.last, let index = path.keys.firstIndex(of: key), index < path.keys.count - 1 else { return nil }
    return path.keys.count - 1 - index
  }

  private mutating func reportAlias(_ ignored: IgnoredSetting, current: String, wasRead: Bool) {
    let keys = ignored.path.keys
    var message = "\(keys.last ?? "") is ignored\(wasRead ? " from iOS 18.4 and macOS 15.4 on" : "")"
    if keys.count == 4, let settings = written[ATSKeys.exceptionDomains]?.dictionary?[keys[2]]?.dictionary {
      if let value = settings[current], current == ATSKeys.minimumTLSVersion ? value.string != nil : ATSReader.boolean(value) != nil {
        add(
          .alias, at: ignored, "\(keys.last ?? "") is ignored: the entry has \(current), which counts in its place",
          suggestion: "remove it")
        return
      }
      let others = settings.entries.filter { ATSKeys.alias($0.key) == nil }
      // NSIncludesSubdomains relaxes nothing.
      if others.allSatisfy({ $0.key == ATSKeys.includesSubdomains }) {
        let isForSubdomains = others.contains { ATSReader.boolean($0.value) == true } && IPAddress(keys[2]) == nil
        message +=
          "; the entry contains nothing else\(others.isEmpty ? "" : " but \(ATSKeys.includesSubdomains)"), so the host \(keys[2]) "
          + (isForSubdomains ? "and its subdomains are strict" : "is strict") + (wasRead ? " from those releases" : "")
      }
    }
    add(.alias, at: ignored, message, suggestion: "use \(current)")
  }

  private mutating func reportValue(_ ignored: IgnoredSetting, _ text: String) {
    let key = ignored.path.keys.last ?? ""
    if HostKeyFault.hasBuildVariable(text) {
      reportVariable(in: "value", at: ignored.path, line: ignored.line)
    } else if key == ATSKeys.niap || key == ATSKeys.exceptionNIAP {
      add(.niapValue, at: ignored, "'\(text)' is not a known package", suggestion: Linter.niapSuggestion)
    } else if key == ATSKeys.minimumTLSVersion {
      add(
        .tlsValue, at: ignored, "'\(text)' is not understood, so the minimum stays TLS 1.2",
        suggestion: "write exactly TLSv1.0, TLSv1.1, TLSv1.2 or TLSv1.3")
    }
  }
}
