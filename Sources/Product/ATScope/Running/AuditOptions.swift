public import ATSEvaluation
public import InputSources

/// What is audited, and under which assumptions.
public struct AuditOptions: Sendable {
  /// Captures, directories, archives and saved sessions, in files or in memory.
  public var inputs: [AuditInput]

  /// The settings of the programs; none for the defaults of ATS.
  public var programs = AppPolicies()

  /// What is assumed where no capture shows it.
  public var assumptions = JudgingAssumptions()

  /// The anchors of chains; Apple's own store of the release unless others are named, so that results do not depend on the machine.
  public var anchors = TrustAnchors.apple

  /// The list of logs, Apple's own unless another is named, and evidence of revocations.
  public var status = StatusSources.apple

  /// Patterns of hosts to show (`*` and `?` are wildcards); empty for all.
  public var hosts: [HostPattern] = []

  /// Names of processes to show, whole or as far as the system names them; empty for all.
  public var processes: [String] = []

  /// How inputs are read.
  public var reading = ReadingOptions()

  /// The project file that some of these options come from, for the record of the run.
  package var project: ProjectFile?

  /// Why files for judging (anchors, lists, chains) are missing from these options; what does not need them is judged nevertheless.
  package var unusable: [AuditError] = []

  /// A list of further inputs that an isolated run reads unit by unit; other runs have listed inputs among `inputs`.
  package var list: (@Sendable () throws(AuditError) -> InputList)?

  /// Whether a listed input would be replaced by an output of the run.
  package var isReplaced: (@Sendable (String) -> Bool)?

  /// Creates the default options for inputs; none are needed to judge sessions again.
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

extension ReadingOptions {
  func find(_ inputs: [AuditInput]) -> FoundInputs { InputFinder(series: series).find(inputs) }
}
