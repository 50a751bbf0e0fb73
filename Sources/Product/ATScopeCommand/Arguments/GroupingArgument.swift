import ArgumentParser
import ATScope

/// The value of `--group-by`.
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
