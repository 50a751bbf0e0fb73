import ArgumentParser
import ATScope

/// What a line of NDJSON holds of a session, as `--fields` names it.
struct FieldsArgument: ExpressibleByArgument {
  var fields: ReportOptions.Fields

  init(fields: ReportOptions.Fields) { self.fields = fields }

  init?(argument: String) {
    guard let fields = ReportOptions.Fields(rawValue: argument) else { return nil }
    self.fields = fields
  }

  static var allValueStrings: [String] { ReportOptions.Fields.allCases.map(\.rawValue) }

  var defaultValueDescription: String { fields.rawValue }
}
