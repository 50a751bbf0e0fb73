package import PolicyResolution

/// A system process that ATS does not govern, or that makes loads for another program (policy text A.5, A.6).
package struct SystemProcess: Sendable {
  package enum Role: Hashable, Sendable {
    /// The process makes loads for another program, in this context.
    case loads(LoadContext)
    /// No app's settings govern the traffic of the process; the reason is a sentence.
    case ungoverned(reason: String)
  }

  /// The name of the process, or its prefix.
  package let name: String

  /// Whether `name` is only a prefix.
  package let isPrefix: Bool

  package let role: Role

  /// The first release in which the process no longer has this role; nil if it has the role in every release.
  package let end: (major: Int, minor: Int)?

  /// The source that documents the role.
  package let source: PolicySource

  package let assumption: String?

  private init(
    _ name: String, isPrefix: Bool = false, _ role: Role, until end: (major: Int, minor: Int)? = nil,
    _ source: PolicySource, assumed assumption: String? = nil
  ) {
    self.name = name
    self.isPrefix = isPrefix
    self.role = role
    self.end = end
    self.source = source
    self.assumption = assumption
  }

  /// Every system process whose name matters. docs/policy.md contains the same rows.
  package static let all: [SystemProcess] = [
    SystemProcess("com.apple.WebKit", isPrefix: true, .loads(.web), .configuration),
    SystemProcess("mediaplaybackd", isPrefix: true, .loads(.media), .configuration),
    SystemProcess("mediaserverd", isPrefix: true, .loads(.media), until: (18, 4), .configuration),
    SystemProcess("nsurlsessiond", .loads(.app), .preventing, assumed: "background sessions are loads by the app itself"),
    SystemProcess(
      "SafariViewService", .ungoverned(reason: "SafariViewService shows SFSafariViewController, which ATS does not govern."), .seedOverview,
      assumed: "everything that this process loads is for SFSafariViewController"),
    SystemProcess(
      "MobileSafari", .ungoverned(reason: "Safari is a browser: no app's settings apply to its loads."),
      .seedOverview, assumed: "as SFSafariViewController"),
    SystemProcess(
      "Safari", .ungoverned(reason: "Safari is a browser: no app's settings apply to its loads."),
      .seedOverview, assumed: "as SFSafariViewController"),
    SystemProcess(
      "com.apple.Safari", isPrefix: true, .ungoverned(reason: "Safari's services load for the browser: no app's settings apply to them."),
      .seedOverview, assumed: "as SFSafariViewController"),
    SystemProcess("trustd", .ungoverned(reason: "Fetches by trustd to check certificates are the system's own traffic."), .revocation),
    SystemProcess(
      "ocspd", .ungoverned(reason: "Fetches by ocspd to check certificates are the system's own traffic."),
      .revocation, assumed: "the trust daemon of older systems, with the same duties"),
    SystemProcess(
      "securityd", .ungoverned(reason: "Fetches by securityd to check certificates are the system's own traffic."), .revocation,
      assumed: "the trust daemon of older systems, with the same duties"),
    SystemProcess(
      "apsd", .ungoverned(reason: "apsd maintains the connection for push notifications, which is not a URL load."), .preventing,
      assumed: "it uses its own protocol and not the URL Loading System"),
    SystemProcess(
      "mDNSResponder", .ungoverned(reason: "mDNSResponder resolves names, over TLS and HTTPS too, which is not a URL load."), .preventing,
      assumed: "it uses Network.framework and not the URL Loading System"),
    SystemProcess(
      "captiveagent", .ungoverned(reason: "captiveagent probes for captive portals, which is the system's own traffic."), .preventing,
      assumed: "probes use cleartext HTTP by design, outside ATS"),
    SystemProcess(
      "Captive Network Assistant", .ungoverned(reason: "Captive Network Assistant shows captive portals; no app's settings apply to them."),
      .preventing, assumed: "pages of captive portals load in cleartext by design, outside ATS"),
    SystemProcess(
      "WebSheet", .ungoverned(reason: "WebSheet shows captive portals; no app's settings apply to them."),
      .preventing, assumed: "pages of captive portals load in cleartext by design, outside ATS"),
    SystemProcess(
      "networkserviceproxy", .ungoverned(reason: "networkserviceproxy carries Private Relay, which is not a URL load."), .preventing,
      assumed: "it uses Network.framework and not the URL Loading System"),
  ]

  /// The number of bytes of a process name that captures keep, which is the kernel's limit.
  private static let keptLength = 16

  /// Whether a process name, which captures may truncate, matches this row.
  private func matches(_ process: String) -> Bool {
    let name = name.utf8.prefix(SystemProcess.keptLength)
    if isPrefix { return process.utf8.starts(with: name) }
    // Some captures do not truncate and have the whole name.
    return process.utf8.elementsEqual(name) || process.utf8.elementsEqual(self.name.utf8)
  }

  /// The role of a process name in a release; nil if it has none.
  package static func role(of process: String, in release: SystemRelease) -> Role? {
    all.first {
      $0.matches(process) && $0.end.map { !release.isAtLeast($0.major, $0.minor) } ?? true
    }?.role
  }

  /// The load context that the name of a process, or of the service that moves its packets, implies; nil if they imply none.
  ///
  /// The service comes first: a web view's process loads for its app.
  package static func context(of process: String, service: String?, in release: SystemRelease) -> LoadContext? {
    for name in [service, process] {
      if let name, case .loads(let context)? = role(of: name, in: release) { return context }
    }
    return nil
  }

  /// The first release of iOS in which the names no longer imply the context that they imply in earlier ones; nil if there is none.
  package static func contextEnd(of process: String, service: String?) -> SystemVersion? {
    for name in [service, process] {
      guard let name, let row = all.first(where: { $0.matches(name) }), case .loads = row.role else { continue }
      return row.end.map { SystemVersion($0.major, $0.minor) }
    }
    return nil
  }

  /// Whether ATS does not govern a process with this name, or the service that moves its packets.
  package static func isUngoverned(_ process: String?, service: String?) -> Bool {
    ungoverned(process, service: service) != nil
  }

  /// The index of the row by which ATS does not govern a process, by its name or that of the service; nil if there is none.
  static func ungoverned(_ process: String?, service: String?) -> Int? {
    for name in [service, process] {
      guard let name else { continue }
      if let row = all.firstIndex(where: { $0.isUngoverned && $0.matches(name) }) { return row }
    }
    return nil
  }

  private var isUngoverned: Bool {
    if case .ungoverned = role { true } else { false }
  }
}
