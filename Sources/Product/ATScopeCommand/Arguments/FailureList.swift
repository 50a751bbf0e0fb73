import ATSEvaluation
import ArgumentParser
import InfoPlistReading
import Reporting

/// What `--fail-on` can name.
protocol FailureWord: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
  /// What gives status 1 unless the option says otherwise.
  static var standard: Set<Self> { get }

  /// What `--strict` adds.
  static var strict: Set<Self> { get }
}

/// What `--fail-on` names.
struct FailureList<Name: FailureWord>: ExpressibleByArgument, CustomStringConvertible {
  var names: Set<Name>

  static var standard: FailureList { FailureList(names: Name.standard) }

  init(names: Set<Name>) { self.names = names }

  init?(argument: String) {
    names = []
    for word in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let name = Name(rawValue: String(word)) else { return nil }
      names.insert(name)
    }
  }

  /// The list, and what `--strict` adds to it.
  func adding(strict: Bool) -> FailureList {
    strict ? FailureList(names: names.union(Name.strict)) : self
  }

  var description: String {
    Name.allCases.filter { names.contains($0) }.map(\.rawValue).joined(separator: ",")
  }

  static var allValueStrings: [String] { Name.allCases.map(\.rawValue) }

  var defaultValueDescription: String { description }
}

/// The verdicts that `--fail-on` of `audit` and `chain` names.
enum FailureName: String, FailureWord {
  case fail
  case unknown
  case exempt
  case relaxed

  static let standard: Set<FailureName> = [.fail]
  static let strict: Set<FailureName> = [.unknown]
}

/// The severities that `--fail-on` of `lint` names.
enum LintFailureName: String, FailureWord {
  case error
  case warning
  case remark

  static let standard: Set<LintFailureName> = [.error]
  static let strict: Set<LintFailureName> = [.warning]

  /// The severity of this name.
  var severity: LintRule.Severity {
    switch self {
    case .error: .error
    case .warning: .warning
    case .remark: .information
    }
  }
}

extension FailureList<FailureName> {
  /// Whether a verdict is one of them; that of a session which passes only by a key is both `pass` and `relaxed`.
  func holds(_ verdict: Verdict, isRelaxed: Bool) -> Bool {
    switch verdict {
    case .fail: names.contains(.fail)
    case .unknown: names.contains(.unknown)
    case .exempt: names.contains(.exempt)
    case .pass: isRelaxed && names.contains(.relaxed)
    }
  }
}

extension AuditDiff.Concern: FailureWord {
  static let standard: Set<AuditDiff.Concern> = [.fail]
  static let strict: Set<AuditDiff.Concern> = [.unknown, .outcome, .trust, .vanished]
}
