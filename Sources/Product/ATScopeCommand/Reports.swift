import ArgumentParser
import ATScope
import ByteParsing

/// `--report FORMAT=FILE`.
struct ReportArgument: ExpressibleByArgument, CustomStringConvertible {
  var format: ReportOptions.Format
  var file: String

  init?(argument: String) {
    guard let sign = argument.firstIndex(of: "="),
      let format = ReportOptions.Format(rawValue: String(argument[..<sign]))
    else { return nil }
    file = String(argument[argument.index(after: sign)...])
    // Standard output is that of --format.
    guard !file.isEmpty, file != "-" else { return nil }
    self.format = format
  }

  var description: String { "\(format.rawValue)=\(file)" }
}

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
