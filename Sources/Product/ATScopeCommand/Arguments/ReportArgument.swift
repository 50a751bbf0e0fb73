import ArgumentParser
import ATScope

/// `--report FORMAT=FILE`.
struct ReportArgument: CustomStringConvertible {
  var format: ReportOptions.Format
  var file: String

  /// Parses `FORMAT=FILE`. The file must not be `-`: standard output is for `--format`.
  init(_ argument: String) throws(ReportArgumentError) {
    if ReportOptions.Format(rawValue: argument) != nil { throw .file }
    guard let sign = argument.firstIndex(of: "="),
      let format = ReportOptions.Format(rawValue: String(argument[..<sign]))
    else { throw .format }
    file = String(argument[argument.index(after: sign)...])
    guard !file.isEmpty, file != "-" else { throw .file }
    self.format = format
  }

  var description: String { "\(format.rawValue)=\(file)" }
}

/// The error for a value that is not `FORMAT=FILE`.
enum ReportArgumentError: Error, CustomStringConvertible {
  case format
  case file

  var description: String {
    switch self {
    case .format:
      "write FORMAT=FILE with one of the formats \(ReportOptions.Format.allValueStrings.joined(separator: ", "))"
    case .file: "write FORMAT=FILE with the name of a file, such as html=report.html; --format writes to standard output"
    }
  }
}
