package import PolicyResolution
import PropertyLists

extension InfoPropertyList {
  /// Lints the settings as `release` reads them; `seen` adds the hosts from captures.
  ///
  /// The findings are in the order of the file, as far as lines are known.
  package func lint(release: SystemRelease = .newest, seen: [SeenHost] = []) -> [LintFinding] {
    var linter = Linter(list: self, release: release, seen: seen)
    linter.run()
    return linter.findings.sorted { $0.line ?? .max < $1.line ?? .max }
  }
}

/// Collects the findings on one Info.plist.
struct Linter {
  let list: InfoPropertyList
  let release: SystemRelease
  let seen: [SeenHost]

  /// The settings as the system reads them; empty if there are none.
  let ats: ATSDictionary

  let written: PropertyListDictionary

  /// The oldest release that the program runs on; nil if the file does not state it.
  let target: SystemRelease?

  private(set) var findings: [LintFinding] = []

  init(list: InfoPropertyList, release: SystemRelease, seen: [SeenHost]) {
    self.list = list
    self.release = release
    self.seen = seen
    ats = list.ats ?? ATSDictionary()
    written = list.root[ATSKeys.root]?.dictionary ?? PropertyListDictionary()
    target = list.application.deploymentTarget
  }

  mutating func run() {
    checkRoot()
    checkIgnored()
    checkGlobals()
    for entry in ats.exceptionDomains { checkEntry(entry) }
    checkKeysOfHosts()
    checkRanges()
    checkPins()
    checkEvidence()
  }

  /// The beginning of a message on a setting that is read from the given release on: `iOS 13 does not read`, if the judged release is
  /// older, or `the program runs on iOS 13, which does not read`; nil if neither is.
  func notRead(before major: Int, _ minor: Int = 0) -> String? {
    if !release.isAtLeast(major, minor) { return "\(release.displayName) does not read" }
    guard let target, !target.isAtLeast(major, minor) else { return nil }
    return "the program runs on \(target.displayName), which does not read"
  }

  mutating func add(_ rule: LintRule, at path: SettingPath, line: Int?, _ message: String, suggestion: String? = nil) {
    findings.append(LintFinding(rule, at: path, line: line, message.cut(to: 500), suggestion: suggestion?.cut(to: 500)))
  }

  /// Adds a finding on a key and looks up its line.
  mutating func add(_ rule: LintRule, at path: SettingPath, _ message: String, suggestion: String? = nil) {
    add(rule, at: path, line: line(of: path), message, suggestion: suggestion)
  }

  /// Adds a finding on a setting that is not read.
  mutating func add(_ rule: LintRule, at ignored: IgnoredSetting, _ message: String, suggestion: String? = nil) {
    add(rule, at: ignored.path, line: ignored.line, message, suggestion: suggestion)
  }

  /// The line of the key at the path, or of its nearest existing parent.
  func line(of path: SettingPath) -> Int? {
    var dictionary: PropertyListDictionary? = list.root
    var line: Int?
    for key in path.keys {
      guard let entry = dictionary?.entry(key) else { break }
      line = entry.keyLine ?? line
      dictionary = entry.value.dictionary
    }
    return line
  }

  static let root = SettingPath([ATSKeys.root])
  static let exceptions = root / ATSKeys.exceptionDomains
  static let pins = root / ATSKeys.pinnedDomains
}
