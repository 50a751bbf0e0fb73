import Crypto
public import ByteParsing
import InfoPlistReading
public import PolicyResolution
import PropertyLists
public import Reporting
import SessionRecords

/// A review of ATS settings without any capture.
public struct Lint: Sendable {
  /// What was found.
  public let report: LintReport

  /// Reviews what the arguments name: Info.plists, `.app` folders, `.ipa` files; `-` is the standard input.
  ///
  /// A file that cannot be read has its error in the report.
  public init(_ arguments: [String], release: SystemRelease = .newest) {
    report = LintReport(release: release, files: arguments.flatMap { Lint.review($0, release) })
  }

  /// Whether a setting has no effect, or breaks loads.
  public var hasErrors: Bool { report.count(.error) > 0 }

  /// The files that could not be read, a line each.
  public var faults: [String] {
    report.files.compactMap { file in file.error.map { "\(DisplayText.escaped(file.name)): \($0)" } }
  }

  /// The review for people.
  public func text(width: Int, useColor: Bool) -> Bytes {
    LintText(TextOptions(width: width, useColor: useColor)).rendered(report)
  }

  /// The review as an object of the form `atscope.lint/1`.
  public func json() -> Bytes {
    var output = Bytes()
    output.appendJSON(report)
    return output
  }

  /// The review in any of the forms of reports; the options are those of the text.
  public func rendered(_ format: ReportOptions.Format, width: Int = 80, useColor: Bool = false) -> Bytes {
    let forms = LintForms(report)
    return switch format {
    case .text: text(width: width, useColor: useColor)
    case .json: json()
    case .ndjson: forms.ndjson()
    case .csv: forms.csv()
    case .junit: forms.junit()
    case .markdown: forms.markdown()
    case .html: LintHTML(report, toolVersion: Audit.version, policyVersion: Audit.policyVersion).rendered()
    case .sarif: LintSARIF(report, toolVersion: Audit.version, policyVersion: Audit.policyVersion).rendered()
    }
  }

  private static func review(_ argument: String, _ release: SystemRelease) -> [LintReport.File] {
    let programs: [ProgramFile]
    do throws(AuditError) {
      programs = try ProgramFile.reading(argument)
    } catch {
      return [LintReport.File(name: argument, error: clause(of: error, argument))]
    }
    var app: InfoPropertyList?
    return programs.map { program in
      do throws(AuditError) {
        let list = try program.propertyList()
        var findings = list.lint(release: release)
        if let place = program.place, let app {
          findings += app.lint(extensions: [(name: place, list: list)])
        } else if program.place == nil {
          app = list
        }
        return LintReport.File(
          name: program.name, sha256: hexadecimal(SHA256.hash(data: program.bytes)),
          hasSettings: list.root[ATSKeys.root] != nil, findings: findings)
      } catch {
        return LintReport.File(name: program.name, error: clause(of: error, program.name))
      }
    }
  }

  /// The error without the name of the file, which the report has beside it.
  private static func clause(of error: AuditError, _ name: String) -> String {
    let prefix = "\(DisplayText.escaped(name)): "
    return error.description.hasPrefix(prefix)
      ? String(error.description.dropFirst(prefix.count)) : error.description
  }
}
