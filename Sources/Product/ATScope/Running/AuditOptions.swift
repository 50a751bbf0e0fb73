public import ATSEvaluation
public import InputSources
public import SessionReading

/// The inputs and the assumptions of an audit.
public struct AuditOptions: Sendable {
  /// Captures, directories, archives and saved sessions, in files or in memory.
  public var inputs: [AuditInput]

  /// The settings of the programs; none for the ATS defaults.
  public var programs = AppPolicies()

  /// The assumptions about facts that captures do not show.
  public var assumptions = JudgingAssumptions()

  /// The anchors of chains; by default Apple's store of the release, so that results do not depend on the machine.
  public var anchors = TrustAnchors.apple

  /// The log list, by default Apple's own, and the revocation data.
  public var status = StatusSources.apple

  /// Patterns of hosts to show (`*` and `?` are wildcards); empty for all.
  public var hosts: [HostPattern] = []

  /// The names of processes to select, in full or truncated as in captures; empty for all.
  public var processes: [String] = []

  /// The options for reading inputs.
  public var reading = ReadingOptions()

  /// The project file that supplied some of these options, for the record of the run.
  package var project: ProjectFile?

  /// The errors of files for judging (anchors, lists, chains) that could not be used; sessions that do not require them are judged.
  package var unusable: [AuditError] = []

  /// The list of further inputs that an isolated run reads unit by unit; for other runs, `inputs` contains the listed inputs.
  package var list: (@Sendable () throws(AuditError) -> InputList)?

  /// Whether a listed input would be replaced by an output of the run.
  package var isReplaced: (@Sendable (String) -> Bool)?

  /// Creates the default options for inputs; without inputs, for judging sessions again.
  public init(inputs: [AuditInput] = []) { self.inputs = inputs }

  /// Creates the default options for files and directories; `-` is standard input.
  public init(paths: [String]) { inputs = paths.map { AuditInput(path: $0) } }

  /// Creates the default options for one input in memory: a capture, an archive or saved sessions, which may be compressed.
  ///
  /// `name` is its name in results.
  public init(bytes: some Sequence<UInt8>, named name: String) {
    inputs = [AuditInput(bytes: bytes, named: name)]
  }

  func find() -> FoundInputs { reading.find(inputs) }
}
