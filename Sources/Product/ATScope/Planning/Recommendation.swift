import ATSEvaluation
public import ByteParsing
public import ExceptionPlanning
import InfoPlistReading
import PropertyLists
import Reporting

/// The narrowest settings that allow what was recorded.
public struct Recommendation: Sendable {
  /// The settings, with the reason for each.
  public let plan: ExceptionPlan

  /// How the reading ended.
  public let outcome: RunOutcome

  private let options: AuditOptions

  /// Reads the inputs and works out the settings, from the app's present ones if the options name them.
  public init(_ options: AuditOptions) {
    self.options = options
    var sink = SampleSink(options)
    outcome = Audit.read(options, into: &sink)
    let trial = TrialJudge(options, sink.evaluator)
    plan = ExceptionPlanner.plan(
      for: sink.samples, present: options.programs.main?.dictionary, release: options.assumptions.release,
      context: options.assumptions.context
    ) { session, dictionary, context in trial.content(of: session, dictionary, context) }
  }

  /// An Info.plist that holds the settings and nothing else, as XML; nil if a key of the present settings cannot stand
  /// in XML.
  public func propertyList() -> Bytes? { plan.dictionary.infoPropertyList.xml() }

  /// The settings and their reasons, for programs.
  public func json() -> Bytes {
    RecommendationJSON.rendered(
      plan, release: options.assumptions.release, context: options.assumptions.context,
      settingsFile: options.programs.main?.file)
  }

  /// The reasons, for people.
  public func reasons(width: Int, useColor: Bool) -> Bytes {
    RecommendationText(TextOptions(width: width, useColor: useColor)).rendered(plan)
  }
}
