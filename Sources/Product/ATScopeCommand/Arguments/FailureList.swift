import ArgumentParser
import InfoPlistReading
import ReportFormats
import Reporting
import Values

/// A word that `--fail-on` accepts.
protocol FailureWord: CaseIterable, Hashable, Sendable {
  var word: String { get }

  /// The words that give status 1 by default.
  static var standard: Set<Self> { get }

  /// The words that `--strict` adds.
  static var strict: Set<Self> { get }
}

extension FailureWord where Self: RawRepresentable<String> {
  var word: String { rawValue }
}

/// The value of `--fail-on`.
struct FailureList<Name: FailureWord>: ExpressibleByArgument, CustomStringConvertible {
  var names: Set<Name>

  static var standard: FailureList { FailureList(names: Name.standard) }

  init(names: Set<Name>) { self.names = names }

  init?(argument: String) {
    names = []
    for word in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let name = Name.allCases.first(where: { $0.word == word }) else { return nil }
      names.insert(name)
    }
  }

  /// The list with the words that `--strict` adds.
  func adding(strict: Bool) -> FailureList {
    strict ? FailureList(names: names.union(Name.strict)) : self
  }

  /// Returns a warning about failures that count by default but not under this list; nil if there are none.
  func warning(about failures: Int, _ noun: String) -> String? {
    let omitted = Name.standard.subtracting(names).map(\.word)
    if failures == 0 || omitted.isEmpty { return nil }
    let effect = failures.counted("\(noun){s} {has|have} no effect on the exit status")
    return "\(effect): --fail-on \(self) does not include \(omitted.joined())"
  }

  var description: String {
    Name.allCases.filter { names.contains($0) }.map(\.word).joined(separator: ",")
  }

  static var allValueStrings: [String] { Name.allCases.map(\.word) }
}

/// The words of `--fail-on` for `audit` and `chain`.
extension GateVerdict: FailureWord {
  static let standard: Set<GateVerdict> = [.fail]
  static let strict: Set<GateVerdict> = [.unknown]
}

extension AuditDiff.Concern: FailureWord {
  static let standard: Set<AuditDiff.Concern> = [.fail]
  static let strict: Set<AuditDiff.Concern> = [.unknown, .outcome, .trust, .vanished]
}

extension LintRule.Severity: FailureWord {
  static let standard: Set<LintRule.Severity> = [.error]
  static let strict: Set<LintRule.Severity> = [.warning]

  var word: String { names.noun }
}
