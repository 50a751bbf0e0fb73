import ArgumentParser
import ATScope

/// What the text shows together, as `--group-by` names it.
struct GroupingArgument: ExpressibleByArgument {
  var grouping: ReportOptions.Grouping

  init(grouping: ReportOptions.Grouping) { self.grouping = grouping }

  init?(argument: String) {
    guard let grouping = ReportOptions.Grouping(rawValue: argument) else { return nil }
    self.grouping = grouping
  }

  static var allValueStrings: [String] { ReportOptions.Grouping.allCases.map(\.rawValue) }

  var defaultValueDescription: String { grouping.rawValue }
}
