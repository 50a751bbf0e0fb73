import ArgumentParser
import ATScope

/// The value of `--fields`.
struct FieldsArgument: ExpressibleByArgument {
  var fields: ReportOptions.Fields

  init(fields: ReportOptions.Fields) { self.fields = fields }

  init?(argument: String) {
    guard let fields = ReportOptions.Fields(rawValue: argument) else { return nil }
    self.fields = fields
  }

  static var allValueStrings: [String] { ReportOptions.Fields.allCases.map(\.rawValue) }

  /// Throws unless the format supports these fields.
  func check(_ format: ReportOptions.Format) throws {
    switch fields {
    case .all: return
    case .compact where format == .json: return
    case .compact, .judgement:
      if format == .ndjson { return }
      throw ValidationError(
        "--fields \(fields.rawValue) requires --format ndjson\(fields == .compact ? " or json" : "").")
    }
  }

  var defaultValueDescription: String { fields.rawValue }
}
