import ATScope
import CLandlock
import SystemCalls

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Takes from the process what it does not need to read strangers' files: from then on it reads nothing but the inputs, writes nothing but
/// its outputs, starts no program and opens no TCP connection. On systems without Landlock it changes nothing.
enum Sandbox {
  /// How `--version` names it.
  static var name: String {
    let version = landlock_version()
    return version >= 1 ? "Landlock \(version)" : "none"
  }

  /// Enters it for inputs that options name and for outputs that are opened already; `folder` is one that files are written into.
  static func enter(_ options: AuditOptions, outputs: [String?], folder: String? = nil) {
    // The entries of a list that is read unit by unit are not known yet.
    var inputs: [String]?
    // Comparing with nil requires macOS 15, for a function with typed throws.
    if case .none = options.list { inputs = options.inputs.compactMap(\.path) + options.reading.keyLogs }
    enter(reading: inputs, writing: outputs.compactMap { $0 }.map(OutputSink.folder(of:)), folder: folder)
  }

  /// Enters it; `inputs` nil leaves all files readable. False where nothing changed.
  @discardableResult
  static func enter(reading inputs: [String]?, writing folders: [String], folder: String? = nil) -> Bool {
    guard let rights = LandlockRights(version: landlock_version(), readsAnything: inputs == nil) else {
      return false
    }
    let ruleset = landlock_ruleset(rights.files, rights.network, rights.scopes, rights.byteCount)
    guard ruleset >= 0 else { return false }
    defer { _ = close(ruleset) }
    for input in inputs ?? [] where input != "-" { allow(LandlockRights.reading, at: input, ruleset, rights) }
    for folder in folders { allow(LandlockRights.writing, at: folder, ruleset, rights) }
    if let folder { allow(LandlockRights.writing | LandlockRights.reading, at: folder, ruleset, rights) }
    return landlock_apply(ruleset) == 0
  }

  /// Allows access to what a path leads to. What is not there, or is a pipe without a name, needs no rule.
  private static func allow(_ access: UInt64, at path: String, _ ruleset: Int32, _ rights: LandlockRights) {
    _ = unsafe FilePath(path).withCString {
      unsafe landlock_allow(
        ruleset, $0, access & rights.files, access & rights.files & LandlockRights.ofFiles)
    }
  }
}
