import Crypto
public import ByteParsing
public import InfoPlistReading
public import PolicyResolution
import PropertyLists
public import Reporting
import SessionRecords

/// A review of ATS settings without any capture.
public struct Lint: Sendable {
  /// What was found.
  public private(set) var report: LintReport

  package enum Format: Hashable, Sendable {
    case report(ReportOptions.Format)
    case annotations(LintAnnotations.Format)

    /// The format of this name; nil where there is none.
    package init?(named name: String) {
      if let format = ReportOptions.Format(rawValue: name), format != .ecs {
        self = .report(format)
      } else if let format = LintAnnotations.Format(rawValue: name) {
        self = .annotations(format)
      } else {
        return nil
      }
    }

    package static var names: [String] {
      ReportOptions.Format.allCases.filter { $0 != .ecs }.map(\.rawValue)
        + LintAnnotations.Format.allCases.map(\.rawValue)
    }

    package var name: String {
      switch self {
      case .report(let format): format.rawValue
      case .annotations(let format): format.rawValue
      }
    }
  }

  /// Reviews Info.plists, `.app` folders and `.ipa` files; `-` is standard input.
  ///
  /// A file that cannot be read has its error in the report.
  public static func run(_ arguments: [String], release: SystemRelease = .newest) -> Lint {
    Lint(report: LintReport(release: release, files: arguments.flatMap { review($0, release) }))
  }

  /// Accepts the findings that a project lives with, as of a day such as `2027-01-31`: those of an entry by its host, those of global
  /// keys by `*`. Returns what is accepted no longer and would have accepted a finding, a line each.
  public mutating func accept(_ project: ProjectFile, on day: String) -> [String] {
    let (valid, expired) = project.accepted(on: day)
    var lines: [String] = []
    for file in report.files.indices {
      for index in report.files[file].findings.indices {
        let finding = report.files[file].findings[index]
        func covers(_ accepted: ProjectFile.Accepted) -> Bool {
          accepted.covers(rule: finding.rule.rawValue, host: finding.path.host ?? "", port: 0)
        }
        if let accepted = valid.first(where: covers) {
          report.files[file].findings[index].accepted =
            "\(accepted.reason), until \(accepted.expires)"
        } else if let accepted = expired.first(where: covers) {
          let line = "\(finding.rule.rawValue) was accepted until \(accepted.expires)"
          if !lines.contains(line) { lines.append(line) }
        }
      }
    }
    return lines
  }

  /// Whether there are findings of a severity that are not accepted.
  public func has(_ severity: LintRule.Severity) -> Bool { report.count(severity) > 0 }

  /// The files that could not be read, a line each.
  public var faults: [String] {
    report.files.compactMap { file in file.error.map { "\(DisplayText.escaped(file.name)): \($0)" } }
  }

  /// The review for people.
  public func text(width: Int = 80, useColor: Bool = false) -> Bytes {
    LintText(TextOptions(width: width, useColor: useColor)).rendered(report)
  }

  /// The review as an object of the schema `atscope.lint/1`.
  public func json() -> Bytes { Bytes.jsonDocument(report.writeMembers) }

  /// The review in any format; the options are those of the text.
  package func rendered(_ format: Format, width: Int = 80, useColor: Bool = false) -> Bytes {
    switch format {
    case .report(let format): rendered(format, width: width, useColor: useColor)
    case .annotations(let format): LintAnnotations(report).rendered(format)
    }
  }

  /// The review in any report format, ECS as NDJSON; the options are those of the text.
  public func rendered(_ format: ReportOptions.Format, width: Int = 80, useColor: Bool = false) -> Bytes {
    let forms = LintReports(report, toolVersion: Audit.version, policyVersion: Audit.policyVersion)
    return switch format {
    case .text: text(width: width, useColor: useColor)
    case .json: json()
    case .ndjson, .ecs: forms.ndjson()
    case .csv: forms.csv()
    case .junit: forms.junit()
    case .markdown: forms.markdown()
    case .html: forms.html()
    case .sarif: forms.sarif()
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
        if let pathInBundle = program.pathInBundle, let app {
          findings += app.lint(extensions: [(name: pathInBundle, list: list)])
        } else if program.pathInBundle == nil {
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
