import ATScope
import CLandlock
import SystemCalls

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Restricts the process before it reads captures: it then reads only the inputs, writes only in the folders of the outputs, starts no
/// program and, from version 4 of Landlock, opens no TCP connection. Files that options name, such as Info.plists, app archives and
/// certificates, are read before. On systems without Landlock it changes nothing.
enum Sandbox {
  /// The name in the output of `--version`.
  static var name: String {
    let version = landlock_version()
    return version >= 1 ? "Landlock \(version)" : "none"
  }

  /// Enters the sandbox, for the inputs in the options and outputs that are open already; `folder` is one into which files are written.
  static func enter(_ options: AuditOptions, outputs: [String?], folder: String? = nil) {
    // The entries of a list that is read unit by unit are not known yet.
    var inputs: [String]?
    // Comparing with nil requires macOS 15, for a function with typed throws.
    if case .none = options.list { inputs = options.inputs.compactMap(\.path) + options.reading.keyLogs }
    enter(reading: inputs, writing: outputs.compactMap { $0 }.map(OutputSink.folder(of:)), folder: folder)
  }

  /// Enters the sandbox; with nil `inputs`, all files stay readable. Returns false if nothing changed.
  @discardableResult
  static func enter(reading inputs: [String]?, writing folders: [String], folder: String? = nil) -> Bool {
    guard let rights = LandlockRights(version: landlock_version(), readsAnything: inputs == nil) else { return false }
    let ruleset = landlock_ruleset(rights.files, rights.network, rights.scopes, rights.byteCount)
    guard ruleset >= 0 else { return false }
    defer { _ = close(ruleset) }
    for input in inputs ?? [] where input != "-" { allow(LandlockRights.reading, at: input, ruleset, rights) }
    for folder in folders { allow(LandlockRights.writing, at: folder, ruleset, rights) }
    if let folder { allow(LandlockRights.writing | LandlockRights.reading, at: folder, ruleset, rights) }
    return landlock_apply(ruleset) == 0
  }

  /// Allows access to the target of a path. A path that does not exist, and a pipe without a name, require no rule.
  private static func allow(_ access: UInt64, at path: String, _ ruleset: Int32, _ rights: LandlockRights) {
    _ = unsafe FilePath(path).withCString {
      unsafe landlock_allow(ruleset, $0, access & rights.files, access & rights.files & LandlockRights.ofFiles)
    }
  }
}
