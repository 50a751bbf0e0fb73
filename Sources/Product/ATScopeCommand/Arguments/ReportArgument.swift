import ArgumentParser
import ATScope

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
