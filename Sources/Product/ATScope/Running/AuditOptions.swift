public import InputSources
public import SessionReading
import TrustEvaluation

/// The inputs of a run, how they are read and judged, and which sessions are reported.
public struct AuditOptions: Sendable {
  /// Captures, directories, archives and saved sessions, in files or in memory.
  public var inputs: [AuditInput]

  /// The options for reading the inputs.
  public var reading = ReadingOptions()

  /// The options for judging the sessions.
  public var judging = JudgingOptions()

  /// Patterns of hosts to show (`*` and `?` are wildcards); empty for all.
  public var hosts: [HostPattern] = []

  /// The names of processes to select, in full or truncated as in captures; empty for all.
  public var processes: [String] = []

  /// The project file that supplied some of these options, for the record of the run.
  package var project: ProjectFile?

  /// The errors of files for judging (anchors, lists, chains) that could not be used; sessions that do not require them are judged.
  package var unusable: [AuditError] = []

  /// The list of further inputs that an isolated run reads unit by unit; for other runs, `inputs` contains the listed inputs.
  package var list: (@Sendable () throws(AuditError) -> InputList)?

  /// Whether a listed input would be replaced by an output of the run.
  package var isReplaced: (@Sendable (String) -> Bool)?

  /// Creates the default options for inputs.
  public init(inputs: [AuditInput]) { self.inputs = inputs }

  /// Creates the default options for files and directories; `-` is standard input.
  public init(paths: [String]) { inputs = paths.map { AuditInput(path: $0) } }

  /// Creates the default options for one input in memory: a capture, an archive or saved sessions, which may be compressed.
  ///
  /// `name` is its name in results.
  public init(bytes: some Sequence<UInt8>, named name: String) {
    inputs = [AuditInput(bytes: bytes, named: name)]
  }

  /// Whether only the sessions of some hosts or processes are selected.
  var selectsSessions: Bool { !hosts.isEmpty || !processes.isEmpty }

  func find() -> FoundInputs { reading.find(inputs) }

  /// Returns a reading of the inputs that completes sessions with what judging assumes.
  func inputReading(looksAhead: Bool = true, keyLogs: KeyLogs? = nil) -> InputReading {
    InputReading(
      reading, chains: judging.chains, linksSavedSessions: judging.anchors.store.takesShownIntermediates, looksAhead: looksAhead,
      keyLogs: keyLogs)
  }
}
