import Crypto
public import ByteParsing
import InfoPlistReading
public import PolicyResolution
import PropertyLists
public import ReportFormats
import Reporting
import SessionReading
import SessionRecords
public import Values

/// Reviews ATS settings without captures.
public struct Lint: Sendable {
  private let files: [String]
  private let release: SystemRelease

  /// Creates a review of Info.plists, `.app` folders and `.ipa` files, as the release reads their settings; `-` is standard input.
  public init(_ files: [String], release: SystemRelease = .newest) {
    self.files = files
    self.release = release
  }

  /// Reviews the files. The error of a file that cannot be read is in the report and in the outcome.
  public func run() -> Findings {
    var faults: [AuditError] = []
    let reviewed = files.flatMap { Lint.review($0, release, &faults) }
    return Findings(LintReport(release: release, files: reviewed), faults: faults)
  }

  /// The review with its findings.
  public struct Findings: Report {
    /// The formats: those of an audit except ECS, which has no fields for settings, and annotations of source lines.
    public enum Format: String, CaseIterable, ReportFormat {
      /// The formats of these names in ``ReportOptions/Format``.
      case text, json, ndjson, csv, html, sarif, junit, markdown
      /// Lines that Xcode recognizes in the output of a build phase.
      case xcode
      /// Workflow commands of GitHub Actions.
      case github
      /// A code quality report of GitLab, in the format of Code Climate.
      case codeclimate
    }

    /// The findings of all files.
    public private(set) var report: LintReport

    /// The files that could not be read, and warnings about expired acceptances.
    public private(set) var outcome: RunOutcome

    /// The severities that give exit status 1; JUnit shows them as failures.
    package var gate: Set<LintRule.Severity> = [.error]

    init(_ report: LintReport, faults: [AuditError]) {
      self.report = report
      outcome = RunOutcome(faults: faults)
    }

    /// Accepts the findings that a project accepts at a time: the host pattern applies to the host of an entry, and `*` also to global
    /// keys. The outcome has warnings about acceptances that have expired.
    public mutating func accept(_ project: ProjectFile, at time: Timestamp) {
      let (valid, expired) = project.accepted(at: time)
      for file in report.files.indices {
        for index in report.files[file].findings.indices {
          let finding = report.files[file].findings[index]
          func covers(_ accepted: ProjectFile.Accepted) -> Bool {
            accepted.covers(rule: finding.rule.rawValue, host: finding.path.host ?? "", port: 0)
          }
          if let accepted = valid.first(where: covers) {
            report.files[file].findings[index].accepted = "\(accepted.reason), until \(accepted.expires.date)"
          } else if let accepted = expired.first(where: covers) {
            let line = "\(finding.rule.rawValue) was accepted until \(accepted.expires.date)"
            if !outcome.warnings.contains(line) { outcome.warnings.append(line) }
          }
        }
      }
    }

    /// The report in a format; JSON is an object of the schema `atscope.lint/1`.
    public func rendered(_ format: Format, width: Int, useColor: Bool) -> Bytes {
      let forms = LintReports(report, toolVersion: Audit.version, policyVersion: Audit.policyVersion)
      return switch format {
      case .text: LintText.rendered(report, TextOptions(width: width, useColor: useColor))
      case .json: Bytes.jsonDocument(report.writeMembers)
      case .ndjson: forms.ndjson()
      case .csv: forms.csv()
      case .junit: forms.junit(gate: gate)
      case .markdown: forms.markdown()
      case .html: forms.html()
      case .sarif: forms.sarif()
      case .xcode: LintAnnotations(report).xcode()
      case .github: LintAnnotations(report).gitHub()
      case .codeclimate: LintAnnotations(report).codeClimate()
      }
    }
  }

  private static func review(_ argument: String, _ release: SystemRelease, _ faults: inout [AuditError]) -> [LintReport.File] {
    let programs: [ProgramFile]
    do throws(AuditError) {
      programs = try ProgramFile.reading(argument)
    } catch {
      return [unread(argument, error, &faults)]
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
        return unread(program.name, error, &faults)
      }
    }
  }

  /// Returns a file that cannot be read, and adds its fault. The error does not repeat the name of the file.
  private static func unread(_ name: String, _ error: AuditError, _ faults: inout [AuditError]) -> LintReport.File {
    let reason = error.file == name ? error.reason : error.description
    faults.append(AuditError(file: name, reason, cause: error.cause))
    return LintReport.File(name: name, error: reason)
  }
}
