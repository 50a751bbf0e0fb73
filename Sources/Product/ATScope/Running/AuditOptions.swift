public import ATSEvaluation

/// What is to be audited, and under which assumptions.
public struct AuditOptions: Sendable {
  /// Captures, directories, saved sessions; `-` is the standard input.
  public var inputs: [String]

  /// The settings of the programs; none for the defaults of ATS.
  public var programs = AppPolicies()

  /// The project file that some of these options are of; nil where there is none.
  public var project: ProjectFile?

  /// What is taken for granted that no capture shows.
  public var assumptions = JudgingAssumptions()

  /// The anchors of chains; Apple's own store of the release unless others are named, so that results do not depend on the machine.
  public var anchors = TrustAnchors.apple

  /// The list of logs, Apple's own unless another is named, and evidence of revocations.
  public var status = StatusSources.apple

  /// Why files that judging was to go by (anchors, lists, chains) are not among these options: what does not need them is judged all
  /// the same.
  public var unusable: [AuditError] = []

  /// Patterns of hosts to show (`*` and `?` stand for anything); empty for all.
  public var hosts: [HostPattern] = []

  /// Names of processes to show, whole or as far as the system names them; empty for all.
  public var processes: [String] = []

  /// A list of further inputs that an isolated run reads unit by unit; other runs have listed inputs among `inputs`.
  public var list: (@Sendable () throws(AuditError) -> InputList)?

  /// Whether a listed input would be replaced by an output of the run.
  public var isReplaced: (@Sendable (String) -> Bool)?

  /// How inputs are read.
  public var reading = ReadingOptions()

  /// Creates the default options for some inputs.
  public init(inputs: [String]) { self.inputs = inputs }
}
