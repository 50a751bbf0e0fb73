import ByteParsing
import Crypto
import InfoPlistReading
public import PolicyResolution
import PropertyLists
import ReportFormats
public import SessionReading
import SessionRecords
import Values

/// The ATS settings of a program, read from its Info.plist.
public struct AppPolicy: Sendable {
  /// The name of the file as given, followed by its path in a bundle.
  public let file: String

  /// The SHA-256 digest of the file, 64 hexadecimal digits; nil for a dictionary.
  public let sha256: String?

  /// NSAppTransportSecurity; nil if the file does not contain it, in which case the defaults apply.
  public let dictionary: ATSDictionary?

  /// CFBundleExecutable; nil if the file does not contain it.
  public let executable: String?

  /// The SDK with which the program was linked; nil if the file names no known SDK.
  public let sdk: SystemRelease?

  /// The settings that the system ignores, with the reasons, as sentences.
  public let ignored: [String]

  /// Whether the file cannot be used, so that these are the ATS defaults, and the executable is named as its bundle.
  let isUnread: Bool

  /// The content of the file, for a review of its settings together with captures.
  let propertyList: InfoPropertyList

  /// The lines of the keys, for reports that link to them.
  let settingLines: SettingLines

  /// The other programs in an app's bundle with their settings; empty for a file.
  public let others: [AppPolicy]

  /// The maximum size of an Info.plist in bytes: hundreds of times that of any real one.
  package static let maximumLength = 16 * 1024 * 1024

  /// Reads an Info.plist, XML or binary, an `.app` folder or an `.ipa`; `-` is standard input.
  public init(reading file: String) throws(AuditError) {
    var unusable: [AuditError] = []
    try self.init(reading: file, leavingOut: &unusable)
    if let first = unusable.first { throw first }
  }

  /// Reads the settings of an app and of the other programs in its bundle. If the file of another program cannot be used, its error is
  /// added to `unusable`, and the program has the ATS defaults.
  init(reading file: String, leavingOut unusable: inout [AuditError]) throws(AuditError) {
    let files = try ProgramFile.reading(file)
    guard let main = files.first else { throw AuditError(file: file, "contains no Info.plist") }
    var others: [AppPolicy] = []
    for other in files.dropFirst() {
      do throws(AuditError) {
        others.append(try AppPolicy(other, others: []))
      } catch {
        unusable.append(error)
        others.append(AppPolicy(unread: other))
      }
    }
    try self.init(main, others: others)
  }

  private init(_ file: ProgramFile, others: [AppPolicy]) throws(AuditError) {
    self.init(try file.propertyList(), file.name, bytes: file.bytes, others: others)
  }

  /// The defaults, in place of the settings in a file that cannot be used. Builds name a program as its bundle, unless told otherwise.
  private init(unread file: ProgramFile) {
    self.init(InfoPropertyList(PropertyListDictionary()), file.name, bytes: nil, others: [], unreadProgram: file.bundleName)
  }

  /// Creates the settings from the content of an Info.plist, such as `Bundle.main.infoDictionary`: keys with strings, booleans, numbers,
  /// and arrays and dictionaries of these. `name` is the name of the file in results.
  ///
  /// Throws if a value has a type that property lists cannot contain.
  public init(infoDictionary: [String: Any], named name: String = "Info.plist") throws(AuditError) {
    do throws(PropertyListError) {
      let root = try PropertyListDictionary(infoDictionary)
      let list = try InfoPropertyList(root: .dictionary(root))
      self.init(list, name, bytes: nil, others: [])
    } catch {
      throw AuditError(file: name, "not a usable Info.plist: \(DisplayText.escaped("\(error)"))")
    }
  }

  /// Creates the settings from the value of `NSAppTransportSecurity` in an Info.plist.
  public init(settings: [String: Any], named name: String = "Info.plist") throws(AuditError) {
    try self.init(infoDictionary: [ATSKeys.root: settings], named: name)
  }

  private init(_ list: InfoPropertyList, _ name: String, bytes: Bytes?, others: [AppPolicy], unreadProgram: String? = nil) {
    propertyList = list
    dictionary = list.ats
    executable = unreadProgram ?? list.application.executable
    isUnread = unreadProgram != nil
    sdk = list.application.sdk
    ignored = list.ignored.map { DisplayText.escaped("\($0)") }
    file = name
    settingLines = SettingLines(of: list, in: name)
    sha256 = bytes.map { hexadecimal(SHA256.hash(data: $0)) }
    self.others = others
  }
}

extension AppPolicy {
  /// Whether two policies have the same settings from the same file, so that their sessions share results. Policies from memory often have
  /// the same name.
  static func areSame(_ a: AppPolicy?, _ b: AppPolicy?) -> Bool {
    a?.file == b?.file && a?.dictionary == b?.dictionary && a?.sdk == b?.sdk
  }

  /// Returns a sentence on the errors of a review under a release that are not in ``ignored``; nil if there are none.
  package func unmentioned(by release: SystemRelease) -> String? {
    let findings = propertyList.lint(release: release).filter {
      // An entry with a final dot applies to URLs that have the dot too; a pin with one never applies.
      $0.rule.severity == .error || $0.rule == .keyDot && $0.path.isOfPins
    }
    let count = Set(findings.map(\.path)).subtracting(propertyList.ignored.map(\.path)).count
    guard count > 0 else { return nil }
    return "\(count.counted("setting{s} {has|have} no effect or break{s|}")) connections; 'atscope lint' shows them"
  }

  /// Returns the entries that a release does not read, as sentences.
  public func unread(by release: SystemRelease) -> [String] {
    guard !release.readsAddressKeys else { return [] }
    let keys = (dictionary?.exceptionDomains ?? []).map(\.key)
    return keys.filter { (try? AddressRange(key: $0)) != nil || IPAddress($0) != nil }.map {
      "NSAppTransportSecurity > NSExceptionDomains > \(DisplayText.escaped($0)): \(release.displayName) does not read this entry: "
        + "addresses and ranges are read from iOS 17 and macOS 14"
    }
  }
}

extension ProgramFile {
  func propertyList() throws(AuditError) -> InfoPropertyList {
    let list: InfoPropertyList
    do throws(PropertyListError) {
      list = try InfoPropertyList(reading: bytes)
    } catch {
      throw AuditError(file: name, "not a usable Info.plist: \(DisplayText.escaped("\(error)"))")
    }
    if pathInBundle == nil, let owner = ProgramFile.otherOwner(list.root) {
      throw AuditError(file: name, "is the Info.plist of \(owner)")
    }
    return list
  }

  /// What an Info.plist belongs to if not to a program, and what to use instead; nil for that of a program. Without ATS settings, such a
  /// file would look like that of an app with the defaults. With settings, they would look as if they had an effect.
  private static func otherOwner(_ root: PropertyListDictionary) -> String? {
    if root["ArchiveVersion"] != nil, root["CFBundleIdentifier"] == nil {
      return "an archive of Xcode; use the app in the archive (Products/Applications/NAME.app)"
    }
    switch root["CFBundlePackageType"]?.string {
    case "FMWK": return "a framework; use the program that loads it, whose settings count"
    case "dSYM": return "debug symbols; use that of the program"
    default: return nil
    }
  }
}
