import PolicyResolution
import PropertyLists

extension InfoPropertyList {
  /// Compares an app's settings with those of the extensions in its bundle, each of which uses its own file.
  package func lint(extensions: [(name: String, list: InfoPropertyList)]) -> [LintFinding] {
    extensions.compactMap { name, list in
      let (app, other) = (ats.map(InfoPropertyList.ordered), list.ats.map(InfoPropertyList.ordered))
      guard app != other else { return nil }
      return LintFinding(
        .appExtension, at: SettingPath([ATSKeys.root]), line: list.root.entry(ATSKeys.root)?.keyLine,
        "the extension \(name) has \(InfoPropertyList.difference(app: app, other: other))",
        suggestion: "give both the same settings unless they load from different hosts")
    }
  }

  /// The settings with the hosts sorted by key, because the order of the file has no meaning.
  private static func ordered(_ ats: ATSDictionary) -> ATSDictionary {
    var ats = ats
    ats.exceptionDomains.sort { $0.key < $1.key }
    ats.pinnedDomains.sort { $0.key < $1.key }
    return ats
  }

  private static func difference(app: ATSDictionary?, other: ATSDictionary?) -> String {
    guard let app else { return "NSAppTransportSecurity, and the app has none" }
    guard let other else { return "no NSAppTransportSecurity, and the app has one" }
    var globals = app
    globals.exceptionDomains = other.exceptionDomains
    globals.pinnedDomains = other.pinnedDomains
    var what: [String] = []
    if globals != other { what.append("global keys") }
    if app.exceptionDomains != other.exceptionDomains { what.append("entries of NSExceptionDomains") }
    if app.pinnedDomains != other.pinnedDomains { what.append("entries of NSPinnedDomains") }
    return "other \(what.joined(separator: " and ")) than the app"
  }
}
