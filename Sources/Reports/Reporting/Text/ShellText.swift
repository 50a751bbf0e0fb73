import ByteParsing
import PolicyResolution
package import SessionRecords
import Values

/// Commands for a POSIX shell that a user can copy.
package enum ShellText {
  /// The maximum number and the maximum total length of inputs in a command; beyond either, the command contains `INPUT...`.
  private static let (maximumInputCount, maximumTextLength) = (3, 400)

  /// Returns the commands that collect hidden chains on a machine with a network and judge the inputs with them.
  package static func collectingCommands(_ inputs: [String], options: String = "") -> [String] {
    let inputs = names(of: inputs)
    return [
      "atscope certificates --missing --script \(inputs) > collect.sh",
      "sh collect.sh chains && atscope --chain chains \(options)\(inputs)",
    ]
  }

  /// The same for the inputs and options of a run, without key logs that are among `unusable`.
  package static func collectingCommands(of run: RunRecord, without unusable: Set<String>) -> [String] {
    collectingCommands(run.inputs, options: judgingOptions(of: run, without: unusable))
  }

  /// Returns the options that repeat the judging of a run, without key logs that are among `unusable`, each followed by a space;
  /// `OPTIONS-OF-THIS-RUN` if they cannot be copied.
  static func judgingOptions(of run: RunRecord, without unusable: Set<String> = []) -> String {
    let files = [
      ("info-plist", run.infoPlists.filter { $0.sha256 != nil }), ("anchors", run.anchors), ("intermediates", run.intermediates),
      ("revocations", run.revocations), ("chain", run.chains),
    ]
    var words = files.flatMap { option, sources in
      arguments(of: sources).flatMap { ["--" + option, $0] }
    }
    let takesContext = run.assumptions.contains(RunRecord.Setting("contextSource", .text("option")))
    for setting in run.options where repeatedOptions.contains(setting.name) {
      switch setting.value {
      case .text(let text) where setting.name == "context" ? takesContext : text != SystemRelease.newest.name:
        words += ["--" + setting.name, text]
      case .texts(let texts):
        words += texts.filter { setting.name != "keylog" || !unusable.contains($0) }.flatMap { ["--" + setting.name, $0] }
      default: break
      }
    }
    if run.assumptions.contains(RunRecord.Setting("appOverridesTrust", .boolean(true))) {
      words += ["--assume", "app-overrides-trust"]
    }
    if run.assumptions.contains(RunRecord.Setting("takesShownIntermediates", .boolean(false))) { words += ["--intermediates", "none"] }
    let logList = run.rootsName == nil ? "apple" : run.logList?.file ?? "none"
    if logList != "apple" { words += ["--ct-log-list", logList] }
    // For a program in a bundle, the record contains its path there; for roots other than Apple's, it does not contain their option.
    let isComplete =
      run.rootsName?.hasPrefix("Apple, ") != false
      && !run.infoPlists.contains { $0.file.contains(".app/") || $0.file.contains(".ipa/") }
    let text = words.map(quoted).joined(separator: " ")
    let isCopyable = isComplete && text.utf8.count <= maximumTextLength && DisplayText.escaped(text) == text
    return isCopyable ? text + (text.isEmpty ? "" : " ") : "OPTIONS-OF-THIS-RUN "
  }

  /// Returns the arguments that name files; the files of one folder have the same one.
  private static func arguments(of sources: [RunRecord.Source]) -> [String] {
    sources.map { $0.argument ?? ($0.appliesTo.map { $0 + "=" } ?? "") + path($0.file) }.distinct()
  }

  /// Returns a path that is not mistaken for an option.
  private static func path(_ path: String) -> String { path.hasPrefix("-") && path != "-" ? "./" + path : path }

  /// The options that affect verdicts or selection and have the same name in a record.
  private static let repeatedOptions: Set = ["os", "context", "at", "keylog", "host", "process", "filter", "from", "to", "series"]

  /// Returns the command that judges the inputs with chains from other sessions in them.
  package static func capturedCommand(_ inputs: [String]) -> String {
    "atscope --chain captured \(names(of: inputs))"
  }

  /// Returns the inputs as arguments; `INPUT...` if they are many, include standard input, or cannot be copied.
  private static func names(of inputs: [String]) -> String {
    let text = inputs.map { quoted(path($0)) }.joined(separator: " ")
    let isShort = inputs.count <= maximumInputCount && text.utf8.count <= maximumTextLength
    guard !inputs.isEmpty, isShort, !inputs.contains("-"),
      inputs.allSatisfy({ DisplayText.escaped($0) == $0 })
    else { return "INPUT..." }
    return text
  }

  /// Returns text as one word of a shell: in single quotes, unless no character requires them.
  static func quoted(_ text: String) -> String {
    let needsNoQuotes = text.utf8.allSatisfy { isAlphanumeric($0) || "+,-./:@_%".utf8.contains($0) }
    if needsNoQuotes, !text.isEmpty { return text }
    return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}

extension TextWriter {
  /// Writes a command on a separate line without wrapping, so that it can be copied.
  package mutating func writeCommand(_ command: String, indent: Int) {
    tab(to: indent)
    write(command, .green)
    endLine()
  }
}
